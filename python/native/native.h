/* SPDX-License-Identifier: MIT */
/*
 * The two calls of the package that must be fast, made for how CFFI passes values: few arguments,
 * one result, nothing to allocate.
 *
 * Nearly every step ends as asked, and then nobody looks at what else it has to say. So its attempt
 * lives on the stack here. Only a step that has to wait, or a range that is short, leaves the rest
 * behind, for this thread, with the generator that it belongs to. What a signal handler of the
 * thread left there instead is not taken for it: the caller then begins anew.
 */
#include "flakecore.h"

#define FLAKE_PYTHON_SHORT -1000000 /* no flake_status */

/* What flake_python_take hands over. */
typedef struct flake_python_rest {
  flake_attempt attempt; /* after FLAKE_E_AGAIN */
  int64_t first;         /* after FLAKE_PYTHON_SHORT, and how many follow from it on */
  int64_t issued;
} flake_python_rest;

static _Thread_local struct {
  flake_generator *gen;
  flake_python_rest rest;
} flake_python_left;

static void flake_python_leave(flake_generator *gen, const flake_attempt *attempt, int64_t first,
                               int64_t issued) {
  flake_python_left.gen = gen;
  flake_python_left.rest = (flake_python_rest){*attempt, first, issued};
}

/* Copies what the last step of this thread left for gen, or all zero when it is not there. */
static void flake_python_take(flake_generator *gen, flake_python_rest *rest) {
  *rest = flake_python_left.gen == gen ? flake_python_left.rest : (flake_python_rest){{0}, 0, 0};
  flake_python_left.gen = NULL;
}

/* flake_next_step with a new attempt. A NULL generator is a closed one. */
static int64_t flake_python_next(flake_generator *gen) {
  flake_attempt attempt = {0};
  if (!gen) return FLAKE_E_CLOSED;
  int64_t id = flake_next_step(gen, &attempt);
  if (id == FLAKE_E_AGAIN) flake_python_leave(gen, &attempt, 0, 0);
  return id;
}

/* flake_next_range_step with a new attempt: the first of count IDs. When they are fewer it is
 * FLAKE_PYTHON_SHORT. */
static int64_t flake_python_range(flake_generator *gen, int64_t count) {
  flake_attempt attempt = {0};
  int64_t issued = 0;
  if (!gen) return FLAKE_E_CLOSED;
  int64_t first = flake_next_range_step(gen, &attempt, count, &issued);
  if (first > 0 && issued == count) return first;
  if (first > 0 || first == FLAKE_E_AGAIN) flake_python_leave(gen, &attempt, first, issued);
  return first > 0 ? FLAKE_PYTHON_SHORT : first;
}
