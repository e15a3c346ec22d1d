/* SPDX-License-Identifier: MIT */
/*
 * Which generator may issue: opening, sharing and closing. All generators of a process live in one
 * list, keyed by space, layout and node, and are never freed: a late thread may still hold one, and
 * opening a node again must go on above what it issued before.
 *
 * The registry and each private generator's words lie in pages that the kernel wipes in a forked
 * child. The child so makes a registry of its own, to which no generator on the list belongs yet,
 * and the handles that it inherited read all zero.
 */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct registry {
  pthread_mutex_t lock;
  uint64_t mark; /* 0 in a forked child */
  pid_t pid;
  bool wiped_on_fork;
} registry;

static _Atomic(registry *) the_registry;
static flake_generator *generators; /* under the registry's lock; also the parents' of a child */

/* ---- pages that do not survive a fork -------------------------------------------------------- */

/* Zeroed memory of at least size bytes, or NULL. An emulator may accept any advice without
 * following it; such a one also accepts advice that does not exist. */
static void *map_wiped(size_t size, bool *wiped_on_fork) {
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return NULL;
#if defined(MADV_WIPEONFORK)
  *wiped_on_fork = madvise(page, size, -1) != 0 && madvise(page, size, MADV_WIPEONFORK) == 0;
#else
  *wiped_on_fork = false;
#endif
  return page;
}

static bool is_of_parent(uint64_t mark, bool wiped_on_fork, pid_t pid) {
  return mark == 0 || (!wiped_on_fork && pid != getpid());
}

bool flake_is_forked(const flake_generator *gen) {
  return is_of_parent(gen->line->mark, gen->wiped_on_fork, gen->pid);
}

/* This process's registry, made at the first use in it. NULL without memory. */
static registry *registry_of_process(void) {
  registry *seen = atomic_load_explicit(&the_registry, memory_order_acquire);
  if (seen && !is_of_parent(seen->mark, seen->wiped_on_fork, seen->pid)) return seen;
  bool wiped_on_fork;
  registry *made = map_wiped(sizeof *made, &wiped_on_fork);
  if (!made) return NULL;
  pthread_mutex_init(&made->lock, NULL);
  made->mark = 1;
  made->pid = getpid();
  made->wiped_on_fork = wiped_on_fork;
  if (atomic_compare_exchange_strong_explicit(&the_registry, &seen, made, memory_order_acq_rel,
                                              memory_order_acquire))
    return made;
  munmap(made, sizeof *made);
  return seen;
}

/* ---- one generator --------------------------------------------------------------------------- */

/* Whole ticks up to unix_ms, rounded up (a floor) or down (a ceiling), at most end_tick. */
static uint64_t tick_at(const flake_generator *gen, int64_t unix_ms, bool round_up) {
  const flake_layout *layout = &gen->config.layout;
  if (unix_ms <= layout->epoch_ms) return 0;
  uint64_t since_ms = (uint64_t)(unix_ms - layout->epoch_ms);
  uint64_t tick = (since_ms + (round_up ? layout->tick_ms - 1 : 0)) / layout->tick_ms;
  return tick < gen->end_tick ? tick : gen->end_tick;
}

static uint64_t tick_now(const flake_generator *gen, uint64_t now_ns) {
  return now_ns < gen->epoch_ns ? 0 : (now_ns - gen->epoch_ns) / gen->tick_ns;
}

static uint64_t ceiling_tick(const flake_generator *gen) {
  int64_t ceiling_ms = gen->config.ceiling_ms;
  return ceiling_ms == FLAKE_UNSET ? gen->end_tick : tick_at(gen, ceiling_ms, false);
}

/* All that follows from the config. */
static void derive(flake_generator *gen, const flake_config *config, flake_test_clock *test) {
  const flake_layout *layout = &config->layout;
  gen->config = *config;
  gen->clock = flake_clock_of(config->clock_source, test);
  gen->wall_ns = gen->clock.wall_ns;
  gen->clock_self = gen->clock.self;
  gen->seq_bits = (uint8_t)layout->seq_bits;
  gen->word_node_shift = (uint8_t)(63 - layout->node_bits);
  gen->time_shift = (uint8_t)layout->time_shift;
  gen->node_shift = (uint8_t)layout->node_shift;
  gen->seq_shift = (uint8_t)layout->seq_shift;
  gen->low_mask = flake_low_bits(gen->word_node_shift);
  gen->seq_mask = flake_low_bits(layout->seq_bits);
  gen->tick_mask = gen->low_mask >> layout->seq_bits;
  gen->epoch_ns = (uint64_t)layout->epoch_ms * FLAKE_NS_PER_MS;
  gen->tick_ns = layout->tick_ms * FLAKE_NS_PER_MS;
  gen->end_tick = UINT64_C(1) << layout->time_bits;
  gen->max_wait_ns = (uint64_t)config->max_wait_ms * FLAKE_NS_PER_MS;
  gen->lead_ticks = config->max_lead_ms == FLAKE_UNSET
                        ? gen->end_tick
                        : (uint64_t)config->max_lead_ms / layout->tick_ms;
  uint64_t granule_ns = gen->clock.granule_ns;
  gen->still_ns = 2 * (granule_ns > gen->tick_ns ? granule_ns : gen->tick_ns);
}

