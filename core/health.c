/* SPDX-License-Identifier: MIT */
/*
 * What a generator says of itself: health for a probe, stats for a graph. No ID is issued here.
 */
#include "internal.h"

#include <stdio.h>
#include <string.h>

#define YEAR_MS (INT64_C(365) * 86400000)
#define CEILING_NEAR_MS 60000

/* ---- stats ----------------------------------------------------------------------------------- */

static int64_t ticks_ms(const flake_generator *gen, uint64_t ticks) {
  return (int64_t)(ticks * gen->config.layout.tick_ms);
}

static int64_t tick_unix_ms(const flake_generator *gen, uint64_t tick) {
  return gen->config.layout.epoch_ms + ticks_ms(gen, tick);
}

/* A word that is just moving makes the difference too small for a moment, or negative: the highest
 * that was seen counts. */
int64_t flake_issued_at(flake_generator *gen, uint64_t word) {
  flake_words *words = gen->words;
  int64_t count = (int64_t)((word & gen->low_mask) - flake_load(&words->passed_over));
  if (flake_is_open(word) && count > 0) flake_raise(&words->issued_high, (uint64_t)count);
  return (int64_t)flake_load(&words->issued_high);
}

static int64_t lead_ms(const flake_generator *gen, const flake_view *v) {
  uint64_t tick = flake_tick_of(gen, v->word);
  return tick > v->now_tick ? ticks_ms(gen, tick - v->now_tick) : 0;
}

flake_status flake_stats_get(flake_generator *gen, flake_stats *stats, size_t stats_size) {
  if (!gen || !stats) return FLAKE_E_INVALID_ARGUMENT;
  if (stats_size != sizeof *stats) return FLAKE_E_NOT_SUPPORTED;
  flake_view v;
  flake_status status = flake_look(gen, &v);
  if (status == FLAKE_E_FORKED) return status;
  flake_words *words = gen->words;
  *stats = (flake_stats){
      .issued = flake_issued_at(gen, flake_load(&words->word)),
      .dropped = (int64_t)flake_load(&words->dropped),
      .exhaustion_waits = (int64_t)flake_load(&words->exhaustion_waits),
      .refusals = (int64_t)flake_load(&words->refusals),
      .rewinds = (int64_t)flake_load(&words->rewinds),
      .rewind_max_ms = ticks_ms(gen, flake_load(&words->rewind_max)),
      .lead_ms = status ? 0 : lead_ms(gen, &v),
      .wall_high_ms = tick_unix_ms(gen, flake_load(&words->wall_high)),
  };
  return FLAKE_OK;
}

/* ---- health ---------------------------------------------------------------------------------- */

static const struct {
  uint32_t reason;
  const char *text;
} reasons[] = {
    {FLAKE_REASON_REWOUND, "the wall clock reads earlier than it was seen: check what set it back"},
    {FLAKE_REASON_FROZEN, "the wall clock stands still: check the host's clock"},
    {FLAKE_REASON_LEAD,
     "IDs run ahead of the clock by more than half of max_lead_ms: lower the "
     "rate, or choose more sequence bits"},
    {FLAKE_REASON_GUARD_OFF,
     "the host-wide lock is switched off: nothing keeps a second process "
     "from using this node"},
    {FLAKE_REASON_GUARD_LOST,
     "the host-wide lock file was deleted, moved or closed: open the "
     "generator anew, and spare the run directory from cleaning"},
    {FLAKE_REASON_EXPIRES, "the time field ends within a year: plan the move to another layout"},
    {FLAKE_REASON_CEILING_NEAR, "less than a minute is left below ceiling_ms"},
    {FLAKE_REASON_PID_CHECKED,
     "this system cannot wipe memory on fork: the process ID is compared "
     "on each call, which is slower"},
};

