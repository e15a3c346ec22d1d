/* SPDX-License-Identifier: MIT */
/* The module's entry, and how values are converted. */
#include "native.h"

napi_value native_thrown(napi_env env) {
  bool pending = false;
  if (napi_is_exception_pending(env, &pending) == napi_ok && !pending)
    (void)napi_throw_error(env, NULL, "flakecore: a value that the native module cannot take");
  return NULL;
}

/* ---- in -------------------------------------------------------------------------------------- */

bool native_arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values,
                      void **data) {
  size_t given = count;
  return napi_get_cb_info(env, info, &given, values, NULL, data) == napi_ok && given == count;
}

bool native_int64(napi_env env, napi_value value, int64_t *number) {
  bool lossless = false;
  return napi_get_value_bigint_int64(env, value, number, &lossless) == napi_ok && lossless;
}

bool native_uint64(napi_env env, napi_value value, uint64_t *number) {
  bool lossless = false;
  return napi_get_value_bigint_uint64(env, value, number, &lossless) == napi_ok && lossless;
}

bool native_bytes(napi_env env, napi_value value, const char **bytes, size_t *length) {
  static const char none[1] = "";
  void *data = NULL;
  if (napi_get_typedarray_info(env, value, NULL, length, &data, NULL, NULL) != napi_ok)
    return false;
  *bytes = data ? data : none; /* an empty array may have no memory */
  return true;
}

bool native_layout(napi_env env, napi_value value, flake_layout **layout) {
  size_t length = 0;
  return napi_get_arraybuffer_info(env, value, (void **)layout, &length) == napi_ok &&
         length == sizeof **layout;
}

/* ---- out ------------------------------------------------------------------------------------- */

napi_value native_number(napi_env env, int64_t value) {
  napi_value result;
  TRY(napi_create_int64(env, value, &result));
  return result;
}

napi_value native_bigint(napi_env env, int64_t value) {
  napi_value result;
  TRY(napi_create_bigint_int64(env, value, &result));
  return result;
}

napi_value native_bigint_or_status(napi_env env, int64_t value) {
  return value < 0 ? native_number(env, value) : native_bigint(env, value);
}

napi_value native_string(napi_env env, const char *text) {
  napi_value result;
  if (!text)
    TRY(napi_get_null(env, &result));
  else
    TRY(napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &result));
  return result;
}

napi_value native_array(napi_env env, const napi_value *values, uint32_t count) {
  napi_value result;
  TRY(napi_create_array_with_length(env, count, &result));
  for (uint32_t i = 0; i < count; i++) {
    if (!values[i]) return native_thrown(env);
    TRY(napi_set_element(env, result, i, values[i]));
  }
  return result;
}

/* ---- the module ------------------------------------------------------------------------------ */

bool native_offer(napi_env env, napi_value object, const native_function *functions, void *data) {
  for (const native_function *f = functions; f->name; f++) {
    napi_value function;
    if (napi_create_function(env, f->name, NAPI_AUTO_LENGTH, f->call, data, &function) != napi_ok ||
        napi_set_named_property(env, object, f->name, function) != napi_ok)
      return false;
  }
  return true;
}

NAPI_MODULE_INIT() {
  if (!native_offer(env, exports, native_values, NULL) ||
      !native_offer(env, exports, native_generators, NULL) ||
      !native_offer(env, exports, native_clocks, NULL))
    return native_thrown(env);
  napi_value version = native_string(env, flake_version()), unset = native_bigint(env, FLAKE_UNSET);
  if (!version || !unset) return NULL;
  TRY(napi_set_named_property(env, exports, "version", version));
  TRY(napi_set_named_property(env, exports, "unset", unset));
  return exports;
}
