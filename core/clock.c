/* SPDX-License-Identifier: MIT */
/*
 * The system's clocks and the test clock, behind one interface. The wall clock goes into IDs; the
 * monotonic clock only measures lengths.
 */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* ---- the system's ---------------------------------------------------------------------------- */

/* A clock that cannot be read is at 0: before every epoch, so it is refused. The fast path waits
 * for this; clearing now beforehand would cost it a cycle more than the comparison. */
static uint64_t read_ns(clockid_t id) {
  struct timespec now;
  if (clock_gettime(id, &now) != 0) return 0;
  return (uint64_t)now.tv_sec * FLAKE_NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t system_wall_ns(void *self) {
  (void)self;
  return read_ns(CLOCK_REALTIME);
}

static uint64_t system_monotonic_ns(void *self) {
  (void)self;
  return read_ns(CLOCK_MONOTONIC);
}

#if defined(CLOCK_REALTIME_COARSE)
static uint64_t system_coarse_ns(void *self) {
  (void)self;
  return read_ns(CLOCK_REALTIME_COARSE);
}
#endif

static void system_sleep_until(void *self, uint64_t monotonic_ns) {
#if defined(TIMER_ABSTIME) && !defined(__APPLE__)
  (void)self;
  struct timespec until = {.tv_sec = (time_t)(monotonic_ns / FLAKE_NS_PER_S),
                           .tv_nsec = (long)(monotonic_ns % FLAKE_NS_PER_S)};
  (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
#else
  uint64_t now = system_monotonic_ns(self);
  uint64_t ns = monotonic_ns > now ? monotonic_ns - now : 0;
  struct timespec length = {.tv_sec = (time_t)(ns / FLAKE_NS_PER_S),
                            .tv_nsec = (long)(ns % FLAKE_NS_PER_S)};
  (void)nanosleep(&length, NULL);
#endif
}

/* ---- the test clock -------------------------------------------------------------------------- */

#define SCRIPT_MAX 16

struct flake_test_clock {
  pthread_mutex_t lock;
  flake_atomic wall_ns;
  flake_atomic monotonic_ns;
  int64_t rate_permille;
  int64_t rest; /* what the wall clock has gained beyond whole ns, in 1/1000 ns */
  bool sleeps_stopped;
  int pending;
  struct {
    uint64_t due_ns; /* monotonic */
    int64_t step_ns;
  } script[SCRIPT_MAX]; /* in the order in which they fall due */
};

flake_status flake_test_clock_open(int64_t wall_ns, flake_test_clock **clock) {
  if (!clock || wall_ns < 0) return FLAKE_E_INVALID_ARGUMENT;
  flake_test_clock *made = calloc(1, sizeof *made);
  if (!made) return FLAKE_E_OUT_OF_MEMORY;
  pthread_mutex_init(&made->lock, NULL);
  made->rate_permille = 1000;
  flake_store(&made->wall_ns, (uint64_t)wall_ns);
  flake_store(&made->monotonic_ns, FLAKE_NS_PER_S);
  *clock = made;
  return FLAKE_OK;
}

void flake_test_clock_close(flake_test_clock *clock) {
  if (clock) pthread_mutex_destroy(&clock->lock);
  free(clock);
}

flake_status flake_test_clock_set_wall(flake_test_clock *clock, int64_t wall_ns) {
  if (!clock || wall_ns < 0) return FLAKE_E_INVALID_ARGUMENT;
  pthread_mutex_lock(&clock->lock);
  flake_store(&clock->wall_ns, (uint64_t)wall_ns);
  pthread_mutex_unlock(&clock->lock);
  return FLAKE_OK;
}

flake_status flake_test_clock_set_rate(flake_test_clock *clock, int64_t rate_permille) {
  if (!clock || rate_permille < -1000000 || rate_permille > 1000000)
    return FLAKE_E_INVALID_ARGUMENT;
  pthread_mutex_lock(&clock->lock);
  clock->rate_permille = rate_permille;
  clock->rest = 0;
  pthread_mutex_unlock(&clock->lock);
  return FLAKE_OK;
}

flake_status flake_test_clock_stop_sleeps(flake_test_clock *clock, int32_t stopped) {
  if (!clock) return FLAKE_E_INVALID_ARGUMENT;
  pthread_mutex_lock(&clock->lock);
  clock->sleeps_stopped = stopped != 0;
  pthread_mutex_unlock(&clock->lock);
  return FLAKE_OK;
}

/* Whether the monotonic clock can tell the moment after ns more. */
static bool can_tell(flake_test_clock *clock, int64_t ns) {
  return ns >= 0 && ns <= INT64_MAX - (int64_t)flake_load(&clock->monotonic_ns);
}

flake_status flake_test_clock_script(flake_test_clock *clock, int64_t after_ns, int64_t step_ns) {
  if (!clock) return FLAKE_E_INVALID_ARGUMENT;
  pthread_mutex_lock(&clock->lock);
  bool room = clock->pending < SCRIPT_MAX && can_tell(clock, after_ns);
  if (room) {
    uint64_t due_ns = flake_load(&clock->monotonic_ns) + (uint64_t)after_ns;
    int at = clock->pending++;
    for (; at > 0 && clock->script[at - 1].due_ns > due_ns; at--)
      clock->script[at] = clock->script[at - 1];
    clock->script[at].due_ns = due_ns;
    clock->script[at].step_ns = step_ns;
  }
  pthread_mutex_unlock(&clock->lock);
  return room ? FLAKE_OK : FLAKE_E_INVALID_ARGUMENT;
}

/* Moves the wall clock by gain_ns; it stays where it is when it cannot go there. */
static void gain(flake_test_clock *clock, int64_t gain_ns) {
  int64_t wall_ns;
  if (__builtin_add_overflow((int64_t)flake_load(&clock->wall_ns), gain_ns, &wall_ns)) return;
  if (wall_ns >= 0) flake_store(&clock->wall_ns, (uint64_t)wall_ns);
}

/* Lets ns pass in which no step falls due. */
static void pass(flake_test_clock *clock, uint64_t ns) {
  int64_t gained;
  clock->rest += (int64_t)(ns % 1000) * clock->rate_permille;
  if (!__builtin_mul_overflow((int64_t)(ns / 1000), clock->rate_permille, &gained) &&
      !__builtin_add_overflow(gained, clock->rest / 1000, &gained))
    gain(clock, gained);
  clock->rest %= 1000;
  flake_store(&clock->monotonic_ns, flake_load(&clock->monotonic_ns) + ns);
}

static void advance_locked(flake_test_clock *clock, uint64_t until_ns) {
  while (clock->pending > 0 && clock->script[0].due_ns <= until_ns) {
    pass(clock, clock->script[0].due_ns - flake_load(&clock->monotonic_ns));
    gain(clock, clock->script[0].step_ns);
    clock->pending--;
    for (int i = 0; i < clock->pending; i++) clock->script[i] = clock->script[i + 1];
  }
  pass(clock, until_ns - flake_load(&clock->monotonic_ns));
}

flake_status flake_test_clock_advance(flake_test_clock *clock, int64_t ns) {
  if (!clock) return FLAKE_E_INVALID_ARGUMENT;
  pthread_mutex_lock(&clock->lock);
  bool possible = can_tell(clock, ns);
  if (possible) advance_locked(clock, flake_load(&clock->monotonic_ns) + (uint64_t)ns);
  pthread_mutex_unlock(&clock->lock);
  return possible ? FLAKE_OK : FLAKE_E_INVALID_ARGUMENT;
}

static uint64_t test_wall_ns(void *self) {
  return flake_load(&((flake_test_clock *)self)->wall_ns);
}

static uint64_t test_monotonic_ns(void *self) {
  return flake_load(&((flake_test_clock *)self)->monotonic_ns);
}

/* Several threads may sleep to the same moment: only the first of them moves the clock. */
static void test_sleep_until(void *self, uint64_t monotonic_ns) {
  flake_test_clock *clock = self;
  pthread_mutex_lock(&clock->lock);
  if (!clock->sleeps_stopped && monotonic_ns > flake_load(&clock->monotonic_ns))
    advance_locked(clock, monotonic_ns);
  pthread_mutex_unlock(&clock->lock);
}

int64_t flake_test_clock_wall(flake_test_clock *clock) {
  return clock ? (int64_t)test_wall_ns(clock) : FLAKE_E_INVALID_ARGUMENT;
}

int64_t flake_test_clock_monotonic(flake_test_clock *clock) {
  return clock ? (int64_t)test_monotonic_ns(clock) : FLAKE_E_INVALID_ARGUMENT;
}

/* ---- which one ------------------------------------------------------------------------------- */

flake_clock flake_clock_of(uint32_t clock_source, flake_test_clock *test) {
  if (test)
    return (flake_clock){.wall_ns = test_wall_ns,
                         .opening_ns = test_wall_ns,
                         .monotonic_ns = test_monotonic_ns,
                         .sleep_until = test_sleep_until,
                         .self = test};
  flake_clock clock = {.wall_ns = system_wall_ns,
                       .opening_ns = system_wall_ns,
                       .monotonic_ns = system_monotonic_ns,
                       .sleep_until = system_sleep_until};
#if defined(CLOCK_REALTIME_COARSE)
  if (clock_source == FLAKE_CLOCK_COARSE) {
    struct timespec granule = {.tv_nsec = 10000000};
    (void)clock_getres(CLOCK_REALTIME_COARSE, &granule);
    clock.wall_ns = system_coarse_ns;
    clock.granule_ns = (uint64_t)granule.tv_sec * FLAKE_NS_PER_S + (uint64_t)granule.tv_nsec;
  }
#else
  (void)clock_source;
#endif
  return clock;
}
