/* SPDX-License-Identifier: MIT */
/*
 * What the files of the core share: the words of docs and model as C structs, the memory order by
 * name, and the clock as an interface. The lock-free path is in generator.c, who may use which
 * block in registry.c.
 */
#ifndef FLAKECORE_INTERNAL_H
#define FLAKECORE_INTERNAL_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* each file includes this one first */
#endif
#include <limits.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "flakecore.h"

_Static_assert(sizeof(long long) == 8 && CHAR_BIT == 8, "64-bit integers are needed");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit compare-and-swap must be lock-free");
_Static_assert(sizeof(flake_layout) == 40, "the layout is part of the ABI");

#define FLAKE_NS_PER_MS UINT64_C(1000000)
#define FLAKE_NS_PER_S UINT64_C(1000000000)

/* The low n bits, for n = 0..64. */
static inline uint64_t flake_low_bits(uint32_t n) {
  return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static inline uint64_t flake_min(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static inline uint64_t flake_max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

#if defined(__GNUC__)
#define FLAKE_NOINLINE __attribute__((noinline))
#define FLAKE_INLINE inline __attribute__((always_inline))
#else
#define FLAKE_NOINLINE
#define FLAKE_INLINE inline
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define FLAKE_VECTORISE __attribute__((optimize("O3")))
#else
#define FLAKE_VECTORISE
#endif

/* ---- memory order, by name ------------------------------------------------------------------- */

typedef _Atomic uint64_t flake_atomic;

static inline uint64_t flake_load(const flake_atomic *p) {
  return atomic_load_explicit((flake_atomic *)p, memory_order_acquire);
}

static inline void flake_store(flake_atomic *p, uint64_t value) {
  atomic_store_explicit(p, value, memory_order_release);
}

/* Asks for the cache line of a word that is soon written to. For x86-64 by name: there the builtin
 * only asks for it to be read, unless told that the CPU can do more. */
static inline void flake_will_write(const flake_atomic *p) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)p));
#else
  __builtin_prefetch((const void *)p, 1);
#endif
}

/* On failure *seen becomes what the word is now. */
static inline bool flake_cas(flake_atomic *p, uint64_t *seen, uint64_t next) {
  return atomic_compare_exchange_strong_explicit(p, seen, next, memory_order_acq_rel,
                                                 memory_order_acquire);
}

static inline void flake_add(flake_atomic *p, uint64_t n) {
  atomic_fetch_add_explicit(p, n, memory_order_acq_rel);
}

static inline void flake_raise(flake_atomic *p, uint64_t value) {
  uint64_t seen = flake_load(p);
  while (seen < value && !flake_cas(p, &seen, value)) {
  }
}

/* ---- the clock ------------------------------------------------------------------------------- */

typedef struct flake_clock {
  uint64_t (*wall_ns)(void *self);      /* Unix time */
  uint64_t (*opening_ns)(void *self);   /* the same without lag: no process may have been ahead */
  uint64_t (*monotonic_ns)(void *self); /* for lengths only */
  void (*sleep_until)(void *self, uint64_t monotonic_ns); /* may return early */
  void *self;
  uint64_t granule_ns; /* how long wall_ns may repeat itself on a sound clock */
} flake_clock;

flake_clock flake_clock_of(uint32_t clock_source, flake_test_clock *test);

/* ---- the words of a generator ---------------------------------------------------------------- */

/*
 *      63   62                                                    0
 *     +----+---------------+------------------------+--------------+
 *     | 0  | node          | tick                   | sequence     |  word: the last number issued
 *     +----+---------------+------------------------+--------------+
 *     | 1  | tag: the generation that closed it                    |  word: closed
 *     +----+------------------------+------------------------------+
 *     | generation (20)             | ceiling tick (44), exclusive |  ceilw; ceiling 0: no right
 *     +-----------------------------+------------------------------+
 */
#define FLAKE_CLOSED (UINT64_C(1) << 63)
#define FLAKE_CEILING_BITS 44
#define FLAKE_CEILING_MASK ((UINT64_C(1) << FLAKE_CEILING_BITS) - 1)

typedef struct flake_words {
  alignas(64) flake_atomic word;
  alignas(64) flake_atomic ceilw;
  flake_atomic wall_high;  /* highest wall tick seen */
  flake_atomic lastt;      /* 1 + the largest tick that the word had at any close */
  flake_atomic opening;    /* the word as it was opened: nothing has been issued yet */
  flake_atomic closed_low; /* tick and sequence that the word had at the last close */
  /* for the stats */
  alignas(64) flake_atomic passed_over; /* numbers below the word that were never issued */
  flake_atomic issued_high;             /* the highest count of issued numbers that was seen */
  flake_atomic dropped, exhaustion_waits, refusals;
  flake_atomic rewound; /* 1 from the look that finds a rewind to the one that finds it gone */
  flake_atomic rewinds, rewind_max; /* in ticks */
} flake_words;

/* Shut: no wall time before the year 2262 lies within a tick of it. */
#define FLAKE_GATE_SHUT (UINT64_C(1) << 63)

/* What the threads of one process share to pass quickly. In a forked child it reads all zero: no
 * time is less than a tick of 0 ns from the gate, so the child cannot pass. */
