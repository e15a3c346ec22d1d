/* SPDX-License-Identifier: MIT */
/*
 * How an ID's bits are divided: the text form, and all that follows from a layout alone. Pure
 * functions: no clock is read here.
 */
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EPOCH_MAX_MS INT64_C(4102444800000)
#define TIME_BITS_MAX 48
#define TIME_BITS_GENERATE_MAX 43 /* so that every ceiling fits the 44 bits of ceilw */
#define NODE_BITS_MAX 32
#define SEQ_BITS_MAX 32
#define TICK_MAX_MS 10000

static const struct {
  const char *name;
  const char *text;
} presets[] = {
    {"snowflake", "t41n10s12@1735689600000"},
    {"twitter", "t41n10s12@1288834974657"},
    {"discord", "t42n10s12@1420070400000"},
    {"instagram", "t41n13s10@1314220021721"},
    {"mastodon", "t48s16@0"},
    {"sonyflake", "t39s8n16*10ms@1735689600000"},
    {"sonyflake1", "t39s8n16*10ms@1409529600000"},
    {"tsid", "t42n10s12@1577836800000"},
    {"pgedge", "t41n10s12@1672531200000"},
    {"js53", "t41n5s7@1735689600000"},
};

/* ---- checks ---------------------------------------------------------------------------------- */

uint32_t flake_layout_bits(const flake_layout *layout) {
  return layout->time_bits + layout->node_bits + layout->seq_bits;
}

/* Adds a field's bits to the mask of those taken; false when they are taken or not there. */
static bool take_field(uint64_t *taken, uint32_t bits, uint32_t shift, uint32_t bits_max) {
  if (bits > bits_max || shift > 63 || (bits == 0 && shift != 0)) return false;
  uint64_t mask = flake_low_bits(bits) << shift;
  if (bits + shift > 64 || (*taken & mask)) return false;
  *taken |= mask;
  return true;
}

flake_status flake_layout_valid(const flake_layout *layout) {
  uint64_t taken = 0;
  bool fits = layout->time_bits > 0 &&
              take_field(&taken, layout->time_bits, layout->time_shift, TIME_BITS_MAX) &&
              take_field(&taken, layout->node_bits, layout->node_shift, NODE_BITS_MAX) &&
              take_field(&taken, layout->seq_bits, layout->seq_shift, SEQ_BITS_MAX) &&
              taken == flake_low_bits(flake_layout_bits(layout));
  bool timed = layout->tick_ms >= 1 && layout->tick_ms <= TICK_MAX_MS && layout->epoch_ms >= 0 &&
               layout->epoch_ms <= EPOCH_MAX_MS;
  return fits && timed && layout->reserved == 0 ? FLAKE_OK : FLAKE_E_BAD_LAYOUT;
}

static bool time_on_top(const flake_layout *layout) {
  return layout->time_shift + layout->time_bits == flake_layout_bits(layout);
}

int64_t flake_layout_expires_ms(const flake_layout *layout) {
  if (!layout) return FLAKE_E_INVALID_ARGUMENT;
  if (flake_layout_valid(layout)) return FLAKE_E_BAD_LAYOUT;
  return layout->epoch_ms + (INT64_C(1) << layout->time_bits) * layout->tick_ms;
}

int64_t flake_layout_stride(const flake_layout *layout) {
  if (!layout) return FLAKE_E_INVALID_ARGUMENT;
  if (flake_layout_valid(layout)) return FLAKE_E_BAD_LAYOUT;
  return layout->seq_shift < 63 ? INT64_C(1) << layout->seq_shift : FLAKE_E_NOT_SUPPORTED;
}

flake_status flake_layout_check(const flake_layout *layout, int64_t now_ms) {
  if (!layout) return FLAKE_E_INVALID_ARGUMENT;
  if (flake_layout_valid(layout)) return FLAKE_E_BAD_LAYOUT;
  if (flake_layout_bits(layout) > 63 || !time_on_top(layout) ||
      layout->time_bits > TIME_BITS_GENERATE_MAX)
    return FLAKE_E_NOT_SUPPORTED;
  if (now_ms < layout->epoch_ms) return FLAKE_E_BEFORE_EPOCH;
  if (now_ms >= flake_layout_expires_ms(layout)) return FLAKE_E_TIME_USED_UP;
  return FLAKE_OK;
}

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct cursor {
  const char *at;
  const char *end;
} cursor;

static bool take(cursor *c, const char *literal) {
  size_t len = strlen(literal);
  if ((size_t)(c->end - c->at) < len || memcmp(c->at, literal, len) != 0) return false;
  c->at += len;
  return true;
}

