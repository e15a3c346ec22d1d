/* SPDX-License-Identifier: MIT */
/*
 * When a switch from layout OLD to NEW keeps the order: every ID of NEW, opened at or after the
 * switch s, must be larger than every ID of OLD made before s.
 *
 *     largest(k)   what OLD can issue up to its tick k: the other fields all ones
 *     smallest(s)  what NEW can issue when opened at s: the first tick that begins at or after s
 *                  (a flakecore generator begins there), the other fields all zero
 *
 * The fields are independent, so both hold for any order of fields. For OLD's tick k the worst s is
 * the first one after its start; s and the ID of k then grow by constants from k to k + period,
 * where a period is a whole number of ticks of both. So within each residue of k, safe becomes
 * unsafe or unsafe becomes safe at most once, and a binary search finds where.
 */
#include "migration.h"

#define YEAR_MS INT64_C(31556952000)

static uint64_t low_bits(uint32_t n) {
  return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static uint64_t last_tick(const flake_layout *layout) {
  return low_bits(layout->time_bits);
}

static uint64_t gcd(uint64_t a, uint64_t b) {
  return b ? gcd(b, a % b) : a;
}

/* ---- the two bounds -------------------------------------------------------------------------- */

/* The largest ID up to a tick. */
static uint64_t largest(const flake_layout *old, uint64_t tick) {
  return tick << old->time_shift | low_bits(old->node_bits) << old->node_shift |
         low_bits(old->seq_bits) << old->seq_shift;
}

/* The first tick of NEW that begins at or after a time. */
static uint64_t tick_from(const flake_layout *layout, int64_t unix_ms) {
  if (unix_ms <= layout->epoch_ms) return 0;
  return (uint64_t)(unix_ms - layout->epoch_ms + layout->tick_ms - 1) / layout->tick_ms;
}

/* When OLD's tick has just begun: the first switch after which its IDs are old ones. */
static int64_t after_start(const flake_layout *old, uint64_t tick) {
  return old->epoch_ms + (int64_t)tick * old->tick_ms + 1;
}

/* The first opening after which every ID of NEW is larger than id, or NEVER_MS. */
static int64_t above(const flake_layout *new, uint64_t id) {
  uint64_t tick = (id >> new->time_shift) + 1;
  if (tick > last_tick(new)) return NEVER_MS;
  return new->epoch_ms + ((int64_t)tick - 1) * new->tick_ms + 1;
}

/* The smallest ID of NEW from a tick on. */
static uint64_t smallest(const flake_layout *new, uint64_t tick) {
  uint64_t id = tick << new->time_shift;
  return id ? id : 1; /* 0 is never issued */
}

/* Whether a switch just after OLD's tick began lets new IDs fall among the old ones. */
static bool unsafe(const migration *m, uint64_t tick) {
  uint64_t first = tick_from(&m->new, after_start(&m->old, tick));
  return first <= last_tick(&m->new) && smallest(&m->new, first) <= largest(&m->old, tick);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Of the ticks base + i * period, i in 0..count-1, of which those before some i are unsafe and the
 * others safe, or the other way round: the first i that is not as tick base is. */
static uint64_t turn(const migration *m, uint64_t base, uint64_t period, uint64_t count) {
  bool first = unsafe(m, base);
  uint64_t low = 0, high = count;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (unsafe(m, base + middle * period) == first)
      low = middle;
    else
      high = middle;
  }
  return high;
}

typedef struct unsafe_ticks {
  bool any;
  uint64_t first;
  uint64_t last;
} unsafe_ticks;

static void add(unsafe_ticks *found, uint64_t first, uint64_t last) {
  if (!found->any || first < found->first) found->first = first;
  if (!found->any || last > found->last) found->last = last;
  found->any = true;
}

/* The unsafe ones of OLD's ticks from..to. */
static unsafe_ticks search(const migration *m, uint64_t from, uint64_t to) {
  unsafe_ticks found = {false, 0, 0};
  uint64_t period = m->new.tick_ms / gcd(m->new.tick_ms, m->old.tick_ms);
  for (uint64_t base = from; base <= to && base - from < period; base++) {
    uint64_t count = (to - base) / period + 1, turned = turn(m, base, period, count);
    bool begins = unsafe(m, base);
    if (begins) add(&found, base, base + (turned - 1) * period);
    if (!begins && turned < count) add(&found, base + turned * period, base + (count - 1) * period);
  }
  return found;
}

/* OLD's tick at the last moment before a time, at most its last one. */
static uint64_t tick_before(const flake_layout *old, int64_t unix_ms) {
  uint64_t tick = (uint64_t)(unix_ms - 1 - old->epoch_ms) / old->tick_ms;
  return tick < last_tick(old) ? tick : last_tick(old);
}

migration_answer migration_look(const migration *m) {
  migration_answer answer = {
      .safe_until_ms = NEVER_MS, .safe_from_ms = m->at_ms, .pause_until_ms = m->at_ms};
  uint64_t first = tick_from(&m->new, m->at_ms);
  if (first <= last_tick(&m->new)) answer.new_min_id = smallest(&m->new, first);
  int64_t end_ms = m->new.epoch_ms + (int64_t)last_tick(&m->new) * m->new.tick_ms;
  uint64_t from = 0; /* the first of OLD's ticks that begin at at_ms or later */
  if (m->at_ms > m->old.epoch_ms) {
    uint64_t now = tick_before(&m->old, m->at_ms);
    answer.old_max_id = largest(&m->old, now);
    from = now + 1;
  }
  unsafe_ticks later = {false, 0, 0};
  if (end_ms > m->old.epoch_ms && tick_before(&m->old, end_ms) >= from)
    later = search(m, from, tick_before(&m->old, end_ms));
  answer.safe = answer.new_min_id > answer.old_max_id;
  if (answer.safe && later.any) answer.safe_until_ms = after_start(&m->old, later.first);
  if (answer.new_min_id == 0) {
    answer.safe_from_ms = answer.pause_until_ms = NEVER_MS;
  } else if (!answer.safe) {
    answer.pause_until_ms = above(&m->new, answer.old_max_id);
    answer.safe_from_ms =
        later.any ? above(&m->new, largest(&m->old, later.last)) : answer.pause_until_ms;
  }
  return answer;
}

/* The latest epoch with which a switch at a time is safe, whatever comes later. */
static bool epoch_for(const migration *m, int64_t at_ms, migration *with) {
  uint64_t ticks = 0;
  if (at_ms > m->old.epoch_ms)
    ticks = largest(&m->old, tick_before(&m->old, at_ms)) >> m->new.time_shift;
  if (ticks >= last_tick(&m->new)) return false;
  *with = *m;
  with->new.epoch_ms = at_ms - (int64_t)ticks * m->new.tick_ms - 1;
  return flake_layout_check(&with->new, m->at_ms) == FLAKE_OK;
}

/* Where NEW's IDs grow more slowly than OLD's, an epoch that is safe today is not tomorrow. */
bool migration_epoch(const migration *m, int64_t *epoch_ms, int64_t *until_ms) {
  migration with;
  if (!epoch_for(m, m->at_ms, &with)) return false;
  migration_answer answer = migration_look(&with);
  if (!answer.safe || answer.safe_until_ms != NEVER_MS) {
    if (!epoch_for(m, m->at_ms + YEAR_MS, &with)) return false;
    answer = migration_look(&with);
  }
  *epoch_ms = with.new.epoch_ms;
  *until_ms = answer.safe_until_ms;
  return answer.safe;
}
