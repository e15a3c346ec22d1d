/* SPDX-License-Identifier: MIT */
/* What has no state: statuses, layouts, IDs, text, the node from the surroundings. */
#include "native.h"

/* ---- statuses and lists of names ------------------------------------------------------------- */

/* The one argument, a status or an index. False after an exception was thrown. */
static bool number_given(napi_env env, napi_callback_info info, int64_t *number) {
  napi_value value;
  return native_arguments(env, info, 1, &value, NULL) &&
         napi_get_value_int64(env, value, number) == napi_ok;
}

static napi_value status_name(napi_env env, napi_callback_info info) {
  int64_t status;
  if (!number_given(env, info, &status)) return native_thrown(env);
  return native_string(env, flake_status_name(status));
}

static napi_value status_text(napi_env env, napi_callback_info info) {
  int64_t status;
  if (!number_given(env, info, &status)) return native_thrown(env);
  return native_string(env, flake_status_text(status));
}

static napi_value status_class(napi_env env, napi_callback_info info) {
  int64_t status;
  if (!number_given(env, info, &status)) return native_thrown(env);
  return native_number(env, flake_status_class(status));
}

static napi_value layout_preset(napi_env env, napi_callback_info info) {
  int64_t index;
  if (!number_given(env, info, &index)) return native_thrown(env);
  return native_string(env, flake_layout_preset((int32_t)index));
}