/* Decimal digits, no sign, no leading zero, at most max. */
static bool take_number(cursor *c, uint64_t max, uint64_t *value) {
  const char *start = c->at;
  uint64_t n = 0;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
    n = n * 10 + (uint64_t)(*c->at - '0');
    if (n > max) return false;
  }
  size_t digits = (size_t)(c->at - start);
  if (digits == 0 || (digits > 1 && *start == '0')) return false;
  *value = n;
  return true;
}

static bool take_bits(cursor *c, uint32_t *bits) {
  uint64_t value;
  if (!take_number(c, 64, &value)) return false;
  *bits = (uint32_t)value;
  return true;
}

/* "41/10/12" */
static bool take_short_form(cursor *c, flake_layout *layout) {
  if (!take_bits(c, &layout->time_bits) || !take(c, "/") || !take_bits(c, &layout->node_bits) ||
      !take(c, "/") || !take_bits(c, &layout->seq_bits))
    return false;
  layout->time_shift = layout->node_bits + layout->seq_bits;
  layout->node_shift = layout->node_bits ? layout->seq_bits : 0;
  return true;
}

/* "t41n10s12": each letter once, from the highest bit down. */
static bool take_fields(cursor *c, flake_layout *layout) {
  static const char letters[] = "tns";
  uint32_t *bits[] = {&layout->time_bits, &layout->node_bits, &layout->seq_bits};
  uint32_t *shifts[] = {&layout->time_shift, &layout->node_shift, &layout->seq_shift};
  bool seen[3] = {false, false, false};
  while (c->at < c->end && *c->at != '*' && *c->at != '@') {
    const char *letter = memchr(letters, *c->at++, 3);
    if (!letter || seen[letter - letters]) return false;
    size_t field = (size_t)(letter - letters);
    seen[field] = true;
    if (!take_bits(c, bits[field])) return false;
    for (size_t higher = 0; higher < 3; higher++)
      if (higher != field && seen[higher] && *bits[higher]) *shifts[higher] += *bits[field];
  }
  return seen[0];
}

/* "*10ms" or "*1s" */
static bool take_tick(cursor *c, flake_layout *layout) {
  uint64_t value;
  if (!take_number(c, TICK_MAX_MS, &value)) return false;
  if (take(c, "ms"))
    layout->tick_ms = (uint32_t)value;
  else if (take(c, "s"))
    layout->tick_ms = (uint32_t)value * 1000;
  else
    return false;
  return true;
}

static bool take_epoch(cursor *c, flake_layout *layout) {
  uint64_t value;
  if (!take_number(c, (uint64_t)EPOCH_MAX_MS, &value)) return false;
  layout->epoch_ms = (int64_t)value;
  return true;
}

static flake_status parse_fields(cursor c, flake_layout *layout) {
  flake_layout read = {.epoch_ms = FLAKE_EPOCH_MS, .tick_ms = 1};
  bool digit_first = c.at < c.end && *c.at >= '0' && *c.at <= '9';
  bool ok = digit_first ? take_short_form(&c, &read) : take_fields(&c, &read);
  if (ok && take(&c, "*")) ok = take_tick(&c, &read);
  if (ok && take(&c, "@")) ok = take_epoch(&c, &read);
  if (!ok || c.at != c.end || flake_layout_valid(&read)) return FLAKE_E_BAD_LAYOUT;
  *layout = read;
  return FLAKE_OK;
}

flake_status flake_layout_parse(const char *text, size_t text_len, flake_layout *layout) {
  if (!text || !layout) return FLAKE_E_INVALID_ARGUMENT;
  for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
    const char *full = presets[i].text;
    if (strlen(presets[i].name) == text_len && memcmp(presets[i].name, text, text_len) == 0)
      return parse_fields((cursor){full, full + strlen(full)}, layout);
  }
  return parse_fields((cursor){text, text + text_len}, layout);
}

const char *flake_layout_preset(int32_t index) {
  int32_t count = (int32_t)(sizeof presets / sizeof presets[0]);
  return index >= 0 && index < count ? presets[index].name : NULL;
}

/* Writes the field that ends just below bit top, and returns where it begins. */
static uint32_t format_field(const flake_layout *layout, uint32_t top, char *text) {
  if (layout->time_bits && layout->time_shift + layout->time_bits == top) {
    sprintf(text, "t%" PRIu32, layout->time_bits);
    return layout->time_shift;
  }
  if (layout->node_bits && layout->node_shift + layout->node_bits == top) {
    sprintf(text, "n%" PRIu32, layout->node_bits);
    return layout->node_shift;
  }
  sprintf(text, "s%" PRIu32, layout->seq_bits);
  return layout->seq_shift;
}

