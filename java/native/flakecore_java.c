/* SPDX-License-Identifier: MIT */
/*
 * What io.github.flakecore.Native calls: convert, call the core, convert. Handles are pointers in a
 * long, 0 is a closed generator. Structs travel as arrays of long with a field in each place, in
 * the order of flakecore.h. Nothing here blocks, throws, or keeps a reference.
 */
#include <stdbool.h>
#include <string.h>

#include "flakecore.h"
#include "io_github_flakecore_Native.h"

#define JAVA(type, name) JNIEXPORT type JNICALL Java_io_github_flakecore_Native_##name
#define NOT_GIVEN INT64_MIN /* Native.NOT_GIVEN */
#define LENGTH(array) ((jsize)(sizeof(array) / sizeof *(array)))

_Static_assert(sizeof(jlong) == sizeof(int64_t) && sizeof(flake_attempt) == 5 * sizeof(jlong),
               "an attempt is five longs in Java");

static flake_generator *generator_of(jlong handle) {
  return (flake_generator *)(uintptr_t)handle;
}

static flake_test_clock *clock_of(jlong handle) {
  return (flake_test_clock *)(uintptr_t)handle;
}

static jlong handle_of(const void *pointer) {
  return (jlong)(uintptr_t)pointer;
}

static flake_layout layout_of(JNIEnv *env, jlongArray fields) {
  jlong n[8];
  (*env)->GetLongArrayRegion(env, fields, 0, LENGTH(n), n);
  return (flake_layout){.epoch_ms = n[0],
                        .tick_ms = (uint32_t)n[1],
                        .time_bits = (uint32_t)n[2],
                        .time_shift = (uint32_t)n[3],
                        .node_bits = (uint32_t)n[4],
                        .node_shift = (uint32_t)n[5],
                        .seq_bits = (uint32_t)n[6],
                        .seq_shift = (uint32_t)n[7]};
}

/* The core's own text is ASCII, with which Java's form of UTF-8 agrees. NULL is null. */
static jstring string_of(JNIEnv *env, const char *text) {
  return text ? (*env)->NewStringUTF(env, text) : NULL;
}

/* Text that quotes what others wrote is for Java to decode. */
static jbyteArray bytes_of(JNIEnv *env, const char *text) {
  jsize len = (jsize)strlen(text);
  jbyteArray bytes = (*env)->NewByteArray(env, len);
  if (bytes) (*env)->SetByteArrayRegion(env, bytes, 0, len, (const jbyte *)text);
  return bytes;
}

/* ---- status codes and version ---------------------------------------------------------------- */

JAVA(jstring, version)(JNIEnv *env, jobject self) {
  (void)self;
  return string_of(env, flake_version());
}

JAVA(jstring, statusName)(JNIEnv *env, jobject self, jlong status) {
  (void)self;
  return string_of(env, flake_status_name(status));
}

JAVA(jstring, statusText)(JNIEnv *env, jobject self, jlong status) {
  (void)self;
  return string_of(env, flake_status_text(status));
}

JAVA(jint, statusClass)(JNIEnv *env, jobject self, jlong status) {
  (void)env, (void)self;
  return (jint)flake_status_class(status);
}

/* ---- layouts --------------------------------------------------------------------------------- */

JAVA(jlong, layoutParse)(JNIEnv *env, jobject self, jbyteArray text, jlongArray fields) {
  (void)self;
  flake_layout layout;
  jbyte *bytes = (*env)->GetByteArrayElements(env, text, NULL);
  if (!bytes) return FLAKE_E_OUT_OF_MEMORY;
  size_t len = (size_t)(*env)->GetArrayLength(env, text);
  flake_status status = flake_layout_parse((const char *)bytes, len, &layout);
  (*env)->ReleaseByteArrayElements(env, text, bytes, JNI_ABORT);
  if (status) return status;
  const jlong n[8] = {layout.epoch_ms,  layout.tick_ms,    layout.time_bits, layout.time_shift,
                      layout.node_bits, layout.node_shift, layout.seq_bits,  layout.seq_shift};
  (*env)->SetLongArrayRegion(env, fields, 0, LENGTH(n), n);
  return FLAKE_OK;
}

JAVA(jstring, layoutFormat)(JNIEnv *env, jobject self, jlongArray fields) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  char text[FLAKE_LAYOUT_TEXT_SIZE];
  return flake_layout_format(&layout, text, sizeof text) < 0 ? NULL : string_of(env, text);
}