static uint32_t clock_reasons(flake_generator *gen, const flake_view *v) {
  uint64_t monotonic_ns = gen->clock.monotonic_ns(gen->clock.self);
  uint32_t found = 0;
  if (v->now_tick < v->high_tick) found |= FLAKE_REASON_REWOUND;
  if (flake_stands_still(gen, v->now_ns, monotonic_ns)) found |= FLAKE_REASON_FROZEN;
  bool bounded = gen->config.mode == FLAKE_MODE_MONOTONIC && gen->lead_ticks < gen->end_tick;
  if (bounded && 2 * lead_ms(gen, v) > gen->config.max_lead_ms) found |= FLAKE_REASON_LEAD;
  return found;
}

static uint32_t standing_reasons(const flake_generator *gen, const flake_health *health) {
  uint32_t found = 0;
  if (gen->config.host_guard == FLAKE_GUARD_UNSAFE_OFF) found |= FLAKE_REASON_GUARD_OFF;
  if (flake_registry_guard_lost(gen)) found |= FLAKE_REASON_GUARD_LOST;
  if (!gen->wiped_on_fork) found |= FLAKE_REASON_PID_CHECKED;
  if (health->expires_ms - health->wall_ms < YEAR_MS) found |= FLAKE_REASON_EXPIRES;
  if (health->ceiling_ms < health->expires_ms &&
      health->ceiling_ms - health->wall_ms < CEILING_NEAR_MS)
    found |= FLAKE_REASON_CEILING_NEAR;
  return found;
}

/* What ends a call by itself within max_wait_ms is no fault. */
static flake_status final_status(flake_status status) {
  bool passes =
      status == FLAKE_E_AGAIN || status == FLAKE_E_EXHAUSTED || status == FLAKE_E_DEADLINE_PASSED;
  return passes ? FLAKE_OK : status;
}

flake_status flake_health_get(flake_generator *gen, flake_health *health, size_t health_size) {
  if (!gen || !health) return FLAKE_E_INVALID_ARGUMENT;
  if (health_size != sizeof *health) return FLAKE_E_NOT_SUPPORTED;
  flake_view v;
  flake_status status = final_status(flake_probe(gen, &v));
  flake_health found = {.status = status,
                        .wall_ms = (int64_t)(v.now_ns / FLAKE_NS_PER_MS),
                        .expires_ms = tick_unix_ms(gen, gen->end_tick),
                        .ceiling_ms = tick_unix_ms(gen, v.ceiling)};
  bool looked =
      status != FLAKE_E_FORKED && status != FLAKE_E_CLOSED && status != FLAKE_E_BEFORE_EPOCH;
  if (looked) {
    found.reasons = clock_reasons(gen, &v) | standing_reasons(gen, &found);
    found.lead_ms = lead_ms(gen, &v);
    found.rewind_ms = v.now_tick < v.high_tick ? ticks_ms(gen, v.high_tick - v.now_tick) : 0;
  }
  bool frozen = gen->config.mode == FLAKE_MODE_STRICT && (found.reasons & FLAKE_REASON_FROZEN);
  bool rewound = found.reasons & FLAKE_REASON_REWOUND;
  if (!status && frozen) found.status = rewound ? FLAKE_E_CLOCK_REWOUND : FLAKE_E_CLOCK_FROZEN;
  found.level = found.status ? FLAKE_LEVEL_FAIL : found.reasons ? FLAKE_LEVEL_WARN : FLAKE_LEVEL_OK;
  *health = found;
  return FLAKE_OK;
}

int32_t flake_health_text(const flake_health *health, char *text, size_t text_size) {
  if (!health || !text || text_size < FLAKE_HEALTH_TEXT_SIZE) return FLAKE_E_INVALID_ARGUMENT;
  static const char *const levels[] = {"ok", "warn", "fail"};
  if (health->level > FLAKE_LEVEL_FAIL) return FLAKE_E_INVALID_ARGUMENT;
  const char *join = ": ";
  char *at = text + sprintf(text, "%s", levels[health->level]);
  if (health->status) {
    at += sprintf(at, "%s%s", join, flake_status_text(health->status));
    join = "; ";
  }
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (health->reasons & reasons[i].reason) {
      at += sprintf(at, "%s%s", join, reasons[i].text);
      join = "; ";
    }
  return (int32_t)(at - text);
}