static napi_value format_name(napi_env env, napi_callback_info info) {
  int64_t index;
  if (!number_given(env, info, &index)) return native_thrown(env);
  return native_string(env, flake_format_name((int32_t)index));
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* (bytes) -> [ArrayBuffer, text, time_bits, time_shift, node_bits, node_shift, seq_bits, seq_shift,
 * tick_ms, epoch_ms], the last two as bigint; or a status. */
static napi_value layout_parse(napi_env env, napi_callback_info info) {
  napi_value value, memory;
  const char *bytes;
  size_t length;
  flake_layout *layout;
  char text[FLAKE_LAYOUT_TEXT_SIZE];
  if (!native_arguments(env, info, 1, &value, NULL) || !native_bytes(env, value, &bytes, &length))
    return native_thrown(env);
  TRY(napi_create_arraybuffer(env, sizeof *layout, (void **)&layout, &memory));
  int64_t status = flake_layout_parse(bytes, length, layout);
  if (!status) status = flake_layout_format(layout, text, sizeof text);
  if (status < 0) return native_number(env, status);
  const napi_value parts[] = {
      memory,
      native_string(env, text),
      native_number(env, layout->time_bits),
      native_number(env, layout->time_shift),
      native_number(env, layout->node_bits),
      native_number(env, layout->node_shift),
      native_number(env, layout->seq_bits),
      native_number(env, layout->seq_shift),
      native_bigint(env, layout->tick_ms),
      native_bigint(env, layout->epoch_ms),
  };
  return native_array(env, parts, sizeof parts / sizeof parts[0]);
}

static napi_value layout_check(napi_env env, napi_callback_info info) {
  napi_value values[2];
  flake_layout *layout;
  int64_t now_ms;
  if (!native_arguments(env, info, 2, values, NULL) || !native_layout(env, values[0], &layout) ||
      !native_int64(env, values[1], &now_ms))
    return native_thrown(env);
  return native_number(env, flake_layout_check(layout, now_ms));
}

static napi_value layout_stride(napi_env env, napi_callback_info info) {
  napi_value value;
  flake_layout *layout;
  if (!native_arguments(env, info, 1, &value, NULL) || !native_layout(env, value, &layout))
    return native_thrown(env);
  return native_bigint_or_status(env, flake_layout_stride(layout));
}

static napi_value layout_expires_ms(napi_env env, napi_callback_info info) {
  napi_value value;
  flake_layout *layout;
  if (!native_arguments(env, info, 1, &value, NULL) || !native_layout(env, value, &layout))
    return native_thrown(env);
  return native_bigint_or_status(env, flake_layout_expires_ms(layout));
}

/* ---- IDs ------------------------------------------------------------------------------------- */

/* (layout, id) -> [unix_ms, tick, node, sequence], the first two as bigint; or a status. */
static napi_value decode(napi_env env, napi_callback_info info) {
  napi_value values[2];
  flake_layout *layout;
  uint64_t id;
  flake_decoded decoded;
  if (!native_arguments(env, info, 2, values, NULL) || !native_layout(env, values[0], &layout) ||
      !native_uint64(env, values[1], &id))
    return native_thrown(env);
  flake_status status = flake_decode(layout, id, &decoded);
  if (status < 0) return native_number(env, status);
  const napi_value parts[] = {native_bigint(env, decoded.unix_ms), native_bigint(env, decoded.tick),
                              native_number(env, decoded.node),
                              native_number(env, decoded.sequence)};
  return native_array(env, parts, 4);
}

static napi_value compose(napi_env env, napi_callback_info info) {
  napi_value values[4];
  flake_layout *layout;
  int64_t unix_ms, node, sequence;
  if (!native_arguments(env, info, 4, values, NULL) || !native_layout(env, values[0], &layout) ||
      !native_int64(env, values[1], &unix_ms) || !native_int64(env, values[2], &node) ||
      !native_int64(env, values[3], &sequence))
    return native_thrown(env);
  return native_bigint_or_status(env, flake_compose(layout, unix_ms, node, sequence));
}

/* (layout, from_ms, until_ms) -> [min_id, max_id] or a status. */
static napi_value bounds(napi_env env, napi_callback_info info) {
  napi_value values[3], found[2];
  flake_layout *layout;
  int64_t from_ms, until_ms;
  uint64_t min_id, max_id;
  if (!native_arguments(env, info, 3, values, NULL) || !native_layout(env, values[0], &layout) ||
      !native_int64(env, values[1], &from_ms) || !native_int64(env, values[2], &until_ms))
    return native_thrown(env);
  flake_status status = flake_bounds(layout, from_ms, until_ms, &min_id, &max_id);
  if (status < 0) return native_number(env, status);
  TRY(napi_create_bigint_uint64(env, min_id, &found[0]));
  TRY(napi_create_bigint_uint64(env, max_id, &found[1]));
  return native_array(env, found, 2);
}

/* ---- text ------------------------------------------------------------------------------------ */

static napi_value encode(napi_env env, napi_callback_info info) {
  napi_value values[2], result;
  int32_t format;
  uint64_t id;
  char text[FLAKE_TEXT_SIZE];
  if (!native_arguments(env, info, 2, values, NULL) || !native_uint64(env, values[1], &id))
    return native_thrown(env);
  TRY(napi_get_value_int32(env, values[0], &format));
  int32_t length = flake_encode(format, id, text, sizeof text);
  if (length < 0) return native_number(env, length);
  TRY(napi_create_string_latin1(env, text, (size_t)length, &result));
  return result;
}

static napi_value decode_text(napi_env env, napi_callback_info info) {
  napi_value values[2], result;
  int32_t format;
  const char *bytes;
  size_t length;
  uint64_t id;
  if (!native_arguments(env, info, 2, values, NULL) ||
      !native_bytes(env, values[1], &bytes, &length))
    return native_thrown(env);
  TRY(napi_get_value_int32(env, values[0], &format));
  flake_status status = flake_decode_text(format, bytes, length, &id);
  if (status < 0) return native_number(env, status);
  TRY(napi_create_bigint_uint64(env, id, &result));
  return result;
}

/* ---- the node -------------------------------------------------------------------------------- */

/* (chain, layout) -> [node as bigint or status, sentence]. */
static napi_value node_from(napi_env env, napi_callback_info info) {
  napi_value values[2];
  const char *chain;
  size_t length;
  flake_layout *layout;
  char text[FLAKE_NODE_TEXT_SIZE];
  if (!native_arguments(env, info, 2, values, NULL) ||
      !native_bytes(env, values[0], &chain, &length) || !native_layout(env, values[1], &layout))
    return native_thrown(env);
  int64_t node = flake_node_from(chain, length, layout, text, sizeof text);
  const napi_value found[] = {native_bigint_or_status(env, node), native_string(env, text)};
  return native_array(env, found, 2);
}

const native_function native_values[] = {
    {"statusName", status_name},
    {"statusText", status_text},
    {"statusClass", status_class},
    {"layoutPreset", layout_preset},
    {"layoutParse", layout_parse},
    {"layoutCheck", layout_check},
    {"layoutStride", layout_stride},
    {"layoutExpiresMs", layout_expires_ms},
    {"decode", decode},
    {"compose", compose},
    {"bounds", bounds},
    {"formatName", format_name},
    {"encode", encode},
    {"decodeText", decode_text},
    {"nodeFrom", node_from},
    {NULL, NULL},
};
