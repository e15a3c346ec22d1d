/* SPDX-License-Identifier: MIT */
/*
 * The generator. Each one has functions of its own, whose data is the generator: to find it through
 * the object that a method is called on would cost as much as the ID.
 *
 * It lives as long as one of its functions does; the last one to be collected, or the end of the
 * thread's environment, closes it if nobody has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "native.h"

typedef struct generator {
  flake_generator *gen; /* NULL: closed */
  native_clock *clock;  /* NULL: the system's */
  int32_t functions;    /* how many are alive */
} generator;

static flake_status close_generator(generator *g) {
  if (!g->gen) return FLAKE_OK;
  flake_generator *gen = g->gen;
  g->gen = NULL;
  return flake_close(gen);
}

static void release(generator *g) {
  (void)close_generator(g); /* nobody is left who could be told */
  if (g->clock) native_clock_release(g->clock);
  free(g);
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  generator *g = data;
  if (--g->functions == 0) release(g);
}

/* ---- one ID ---------------------------------------------------------------------------------- */

static int64_t next_of(napi_env env, napi_callback_info info) {
  generator *g = NULL;
  if (napi_get_cb_info(env, info, NULL, NULL, NULL, (void **)&g) != napi_ok || !g->gen)
    return FLAKE_E_CLOSED;
  return flake_next(g->gen);
}

static napi_value next_id(napi_env env, napi_callback_info info) {
  return native_bigint_or_status(env, next_of(env, info));
}

static napi_value next_string(napi_env env, napi_callback_info info) {
  napi_value result;
  char text[FLAKE_TEXT_SIZE];
  int64_t id = next_of(env, info);
  if (id < 0) return native_number(env, id);
  int32_t length = flake_encode(FLAKE_FORMAT_DEC, (uint64_t)id, text, sizeof text);
  if (length < 0) return native_number(env, length);
  TRY(napi_create_string_latin1(env, text, (size_t)length, &result));
  return result;
}

/* The attempt in a BigInt64Array; it stays as it is unless the step ends with "again". */
static napi_value step(napi_env env, napi_callback_info info) {
  napi_value value;
  generator *g;
  void *kept;
  size_t length;
  flake_attempt attempt;
  if (!native_arguments(env, info, 1, &value, (void **)&g)) return native_thrown(env);
  TRY(napi_get_typedarray_info(env, value, NULL, &length, &kept, NULL, NULL));
  if (length * sizeof(int64_t) != sizeof attempt) return native_thrown(env);
  if (!g->gen) return native_number(env, FLAKE_E_CLOSED);
  memcpy(&attempt, kept, sizeof attempt);
  int64_t id = flake_next_step(g->gen, &attempt);
  if (id == FLAKE_E_AGAIN) memcpy(kept, &attempt, sizeof attempt);
  return native_bigint_or_status(env, id);
}

/* ---- many IDs -------------------------------------------------------------------------------- */

/* (count) -> [first as bigint, issued] or a status. */
static napi_value next_range(napi_env env, napi_callback_info info) {
  napi_value value;
  generator *g;
  int64_t count, issued;
  if (!native_arguments(env, info, 1, &value, (void **)&g)) return native_thrown(env);
  TRY(napi_get_value_int64(env, value, &count));
  if (!g->gen) return native_number(env, FLAKE_E_CLOSED);
  int64_t first = flake_next_range(g->gen, count, &issued);
  if (first < 0) return native_number(env, first);
  const napi_value found[] = {native_bigint(env, first), native_number(env, issued)};
  return native_array(env, found, 2);
}

/* Sleeps until the attempt says, whatever signals come. Several may sleep on a test clock to one
 * moment; the first moves it. */