JAVA(jstring, layoutPreset)(JNIEnv *env, jobject self, jint index) {
  (void)self;
  return string_of(env, flake_layout_preset(index));
}

JAVA(jlong, layoutCheck)(JNIEnv *env, jobject self, jlongArray fields, jlong now_ms) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  return flake_layout_check(&layout, now_ms);
}

JAVA(jlong, layoutStride)(JNIEnv *env, jobject self, jlongArray fields) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  return flake_layout_stride(&layout);
}

JAVA(jlong, layoutExpiresMs)(JNIEnv *env, jobject self, jlongArray fields) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  return flake_layout_expires_ms(&layout);
}

JAVA(jlong, decode)(JNIEnv *env, jobject self, jlongArray fields, jlong id, jlongArray parts) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  flake_decoded decoded;
  flake_status status = flake_decode(&layout, (uint64_t)id, &decoded);
  if (status) return status;
  const jlong n[4] = {decoded.unix_ms, decoded.tick, decoded.node, decoded.sequence};
  (*env)->SetLongArrayRegion(env, parts, 0, LENGTH(n), n);
  return FLAKE_OK;
}

JAVA(jlong, compose)
(JNIEnv *env, jobject self, jlongArray fields, jlong unix_ms, jlong node, jlong sequence) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  return flake_compose(&layout, unix_ms, node, sequence);
}

JAVA(jlong, bounds)
(JNIEnv *env, jobject self, jlongArray fields, jlong from_ms, jlong until_ms, jlongArray ids) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  uint64_t min_id, max_id;
  flake_status status = flake_bounds(&layout, from_ms, until_ms, &min_id, &max_id);
  if (status) return status;
  const jlong n[2] = {(jlong)min_id, (jlong)max_id};
  (*env)->SetLongArrayRegion(env, ids, 0, LENGTH(n), n);
  return FLAKE_OK;
}

/* Also writes the sentence of flake_node_from, which may hold bytes of paths. */
JAVA(jlong, nodeFrom)
(JNIEnv *env, jobject self, jbyteArray chain, jlongArray fields, jbyteArray sentence) {
  (void)self;
  flake_layout layout = layout_of(env, fields);
  char text[FLAKE_NODE_TEXT_SIZE] = "";
  jbyte *bytes = (*env)->GetByteArrayElements(env, chain, NULL);
  if (!bytes) return FLAKE_E_OUT_OF_MEMORY;
  size_t len = (size_t)(*env)->GetArrayLength(env, chain);
  int64_t node = flake_node_from((const char *)bytes, len, &layout, text, sizeof text);
  (*env)->ReleaseByteArrayElements(env, chain, bytes, JNI_ABORT);
  (*env)->SetByteArrayRegion(env, sentence, 0, (jsize)sizeof text, (const jbyte *)text);
  return node;
}

/* ---- text ------------------------------------------------------------------------------------ */

JAVA(jstring, formatName)(JNIEnv *env, jobject self, jint format) {
  (void)self;
  return string_of(env, flake_format_name(format));
}

JAVA(jstring, encode)(JNIEnv *env, jobject self, jint format, jlong id) {
  (void)self;
  char text[FLAKE_TEXT_SIZE];
  return flake_encode(format, (uint64_t)id, text, sizeof text) < 0 ? NULL : string_of(env, text);
}

