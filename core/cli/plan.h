/* SPDX-License-Identifier: MIT */
/*
 * flake plan: what is asked for, and what a layout makes of it. Counts are those of the whole
 * fleet; a product that does not fit 64 bits stands as the largest number.
 */
#ifndef FLAKE_PLAN_H
#define FLAKE_PLAN_H

#include "cli.h"

#define YEAR_MS INT64_C(31556952000) /* 365.2425 days */

typedef struct plan_demand {
  uint64_t nodes;
  uint64_t rate;  /* IDs a second, the mean */
  uint64_t burst; /* IDs in one ms, the peak */
  uint64_t years;
  int64_t from_ms;
  int64_t until_ms;
  int64_t epoch_ms;
} plan_demand;

/* Why a layout does not serve, as bits. */
enum { LACKS_NODES = 1, LACKS_DEPLOY = 2, LACKS_BURST = 4, LACKS_RATE = 8, LACKS_TIME = 16 };

typedef struct plan_row {
  flake_layout layout;
  uint64_t node_numbers;
  uint64_t ids_per_tick; /* of one node */
  uint64_t peak;         /* of all nodes asked for, in one tick */
  uint64_t burst_nodes;  /* so many take the burst without a stall */
  int64_t expires_ms;
  int lacks;
} plan_row;

uint64_t plan_product(uint64_t a, uint64_t b);
uint64_t plan_ceil(uint64_t count, uint64_t unit);

plan_row plan_look(const plan_demand *demand, const flake_layout *layout);

/* How long the last caller of a burst waits when it falls on so many nodes, in ms. */
uint64_t plan_stall_ms(const plan_demand *demand, const plan_row *row, uint64_t nodes);

/* The split that serves with the longest sequence; false when none does. */
bool plan_free_split(const plan_demand *demand, flake_layout *layout);

/* All IDs in the years asked for; UINT64_MAX when they are more than 2^63. */
uint64_t plan_total(const plan_demand *demand);

/* rows[chosen] is recommended; -1: none of them serves. */
void plan_print_text(const plan_demand *demand, const plan_row *rows, int count, int chosen);
void plan_print_json(const plan_demand *demand, const plan_row *rows, int count, int chosen);

#endif
