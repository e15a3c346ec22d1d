/* SPDX-License-Identifier: MIT */
/*
 * flake plan: which layout serves a fleet. The sequence is sized from the burst: a layout that is
 * wide enough for the mean of a day may stall each time everybody wakes up at once.
 */
#include "plan.h"

#include <inttypes.h>

static const char help[] =
    "Usage: flake plan --nodes N --rate R --burst B --years Y [OPTION...]\n"
    "\n"
    "Says which layout serves a fleet, and how far each one carries.\n"
    "\n"
    "      --nodes N           generators that live at the same time, each with a node\n"
    "                          number of its own: processes, or hosts with a shared one\n"
    "      --rate R            IDs a second of the whole fleet, the mean\n"
    "      --burst B           IDs in one ms of the whole fleet, the peak; not the mean:\n"
    "                          what comes when everybody asks at once\n"
    "      --years Y           how long the IDs must last\n"
    "      --from TIME         when the years begin (default now)\n"
    "      --epoch TIME        the layouts' epoch (default 2025-01-01T00:00:00Z)\n"
    "      --layout LAYOUT     look at this layout too\n"
    "      --json              one JSON object\n"
    "  -h, --help              print this\n"
    "\n"
    "TIME is ISO 8601 with its zone, or Unix ms. The columns of the table:\n"
    "  layout       bits of time/node/sequence\n"
    "  nodes        node numbers there are\n"
    "  safe         half of them: as many nodes as the fleet may have, because a blue-\n"
    "               green deploy runs it twice, each generator with its own number\n"
    "  IDs/ms       what one node can make in a ms (IDs/tick where a tick is longer)\n"
    "  head-room    what the fleet can make in a ms over the burst\n"
    "  for burst    nodes that take the burst without a stall, evenly spread\n"
    "  stall        how long the burst stalls the fleet; alone: one node that gets it all\n"
    "  ends         when the time field is used up\n"
    "\n"
    "Examples:\n"
    "  flake plan --nodes 200 --rate 100000 --burst 100000 --years 20\n"
    "  flake plan --nodes 3000 --rate 1000 --burst 100 --years 30 --json\n";

enum { NODES = 256, RATE, BURST, YEARS, FROM, EPOCH, LAYOUT, JSON };

