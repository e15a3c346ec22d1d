/* SPDX-License-Identifier: MIT */
/*
 * Steps the real clock under one process, for tests. Preloaded, it answers CLOCK_REALTIME and its
 * coarse sister from the file that FLAKE_SHIM_FILE names, and leaves every other clock and all
 * sleeps alone. The file is five int64; the first four may change at any time, the last counts the
 * answers:
 *
 *     offset_ns  frozen_at_ns  drift_permille  drift_since_ns  answers
 *
 *     wall = frozen_at_ns                                            when that is not 0, else
 *            real + offset_ns + (real - drift_since_ns) * drift_permille / 1000
 *
 * All zero is the true time. A drift of -1000 stands still, -2000 loses 1 ms in each ms; to begin
 * one, write drift_since_ns (the real time) before it.
 *
 * Where FLAKE_SHIM_ADJTIMEX is set to "state status maxerror esterror", adjtimex answers that.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

typedef struct control {
  _Atomic int64_t offset_ns;
  _Atomic int64_t frozen_at_ns;
  _Atomic int64_t drift_permille;
  _Atomic int64_t drift_since_ns;
  _Atomic int64_t answers;
} control;

typedef int clock_function(clockid_t, struct timespec *);

static control *the_control;       /* NULL until start: the true time */
static clock_function *true_clock; /* NULL until start: ask the kernel */

/* A test without its shim would prove nothing, so what is missing ends the process. */
__attribute__((constructor)) static void start(void) {
  const char *path = getenv("FLAKE_SHIM_FILE");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *map = file < 0 ? MAP_FAILED
                       : mmap(NULL, sizeof(control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) {
    fprintf(stderr, "clockshim: cannot map FLAKE_SHIM_FILE=%s\n", path ? path : "(unset)");
    _exit(127);
  }
  close(file);
  *(void **)&true_clock = dlsym(RTLD_NEXT, "clock_gettime");
  the_control = map;
}

static int64_t faked_ns(int64_t real_ns) {
  int64_t frozen_at_ns = atomic_load(&the_control->frozen_at_ns);
  if (frozen_at_ns) return frozen_at_ns;
  int64_t wall_ns = real_ns + atomic_load(&the_control->offset_ns);
  int64_t drift_permille = atomic_load(&the_control->drift_permille);
  if (drift_permille)
    wall_ns += (real_ns - atomic_load(&the_control->drift_since_ns)) * drift_permille / 1000;
  return wall_ns;
}

int clock_gettime(clockid_t id, struct timespec *now) {
  int result = true_clock ? true_clock(id, now) : (int)syscall(SYS_clock_gettime, id, now);
  if (result != 0 || !the_control || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE))
    return result;
  atomic_fetch_add(&the_control->answers, 1);
  int64_t wall_ns = faked_ns((int64_t)now->tv_sec * NS_PER_S + now->tv_nsec);
  now->tv_sec = (time_t)(wall_ns / NS_PER_S);
  now->tv_nsec = (long)(wall_ns % NS_PER_S);
  return 0;
}

int adjtimex(struct timex *kernel) {
  const char *answer = getenv("FLAKE_SHIM_ADJTIMEX");
  int state;
  if (!answer) return (int)syscall(SYS_adjtimex, kernel);
  if (sscanf(answer, "%d %d %ld %ld", &state, &kernel->status, &kernel->maxerror,
             &kernel->esterror) != 4)
    _exit(127);
  return state;
}
