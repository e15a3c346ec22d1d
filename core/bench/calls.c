/* SPDX-License-Identifier: MIT */
/*
 * core_calls on|off LAYOUT CALLS: opens a generator with the host guard on or off, calls flake_next
 * so often, and each other call that may serve a request now and then. Nothing else, so that
 * valgrind can count the instructions of one and the allocations of all of them (ci/bench).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flakecore.h"

enum { BATCH = 5000 }; /* more than a tick of the default layout holds: one of them has to wait */

static int64_t ids[BATCH];

static flake_status open_generator(const char *guard, const char *layout, flake_generator **gen) {
  flake_config config;
  flake_status status = flake_config_init(&config, sizeof config);
  if (!status) status = flake_layout_parse(layout, strlen(layout), &config.layout);
  config.node = 1;
  config.host_guard = strcmp(guard, "off") == 0 ? FLAKE_GUARD_UNSAFE_OFF : FLAKE_GUARD_ON;
  strcpy(config.space, "bench-calls");
  return status ? status : flake_open(&config, NULL, gen);
}

/* The first negative result of all calls but flake_next, or 0. */
static int64_t call_others(flake_generator *gen) {
  flake_attempt attempt = {0};
  flake_health health;
  flake_stats stats;
  int64_t issued, result = flake_next_step(gen, &attempt);
  if (result == FLAKE_E_AGAIN) result = 0;
  if (result >= 0) result = flake_next_range(gen, BATCH, &issued);
  if (result >= 0) result = flake_next_many(gen, ids, BATCH);
  if (result >= 0) result = flake_health_get(gen, &health, sizeof health);
  if (result >= 0) result = flake_stats_get(gen, &stats, sizeof stats);
  return result < 0 ? result : 0;
}

int main(int argc, char **argv) {
  flake_generator *gen;
  if (argc != 4) return 2;
  long calls = strtol(argv[3], NULL, 10);
  int64_t result = open_generator(argv[1], argv[2], &gen);
  for (long i = 0; i < calls && result >= 0; i++) {
    result = flake_next(gen);
    if (i % 10000 == 9999 && result >= 0) result = call_others(gen);
  }
  if (result >= 0) result = flake_close(gen);
  if (result < 0) fprintf(stderr, "core_calls: %s\n", flake_status_text(result));
  return result < 0;
}
