/* SPDX-License-Identifier: MIT */
/* Draws three IDs as node 7 and takes the last one apart. */
#include <flakecore.h>
#include <inttypes.h>
#include <stdio.h>

static int fail(const flake_config *config, int64_t status) {
  char text[FLAKE_EXPLAIN_SIZE];
  if (flake_explain(config, status, text, sizeof text) > 0) fprintf(stderr, "%s\n", text);
  return 1;
}

int main(void) {
  flake_config config;
  flake_generator *gen;
  flake_decoded parts;
  int64_t id = 0;

  flake_status status = flake_config_init(&config, sizeof config);
  config.node = 7; /* each live generator needs a number of its own */
  if (!status) status = flake_open(&config, NULL, &gen);
  if (status) return fail(&config, status);

  for (int i = 0; i < 3; i++) {
    id = flake_next(gen); /* positive: an ID; negative: a flake_status */
    if (id < 0) return fail(&config, id);
    printf("%" PRId64 "\n", id);
  }

  status = flake_decode(&config.layout, (uint64_t)id, &parts);
  if (status) return fail(&config, status);
  printf("Unix ms %" PRId64 ", node %" PRId64 ", sequence %" PRId64 "\n", parts.unix_ms, parts.node,
         parts.sequence);
  return flake_close(gen) == FLAKE_OK ? 0 : 1;
}
