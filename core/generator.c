/* SPDX-License-Identifier: MIT */
/*
 * The generator: how an ID is drawn. Read draw_published first: it is what nearly every call does.
 *
 * The word holds the last number issued (internal.h). Numbers are drawn by one compare-and-swap of
 * the whole word, so no two calls draw the same one. What allows a call to pass quickly is the
 * published tick: (base, gate) says that the tick that began at gate on the wall clock is the
 * word's own, and lies wholly below the ceiling. Every other case is the slow path's: a new tick, a
 * stepped clock, a spent sequence, a ceiling, a closed word, a forked child.
 *
 * core/model holds the same steps as a model, with the mutants that break it. Change neither alone.
 */
#include "internal.h"

static int64_t id_of(const flake_generator *gen, uint64_t word) {
  return (int64_t)((word >> gen->seq_bits & gen->tick_mask) << gen->time_shift |
                   (word >> gen->word_node_shift) << gen->node_shift |
                   (word & gen->seq_mask) << gen->seq_shift);
}

/* The fast path: draws got numbers, at most want, from the word first on; false when the published
 * tick does not serve. One comparison catches a new tick, a step of the clock, a shut gate, a fork;
 * the other a spent sequence, another node and a closed word. Base, gate, clock and word are read
 * in this order. Where threads share the word, it comes while the clock is read. */
static inline bool draw_published(flake_generator *gen, uint64_t want, uint64_t *first,
                                  uint64_t *got) {
  const flake_line *line = gen->line;
  uint64_t base = flake_load(&line->base);
  uint64_t gate = flake_load(&line->gate);
  flake_will_write(&gen->words->word);
  uint64_t now_ns = gen->wall_ns(gen->clock_self);
  if (now_ns - gate >= line->tick_ns) return false;
  uint64_t word = flake_load(&gen->words->word), count = 1;
  do {
    if (((word + 1) ^ base) >= line->seq_span) return false;
    if (want > 1) count = flake_min(want, line->seq_span - ((word + 1) & gen->seq_mask));
  } while (!flake_cas(&gen->words->word, &word, word + count));
  *first = word + 1;
  *got = count;
  return true;
}

/* ---- the slow path --------------------------------------------------------------------------- */

/* Remembers a rewind of so many ticks for the stats, once until the clock has caught up. The gate
 * is shut so that the call that finds it caught up looks here too. */
static void note_rewind(flake_generator *gen, uint64_t ticks) {
  flake_words *words = gen->words;
  uint64_t caught_up = 0;
  flake_raise(&words->rewind_max, ticks);
  if (!flake_cas(&words->rewound, &caught_up, 1)) return;
  flake_add(&words->rewinds, 1);
  flake_store(&gen->line->gate, FLAKE_GATE_SHUT);
}

flake_status flake_look(flake_generator *gen, flake_view *v) {
  flake_words *words = gen->words;
  v->word = flake_load(&words->word);
  v->ceiling = flake_load(&words->ceilw) & FLAKE_CEILING_MASK;
  v->high_tick = flake_load(&words->wall_high);
  v->now_ns = gen->clock.wall_ns(gen->clock.self);
  if (flake_is_forked(gen)) return FLAKE_E_FORKED;
  if (!flake_is_open(v->word) || v->ceiling == 0) return FLAKE_E_CLOSED;
  if (v->now_ns < gen->epoch_ns) return FLAKE_E_BEFORE_EPOCH;
  v->now_tick = (v->now_ns - gen->epoch_ns) / gen->tick_ns;
  if (v->now_tick < v->high_tick)
    note_rewind(gen, v->high_tick - v->now_tick);
  else if (flake_load(&words->rewound))
    flake_store(&words->rewound, 0);
  flake_raise(&words->wall_high, v->now_tick);
  return FLAKE_OK;
}

/* Where a new tick's sequence starts: 0, or a number that only the tick and this generator's secret
 * decide, so that racing threads agree on it (the finalizer of splitmix64). */
