/* SPDX-License-Identifier: MIT */
/*
 * flake next: prints new IDs.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli.h"

static const char help[] =
    "Usage: flake next --node CHAIN [OPTION...]\n"
    "\n"
    "Prints new IDs, one a line, each larger than the one before.\n"
    "\n"
    "      --node CHAIN        number of this generator: no two that live at the same\n"
    "                          time may share it, so there is no default. Or sources of\n"
    "                          it, with commas; the first that is there decides:\n"
    "                          env:NAME          an environment variable\n"
    "                          file:PATH         the first line of a file\n"
    "                          hostname-ordinal  the number that ends the host's name\n"
    "                          ipv4:PREFIX       the bits after the network's prefix of\n"
    "                                            this host's private IPv4 address;\n"
    "                                            ipv4:PREFIX@eth0 names an interface\n"
    "                          random:FLEET      a random number, for a fleet of so many:\n"
    "                                            says how probable it is that two of them\n"
    "                                            get the same one\n"
    "  -n, --count N           how many IDs (default 1)\n"
    "      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)\n"
    "      --space NAME        set of IDs that must all differ (default \"default\")\n"
    "      --format FORMAT     dec (default), hex, base32, base58 or base62, as flake\n"
    "                          encode writes them\n"
    "      --mode MODE         strict: never ahead of the clock, may wait (default)\n"
    "                          monotonic: never waits, may run ahead of the clock\n"
    "      --max-wait-ms N     strict: the longest wait for an ID, 0 to 86400000 ms\n"
    "                          (default 1100)\n"
    "      --max-lead-ms N     monotonic: how far ahead of the clock, 0 to 86400000 ms.\n"
    "                          No default: the next process to use the node this\n"
    "                          soon could repeat IDs\n"
    "      --start-floor-ms N  no ID with an earlier time than this, in Unix ms\n"
    "                          (default none)\n"
    "      --seq-spread-bits N start the sequence of each tick at a random number below\n"
    "                          2^N, 0 to the width of the sequence (default 0)\n"
    "  -h, --help              print this\n"
    "\n"
    "Examples:\n"
    "  flake next --node 1\n"
    "  flake next --node 1 -n 5 | flake decode\n"
    "  flake next --node env:NODE,hostname-ordinal\n"
    "  flake next --node 7 --layout sonyflake --format hex\n";

enum { NODE = 256, LAYOUT, SPACE, FORMAT, MODE, MAX_WAIT, MAX_LEAD, START_FLOOR, SEQ_SPREAD };

static const struct option options[] = {
    {"node", required_argument, NULL, NODE},
    {"count", required_argument, NULL, 'n'},
    {"layout", required_argument, NULL, LAYOUT},
    {"space", required_argument, NULL, SPACE},
    {"format", required_argument, NULL, FORMAT},
    {"mode", required_argument, NULL, MODE},
    {"max-wait-ms", required_argument, NULL, MAX_WAIT},
    {"max-lead-ms", required_argument, NULL, MAX_LEAD},
    {"start-floor-ms", required_argument, NULL, START_FLOOR},
    {"seq-spread-bits", required_argument, NULL, SEQ_SPREAD},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct next_request {
  flake_config config;
  const char *chain; /* of --node; the layout may come after it */
  int64_t count;
  int32_t format;
} next_request;

/* ---- what is asked for ----------------------------------------------------------------------- */

static int64_t read_count(void) {
  int64_t count = option_number();
  if (count < 0) fail(EXIT_USAGE, "--count %s is below 0", quote_word(optarg).text);
  return count;
}

/* One that is too long is left without its NUL; flake_open refuses it and says what a name is. */
static void read_space(char space[FLAKE_SPACE_SIZE]) {
  size_t size = strlen(optarg) + 1;
  memcpy(space, optarg, size < FLAKE_SPACE_SIZE ? size : FLAKE_SPACE_SIZE);
}

/* Whether it was meant as a number: those are checked and explained as every other option's. */
static bool is_number(const char *text) {
  return strchr("+-0123456789", text[0]) && !strchr(text, ',');
}