static flake_status generator_new(const flake_config *config, flake_test_clock *test,
                                  flake_generator **made) {
  flake_generator *gen = aligned_alloc(alignof(flake_generator), sizeof *gen);
  if (!gen) return FLAKE_E_OUT_OF_MEMORY;
  memset(gen, 0, sizeof *gen);
  flake_page *page = map_wiped(sizeof *page, &gen->wiped_on_fork);
  if (!page) {
    free(gen);
    return FLAKE_E_OUT_OF_MEMORY;
  }
  derive(gen, config, test);
  gen->line = &page->line;
  gen->words = &page->words;
  gen->pid = getpid();
  gen->line->mark = 1;
  gen->line->tick_ns = gen->tick_ns;
  gen->line->seq_span = gen->seq_mask + 1;
  flake_store(&gen->line->still_wall_ns, UINT64_MAX);
  flake_store(&gen->line->gate, FLAKE_GATE_SHUT);
  flake_store(&gen->words->word, FLAKE_CLOSED);
  flake_status status = config->seq_spread_bits
                            ? flake_entropy(&gen->line->secret, sizeof gen->line->secret)
                            : FLAKE_OK;
  if (status) {
    munmap(page, sizeof *page);
    free(gen);
    return status;
  }
  *made = gen;
  return FLAKE_OK;
}

/* Opens the closed word at low: tick and sequence of the last number that is not to be issued. */
static void open_word(flake_generator *gen, uint64_t low) {
  flake_words *words = gen->words;
  uint64_t opening = (uint64_t)gen->config.node << gen->word_node_shift | low;
  uint64_t closed = flake_load(&words->word);
  flake_store(&words->opening, opening);
  flake_add(&words->passed_over, low - flake_load(&words->closed_low));
  flake_cas(&words->word, &closed, opening);
  uint64_t ended = flake_load(&words->ceilw);
  flake_cas(&words->ceilw, &ended, ended | ceiling_tick(gen));
}

/* The old right ends, then the word (core/model). A word from which nothing was drawn does not use
 * its tick up, or opening and closing alone would run ahead of the clock. */
static void close_word(flake_generator *gen) {
  flake_words *words = gen->words;
  uint64_t ceilw = flake_load(&words->ceilw), ended;
  do {
    ended = (ceilw & ~FLAKE_CEILING_MASK) + FLAKE_CEILING_MASK + 1;
  } while (!flake_cas(&words->ceilw, &ceilw, ended));
  uint64_t word = flake_load(&words->word);
  do {
    if (word != flake_load(&words->opening))
      flake_raise(&words->lastt, flake_tick_of(gen, word) + 1);
  } while (!flake_cas(&words->word, &word, FLAKE_CLOSED | ended >> FLAKE_CEILING_BITS));
  flake_store(&words->closed_low, word & gen->low_mask);
  (void)flake_issued_at(gen, word);
}

/* ---- the list -------------------------------------------------------------------------------- */