static uint64_t sequence_start(const flake_generator *gen, uint64_t tick) {
  if (gen->config.seq_spread_bits == 0) return 0;
  uint64_t z = tick + gen->line->secret;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return z & flake_low_bits((uint32_t)gen->config.seq_spread_bits);
}

/* Tick and sequence of the smallest number above the word that is not before now. */
static uint64_t candidate(const flake_generator *gen, const flake_view *v) {
  uint64_t above = (v->word & gen->low_mask) + 1;
  uint64_t fresh = v->now_tick << gen->seq_bits | sequence_start(gen, v->now_tick);
  return above > fresh ? above : fresh;
}

/* Lets the calls of this tick pass quickly. Busy: another thread is about to do the same. The word
 * is looked at again, so that a publisher that slept does not reopen an old gate. */
static void publish(flake_generator *gen, uint64_t word, const flake_view *v) {
  flake_line *line = gen->line;
  uint64_t base = word & ~gen->seq_mask;
  uint64_t gate = gen->epoch_ns + v->now_tick * gen->tick_ns;
  if (!gen->wiped_on_fork || flake_tick_of(gen, word) + 1 >= gen->end_tick) return;
  if (flake_load(&line->base) == base && flake_load(&line->gate) == gate) return;
  uint64_t unlocked = 0;
  if (!flake_cas(&line->lock, &unlocked, 1)) return;
  if ((flake_load(&gen->words->word) ^ base) < line->seq_span) {
    flake_store(&line->gate, FLAKE_GATE_SHUT);
    flake_store(&line->base, base);
    flake_store(&line->gate, gate);
  }
  flake_store(&line->lock, 0);
}

/* ---- when no number can be had now ----------------------------------------------------------- */

bool flake_stands_still(flake_generator *gen, uint64_t now_ns, uint64_t monotonic_ns) {
  flake_line *line = gen->line;
  uint64_t unlocked = 0;
  if (flake_load(&line->still_wall_ns) == now_ns) {
    int64_t since_ns = (int64_t)(monotonic_ns - flake_load(&line->still_monotonic_ns));
    return since_ns >= (int64_t)gen->still_ns && flake_load(&line->still_wall_ns) == now_ns;
  }
  if (flake_cas(&line->lock, &unlocked, 1)) {
    flake_store(&line->still_wall_ns, UINT64_MAX);
    flake_store(&line->still_monotonic_ns, monotonic_ns);
    flake_store(&line->still_wall_ns, now_ns);
    flake_store(&line->lock, 0);
  }
  return false;
}

static flake_status cause(flake_generator *gen, const flake_view *v, uint64_t monotonic_ns) {
  bool still = flake_stands_still(gen, v->now_ns, monotonic_ns);
  if (v->now_tick < v->high_tick) return FLAKE_E_CLOCK_REWOUND;
  if (still) return FLAKE_E_CLOCK_FROZEN;
  return v->word == flake_load(&gen->words->opening) ? FLAKE_E_DEADLINE_PASSED : FLAKE_E_EXHAUSTED;
}

/* Strict: waits for the start of tick, within the one deadline of the attempt. The rounds are
 * bounded too, for sleeps that return at once while the monotonic clock stands. After a few of them
 * the clock is not what it seems (it stands just before the edge, or creeps), so the waits get a
 * least length, with which the bound outlasts the deadline. */
