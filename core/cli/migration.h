/* SPDX-License-Identifier: MIT */
/*
 * flake check-migration: when new IDs of one layout are larger than all old ones of another.
 */
#ifndef FLAKE_MIGRATION_H
#define FLAKE_MIGRATION_H

#include "cli.h"

#define NEVER_MS INT64_MAX

typedef struct migration {
  flake_layout old;
  flake_layout new;
  int64_t at_ms;
} migration;

typedef struct migration_answer {
  uint64_t old_max_id;    /* that OLD can have issued before at_ms; 0: none */
  uint64_t new_min_id;    /* that NEW can issue when it is opened at at_ms; 0: none any more */
  bool safe;              /* a switch at at_ms is */
  int64_t safe_until_ms;  /* a switch at this time is the first that is not, or NEVER_MS */
  int64_t safe_from_ms;   /* if not safe: each switch from here on is, or NEVER_MS */
  int64_t pause_until_ms; /* if not safe: OLD stops at at_ms, NEW is opened from here on */
} migration_answer;

migration_answer migration_look(const migration *m);

/* The latest epoch for NEW with which a switch at at_ms is safe, and each later one before
 * *until_ms (or NEVER_MS), which is a year away at least; false when there is none. */
bool migration_epoch(const migration *m, int64_t *epoch_ms, int64_t *until_ms);

#endif
