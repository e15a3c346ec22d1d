/* SPDX-License-Identifier: MIT */
/* A small program of somebody who has flakecore installed: C99, and C++11 as program.cc. */
#include <flakecore.h>
#include <stdio.h>

int main(void) {
  flake_config config;
  flake_generator *gen;
  flake_decoded decoded;
  int64_t id, last = 0;
  int i;

  if (flake_config_init(&config, sizeof config) != FLAKE_OK) return 1;
  config.node = 7;
  if (flake_open(&config, NULL, &gen) != FLAKE_OK) return 1;
  for (i = 0; i < 5; i++) {
    id = flake_next(gen);
    if (id <= last) return 1;
    last = id;
  }
  if (flake_close(gen) != FLAKE_OK) return 1;
  if (flake_decode(&config.layout, (uint64_t)last, &decoded) != FLAKE_OK) return 1;
  printf("flakecore %s: node %d\n", flake_version(), (int)decoded.node);
  return decoded.node == 7 ? 0 : 1;
}
