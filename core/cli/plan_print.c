/* SPDX-License-Identifier: MIT */
/*
 * What flake plan says: a table and its reasons for people, one object for programs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"

/* ---- both ------------------------------------------------------------------------------------ */

static const struct {
  int bit;
  const char *name;
} lacks_names[] = {
    {LACKS_NODES, "nodes"}, {LACKS_DEPLOY, "deploy"}, {LACKS_BURST, "burst"},
    {LACKS_RATE, "rate"},   {LACKS_TIME, "time"},
};

/* The short form where the epoch goes without saying. */
static short_text short_layout(const plan_demand *demand, const flake_layout *layout) {
  short_text value = show_layout(layout);
  if (layout->epoch_ms == demand->epoch_ms && layout->tick_ms == 1 &&
      layout->node_shift + layout->node_bits == layout->time_shift && layout->seq_shift == 0)
    snprintf(value.text, sizeof value.text, "%" PRIu32 "/%" PRIu32 "/%" PRIu32, layout->time_bits,
             layout->node_bits, layout->seq_bits);
  return value;
}

/* "8.1" */
static short_text headroom(const plan_demand *demand, const plan_row *row) {
  uint64_t tenths = row->peak / demand->burst * 10 + row->peak % demand->burst * 10 / demand->burst;
  short_text value = show_number(tenths / 10);
  char *at = put_text(value.text + strlen(value.text), ".");
  *put_decimal(at, tenths % 10) = 0;
  return value;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_row(const plan_demand *demand, const plan_row *row) {
  out_printf("%-9s %9s %9s %10s %9s %9s %8s %8s  %s  ", short_layout(demand, &row->layout).text,
             show_number(row->node_numbers).text, show_number(row->node_numbers / 2).text,
             show_number(row->ids_per_tick).text, headroom(demand, row).text,
             show_number(row->burst_nodes).text,
             show_number(plan_stall_ms(demand, row, demand->nodes)).text,
             show_number(plan_stall_ms(demand, row, 1)).text, show_date(row->expires_ms).text);
  if (!row->lacks) out_text("yes");
  const char *before = "no: ";
  for (size_t i = 0; i < sizeof lacks_names / sizeof lacks_names[0]; i++) {
    bool implied = lacks_names[i].bit == LACKS_DEPLOY && row->lacks & LACKS_NODES;
    if (!(row->lacks & lacks_names[i].bit) || implied) continue;
    out_printf("%s%s", before, lacks_names[i].name);
    before = ", ";
  }
  out_text("\n");
}

/* How long the burst stalls on fewer nodes than it needs. */
static void print_burst(const plan_demand *demand, const plan_row *row) {
  uint64_t needed = row->burst_nodes;
  const uint64_t fewer[] = {needed - 1, needed / 2, 1};
  out_printf("  burst   %s IDs in one ms, %s a node: %s node%s take%s it without a stall",
             show_number(demand->burst).text, show_number(row->ids_per_tick).text,
             show_number(needed).text, needed == 1 ? "" : "s", needed == 1 ? "s" : "");
  for (int i = 0; i < 3; i++)
    if (fewer[i] > 0 && (i == 0 || fewer[i] < fewer[i - 1]))
      out_printf("%s%s for %s ms", i == 0 ? ";\n          fewer stall: " : ", ",
                 show_number(fewer[i]).text,
                 show_number(plan_stall_ms(demand, row, fewer[i])).text);
  out_text("\n");
  if (plan_stall_ms(demand, row, 1) > 1100)
    out_text(
        "          a stall over max_wait_ms, 1,100 by default, ends with the status exhausted\n");
}

static void print_reasons(const plan_demand *demand, const plan_row *row) {
  print_burst(demand, row);
  out_printf("  peak    the fleet can make %s IDs in a ms, %s times the burst\n",
             show_number(row->peak).text, headroom(demand, row).text);
  out_printf(
      "  nodes   keep to %s, half of the numbers: a blue-green deploy runs the fleet twice\n",
      show_number(row->node_numbers / 2).text);
  out_printf("  time    ends %s, %" PRId64 " years after what is asked for\n",
             show_date(row->expires_ms).text, (row->expires_ms - demand->until_ms) / YEAR_MS);
}

static void print_total(const plan_demand *demand) {
  uint64_t total = plan_total(demand);
  if (total > (uint64_t)INT64_MAX)
    out_text("  total   more than 2^63 IDs: no 64-bit number is enough\n");
  else
    out_printf("  total   %s IDs in %" PRIu64 " years; 2^63 is %s times as many\n",
               show_number(total).text, demand->years,
               show_number((uint64_t)INT64_MAX / total).text);
}

void plan_print_text(const plan_demand *demand, const plan_row *rows, int count, int chosen) {
  out_printf("For nodes: %s (%s in a blue-green deploy); IDs a second: %s;\n",
             show_number(demand->nodes).text, show_number(demand->nodes * 2).text,
             show_number(demand->rate).text);
  out_printf("IDs in one ms at the peak: %s; until %s\n\n", show_number(demand->burst).text,
             show_date(demand->until_ms).text);
  out_printf("%-9s %9s %9s %10s %9s %9s %8s %8s  %-10s  %s\n", "layout", "nodes", "safe", "IDs/ms",
             "head-room", "for burst", "stall ms", "alone ms", "ends", "serves");
  for (int i = 0; i < count; i++) print_row(demand, &rows[i]);
  if (chosen < 0) {
    out_text(
        "\nUse UUIDv7: no split of 63 bits serves a fleet like this. Its 128 bits begin with the\n"
        "time too, and the rest is random, so that it needs no node numbers.\n");
  } else {
    out_printf("\nUse %s.\n", short_layout(demand, &rows[chosen].layout).text);
    print_reasons(demand, &rows[chosen]);
  }
  print_total(demand);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void print_json_row(const plan_demand *demand, const plan_row *row) {
  out_printf("{\"layout\":\"%s\",\"nodes\":%" PRIu64 ",\"safe_nodes\":%" PRIu64
             ",\"tick_ms\":%" PRIu32 ",\"ids_per_tick\":%" PRIu64 ",\"fleet_ids_per_tick\":%" PRIu64
             ",\"head_room\":",
             show_layout(&row->layout).text, row->node_numbers, row->node_numbers / 2,
             row->layout.tick_ms, row->ids_per_tick, row->peak);
  short_text ratio = headroom(demand, row);
  for (const char *c = ratio.text; *c; c++)
    if (*c != ',') out_printf("%c", *c);
  out_printf(",\"burst_nodes\":%" PRIu64 ",\"stall_ms\":%" PRIu64 ",\"stall_alone_ms\":%" PRIu64
             ",\"ends\":\"%s\",\"serves\":%s,\"lacks\":[",
             row->burst_nodes, plan_stall_ms(demand, row, demand->nodes),
             plan_stall_ms(demand, row, 1), show_time(row->expires_ms).text,
             row->lacks ? "false" : "true");
  const char *before = "";
  for (size_t i = 0; i < sizeof lacks_names / sizeof lacks_names[0]; i++) {
    if (!(row->lacks & lacks_names[i].bit)) continue;
    out_printf("%s\"%s\"", before, lacks_names[i].name);
    before = ",";
  }
  out_text("]}");
}

void plan_print_json(const plan_demand *demand, const plan_row *rows, int count, int chosen) {
  uint64_t total = plan_total(demand);
  out_printf("{\"nodes\":%" PRIu64 ",\"deploy_nodes\":%" PRIu64 ",\"rate\":%" PRIu64
             ",\"burst\":%" PRIu64 ",\"years\":%" PRIu64 ",\"from\":\"%s\",\"until\":\"%s\",",
             demand->nodes, demand->nodes * 2, demand->rate, demand->burst, demand->years,
             show_time(demand->from_ms).text, show_time(demand->until_ms).text);
  if (total > (uint64_t)INT64_MAX)
    out_text("\"total_ids\":null,");
  else
    out_printf("\"total_ids\":\"%" PRIu64 "\",", total);
  if (chosen < 0)
    out_text("\"use\":\"uuidv7\",\"layouts\":[");
  else
    out_printf("\"use\":\"%s\",\"layouts\":[", show_layout(&rows[chosen].layout).text);
  for (int i = 0; i < count; i++) {
    if (i > 0) out_text(",");
    print_json_row(demand, &rows[i]);
  }
  out_text("]}\n");
}