static flake_status wait_for(flake_generator *gen, const flake_view *v, uint64_t tick,
                             flake_attempt *attempt) {
  uint64_t monotonic_ns = gen->clock.monotonic_ns(gen->clock.self);
  flake_status reason = cause(gen, v, monotonic_ns);
  uint64_t wait_ns = gen->epoch_ns + tick * gen->tick_ns - v->now_ns;
  if (reason == FLAKE_E_CLOCK_REWOUND && wait_ns > gen->max_wait_ns) return reason;
  if (attempt->deadline_ns == 0) attempt->deadline_ns = (int64_t)(monotonic_ns + gen->max_wait_ns);
  int64_t left_ns = attempt->deadline_ns - (int64_t)monotonic_ns;
  int64_t rounds_max = 64 + 4 * (int64_t)(gen->max_wait_ns / gen->tick_ns);
  if (left_ns <= 0 || attempt->rounds >= rounds_max) return reason;
  if (attempt->rounds >= 16 && wait_ns < gen->tick_ns / 4) wait_ns = gen->tick_ns / 4;
  attempt->wait_ns = (int64_t)flake_min(wait_ns, (uint64_t)left_ns);
  attempt->wake_ns = (int64_t)monotonic_ns + attempt->wait_ns;
  attempt->reason = reason;
  attempt->rounds++;
  return FLAKE_E_AGAIN;
}

/* FLAKE_OK when tick may be used now. */
static flake_status admit(flake_generator *gen, const flake_view *v, uint64_t tick,
                          flake_attempt *attempt) {
  if (tick >= gen->end_tick) return FLAKE_E_TIME_USED_UP;
  if (tick >= v->ceiling) return FLAKE_E_CEILING_REACHED;
  if (gen->config.mode == FLAKE_MODE_STRICT)
    return tick > v->now_tick ? wait_for(gen, v, tick, attempt) : FLAKE_OK;
  if (tick > v->now_tick + gen->lead_ticks)
    return cause(gen, v, gen->clock.monotonic_ns(gen->clock.self));
  return FLAKE_OK;
}

flake_status flake_probe(flake_generator *gen, flake_view *v) {
  flake_attempt attempt = {0};
  flake_status status = flake_look(gen, v);
  return status ? status : admit(gen, v, candidate(gen, v) >> gen->seq_bits, &attempt);
}

/* Draws as draw_published does, or says why not. Numbers passed over are counted before the word
 * moves, and taken back when it did not, so that the count of issued ones is never too high. */
static flake_status draw_unpublished(flake_generator *gen, flake_attempt *attempt, uint64_t want,
                                     uint64_t *first, uint64_t *got) {
  flake_words *words = gen->words;
  for (;;) {
    flake_view v;
    flake_status status = flake_look(gen, &v);
    if (status) return status;
    uint64_t low = candidate(gen, &v), passed_over = low - 1 - (v.word & gen->low_mask);
    status = admit(gen, &v, low >> gen->seq_bits, attempt);
    if (status) return status;
    uint64_t next = (v.word & ~gen->low_mask) | low;
    uint64_t count = flake_min(want, gen->seq_mask - (low & gen->seq_mask) + 1);
    if (passed_over) flake_add(&words->passed_over, passed_over);
    if (flake_cas(&words->word, &v.word, next + count - 1)) {
      publish(gen, next, &v);
      *first = next;
      *got = count;
      return FLAKE_OK;
    }
    if (passed_over) flake_add(&words->passed_over, -passed_over);
  }
}

/* Counts what keeps a call from its number, and passes it on. */
static flake_status noted(flake_generator *gen, flake_status status, const flake_attempt *attempt) {
  if (status == FLAKE_E_AGAIN && attempt->reason == FLAKE_E_EXHAUSTED)
    flake_add(&gen->words->exhaustion_waits, 1);
  else if (status && status != FLAKE_E_AGAIN)
    flake_add(&gen->words->refusals, 1);
  return status;
}

static void sleep_out(flake_generator *gen, const flake_attempt *attempt) {
  gen->clock.sleep_until(gen->clock.self, (uint64_t)attempt->wake_ns);
}

/* ---- one ID ---------------------------------------------------------------------------------- */

static int64_t next_unpublished(flake_generator *gen, flake_attempt *attempt) {
  uint64_t word, got;
  flake_status status = draw_unpublished(gen, attempt, 1, &word, &got);
  return status ? noted(gen, status, attempt) : id_of(gen, word);
}