static const struct option options[] = {
    {"nodes", required_argument, NULL, NODES},
    {"rate", required_argument, NULL, RATE},
    {"burst", required_argument, NULL, BURST},
    {"years", required_argument, NULL, YEARS},
    {"from", required_argument, NULL, FROM},
    {"epoch", required_argument, NULL, EPOCH},
    {"layout", required_argument, NULL, LAYOUT},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

#define NAMED 4
#define ROWS_MAX (NAMED + 2)

typedef struct plan_request {
  plan_demand demand;
  flake_layout own; /* tick_ms 0: none was given */
  bool json;
} plan_request;

/* ---- what is asked for ----------------------------------------------------------------------- */

static const struct {
  const char *name;
  int64_t max;
} limits[] = {
    {"nodes", 1000000000},
    {"rate", INT64_C(1000000000000000)},
    {"burst", INT64_C(1000000000000)},
    {"years", 1000},
};

static uint64_t read_count(int option) {
  int64_t value = option_number(), max = limits[option - NODES].max;
  if (value < 1 || value > max)
    fail(EXIT_USAGE, "--%s %s must be 1 to %" PRId64, limits[option - NODES].name,
         quote_word(optarg).text, max);
  return (uint64_t)value;
}

static void read_option(int option, plan_request *request) {
  plan_demand *demand = &request->demand;
  uint64_t *counts[] = {&demand->nodes, &demand->rate, &demand->burst, &demand->years};
  switch (option) {
    case FROM:
      demand->from_ms = time_of("--from", optarg);
      break;
    case EPOCH:
      demand->epoch_ms = time_of("--epoch", optarg);
      break;
    case LAYOUT:
      request->own = option_layout(optarg);
      break;
    case JSON:
      request->json = true;
      break;
    default:
      *counts[option - NODES] = read_count(option);
  }
}

static void check(const plan_request *request) {
  const plan_demand *demand = &request->demand;
  const uint64_t counts[] = {demand->nodes, demand->rate, demand->burst, demand->years};
  for (int i = 0; i < 4; i++)
    if (counts[i] == 0) fail_usage("give --%s", limits[i].name);
  if (demand->burst < plan_ceil(demand->rate, 1000))
    fail(EXIT_USAGE,
         "--burst %" PRIu64 " is below the mean: %" PRIu64 " IDs a second are %" PRIu64 " in a ms",
         demand->burst, demand->rate, plan_ceil(demand->rate, 1000));
  if (demand->epoch_ms > demand->from_ms)
    fail(EXIT_USAGE, "--epoch %s is after %s, when the years begin",
         show_time(demand->epoch_ms).text, show_time(demand->from_ms).text);
}

static plan_request read_request(int argc, char **argv) {
  plan_request request = {.demand = {.from_ms = now_ms(), .epoch_ms = FLAKE_EPOCH_MS}};
  int option;
  while ((option = option_next(argc, argv, ":h", options)) != -1) read_option(option, &request);
  if (optind < argc) fail_usage("%s is not an option", quote_word(argv[optind]).text);
  check(&request);
  request.demand.until_ms = request.demand.from_ms + (int64_t)request.demand.years * YEAR_MS;
  flake_status status =
      request.own.tick_ms ? flake_layout_check(&request.own, request.demand.from_ms) : FLAKE_OK;
  if (status && status != FLAKE_E_TIME_USED_UP)
    fail(EXIT_USAGE, "--layout %s: %s", show_layout(&request.own).text, flake_status_text(status));
  return request;
}

/* ---- the arithmetic -------------------------------------------------------------------------- */

uint64_t plan_product(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t plan_ceil(uint64_t count, uint64_t unit) {
  return count / unit + (count % unit != 0);
}

uint64_t plan_total(const plan_demand *demand) {
  uint64_t total = plan_product(demand->rate, demand->years * (uint64_t)YEAR_MS / 1000);
  return total > (uint64_t)INT64_MAX ? UINT64_MAX : total;
}

uint64_t plan_stall_ms(const plan_demand *demand, const plan_row *row, uint64_t nodes) {
  uint64_t ticks = plan_ceil(demand->burst, plan_product(nodes, row->ids_per_tick));
  return plan_product(ticks - 1, row->layout.tick_ms);
}

plan_row plan_look(const plan_demand *demand, const flake_layout *layout) {
  plan_row row = {.layout = *layout,
                  .node_numbers = UINT64_C(1) << layout->node_bits,
                  .ids_per_tick = UINT64_C(1) << layout->seq_bits,
                  .expires_ms = flake_layout_expires_ms(layout)};
  row.peak = plan_product(row.ids_per_tick, demand->nodes);
  row.burst_nodes = plan_ceil(demand->burst, row.ids_per_tick);
  if (demand->nodes > row.node_numbers) row.lacks |= LACKS_NODES;
  if (demand->nodes * 2 > row.node_numbers) row.lacks |= LACKS_DEPLOY;
  if (demand->burst > row.peak) row.lacks |= LACKS_BURST;
  if (plan_ceil(plan_product(demand->rate, layout->tick_ms), 1000) > row.peak)
    row.lacks |= LACKS_RATE;
  if (demand->until_ms > row.expires_ms) row.lacks |= LACKS_TIME;
  return row;
}

/* How many bits hold count different numbers. */
static uint32_t bits_for(uint64_t count) {
  uint32_t bits = 0;
  while (bits < 63 && UINT64_C(1) << bits < count) bits++;
  return bits;
}

static flake_layout split(uint32_t time_bits, uint32_t node_bits, uint32_t seq_bits,
                          int64_t epoch) {
  return (flake_layout){.epoch_ms = epoch,
                        .tick_ms = 1,
                        .time_bits = time_bits,
                        .time_shift = node_bits + seq_bits,
                        .node_bits = node_bits,
                        .node_shift = node_bits ? seq_bits : 0,
                        .seq_bits = seq_bits};
}

bool plan_free_split(const plan_demand *demand, flake_layout *layout) {
  uint32_t node_bits = bits_for(demand->nodes * 2);
  uint32_t seq_bits = bits_for(plan_ceil(demand->burst, demand->nodes));
  uint32_t time_bits = bits_for((uint64_t)(demand->until_ms - demand->epoch_ms));
  if (node_bits > 32 || seq_bits > 32 || time_bits > 43 || time_bits + node_bits + seq_bits > 63)
    return false;
  if (time_bits < 41) time_bits = 41 + node_bits + seq_bits <= 63 ? 41 : time_bits;
  uint32_t spare = 63 - time_bits - node_bits;
  *layout = split(time_bits, node_bits, spare < 32 ? spare : 32, demand->epoch_ms);
  return true;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(int argc, char **argv) {
  static const uint32_t named[NAMED][3] = {{41, 10, 12}, {42, 8, 13}, {41, 12, 10}, {39, 10, 14}};
  plan_request request = read_request(argc, argv);
  plan_row rows[ROWS_MAX];
  flake_layout layout;
  int count = 0, chosen = -1;
  for (; count < NAMED; count++) {
    const uint32_t *bits = named[count];
    layout = split(bits[0], bits[1], bits[2], request.demand.epoch_ms);
    rows[count] = plan_look(&request.demand, &layout);
  }
  if (request.own.tick_ms) rows[count++] = plan_look(&request.demand, &request.own);
  for (int i = 0; i < count && chosen < 0; i++)
    if (!rows[i].lacks) chosen = i;
  if (chosen < 0 && plan_free_split(&request.demand, &layout)) {
    chosen = count;
    rows[count++] = plan_look(&request.demand, &layout);
  }
  if (request.json)
    plan_print_json(&request.demand, rows, count, chosen);
  else
    plan_print_text(&request.demand, rows, count, chosen);
  return EXIT_DONE;
}

const command command_plan = {"plan", "choose a layout for a fleet", help, run};
