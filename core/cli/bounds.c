/* SPDX-License-Identifier: MIT */
/*
 * flake bounds: the IDs of a time range, so that a database finds rows by time without a column
 * for it.
 */
#include "cli.h"

static const char help[] =
    "Usage: flake bounds FROM UNTIL [OPTION...]\n"
    "\n"
    "Prints the smallest and the largest ID that can be made from FROM (included) until\n"
    "UNTIL (not included), for WHERE id BETWEEN smallest AND largest. Ranges that touch\n"
    "do not overlap. FROM and UNTIL are ISO 8601 with a zone, or Unix ms.\n"
    "\n"
    "      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)\n"
    "      --format FORMAT     dec (default), hex, base32, base58 or base62\n"
    "      --json              one JSON object: min_id and max_id (strings), from, until,\n"
    "                          layout\n"
    "  -h, --help              print this\n"
    "\n"
    "Examples:\n"
    "  flake bounds 2026-01-01T00:00:00Z 2026-02-01T00:00:00Z\n"
    "  flake bounds 2026-01-01T00:00:00+08:00 2026-01-02T00:00:00+08:00 --layout discord\n"
    "  read -r min max < <(flake bounds 1767225600000 1767312000000)\n";

enum { LAYOUT = 256, FORMAT, JSON };

static const struct option options[] = {
    {"layout", required_argument, NULL, LAYOUT},
    {"format", required_argument, NULL, FORMAT},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct bounds_request {
  flake_layout layout;
  int64_t from_ms;
  int64_t until_ms;
  int32_t format;
  bool json;
} bounds_request;

static bounds_request read_request(int argc, char **argv) {
  bounds_request request = {.layout = option_layout("snowflake")};
  int option;
  while ((option = option_next(argc, argv, ":h", options)) != -1) {
    if (option == LAYOUT) request.layout = option_layout(optarg);
    if (option == FORMAT) request.format = option_format();
    if (option == JSON) request.json = true;
  }
  if (argc - optind != 2) fail_usage("give two times, FROM and UNTIL");
  request.from_ms = time_of("FROM", argv[optind]);
  request.until_ms = time_of("UNTIL", argv[optind + 1]);
  return request;
}

/* What is wrong with the range, in the words of the command line. */
static _Noreturn void refuse(const bounds_request *request, flake_status status) {
  const flake_layout *layout = &request->layout;
  short_text from = show_time(request->from_ms), until = show_time(request->until_ms);
  if (request->from_ms >= request->until_ms)
    fail(EXIT_USAGE, "FROM %s is not before UNTIL %s", from.text, until.text);
  if (status == FLAKE_E_BEFORE_EPOCH)
    fail(EXIT_USAGE, "FROM %s is before the epoch of the layout, %s", from.text,
         show_time(layout->epoch_ms).text);
  if (status == FLAKE_E_TIME_USED_UP)
    fail(EXIT_USAGE, "UNTIL %s is after the end of the layout's time field, %s", until.text,
         show_time(flake_layout_expires_ms(layout)).text);
  if (status == FLAKE_E_NOT_SUPPORTED)
    fail(EXIT_USAGE, "layout %s does not begin with the time: its IDs are not in order of time",
         show_layout(layout).text);
  fail(EXIT_USAGE, "no tick of the layout starts from %s until %s", from.text, until.text);
}

static int run(int argc, char **argv) {
  bounds_request request = read_request(argc, argv);
  uint64_t min_id, max_id;
  flake_status status =
      flake_bounds(&request.layout, request.from_ms, request.until_ms, &min_id, &max_id);
  if (status) refuse(&request, status);
  char *at = out_line();
  if (!request.json) {
    at = put_text(put_id(at, request.format, min_id), " ");
    out_line_end(put_id(at, request.format, max_id));
    return EXIT_DONE;
  }
  at = put_id(put_text(at, "{\"min_id\":\""), request.format, min_id);
  at = put_id(put_text(at, "\",\"max_id\":\""), request.format, max_id);
  at = put_time(put_text(at, "\",\"from\":\""), request.from_ms);
  at = put_time(put_text(at, "\",\"until\":\""), request.until_ms);
  at = put_text(put_text(at, "\",\"layout\":\""), show_layout(&request.layout).text);
  out_line_end(put_text(at, "\"}"));
  return EXIT_DONE;
}

const command command_bounds = {"bounds", "print the IDs of a time range", help, run};
