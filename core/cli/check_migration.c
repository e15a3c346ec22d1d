/* SPDX-License-Identifier: MIT */
/*
 * flake check-migration: says whether new IDs can fall among old ones, and from when they cannot.
 */
#include <inttypes.h>

#include "migration.h"

static const char help[] =
    "Usage: flake check-migration OLD NEW [OPTION...]\n"
    "\n"
    "Says whether generators may be switched from layout OLD to layout NEW so that every\n"
    "new ID is larger than every old one; otherwise new IDs fall among the old ones, and\n"
    "can be equal to them. A switch at a time means: OLD makes no ID at that time or\n"
    "later, NEW is opened then or later. Add to it how far the clocks of the hosts\n"
    "differ. OLD and NEW are LAYOUTs; give the epoch that OLD really has.\n"
    "\n"
    "      --at TIME           when to switch (default now); ISO 8601 with its zone, or\n"
    "                          Unix ms\n"
    "      --json              one JSON object\n"
    "  -h, --help              print this\n"
    "\n"
    "Exit status 1 says also: not safe.\n"
    "\n"
    "Examples:\n"
    "  flake check-migration twitter 41/10/12\n"
    "  flake check-migration 41/10/12 42/8/13 --at 2027-01-01T00:00:00Z\n";

enum { AT = 256, JSON };

static const struct option options[] = {
    {"at", required_argument, NULL, AT},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static migration read_request(int argc, char **argv, bool *json) {
  migration m = {.at_ms = now_ms()};
  int option;
  while ((option = option_next(argc, argv, ":h", options)) != -1) {
    if (option == AT) m.at_ms = time_of("--at", optarg);
    if (option == JSON) *json = true;
  }
  if (argc - optind != 2) fail_usage("give two layouts, OLD and NEW");
  m.old = layout_of("OLD", argv[optind]);
  m.new = layout_of("NEW", argv[optind + 1]);
  flake_status status = flake_layout_check(&m.new, m.at_ms);
  if (status == FLAKE_E_BEFORE_EPOCH)
    fail(EXIT_USAGE, "NEW cannot begin at %s, which is before its epoch, %s",
         show_time(m.at_ms).text, show_time(m.new.epoch_ms).text);
  if (status == FLAKE_E_TIME_USED_UP)
    fail(EXIT_USAGE, "the time field of NEW has ended by %s", show_time(m.at_ms).text);
  if (status) fail(EXIT_USAGE, "NEW %s: %s", show_layout(&m.new).text, flake_status_text(status));
  return m;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_unsafe(const migration *m, const migration_answer *answer) {
  short_text at = show_time(m->at_ms);
  int64_t epoch_ms, until_ms;
  out_printf("NOT SAFE at %s: new IDs fall among the old ones and can be equal to them\n", at.text);
  if (answer->safe_from_ms == NEVER_MS)
    out_text("without a pause: never safe\n");
  else
    out_printf("without a pause: safe from %s on\n", show_time(answer->safe_from_ms).text);
  if (answer->pause_until_ms == NEVER_MS)
    out_text("with a pause: never safe; NEW ends before it passes what OLD has made\n");
  else
    out_printf("with a pause: stop OLD at %s, open NEW from %s on\n", at.text,
               show_time(answer->pause_until_ms).text);
  if (!migration_epoch(m, &epoch_ms, &until_ms)) return;
  migration with = *m;
  with.new.epoch_ms = epoch_ms;
  out_printf(
      "or give NEW an epoch that is not later than %s:\n  %s is safe at this time and %s%s\n",
      show_time(epoch_ms).text, show_layout(&with.new).text,
      until_ms == NEVER_MS ? "at any later time" : "until ",
      until_ms == NEVER_MS ? "" : show_time(until_ms).text);
}

static void print_text(const migration *m, const migration_answer *answer) {
  out_printf("OLD %s: its largest ID before %s is %" PRIu64 "\n", show_layout(&m->old).text,
             show_time(m->at_ms).text, answer->old_max_id);
  out_printf("NEW %s: its smallest ID from then on is %" PRIu64 "\n", show_layout(&m->new).text,
             answer->new_min_id);
  if (!answer->safe)
    print_unsafe(m, answer);
  else if (answer->safe_until_ms == NEVER_MS)
    out_printf("SAFE at %s and at any later time: every new ID is larger than every old one\n",
               show_time(m->at_ms).text);
  else
    out_printf("SAFE at %s: every new ID is larger than every old one; but no more from %s on\n",
               show_time(m->at_ms).text, show_time(answer->safe_until_ms).text);
  if (answer->old_max_id > (uint64_t)INT64_MAX)
    out_text("OLD uses bit 63: in a signed column its IDs are negative and sort before NEW's\n");
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void print_json_time(const char *name, bool known, int64_t unix_ms) {
  if (known)
    out_printf(",\"%s\":\"%s\"", name, show_time(unix_ms).text);
  else
    out_printf(",\"%s\":null", name);
}

static void print_json(const migration *m, const migration_answer *answer) {
  int64_t epoch_ms = 0, until_ms;
  bool epoch = !answer->safe && migration_epoch(m, &epoch_ms, &until_ms);
  out_printf("{\"old\":\"%s\",\"new\":\"%s\",\"at\":\"%s\",\"old_max_id\":\"%" PRIu64
             "\",\"new_min_id\":\"%" PRIu64 "\",\"safe\":%s",
             show_layout(&m->old).text, show_layout(&m->new).text, show_time(m->at_ms).text,
             answer->old_max_id, answer->new_min_id, answer->safe ? "true" : "false");
  bool until = answer->safe && answer->safe_until_ms != NEVER_MS;
  print_json_time("safe_until", until, answer->safe_until_ms);
  print_json_time("safe_from", answer->safe_from_ms != NEVER_MS, answer->safe_from_ms);
  print_json_time("pause_until", answer->pause_until_ms != NEVER_MS, answer->pause_until_ms);
  print_json_time("safe_epoch", epoch, epoch_ms);
  out_text("}\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(int argc, char **argv) {
  bool json = false;
  migration m = read_request(argc, argv, &json);
  migration_answer answer = migration_look(&m);
  if (json)
    print_json(&m, &answer);
  else
    print_text(&m, &answer);
  return answer.safe ? EXIT_DONE : EXIT_FAILED;
}

const command command_check_migration = {"check-migration",
                                         "say when a switch to another layout is safe", help, run};