static void wait_for(generator *g, const flake_attempt *attempt) {
  if (g->clock) {
    int64_t left_ns = attempt->wake_ns - flake_test_clock_monotonic(g->clock->clock);
    if (left_ns > 0 && !g->clock->sleeps_stopped)
      (void)flake_test_clock_advance(g->clock->clock, left_ns);
    return;
  }
  struct timespec left = {.tv_sec = attempt->wait_ns / 1000000000,
                          .tv_nsec = attempt->wait_ns % 1000000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

/* Fills ids; returns how many there are and sets the status that ended it. */
static size_t fill(generator *g, int64_t *ids, size_t count, int64_t *status) {
  flake_attempt attempt = {0};
  size_t done = 0;
  *status = FLAKE_OK;
  while (done < count) {
    int64_t got = flake_next_many_step(g->gen, &attempt, ids + done, (int64_t)(count - done));
    if (got > 0) {
      done += (size_t)got;
    } else if (got == FLAKE_E_AGAIN) {
      wait_for(g, &attempt);
    } else {
      *status = got;
      break;
    }
  }
  return done;
}

/* (array) -> how many when it is full, or [how many, status]. */
static napi_value next_many(napi_env env, napi_callback_info info) {
  napi_value value;
  generator *g;
  void *ids;
  size_t length;
  int64_t status = FLAKE_E_CLOSED;
  if (!native_arguments(env, info, 1, &value, (void **)&g)) return native_thrown(env);
  TRY(napi_get_typedarray_info(env, value, NULL, &length, &ids, NULL, NULL));
  size_t done = g->gen ? fill(g, ids, length, &status) : 0;
  const napi_value found[] = {native_number(env, (int64_t)done), native_number(env, status)};
  return status ? native_array(env, found, 2) : found[0];
}

/* ---- how it fares ---------------------------------------------------------------------------- */

/* -> [level, reasons, status name, text, wall_ms, rewind_ms, lead_ms, expires_ms, ceiling_ms] */
static napi_value health(napi_env env, napi_callback_info info) {
  generator *g;
  flake_health found;
  char text[FLAKE_HEALTH_TEXT_SIZE];
  if (!native_arguments(env, info, 0, NULL, (void **)&g)) return native_thrown(env);
  if (!g->gen) return native_number(env, FLAKE_E_CLOSED);
  int64_t status = flake_health_get(g->gen, &found, sizeof found);
  if (!status && flake_health_text(&found, text, sizeof text) < 0)
    status = FLAKE_E_INVALID_ARGUMENT;
  if (status < 0) return native_number(env, status);
  const napi_value parts[] = {
      native_number(env, found.level),
      native_number(env, found.reasons),
      native_string(env, flake_status_name(found.status)),
      native_string(env, text),
      native_bigint(env, found.wall_ms),
      native_bigint(env, found.rewind_ms),
      native_bigint(env, found.lead_ms),
      native_bigint(env, found.expires_ms),
      native_bigint(env, found.ceiling_ms),
  };
  return native_array(env, parts, sizeof parts / sizeof parts[0]);
}

/* -> the fields of flake_stats in its order, as bigint. */
static napi_value stats(napi_env env, napi_callback_info info) {
  generator *g;
  flake_stats found;
  if (!native_arguments(env, info, 0, NULL, (void **)&g)) return native_thrown(env);
  if (!g->gen) return native_number(env, FLAKE_E_CLOSED);
  flake_status status = flake_stats_get(g->gen, &found, sizeof found);
  if (status < 0) return native_number(env, status);
  const napi_value parts[] = {
      native_bigint(env, found.issued),           native_bigint(env, found.dropped),
      native_bigint(env, found.exhaustion_waits), native_bigint(env, found.refusals),
      native_bigint(env, found.rewinds),          native_bigint(env, found.rewind_max_ms),
      native_bigint(env, found.lead_ms),          native_bigint(env, found.wall_high_ms),
  };
  return native_array(env, parts, sizeof parts / sizeof parts[0]);
}

static napi_value generator_close(napi_env env, napi_callback_info info) {
  generator *g;
  if (!native_arguments(env, info, 0, NULL, (void **)&g)) return native_thrown(env);
  return native_number(env, close_generator(g));
}

/* ---- opening --------------------------------------------------------------------------------- */

static const native_function functions[] = {
    {"next", next_id},     {"nextString", next_string}, {"step", step},
    {"range", next_range}, {"many", next_many},         {"health", health},
    {"stats", stats},      {"close", generator_close},            {NULL, NULL},
};

/* An object with the functions. g goes with them; on failure it is released. */
static napi_value object_of(napi_env env, generator *g) {
  napi_value object, function;
  g->functions = 1; /* this call's own part */
  bool good = napi_create_object(env, &object) == napi_ok &&
              native_offer(env, object, functions, g);
  for (const native_function *f = functions; good && f->name; f++) {
    good = napi_get_named_property(env, object, f->name, &function) == napi_ok &&
           napi_add_finalizer(env, function, g, finalize, NULL, NULL) == napi_ok;
    if (good) g->functions++;
  }
  finalize(env, g, NULL);
  return good ? object : native_thrown(env);
}

/* The options that are given; FLAKE_UNSET keeps what flake_config_init chose. */
static void set_numbers(flake_config *config, const int64_t *numbers) {
  int64_t *const wide[] = {&config->node,           &config->max_wait_ms, &config->max_lead_ms,
                           &config->start_floor_ms, &config->ceiling_ms,  &config->seq_spread_bits};
  uint32_t *const narrow[] = {&config->mode, &config->clock_source, &config->host_guard};
  for (size_t i = 0; i < 6; i++)
    if (numbers[i] != FLAKE_UNSET) *wide[i] = numbers[i];
  for (size_t i = 0; i < 3; i++)
    if (numbers[6 + i] != FLAKE_UNSET) *narrow[i] = (uint32_t)numbers[6 + i];
}

/* A name that is too long is left without its NUL; the core refuses it and says what a name is. */
static void set_space(flake_config *config, const char *name, size_t length) {
  memset(config->space, 0, sizeof config->space);
  memcpy(config->space, name, length < sizeof config->space ? length : sizeof config->space);
}

static bool config_of(napi_env env, const napi_value *values, flake_config *config,
                      native_clock **clock) {
  flake_layout *layout;
  size_t count, length;
  void *numbers;
  const char *name;
  napi_valuetype type;
  if (flake_config_init(config, sizeof *config) < 0 || !native_layout(env, values[0], &layout) ||
      napi_get_typedarray_info(env, values[1], NULL, &count, &numbers, NULL, NULL) != napi_ok ||
      count != 9 || !native_bytes(env, values[2], &name, &length) ||
      napi_typeof(env, values[3], &type) != napi_ok)
    return false;
  config->layout = *layout;
  set_numbers(config, numbers);
  set_space(config, name, length);
  *clock = NULL;
  return type == napi_null || native_clock_of(env, values[3], clock);
}

static napi_value explained(napi_env env, const flake_config *config, flake_status status) {
  char text[FLAKE_EXPLAIN_SIZE];
  int32_t length = flake_explain(config, status, text, sizeof text);
  const napi_value found[] = {native_number(env, status),
                              native_string(env, length > 0 ? text : flake_status_text(status))};
  return native_array(env, found, 2);
}

/* (layout, numbers, space, clock or null) -> the generator's functions, or [status, sentence].
 * numbers: node, max_wait_ms, max_lead_ms, start_floor_ms, ceiling_ms, seq_spread_bits, mode,
 * clock_source, host_guard. */
static napi_value generator_open(napi_env env, napi_callback_info info) {
  napi_value values[4];
  flake_config config;
  native_clock *clock;
  if (!native_arguments(env, info, 4, values, NULL) || !config_of(env, values, &config, &clock))
    return native_thrown(env);
  generator *g = calloc(1, sizeof *g);
  if (!g) return explained(env, &config, FLAKE_E_OUT_OF_MEMORY);
  flake_status status = flake_open(&config, clock ? clock->clock : NULL, &g->gen);
  if (status < 0) {
    free(g);
    return explained(env, &config, status);
  }
  g->clock = clock;
  if (clock) clock->users++;
  return object_of(env, g);
}

const native_function native_generators[] = {{"open", generator_open}, {NULL, NULL}};
