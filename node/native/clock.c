/* SPDX-License-Identifier: MIT */
/* The test clock, an external value in JavaScript. */
#include <stdlib.h>
#include "native.h"

void native_clock_release(native_clock *clock) {
  if (--clock->users > 0) return;
  flake_test_clock_close(clock->clock);
  free(clock);
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  native_clock_release(data);
}

bool native_clock_of(napi_env env, napi_value value, native_clock **clock) {
  return napi_get_value_external(env, value, (void **)clock) == napi_ok;
}

/* (wall_ns) -> the clock, or a status. */
static napi_value open_clock(napi_env env, napi_callback_info info) {
  napi_value value, result;
  int64_t wall_ns;
  if (!native_arguments(env, info, 1, &value, NULL) || !native_int64(env, value, &wall_ns))
    return native_thrown(env);
  native_clock *clock = calloc(1, sizeof *clock);
  if (!clock) return native_number(env, FLAKE_E_OUT_OF_MEMORY);
  flake_status status = flake_test_clock_open(wall_ns, &clock->clock);
  if (status < 0) {
    free(clock);
    return native_number(env, status);
  }
  clock->users = 1;
  if (napi_create_external(env, clock, finalize, NULL, &result) != napi_ok) {
    native_clock_release(clock);
    return native_thrown(env);
  }
  return result;
}

/* The clock and one int64 of a call. */
static bool clock_and_number(napi_env env, napi_callback_info info, native_clock **clock,
                             int64_t *number) {
  napi_value values[2];
  return native_arguments(env, info, 2, values, NULL) && native_clock_of(env, values[0], clock) &&
         native_int64(env, values[1], number);
}

static napi_value set_wall(napi_env env, napi_callback_info info) {
  native_clock *clock;
  int64_t wall_ns;
  if (!clock_and_number(env, info, &clock, &wall_ns)) return native_thrown(env);
  return native_number(env, flake_test_clock_set_wall(clock->clock, wall_ns));
}

static napi_value set_rate(napi_env env, napi_callback_info info) {
  native_clock *clock;
  int64_t rate_permille;
  if (!clock_and_number(env, info, &clock, &rate_permille)) return native_thrown(env);
  return native_number(env, flake_test_clock_set_rate(clock->clock, rate_permille));
}

static napi_value advance(napi_env env, napi_callback_info info) {
  native_clock *clock;
  int64_t ns;
  if (!clock_and_number(env, info, &clock, &ns)) return native_thrown(env);
  return native_number(env, flake_test_clock_advance(clock->clock, ns));
}

static napi_value script(napi_env env, napi_callback_info info) {
  napi_value values[3];
  native_clock *clock;
  int64_t after_ns, step_ns;
  if (!native_arguments(env, info, 3, values, NULL) || !native_clock_of(env, values[0], &clock) ||
      !native_int64(env, values[1], &after_ns) || !native_int64(env, values[2], &step_ns))
    return native_thrown(env);
  return native_number(env, flake_test_clock_script(clock->clock, after_ns, step_ns));
}

static napi_value stop_sleeps(napi_env env, napi_callback_info info) {
  native_clock *clock;
  int64_t stopped;
  if (!clock_and_number(env, info, &clock, &stopped)) return native_thrown(env);
  clock->sleeps_stopped = stopped != 0;
  return native_number(env, flake_test_clock_stop_sleeps(clock->clock, stopped != 0));
}

static napi_value wall_ns(napi_env env, napi_callback_info info) {
  napi_value value;
  native_clock *clock;
  if (!native_arguments(env, info, 1, &value, NULL) || !native_clock_of(env, value, &clock))
    return native_thrown(env);
  return native_bigint(env, flake_test_clock_wall(clock->clock));
}

static napi_value monotonic_ns(napi_env env, napi_callback_info info) {
  napi_value value;
  native_clock *clock;
  if (!native_arguments(env, info, 1, &value, NULL) || !native_clock_of(env, value, &clock))
    return native_thrown(env);
  return native_bigint(env, flake_test_clock_monotonic(clock->clock));
}

const native_function native_clocks[] = {
    {"openClock", open_clock},
    {"setWall", set_wall},
    {"setRate", set_rate},
    {"advance", advance},
    {"script", script},
    {"stopSleeps", stop_sleeps},
    {"wallNs", wall_ns},
    {"monotonicNs", monotonic_ns},
    {NULL, NULL},
};
