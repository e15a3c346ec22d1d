/* SPDX-License-Identifier: MIT */
/*
 * The config of a generator: its defaults, its ranges, and the sentence that says what is wrong
 * with one.
 */
#include "internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)
#define CLOCK_END_MS INT64_C(9223372036854) /* the last whole ms that fits an int64 of ns */
#define ANY INT64_MIN                       /* an upper bound that depends on the layout */

/* The numbers that need no other field to be checked. */
static const struct {
  const char *name;
  size_t offset;
  bool optional;
  int64_t max;
} numbers[] = {
    {"max_wait_ms", offsetof(flake_config, max_wait_ms), false, DAY_MS},
    {"max_lead_ms", offsetof(flake_config, max_lead_ms), true, DAY_MS},
    {"start_floor_ms", offsetof(flake_config, start_floor_ms), true, CLOCK_END_MS},
    {"ceiling_ms", offsetof(flake_config, ceiling_ms), true, CLOCK_END_MS},
    {"seq_spread_bits", offsetof(flake_config, seq_spread_bits), false, ANY},
};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

flake_status flake_config_init(flake_config *config, size_t config_size) {
  static const char layout[] = "snowflake";
  if (!config) return FLAKE_E_INVALID_ARGUMENT;
  if (config_size != sizeof *config) return FLAKE_E_NOT_SUPPORTED;
  memset(config, 0, sizeof *config);
  config->size = sizeof *config;
  config->node = FLAKE_UNSET;
  config->max_wait_ms = 1100;
  config->max_lead_ms = FLAKE_UNSET;
  config->start_floor_ms = FLAKE_UNSET;
  config->ceiling_ms = FLAKE_UNSET;
  strcpy(config->space, "default");
  return flake_layout_parse(layout, sizeof layout - 1, &config->layout);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int64_t number_at(const flake_config *config, size_t i) {
  int64_t value;
  memcpy(&value, (const char *)config + numbers[i].offset, sizeof value);
  return value;
}

static int64_t number_max(const flake_config *config, size_t i) {
  return numbers[i].max == ANY ? (int64_t)config->layout.seq_bits : numbers[i].max;
}

static bool number_ok(const flake_config *config, size_t i) {
  int64_t value = number_at(config, i);
  return (numbers[i].optional && value == FLAKE_UNSET) ||
         (value >= 0 && value <= number_max(config, i));
}

static bool space_ok(const char *space) {
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const char *end = memchr(space, 0, FLAKE_SPACE_SIZE);
  return end && end > space && space[0] != '.' && strspn(space, allowed) == (size_t)(end - space);
}

static bool lead_ok(const flake_config *config) {
  return config->mode != FLAKE_MODE_MONOTONIC || config->max_lead_ms != FLAKE_UNSET ||
         config->start_floor_ms != FLAKE_UNSET;
}

static bool enums_ok(const flake_config *config) {
  return config->mode <= FLAKE_MODE_MONOTONIC && config->clock_source <= FLAKE_CLOCK_COARSE &&
         config->host_guard <= FLAKE_GUARD_UNSAFE_OFF;
}

static flake_status node_status(const flake_config *config) {
  if (config->node == FLAKE_UNSET && config->layout.node_bits > 0) return FLAKE_E_NO_NODE;
  bool fits =
      config->node >= 0 && (uint64_t)config->node <= flake_low_bits(config->layout.node_bits);
  return fits || config->node == FLAKE_UNSET ? FLAKE_OK : FLAKE_E_NODE_OUT_OF_RANGE;
}

flake_status flake_config_read(const flake_config *given, flake_config *config) {
  if (given->size < sizeof *config) return FLAKE_E_INVALID_ARGUMENT;
  if (given->size > sizeof *config) return FLAKE_E_NOT_SUPPORTED;
  *config = *given;
  if (flake_layout_valid(&config->layout)) return FLAKE_E_BAD_LAYOUT;
  flake_status node = node_status(config);
  if (node) return node;
  if (config->node == FLAKE_UNSET) config->node = 0;
  for (size_t i = 0; i < NUMBERS; i++)
    if (!number_ok(config, i)) return FLAKE_E_INVALID_ARGUMENT;
  if (!enums_ok(config) || !lead_ok(config) || !space_ok(config->space))
    return FLAKE_E_INVALID_ARGUMENT;
  /* what follows the name must not make two equal configs differ */
  size_t space_len = strlen(config->space);
  memset(config->space + space_len, 0, FLAKE_SPACE_SIZE - space_len);
  return FLAKE_OK;
}

/* ---- the sentence ---------------------------------------------------------------------------- */

typedef struct sentence {
  char *text;
  size_t size;
} sentence;

static void say(sentence out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(out.text, out.size, format, args);
  va_end(args);
}

static const char *layout_text(const flake_layout *layout, char text[FLAKE_LAYOUT_TEXT_SIZE]) {
  return flake_layout_format(layout, text, FLAKE_LAYOUT_TEXT_SIZE) < 0 ? "(no layout)" : text;
}

static void explain_argument(const flake_config *config, sentence out) {
  for (size_t i = 0; i < NUMBERS; i++)
    if (!number_ok(config, i)) {
      say(out, "%s is %" PRId64 "; it must lie in 0..%" PRId64, numbers[i].name,
          number_at(config, i), number_max(config, i));
      return;
    }
  if (!enums_ok(config))
    say(out,
        "mode is %" PRIu32 ", clock_source %" PRIu32 " and host_guard %" PRIu32
        "; each must be 0 or 1",
        config->mode, config->clock_source, config->host_guard);
  else if (!lead_ok(config))
    say(out,
        "monotonic mode needs max_lead_ms (how far IDs may run ahead of the clock) or "
        "start_floor_ms: a restart within that time could repeat IDs");
  else
    say(out, "space \"%s\" is not a name; use 1 to 63 of A-Z a-z 0-9 . _ - and no leading dot",
        config->space);
}

static void explain_layout(const flake_config *config, const char *layout, int64_t status,
                           sentence out) {
  const flake_layout *l = &config->layout;
  if (status == FLAKE_E_NOT_SUPPORTED)
    say(out,
        "layout %s (%" PRIu32
        " bits) only decodes; to generate, time must be the highest "
        "field with at most 43 bits, and all fields together at most 63 bits",
        layout, flake_layout_bits(l));
  else if (status == FLAKE_E_BEFORE_EPOCH)
    say(out,
        "the clock reads earlier than the epoch of layout %s (Unix ms %" PRId64
        "); set the clock, or correct the epoch",
        layout, l->epoch_ms);
  else
    say(out,
        "the time field of layout %s ended at Unix ms %" PRId64
        "; move to a layout with more bits of time or a later epoch",
        layout, flake_layout_expires_ms(l));
}

static void explain_differs(const flake_config *config, const char *layout, sentence out) {
  flake_layout other;
  char other_text[FLAKE_LAYOUT_TEXT_SIZE];
  bool known = flake_registry_layout(config->space, &other);
  say(out, "space \"%s\" is open with layout %s, not %s; use that layout, or name another space",
      config->space, known ? layout_text(&other, other_text) : "another", layout);
}

static void explain_node(const flake_config *config, const char *layout, int64_t status,
                         sentence out) {
  uint64_t max = flake_low_bits(config->layout.node_bits);
  if (status == FLAKE_E_NODE_OUT_OF_RANGE && max == 0)
    say(out, "layout %s has no node field; leave node %" PRId64 " out", layout, config->node);
  else if (status == FLAKE_E_NODE_OUT_OF_RANGE)
    say(out, "node %" PRId64 " does not fit layout %s; give a number in 0..%" PRIu64, config->node,
        layout, max);
  else if (status == FLAKE_E_NO_NODE)
    say(out,
        "no node is configured and there is no default; give each live generator of space "
        "\"%s\" a node number of its own in 0..%" PRIu64,
        config->space, max);
  else if (flake_registry_holds(config))
    say(out,
        "node %" PRId64
        " of space \"%s\" is open in this process with other options; open it "
        "with the same options to share it, or choose another node",
        config->node, config->space);
  else
    flake_guard_explain(config, (flake_status)status, out.text, out.size);
}

int32_t flake_explain(const flake_config *given, int64_t status, char *text, size_t text_size) {
  if (!given || !text || text_size < FLAKE_EXPLAIN_SIZE) return FLAKE_E_INVALID_ARGUMENT;
  flake_config copy;
  const flake_config *config = &copy;
  (void)!flake_config_init(&copy, sizeof copy);
  memcpy(&copy, given, flake_min(given->size, sizeof copy)); /* a short one has no more */
  copy.size = given->size;
  copy.space[FLAKE_SPACE_SIZE - 1] = 0; /* a name without end is one of the faults to explain */
  sentence out = {text, text_size};
  char layout_buffer[FLAKE_LAYOUT_TEXT_SIZE];
  const char *layout = layout_text(&config->layout, layout_buffer);
  bool about_config = status == FLAKE_E_INVALID_ARGUMENT || status == FLAKE_E_NOT_SUPPORTED;
  if (about_config && copy.size != sizeof copy) {
    say(out, "the config has size %" PRIu32 "; start it with flake_config_init of this library",
        copy.size);
    return (int32_t)strlen(text);
  }
  switch (status) {
    case FLAKE_E_INVALID_ARGUMENT:
      explain_argument(config, out);
      break;
    case FLAKE_E_NODE_OUT_OF_RANGE:
    case FLAKE_E_NO_NODE:
    case FLAKE_E_NODE_IN_USE:
      explain_node(config, layout, status, out);
      break;
    case FLAKE_E_NOT_SUPPORTED:
    case FLAKE_E_BEFORE_EPOCH:
    case FLAKE_E_TIME_USED_UP:
      explain_layout(config, layout, status, out);
      break;
    case FLAKE_E_NO_RUN_DIR:
      flake_guard_explain(config, (flake_status)status, text, text_size);
      break;
    case FLAKE_E_LAYOUT_DIFFERS:
      explain_differs(config, layout, out);
      break;
    default:
      say(out, "%s", flake_status_text(status));
  }
  return (int32_t)strlen(text);
}