/* Apart, so that flake_next itself saves few registers. */
static FLAKE_NOINLINE int64_t next_waiting(flake_generator *gen) {
  flake_attempt attempt = {0};
  int64_t id;
  while ((id = next_unpublished(gen, &attempt)) == FLAKE_E_AGAIN) sleep_out(gen, &attempt);
  return id;
}

int64_t flake_next(flake_generator *gen) {
  uint64_t word, got;
  return draw_published(gen, 1, &word, &got) ? id_of(gen, word) : next_waiting(gen);
}

int64_t flake_next_step(flake_generator *gen, flake_attempt *attempt) {
  if (!attempt) return FLAKE_E_INVALID_ARGUMENT;
  uint64_t word, got;
  return draw_published(gen, 1, &word, &got) ? id_of(gen, word) : next_unpublished(gen, attempt);
}

/* ---- many IDs -------------------------------------------------------------------------------- */

/* One draw of up to want numbers: the first ID, or a status that is not counted yet. */
static int64_t draw(flake_generator *gen, flake_attempt *attempt, int64_t want, int64_t *issued) {
  uint64_t word, got;
  flake_status status = FLAKE_OK;
  if (!draw_published(gen, (uint64_t)want, &word, &got))
    status = draw_unpublished(gen, attempt, (uint64_t)want, &word, &got);
  if (status) return status;
  *issued = (int64_t)got;
  return id_of(gen, word);
}

int64_t flake_next_range_step(flake_generator *gen, flake_attempt *attempt, int64_t count,
                              int64_t *issued) {
  if (!gen || !attempt || !issued || count < 1) return FLAKE_E_INVALID_ARGUMENT;
  int64_t first = draw(gen, attempt, count, issued);
  return first < 0 ? noted(gen, (flake_status)first, attempt) : first;
}

int64_t flake_next_range(flake_generator *gen, int64_t count, int64_t *issued) {
  flake_attempt attempt = {0};
  int64_t first;
  while ((first = flake_next_range_step(gen, &attempt, count, issued)) == FLAKE_E_AGAIN)
    sleep_out(gen, &attempt);
  return first;
}

/* Written so that compilers vectorise it. */
static FLAKE_VECTORISE void fill(int64_t *ids, int64_t count, int64_t first, int64_t stride) {
  uint64_t id = (uint64_t)first; /* one stride past the last ID may be past int64 */
  for (int64_t i = 0; i < count; i++, id += (uint64_t)stride) ids[i] = (int64_t)id;
}

/* Fills what can be had at once and returns how many; end says what ended it, FLAKE_OK for all. */
static int64_t draw_many(flake_generator *gen, flake_attempt *attempt, int64_t *ids,
                         int64_t ids_len, flake_status *end) {
  int64_t done = 0, got, stride = INT64_C(1) << gen->seq_shift;
  *end = FLAKE_OK;
  while (done < ids_len) {
    int64_t first = draw(gen, attempt, ids_len - done, &got);
    if (first < 0) {
      *end = (flake_status)first;
      break;
    }
    fill(ids + done, got, first, stride);
    done += got;
  }
  return done;
}

int64_t flake_next_many_step(flake_generator *gen, flake_attempt *attempt, int64_t *ids,
                             int64_t ids_len) {
  if (!gen || !attempt || !ids || ids_len < 0) return FLAKE_E_INVALID_ARGUMENT;
  flake_status end;
  int64_t done = draw_many(gen, attempt, ids, ids_len, &end);
  return done ? done : noted(gen, end, attempt);
}

int64_t flake_next_many(flake_generator *gen, int64_t *ids, int64_t ids_len) {
  if (!gen || !ids || ids_len < 0) return FLAKE_E_INVALID_ARGUMENT;
  flake_attempt attempt = {0};
  flake_status end;
  int64_t done = draw_many(gen, &attempt, ids, ids_len, &end);
  while (end == FLAKE_E_AGAIN) {
    (void)noted(gen, end, &attempt);
    sleep_out(gen, &attempt);
    done += draw_many(gen, &attempt, ids + done, ids_len - done, &end);
  }
  return done ? done : noted(gen, end, &attempt);
}