int32_t flake_layout_format(const flake_layout *layout, char *text, size_t text_size) {
  if (!layout || !text) return FLAKE_E_INVALID_ARGUMENT;
  if (flake_layout_valid(layout)) return FLAKE_E_BAD_LAYOUT;
  char full[FLAKE_LAYOUT_TEXT_SIZE];
  char *at = full;
  for (uint32_t top = flake_layout_bits(layout); top > 0; at += strlen(at))
    top = format_field(layout, top, at);
  if (layout->tick_ms % 1000 == 0)
    at += sprintf(at, "*%" PRIu32 "s", layout->tick_ms / 1000);
  else if (layout->tick_ms != 1)
    at += sprintf(at, "*%" PRIu32 "ms", layout->tick_ms);
  at += sprintf(at, "@%" PRId64, layout->epoch_ms);
  size_t len = (size_t)(at - full);
  if (len >= text_size) return FLAKE_E_INVALID_ARGUMENT;
  memcpy(text, full, len + 1);
  return (int32_t)len;
}

/* ---- IDs ------------------------------------------------------------------------------------- */

uint64_t flake_layout_pack(const flake_layout *layout, uint64_t tick, uint64_t node, uint64_t seq) {
  return tick << layout->time_shift | node << layout->node_shift | seq << layout->seq_shift;
}

flake_status flake_decode(const flake_layout *layout, uint64_t id, flake_decoded *decoded) {
  if (!layout || !decoded) return FLAKE_E_INVALID_ARGUMENT;
  if (flake_layout_valid(layout)) return FLAKE_E_BAD_LAYOUT;
  if (id == 0 || id > flake_low_bits(flake_layout_bits(layout))) return FLAKE_E_INVALID_ARGUMENT;
  int64_t tick = (int64_t)(id >> layout->time_shift & flake_low_bits(layout->time_bits));
  decoded->tick = tick;
  decoded->unix_ms = layout->epoch_ms + tick * layout->tick_ms;
  decoded->node = (int64_t)(id >> layout->node_shift & flake_low_bits(layout->node_bits));
  decoded->sequence = (int64_t)(id >> layout->seq_shift & flake_low_bits(layout->seq_bits));
  return FLAKE_OK;
}

int64_t flake_compose(const flake_layout *layout, int64_t unix_ms, int64_t node, int64_t sequence) {
  if (!layout) return FLAKE_E_INVALID_ARGUMENT;
  if (flake_layout_valid(layout)) return FLAKE_E_BAD_LAYOUT;
  if (flake_layout_bits(layout) > 63) return FLAKE_E_NOT_SUPPORTED;
  if (unix_ms < layout->epoch_ms) return FLAKE_E_BEFORE_EPOCH;
  if (unix_ms >= flake_layout_expires_ms(layout)) return FLAKE_E_TIME_USED_UP;
  if (node < 0 || (uint64_t)node > flake_low_bits(layout->node_bits))
    return FLAKE_E_NODE_OUT_OF_RANGE;
  if (sequence < 0 || (uint64_t)sequence > flake_low_bits(layout->seq_bits))
    return FLAKE_E_INVALID_ARGUMENT;
  int64_t since_ms = unix_ms - layout->epoch_ms;
  if (since_ms % layout->tick_ms != 0) return FLAKE_E_INVALID_ARGUMENT;
  uint64_t id = flake_layout_pack(layout, (uint64_t)(since_ms / layout->tick_ms), (uint64_t)node,
                                  (uint64_t)sequence);
  return id ? (int64_t)id : FLAKE_E_INVALID_ARGUMENT;
}

/* The first tick that starts at unix_ms or later; unix_ms is not before the epoch. */
static uint64_t tick_from(const flake_layout *layout, int64_t unix_ms) {
  uint64_t since_ms = (uint64_t)(unix_ms - layout->epoch_ms);
  return (since_ms + layout->tick_ms - 1) / layout->tick_ms;
}

flake_status flake_bounds(const flake_layout *layout, int64_t from_ms, int64_t until_ms,
                          uint64_t *min_id, uint64_t *max_id) {
  if (!layout || !min_id || !max_id) return FLAKE_E_INVALID_ARGUMENT;
  if (flake_layout_valid(layout)) return FLAKE_E_BAD_LAYOUT;
  if (!time_on_top(layout)) return FLAKE_E_NOT_SUPPORTED;
  if (from_ms >= until_ms) return FLAKE_E_INVALID_ARGUMENT;
  if (from_ms < layout->epoch_ms) return FLAKE_E_BEFORE_EPOCH;
  if (until_ms > flake_layout_expires_ms(layout)) return FLAKE_E_TIME_USED_UP;
  uint64_t first = tick_from(layout, from_ms), end = tick_from(layout, until_ms);
  if (first >= end) return FLAKE_E_INVALID_ARGUMENT;
  uint64_t low = first << layout->time_shift;
  uint64_t high = (end - 1) << layout->time_shift | flake_low_bits(layout->time_shift);
  if (high == 0) return FLAKE_E_INVALID_ARGUMENT; /* 0 is never an ID */
  *min_id = low ? low : 1;
  *max_id = high;
  return FLAKE_OK;
}