static int64_t *number_of(int option, flake_config *config) {
  if (option == MAX_WAIT) return &config->max_wait_ms;
  if (option == MAX_LEAD) return &config->max_lead_ms;
  return option == START_FLOOR ? &config->start_floor_ms : &config->seq_spread_bits;
}

static void read_option(int option, next_request *request) {
  static const char *const modes[] = {"strict", "monotonic", NULL};
  flake_config *config = &request->config;
  switch (option) {
    case 'n':
      request->count = read_count();
      break;
    case FORMAT:
      request->format = option_format();
      break;
    case NODE:
      request->chain = is_number(optarg) ? NULL : optarg;
      if (!request->chain) config->node = option_number();
      break;
    case LAYOUT:
      config->layout = option_layout(optarg);
      break;
    case SPACE:
      read_space(config->space);
      break;
    case MODE:
      config->mode = (uint32_t)option_word(modes);
      break;
    default:
      *number_of(option, config) = option_number();
  }
}

static next_request read_request(int argc, char **argv) {
  next_request request = {.count = 1};
  flake_status status = flake_config_init(&request.config, sizeof request.config);
  if (status) fail(EXIT_FAILED, "%s", flake_status_text(status));
  int option;
  while ((option = option_next(argc, argv, ":n:h", options)) != -1) read_option(option, &request);
  if (optind < argc)
    fail_usage("%s is not an option; for several IDs write -n N", quote_word(argv[optind]).text);
  return request;
}

/* Where a chain of sources was given, what it says. The odds of a random node must be seen. */
static void find_node(next_request *request) {
  char text[FLAKE_NODE_TEXT_SIZE];
  const char *chain = request->chain;
  if (!chain) return;
  int64_t node = flake_node_from(chain, strlen(chain), &request->config.layout, text, sizeof text);
  if (node < 0)
    fail(flake_status_class(node) == FLAKE_CLASS_CALLER ? EXIT_USAGE : EXIT_FAILED, "--node %s: %s",
         quote_word(chain).text, text);
  if (strstr(text, " from random:")) complain("%s", text);
  request->config.node = node;
}

/* ---- the IDs --------------------------------------------------------------------------------- */

static flake_generator *open_generator(const flake_config *config) {
  flake_generator *gen;
  char text[FLAKE_EXPLAIN_SIZE];
  flake_status status = flake_open(config, NULL, &gen);
  if (!status) return gen;
  flake_explain(config, status, text, sizeof text);
  if (status == FLAKE_E_NO_NODE) fail_usage("%s: --node N", text);
  if (flake_status_class(status) == FLAKE_CLASS_CALLER) fail(EXIT_USAGE, "%s", text);
  fail(EXIT_FAILED, "%s", text);
}

/* The next ID, or a status. What was printed must not wait together with the generator. */
static int64_t draw(flake_generator *gen) {
  flake_attempt attempt = {0};
  for (;;) {
    int64_t id = flake_next_step(gen, &attempt);
    if (id != FLAKE_E_AGAIN) return id;
    out_flush();
    struct timespec wait = {.tv_sec = (time_t)(attempt.wait_ns / 1000000000),
                            .tv_nsec = (long)(attempt.wait_ns % 1000000000)};
    nanosleep(&wait, NULL);
  }
}

static int run(int argc, char **argv) {
  next_request request = read_request(argc, argv);
  find_node(&request);
  flake_generator *gen = open_generator(&request.config);
  for (int64_t done = 0; done < request.count; done++) {
    int64_t id = draw(gen);
    if (id < 0)
      fail(EXIT_FAILED, "stopped after %" PRId64 " of %" PRId64 " IDs: %s", done, request.count,
           flake_status_text(id));
    out_line_end(put_id(out_line(), request.format, (uint64_t)id));
  }
  flake_close(gen);
  return EXIT_DONE;
}

const command command_next = {"next", "print new IDs", help, run};
