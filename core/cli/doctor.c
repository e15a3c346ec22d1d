/* SPDX-License-Identifier: MIT */
/*
 * flake doctor: looks at what IDs depend on, the clock above all, without privileges.
 */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

static const char help[] =
    "Usage: flake doctor [OPTION...]\n"
    "\n"
    "Looks at what IDs of this host depend on: whether the clock is synchronised, who\n"
    "steers it and may step it, leap seconds and smeared sources, what a clock reading\n"
    "costs, whether this machine may be a clone, where lock files go, when the layout\n"
    "ends. Needs no privileges and changes nothing. The worst findings come first:\n"
    "  FAIL     IDs cannot be had, or may repeat\n"
    "  WARN     somebody should look at it; the next line says what to do\n"
    "  UNKNOWN  this process may not see it, as in a container\n"
    "  OK       as it should be\n"
    "\n"
    "      --layout LAYOUT     the layout in use (default 41/10/12)\n"
    "      --root DIR          look at the files of a system below DIR, such as a host's\n"
    "                          that a container sees there; the clock, the environment\n"
    "                          and the run directory are those of this process\n"
    "      --watch             print steps of the clock as they happen, until interrupted\n"
    "      --watch-seconds N   the same, for N seconds\n"
    "      --strict            a warning is a failure too\n"
    "      --json              one JSON object; with --watch one a step\n"
    "  -h, --help              print this\n"
    "\n"
    "Exit status 1 says also: something failed, or with --strict: there is a warning.\n"
    "While watching, a step back is a failure and a step forward a warning.\n"
    "\n"
    "Examples:\n"
    "  flake doctor\n"
    "  flake doctor --strict --json > doctor.json\n"
    "  flake doctor --watch\n";

enum { LAYOUT = 256, ROOT, WATCH, WATCH_SECONDS, STRICT, JSON };

static const struct option options[] = {
    {"layout", required_argument, NULL, LAYOUT},
    {"root", required_argument, NULL, ROOT},
    {"watch", no_argument, NULL, WATCH},
    {"watch-seconds", required_argument, NULL, WATCH_SECONDS},
    {"strict", no_argument, NULL, STRICT},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct doctor_request {
  bool watch;
  uint64_t watch_seconds; /* 0: no end */
  bool strict;
  bool json;
} doctor_request;

/* ---- what is asked for ----------------------------------------------------------------------- */

static uint64_t read_seconds(void) {
  int64_t seconds = option_number();
  if (seconds < 1 || seconds > 1000000000)
    fail(EXIT_USAGE, "--watch-seconds %s must be 1 to 1000000000", quote_word(optarg).text);
  return (uint64_t)seconds;
}

static doctor_request read_request(int argc, char **argv, doctor *d) {
  doctor_request request = {.watch = false};
  int option;
  while ((option = option_next(argc, argv, ":h", options)) != -1) {
    if (option == LAYOUT) d->layout = option_layout(optarg);
    if (option == ROOT) d->root = optarg;
    if (option == WATCH || option == WATCH_SECONDS) request.watch = true;
    if (option == WATCH_SECONDS) request.watch_seconds = read_seconds();
    if (option == STRICT) request.strict = true;
    if (option == JSON) request.json = true;
  }
  if (optind < argc) fail_usage("%s is not an option", quote_word(argv[optind]).text);
  if (d->root[0] && !doctor_exists(d, "/."))
    fail(EXIT_USAGE, "--root %s is no directory", quote_word(d->root).text);
  return request;
}

/* ---- findings -------------------------------------------------------------------------------- */

void doctor_add(doctor *d, doctor_level level, const char *name, const char *threshold,
                const char *advice, const char *value, ...) {
  if (d->count == FINDINGS_MAX) return;
  finding *f = &d->findings[d->count++];
  *f = (finding){.level = level, .name = name, .threshold = threshold, .advice = advice};
  va_list args;
  va_start(args, value);
  vsnprintf(f->value, sizeof f->value, value, args);
  va_end(args);
  for (char *c = f->value; *c; c++) /* it may come from a file: nothing that drives a terminal */
    if (*c < ' ' || *c > '~') *c = '?';
}

static int count_of(const doctor *d, doctor_level level) {
  int count = 0;
  for (int i = 0; i < d->count; i++) count += d->findings[i].level == level;
  return count;
}

static const char *const level_names[] = {"fail", "warn", "unknown", "ok"};

static void print_text(const finding *f) {
  static const char *const shouted[] = {"FAIL", "WARN", "UNKNOWN", "OK"};
  out_printf("%-7s  %s: %s\n", shouted[f->level], f->name, f->value);
  if (f->level == DOCTOR_OK) return;
  out_printf("         want: %s\n", f->threshold);
  out_printf("         do:   %s\n", f->advice);
}

static void print_json(const finding *f) {
  out_printf("{\"level\":\"%s\",\"name\":", level_names[f->level]);
  out_json(f->name);
  out_text(",\"value\":");
  out_json(f->value);
  out_text(",\"threshold\":");
  out_json(f->threshold);
  out_text(",\"advice\":");
  out_json(f->advice);
  out_text("}");
}

static void sort(doctor *d) {
  finding sorted[FINDINGS_MAX];
  int count = 0;
  for (doctor_level level = DOCTOR_FAIL; level <= DOCTOR_OK; level++)
    for (int i = 0; i < d->count; i++)
      if (d->findings[i].level == level) sorted[count++] = d->findings[i];
  for (int i = 0; i < count; i++) d->findings[i] = sorted[i];
}

static void print(const doctor *d, bool json) {
  int counts[DOCTOR_OK + 1];
  for (doctor_level level = DOCTOR_FAIL; level <= DOCTOR_OK; level++)
    counts[level] = count_of(d, level);
  if (json) out_text("{\"findings\":[");
  for (int i = 0; i < d->count; i++) {
    if (json && i > 0) out_text(",");
    (json ? print_json : print_text)(&d->findings[i]);
  }
  out_printf(json ? "],\"fail\":%d,\"warn\":%d,\"unknown\":%d,\"ok\":%d}\n"
                  : "%d failed, %d to look at, %d unknown, %d ok\n",
             counts[DOCTOR_FAIL], counts[DOCTOR_WARN], counts[DOCTOR_UNKNOWN], counts[DOCTOR_OK]);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int status_of(doctor_level worst, bool strict) {
  return worst == DOCTOR_FAIL || (worst == DOCTOR_WARN && strict) ? EXIT_FAILED : EXIT_DONE;
}

static int run(int argc, char **argv) {
  doctor d = {.root = "", .layout = option_layout("snowflake"), .start = clock_look_now()};
  doctor_request request = read_request(argc, argv, &d);
  if (request.watch)
    return status_of(doctor_watch(request.watch_seconds, request.json), request.strict);
  doctor_look_layout(&d);
  doctor_look_run_dir(&d);
  doctor_look_kernel(&d);
  doctor_look_daemons(&d);
  doctor_look_clones(&d);
  doctor_look_clocksource(&d);
  doctor_look_step(&d);
  sort(&d);
  print(&d, request.json);
  return status_of(d.findings[0].level, request.strict);
}

const command command_doctor = {"doctor", "look at the clock and what else IDs depend on", help,
                                run};
