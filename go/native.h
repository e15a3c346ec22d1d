/* SPDX-License-Identifier: MIT */
/*
 * The calls that draw IDs, made for how cgo passes values: few arguments, one result, nothing of
 * Go's memory but the IDs of a batch. A generator travels as a number, which costs less than a
 * pointer, at which Go looks first. So the directives noescape and nocallback would gain nothing
 * here; and a package with a file that has them cannot be vendored by Go before 1.22.
 *
 * Nearly every step ends as asked, and then nobody looks at its attempt: it lives on the stack
 * here. Only a step that has to wait moves it to the heap. Then its caller hands it to each further
 * step, and frees it in the end.
 */
#ifndef FLAKE_GO_NATIVE_H
#define FLAKE_GO_NATIVE_H

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "../core/flakecore.h"

/* What a step gave. */
typedef struct flake_go_drawn {
  int64_t first;          /* an ID (of fill: a count), or a status */
  int64_t issued;         /* of range: how many follow from it on */
  flake_attempt *attempt; /* NULL until a step had to wait */
} flake_go_drawn;

/* kept is the attempt that a step before moved to the heap, or NULL. */
static inline flake_go_drawn flake_go_result(int64_t first, int64_t issued, flake_attempt *kept,
                                             const flake_attempt *fresh) {
  flake_go_drawn drawn = {first, issued, kept};
  if (first != FLAKE_E_AGAIN || kept) return drawn;
  drawn.attempt = malloc(sizeof *fresh);
  if (drawn.attempt)
    *drawn.attempt = *fresh;
  else
    drawn.first = FLAKE_E_OUT_OF_MEMORY;
  return drawn;
}

/* A generator from its address, NULL for the 0 of a closed one. */
static inline flake_generator *flake_go_at(uintptr_t address) {
  return (flake_generator *)address;
}

/* flake_next_step. */
static inline flake_go_drawn flake_go_next(uintptr_t gen, flake_attempt *kept) {
  flake_attempt fresh = {0}, *attempt = kept ? kept : &fresh;
  int64_t id = gen ? flake_next_step(flake_go_at(gen), attempt) : FLAKE_E_CLOSED;
  return flake_go_result(id, 1, kept, &fresh);
}

/* flake_next_range_step. */
static inline flake_go_drawn flake_go_range(uintptr_t gen, int64_t count, flake_attempt *kept) {
  flake_attempt fresh = {0}, *attempt = kept ? kept : &fresh;
  int64_t issued = 0, first = FLAKE_E_CLOSED;
  if (gen) first = flake_next_range_step(flake_go_at(gen), attempt, count, &issued);
  return flake_go_result(first, issued, kept, &fresh);
}

/* flake_next_many_step. */
static inline flake_go_drawn flake_go_fill(uintptr_t gen, int64_t *ids, int64_t ids_len,
                                           flake_attempt *kept) {
  flake_attempt fresh = {0}, *attempt = kept ? kept : &fresh;
  int64_t done = FLAKE_E_CLOSED;
  if (gen) done = flake_next_many_step(flake_go_at(gen), attempt, ids, ids_len);
  return flake_go_result(done, done, kept, &fresh);
}

/* flake_next_step for a caller that does not wait. */
static inline int64_t flake_go_try(uintptr_t gen) {
  flake_attempt fresh = {0};
  return gen ? flake_next_step(flake_go_at(gen), &fresh) : FLAKE_E_CLOSED;
}

/* Sleeps, whatever signals come. */
static inline void flake_go_sleep(int64_t ns) {
  struct timespec left = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  while (nanosleep(&left, &left) && errno == EINTR) {
  }
}

/* A word, 0, that reads 0 again in a forked child; NULL where the system has no such memory. An
 * emulator may accept any advice without following it; such a one also accepts one that is none. */
static inline void *flake_go_wiped_word(void) {
#if defined(MADV_WIPEONFORK)
  size_t size = sizeof(int64_t);
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return NULL;
  if (madvise(page, size, -1) != 0 && madvise(page, size, MADV_WIPEONFORK) == 0) return page;
  munmap(page, size);
#endif
  return NULL;
}

#endif