typedef struct flake_line {
  alignas(64) flake_atomic base; /* word (node, tick, 0) of the published tick */
  flake_atomic gate;             /* start of that tick on the wall clock in ns */
  uint64_t tick_ns;
  uint64_t seq_span;                      /* 2^seq_bits */
  flake_atomic lock;                      /* 1: somebody publishes */
  uint64_t mark;                          /* not 0: this process opened it */
  alignas(64) flake_atomic still_wall_ns; /* what the wall clock read when a call waited, */
  flake_atomic still_monotonic_ns;        /* and since when it has; both written under lock */
  uint64_t secret;                        /* of the random starts */
} flake_line;

/* One private generator: both in a page that a fork wipes. */
typedef struct flake_page {
  flake_line line;
  flake_words words;
} flake_page;

/* A lock file that is open (guard.c). */
typedef struct flake_lock {
  int fd;
  char *path; /* absolute */
  dev_t device;
  ino_t inode;
} flake_lock;

/* The lock files of a node, in as many directories as this user can use; held 0: none. */
#define FLAKE_RUN_DIRS 3
typedef struct flake_guard {
  int held;
  flake_lock locks[FLAKE_RUN_DIRS];
} flake_guard;

struct flake_generator {
  /* constant after open, all that the fast path reads: one cache line, which nothing else of the
   * heap may share, since its owner may write there all the time */
  alignas(64) flake_line *line;
  flake_words *words;
  uint64_t (*wall_ns)(void *self);
  void *clock_self;
  uint64_t tick_mask;
  uint64_t seq_mask;
  uint8_t seq_bits;        /* position of the tick in the word */
  uint8_t word_node_shift; /* position of the node in the word */
  uint8_t time_shift, node_shift, seq_shift;
  bool wiped_on_fork; /* else the process ID tells, on each call, and no gate is opened */
  /* constant after open, for the slow path */
  pid_t pid;
  uint64_t low_mask; /* tick and sequence in the word */
  uint64_t epoch_ns;
  uint64_t tick_ns;
  uint64_t end_tick; /* first tick past the time field */
  uint64_t max_wait_ns;
  uint64_t lead_ticks;
  uint64_t still_ns; /* a wall clock that stands still so long is frozen */
  flake_clock clock;
  flake_config config;
  /* under the registry's lock */
  const void *registry; /* the process's that opened it */
  uint64_t refs;
  bool used; /* it was open before */
  flake_guard guard;
  struct flake_generator *next;
};

static inline bool flake_is_open(uint64_t word) {
  return !(word & FLAKE_CLOSED);
}

static inline uint64_t flake_tick_of(const flake_generator *gen, uint64_t word) {
  return (word & gen->low_mask) >> gen->seq_bits;
}

/* One look at everything, in the order that the model needs: word, ceiling, then the clock. */
typedef struct flake_view {
  uint64_t word;
  uint64_t ceiling;   /* tick, exclusive */
  uint64_t high_tick; /* highest seen before this look */
  uint64_t now_ns;
  uint64_t now_tick;
} flake_view;

/* ---- functions between the files ------------------------------------------------------------- */

/* layout.c: the ID of a word's parts in a layout that was checked. */
uint64_t flake_layout_pack(const flake_layout *layout, uint64_t tick, uint64_t node, uint64_t seq);
/* layout.c: bits of all fields together. */
uint32_t flake_layout_bits(const flake_layout *layout);
/* layout.c: FLAKE_OK or FLAKE_E_BAD_LAYOUT. */
flake_status flake_layout_valid(const flake_layout *layout);

/* config.c: copies a caller's config, whose size may be an older one, and checks it but for what
 * depends on the time. */
flake_status flake_config_read(const flake_config *given, flake_config *config);

/* generator.c: fills the view; FLAKE_OK, or why no number can be had at all. */
flake_status flake_look(flake_generator *gen, flake_view *v);
/* generator.c: what a call that waits for nothing would meet, without drawing. */
flake_status flake_probe(flake_generator *gen, flake_view *v);
/* generator.c: whether the wall clock has read the same for two ticks of monotonic time, in the
 * eyes of the calls that had to wait and of health. */
bool flake_stands_still(flake_generator *gen, uint64_t now_ns, uint64_t monotonic_ns);

/* health.c: how many IDs gen had issued when the word was this; raises issued_high to it. */
int64_t flake_issued_at(flake_generator *gen, uint64_t word);

/* guard.c: locks the node's file for this process, or says who may hold it. */
flake_status flake_guard_take(const flake_config *config, flake_guard *guard);
/* guard.c: closes the file, if it is open; unlocks it too, for the children that inherited it. */
void flake_guard_drop(flake_guard *guard, bool unlock);
/* guard.c: whether the locks still protect: descriptors are ours, files are where others look. */
bool flake_guard_holds(const flake_guard *guard);
/* guard.c: one sentence on why the file could not be locked. */
void flake_guard_explain(const flake_config *config, flake_status status, char *text,
                         size_t text_size);

/* registry.c: whether this process is a child of the one that opened gen. */
bool flake_is_forked(const flake_generator *gen);
/* registry.c: the layout that the open generators of a space have; false when none is open. */
bool flake_registry_layout(const char *space, flake_layout *layout);
/* registry.c: whether the lock that gen took at open no longer protects it. */
bool flake_registry_guard_lost(const flake_generator *gen);
/* registry.c: whether an open generator of this process has the config's space, layout and node. */
bool flake_registry_holds(const flake_config *config);

/* entropy.c: random bytes straight from the kernel. */
flake_status flake_entropy(void *bytes, size_t bytes_len);

#endif