JAVA(jlong, decodeText)
(JNIEnv *env, jobject self, jint format, jbyteArray text, jlongArray result) {
  (void)self;
  uint64_t id;
  jbyte *bytes = (*env)->GetByteArrayElements(env, text, NULL);
  if (!bytes) return FLAKE_E_OUT_OF_MEMORY;
  size_t len = (size_t)(*env)->GetArrayLength(env, text);
  flake_status status = flake_decode_text(format, (const char *)bytes, len, &id);
  (*env)->ReleaseByteArrayElements(env, text, bytes, JNI_ABORT);
  if (status) return status;
  const jlong n = (jlong)id;
  (*env)->SetLongArrayRegion(env, result, 0, 1, &n);
  return FLAKE_OK;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* A space that is too long is left without its NUL; the core refuses it and says what a name is. */
static flake_status config_of(JNIEnv *env, jlongArray fields, jlongArray options, jbyteArray space,
                              flake_config *config) {
  jlong n[9];
  jsize space_len = (*env)->GetArrayLength(env, space);
  flake_status status = flake_config_init(config, sizeof *config);
  if (status) return status;
  config->layout = layout_of(env, fields);
  (*env)->GetLongArrayRegion(env, options, 0, LENGTH(n), n);
  config->mode = (uint32_t)n[0];
  config->clock_source = (uint32_t)n[1];
  config->host_guard = (uint32_t)n[2];
  if (n[3] != NOT_GIVEN) config->node = n[3];
  if (n[4] != NOT_GIVEN) config->max_wait_ms = n[4];
  if (n[5] != NOT_GIVEN) config->max_lead_ms = n[5];
  if (n[6] != NOT_GIVEN) config->start_floor_ms = n[6];
  if (n[7] != NOT_GIVEN) config->ceiling_ms = n[7];
  if (n[8] != NOT_GIVEN) config->seq_spread_bits = n[8];
  if (space_len > (jsize)sizeof config->space) space_len = (jsize)sizeof config->space;
  memset(config->space, 0, sizeof config->space);
  (*env)->GetByteArrayRegion(env, space, 0, space_len, (jbyte *)config->space);
  return FLAKE_OK;
}

JAVA(jlong, open)
(JNIEnv *env, jobject self, jlongArray fields, jlongArray options, jbyteArray space, jlong clock) {
  (void)self;
  flake_config config;
  flake_generator *gen;
  flake_status status = config_of(env, fields, options, space, &config);
  if (!status) status = flake_open(&config, clock_of(clock), &gen);
  return status ? status : handle_of(gen);
}

JAVA(jbyteArray, explain)
(JNIEnv *env, jobject self, jlongArray fields, jlongArray options, jbyteArray space, jlong status) {
  (void)self;
  flake_config config;
  char text[FLAKE_EXPLAIN_SIZE];
  bool explained = config_of(env, fields, options, space, &config) == FLAKE_OK &&
                   flake_explain(&config, status, text, sizeof text) > 0;
  return bytes_of(env, explained ? text : flake_status_text(status));
}

JAVA(jlong, close)(JNIEnv *env, jclass type, jlong handle) {
  (void)env, (void)type;
  return flake_close(generator_of(handle));
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Nearly every step ends with an ID, and then nobody looks at its attempt: so it lives on the
 * stack, and no array of Java's is touched. Only a step that has to wait leaves it behind for the
 * thread, which takes it at once. Should a virtual thread have moved to another one meanwhile, the
 * attempt is not there and begins anew. */
static _Thread_local struct {
  jlong handle;
  flake_attempt attempt;
} left;

JAVA(jlong, next)(JNIEnv *env, jclass type, jlong handle) {
  (void)env, (void)type;
  flake_attempt attempt = {0};
  if (!handle) return FLAKE_E_CLOSED;
  int64_t id = flake_next_step(generator_of(handle), &attempt);
  if (id == FLAKE_E_AGAIN) {
    left.handle = handle;
    left.attempt = attempt;
  }
  return id;
}

JAVA(void, take)(JNIEnv *env, jclass type, jlong handle, jlongArray step) {
  (void)type;
  if (left.handle == handle)
    (*env)->SetLongArrayRegion(env, step, 0, 5, (const jlong *)&left.attempt);
  left.handle = 0;
}

JAVA(jlong, step)(JNIEnv *env, jclass type, jlong handle, jlongArray step) {
  (void)type;
  flake_attempt attempt;
  if (!handle) return FLAKE_E_CLOSED;
  (*env)->GetLongArrayRegion(env, step, 0, 5, (jlong *)&attempt);
  int64_t id = flake_next_step(generator_of(handle), &attempt);
  if (id == FLAKE_E_AGAIN) (*env)->SetLongArrayRegion(env, step, 0, 5, (const jlong *)&attempt);
  return id;
}

/* The sixth place of step is how many were issued. */
JAVA(jlong, range)(JNIEnv *env, jclass type, jlong handle, jlong count, jlongArray step) {
  (void)type;
  flake_attempt attempt;
  jlong issued = 0;
  if (!handle) return FLAKE_E_CLOSED;
  (*env)->GetLongArrayRegion(env, step, 0, 5, (jlong *)&attempt);
  int64_t first = flake_next_range_step(generator_of(handle), &attempt, count, &issued);
  if (first == FLAKE_E_AGAIN)
    (*env)->SetLongArrayRegion(env, step, 0, 5, (const jlong *)&attempt);
  else if (first > 0)
    (*env)->SetLongArrayRegion(env, step, 5, 1, &issued);
  return first;
}

/* ---- health and stats ------------------------------------------------------------------------ */

JAVA(jlong, health)(JNIEnv *env, jclass type, jlong handle, jlongArray fields) {
  (void)type;
  flake_health health;
  if (!handle) return FLAKE_E_CLOSED;
  flake_status status = flake_health_get(generator_of(handle), &health, sizeof health);
  if (status) return status;
  const jlong n[8] = {health.level,     health.reasons, health.status,     health.wall_ms,
                      health.rewind_ms, health.lead_ms, health.expires_ms, health.ceiling_ms};
  (*env)->SetLongArrayRegion(env, fields, 0, LENGTH(n), n);
  return FLAKE_OK;
}

JAVA(jstring, healthText)(JNIEnv *env, jobject self, jlongArray fields) {
  (void)self;
  jlong n[8];
  (*env)->GetLongArrayRegion(env, fields, 0, LENGTH(n), n);
  const flake_health health = {.level = (uint32_t)n[0],
                               .reasons = (uint32_t)n[1],
                               .status = n[2],
                               .wall_ms = n[3],
                               .rewind_ms = n[4],
                               .lead_ms = n[5],
                               .expires_ms = n[6],
                               .ceiling_ms = n[7]};
  char text[FLAKE_HEALTH_TEXT_SIZE];
  return flake_health_text(&health, text, sizeof text) < 0 ? NULL : string_of(env, text);
}

JAVA(jlong, stats)(JNIEnv *env, jclass type, jlong handle, jlongArray fields) {
  (void)type;
  flake_stats stats;
  if (!handle) return FLAKE_E_CLOSED;
  flake_status status = flake_stats_get(generator_of(handle), &stats, sizeof stats);
  if (status) return status;
  const jlong n[8] = {stats.issued,   stats.dropped,     stats.exhaustion_waits,
                      stats.refusals, stats.rewinds,     stats.rewind_max_ms,
                      stats.lead_ms,  stats.wall_high_ms};
  (*env)->SetLongArrayRegion(env, fields, 0, LENGTH(n), n);
  return FLAKE_OK;
}

/* ---- the test clock -------------------------------------------------------------------------- */

JAVA(jlong, clockOpen)(JNIEnv *env, jobject self, jlong wall_ns) {
  (void)env, (void)self;
  flake_test_clock *clock;
  flake_status status = flake_test_clock_open(wall_ns, &clock);
  return status ? status : handle_of(clock);
}

JAVA(void, clockClose)(JNIEnv *env, jclass type, jlong clock) {
  (void)env, (void)type;
  flake_test_clock_close(clock_of(clock));
}

JAVA(jlong, clockSetWall)(JNIEnv *env, jclass type, jlong clock, jlong wall_ns) {
  (void)env, (void)type;
  return flake_test_clock_set_wall(clock_of(clock), wall_ns);
}

JAVA(jlong, clockSetRate)(JNIEnv *env, jclass type, jlong clock, jlong rate_permille) {
  (void)env, (void)type;
  return flake_test_clock_set_rate(clock_of(clock), rate_permille);
}

JAVA(jlong, clockAdvance)(JNIEnv *env, jclass type, jlong clock, jlong ns) {
  (void)env, (void)type;
  return flake_test_clock_advance(clock_of(clock), ns);
}

JAVA(jlong, clockScript)(JNIEnv *env, jclass type, jlong clock, jlong after_ns, jlong step_ns) {
  (void)env, (void)type;
  return flake_test_clock_script(clock_of(clock), after_ns, step_ns);
}

JAVA(jlong, clockStopSleeps)(JNIEnv *env, jclass type, jlong clock, jboolean stopped) {
  (void)env, (void)type;
  return flake_test_clock_stop_sleeps(clock_of(clock), stopped ? 1 : 0);
}

JAVA(jlong, clockWall)(JNIEnv *env, jclass type, jlong clock) {
  (void)env, (void)type;
  return flake_test_clock_wall(clock_of(clock));
}

JAVA(jlong, clockMonotonic)(JNIEnv *env, jclass type, jlong clock) {
  (void)env, (void)type;
  return flake_test_clock_monotonic(clock_of(clock));
}