static bool same_layout(const flake_layout *a, const flake_layout *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static bool same_key(const flake_config *a, const flake_config *b) {
  return strcmp(a->space, b->space) == 0 && same_layout(&a->layout, &b->layout) &&
         a->node == b->node;
}

static bool same_options(const flake_generator *gen, const flake_config *config,
                         const flake_test_clock *test) {
  return memcmp(&gen->config, config, sizeof *config) == 0 && gen->clock.self == test;
}

/* What the list says of a config: a generator with the same options, open or closed; the tick above
 * all that was issued for its node in this process; the highest wall tick that was seen for it. */
typedef struct finding {
  flake_generator *same;
  uint64_t free_tick;
  uint64_t wall_high;
} finding;

static flake_status search(const registry *reg, const flake_config *config,
                           const flake_test_clock *test, finding *found) {
  *found = (finding){0};
  for (flake_generator *gen = generators; gen; gen = gen->next) {
    if (gen->registry != reg) continue;
    bool open = gen->refs > 0, key = same_key(&gen->config, config);
    if (open && strcmp(gen->config.space, config->space) == 0 &&
        !same_layout(&gen->config.layout, &config->layout))
      return FLAKE_E_LAYOUT_DIFFERS;
    if (!key) continue;
    bool same = same_options(gen, config, test);
    if (open && !same) return FLAKE_E_NODE_IN_USE;
    if (same) found->same = gen;
    found->free_tick = flake_max(found->free_tick, flake_load(&gen->words->lastt));
    found->wall_high = flake_max(found->wall_high, flake_load(&gen->words->wall_high));
  }
  return FLAKE_OK;
}

bool flake_registry_guard_lost(const flake_generator *gen) {
  registry *reg = registry_of_process();
  if (!reg) return false;
  pthread_mutex_lock(&reg->lock);
  bool lost = !flake_guard_holds(&gen->guard);
  pthread_mutex_unlock(&reg->lock);
  return lost;
}

bool flake_registry_holds(const flake_config *config) {
  registry *reg = registry_of_process();
  bool found = false;
  if (!reg) return false;
  pthread_mutex_lock(&reg->lock);
  for (flake_generator *gen = generators; gen && !found; gen = gen->next)
    found = gen->registry == reg && gen->refs > 0 && same_key(&gen->config, config);
  pthread_mutex_unlock(&reg->lock);
  return found;
}

bool flake_registry_layout(const char *space, flake_layout *layout) {
  registry *reg = registry_of_process();
  bool found = false;
  if (!reg) return false;
  pthread_mutex_lock(&reg->lock);
  for (flake_generator *gen = generators; gen && !found; gen = gen->next) {
    found = gen->registry == reg && gen->refs > 0 && strcmp(gen->config.space, space) == 0;
    if (found) *layout = gen->config.layout;
  }
  pthread_mutex_unlock(&reg->lock);
  return found;
}

/* Opens a closed generator at the first tick after now, or later where something above that may
 * have been issued already. The clock is read after the lock file was taken. A word that was used
 * before goes on above its last value and burns a number, so that no value of it ever returns. */
static flake_status start(flake_generator *gen, const finding *found) {
  flake_words *words = gen->words;
  uint64_t now_ns = gen->clock.opening_ns(gen->clock.self);
  flake_status status =
      flake_layout_check(&gen->config.layout, (int64_t)(now_ns / FLAKE_NS_PER_MS));
  if (status) return status;
  int64_t floor_ms = gen->config.start_floor_ms;
  uint64_t floor_tick = floor_ms == FLAKE_UNSET ? 0 : tick_at(gen, floor_ms, true);
  uint64_t first = tick_now(gen, now_ns) + 1;
  first = flake_max(first, flake_max(floor_tick, found->free_tick));
  uint64_t low = (first << gen->seq_bits) - 1;
  if (gen->used) low = flake_max(low, flake_load(&words->closed_low)) + 1;
  uint64_t tick = (low + 1) >> gen->seq_bits;
  if (tick >= gen->end_tick) return FLAKE_E_TIME_USED_UP;
  if (tick >= ceiling_tick(gen)) return FLAKE_E_CEILING_REACHED;
  if (gen->used) flake_add(&words->dropped, 1);
  gen->used = true;
  flake_raise(&words->wall_high, flake_max(floor_tick, found->wall_high));
  flake_raise(&words->wall_high, tick_now(gen, gen->clock.wall_ns(gen->clock.self)));
  open_word(gen, low);
  return FLAKE_OK;
}

static flake_status open_locked(const registry *reg, const flake_config *config,
                                flake_test_clock *test, flake_generator **opened) {
  finding found;
  flake_status status = search(reg, config, test, &found);
  if (status) return status;
  flake_generator *gen = found.same;
  if (!gen || gen->refs == 0) {
    if (!gen) status = generator_new(config, test, &gen);
    if (status) return status;
    if (!found.same) {
      gen->registry = reg;
      gen->next = generators;
      generators = gen;
    }
    bool guarded = !test && config->host_guard == FLAKE_GUARD_ON;
    if (guarded) status = flake_guard_take(config, &gen->guard);
    if (!status) status = start(gen, &found);
    if (status) {
      flake_guard_drop(&gen->guard, true);
      return status;
    }
  }
  gen->refs++;
  *opened = gen;
  return FLAKE_OK;
}

flake_status flake_open(const flake_config *config, flake_test_clock *clock,
                        flake_generator **gen) {
  if (!config || !gen) return FLAKE_E_INVALID_ARGUMENT;
  flake_config read;
  flake_status status = flake_config_read(config, &read);
  if (status) return status;
  registry *reg = registry_of_process();
  if (!reg) return FLAKE_E_OUT_OF_MEMORY;
  pthread_mutex_lock(&reg->lock);
  status = open_locked(reg, &read, clock, gen);
  pthread_mutex_unlock(&reg->lock);
  return status;
}

flake_status flake_close(flake_generator *gen) {
  if (!gen) return FLAKE_E_INVALID_ARGUMENT;
  registry *reg = registry_of_process();
  if (!reg) return FLAKE_E_OUT_OF_MEMORY;
  flake_status status = FLAKE_OK;
  pthread_mutex_lock(&reg->lock);
  if (flake_is_forked(gen)) {
    flake_guard_drop(&gen->guard, false); /* the parent's lock stays */
  } else if (gen->refs == 0) {
    status = FLAKE_E_CLOSED;
  } else if (--gen->refs == 0) {
    close_word(gen);
    flake_guard_drop(&gen->guard, true);
  }
  pthread_mutex_unlock(&reg->lock);
  return status;
}
