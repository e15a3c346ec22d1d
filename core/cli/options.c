/* SPDX-License-Identifier: MIT */
/*
 * The arguments of a subcommand. A wrong one ends the process with a message that names the option
 * and the value; nothing is rounded, cut or guessed.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- help ------------------------------------------------------------------------------------ */

/* What ends the help of each subcommand; the names of the presets come between the two. */
static const char help_layouts[] =
    "\n"
    "LAYOUT says how the bits of an ID are divided:\n"
    "  41/10/12                      bits of time/node/sequence, the default\n"
    "  41/10/12@1735689600000        the same, with the epoch in Unix ms\n"
    "  t39s8n16*10ms@1735689600000   fields from the highest bit down, ticks of 10 ms\n"
    "  a preset:                    ";
static const char help_statuses[] =
    "\n"
    "Exit status: 0 done; 1 failed, or a part of the input was bad; 2 wrong usage.\n";

static void help_on_layouts(void) {
  out_text(help_layouts);
  for (int32_t i = 0; flake_layout_preset(i); i++) {
    if (i > 0) out_text(i % 5 ? "," : ",\n                               ");
    out_text(" ");
    out_text(flake_layout_preset(i));
  }
  out_text("\n");
}

_Noreturn void option_help(void) {
  out_text(command_current->help);
  if (strstr(command_current->help, "LAYOUT")) help_on_layouts();
  out_text(help_statuses);
  out_close();
  exit(EXIT_DONE);
}

/* ---- options --------------------------------------------------------------------------------- */

static const char *found_name; /* of the option that option_next found, without "--" */

static const char *name_of(int option, const struct option *options) {
  for (; options->name; options++)
    if (options->val == option) return options->name;
  return NULL;
}

/* What getopt_long leaves in optopt: the val of an option whose value is missing or not wanted, the
 * letter of one that there is not, or 0 for one that there is not of several letters. A letter may
 * stand in the middle of an argument; in the other cases argument is the one just read. */
static _Noreturn void fail_option(int found, char **argv, const struct option *options) {
  const char *argument = argv[optind - 1];
  char letter[] = {'-', (char)optopt, 0};
  if (found == ':') fail_usage("option %s needs a value", quote_word(argument).text);
  if (name_of(optopt, options)) fail_usage("option %s takes no value", quote_word(argument).text);
  fail_usage("there is no option %s", quote_word(optopt ? letter : argument).text);
}

int option_next(int argc, char **argv, const char *letters, const struct option *options) {
  opterr = 0;
  int found = getopt_long(argc, argv, letters, options, NULL);
  if (found == '?' || found == ':') fail_option(found, argv, options);
  if (found == 'h') option_help();
  found_name = name_of(found, options);
  return found;
}

/* ---- values ---------------------------------------------------------------------------------- */

int64_t option_number(void) {
  uint64_t size;
  bool negative = optarg[0] == '-';
  const char *digits = optarg + negative;
  parse_result result = parse_decimal(digits, strlen(digits), &size);
  if (result == PARSED_NOTHING || (negative && digits[0] == '0'))
    fail(EXIT_USAGE,
         "--%s %s is not a whole number; write decimal digits without leading zeros, such as 7",
         found_name, quote_word(optarg).text);
  /* two negative ones are left out: FLAKE_UNSET, and the one without opposite */
  if (result == PARSED_TOO_LARGE || size > (uint64_t)INT64_MAX - negative)
    fail(EXIT_USAGE, "--%s %s is out of range; it must lie below 2^63", found_name,
         quote_word(optarg).text);
  return negative ? -(int64_t)size : (int64_t)size;
}

int option_word(const char *const *words) {
  char choice[OUT_LINE_SIZE] = "";
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], optarg) == 0) return i;
    if (i > 0) strcat(choice, " or ");
    strcat(choice, words[i]);
  }
  fail(EXIT_USAGE, "--%s %s is unknown; write %s", found_name, quote_word(optarg).text, choice);
}

int32_t option_format(void) {
  const char *names[16] = {NULL};
  for (int32_t i = 0; i < 15 && flake_format_name(i); i++) names[i] = flake_format_name(i);
  return option_word(names);
}

flake_layout layout_of(const char *what, const char *text) {
  flake_layout layout;
  flake_status status = flake_layout_parse(text, strlen(text), &layout);
  if (status) fail(EXIT_USAGE, "%s %s: %s", what, quote_word(text).text, flake_status_text(status));
  return layout;
}

flake_layout option_layout(const char *text) {
  return layout_of("--layout", text);
}

int64_t time_of(const char *what, const char *text) {
  int64_t unix_ms;
  if (!parse_time(text, strlen(text), &unix_ms))
    fail(EXIT_USAGE,
         "%s %s is not a time; write ISO 8601 with its zone, 2026-01-31T12:00:00Z or "
         "2026-01-31T12:00:00.250+08:00, or Unix ms",
         what, quote_word(text).text);
  return unix_ms;
}
