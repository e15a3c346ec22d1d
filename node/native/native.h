/* SPDX-License-Identifier: MIT */
/*
 * The thin layer between JavaScript and the core: convert, call, convert.
 *
 * JavaScript has checked the types and ranges of what comes in here. 64-bit values cross as bigint,
 * in both directions; whatever fails comes back as a number, the flake_status. There is no state
 * but in what JavaScript holds, so the module can be loaded in any number of threads.
 */
#ifndef FLAKECORE_NATIVE_H
#define FLAKECORE_NATIVE_H

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "flakecore.h"

/* Leaves the function when Node-API refused, with a JavaScript error pending. */
#define TRY(call)                                  \
  do {                                             \
    if ((call) != napi_ok) return native_thrown(env); \
  } while (0)

/* Throws unless an error is pending already; returns NULL. */
napi_value native_thrown(napi_env env);

/* ---- values ---------------------------------------------------------------------------------- */

/* The arguments of a call: exactly count of them, and the data of the function. */
bool native_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values,
                      void **data);

bool native_int64(napi_env env, napi_value value, int64_t *number);
bool native_uint64(napi_env env, napi_value value, uint64_t *number);

/* The bytes of a Uint8Array; they live as long as it does. */
bool native_bytes(napi_env env, napi_value value, const char **bytes, size_t *length);

/* The layout that native_layout_parse wrote into an ArrayBuffer. */
bool native_layout(napi_env env, napi_value value, flake_layout **layout);

/* A status as a number; others as a bigint. NULL with an error pending, as all below. */
napi_value native_bigint_or_status(napi_env env, int64_t value);
napi_value native_number(napi_env env, int64_t value);
napi_value native_bigint(napi_env env, int64_t value);
napi_value native_string(napi_env env, const char *text);
napi_value native_array(napi_env env, const napi_value *values, uint32_t count);

/* ---- what the module offers ------------------------------------------------------------------ */

typedef struct native_function {
  const char *name;
  napi_callback call;
} native_function;

/* Sets functions, up to one without name, as properties of object; data goes with each of them. */
bool native_offer(napi_env env, napi_value object, const native_function *functions, void *data);

extern const native_function native_values[];
extern const native_function native_generators[];
extern const native_function native_clocks[];

/* A test clock, kept until the last of its users is gone: JavaScript's object, and generators. */
typedef struct native_clock {
  flake_test_clock *clock;
  int32_t users;
  bool sleeps_stopped;
} native_clock;

bool native_clock_of(napi_env env, napi_value value, native_clock **clock);
void native_clock_release(native_clock *clock);

#endif
