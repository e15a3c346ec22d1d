/* SPDX-License-Identifier: MIT */
/*
 * flake decode: says what is in IDs. A bad one is reported and left out; the others go on.
 */
#include <inttypes.h>

#include "cli.h"

static const char help[] =
    "Usage: flake decode [OPTION...] [ID...]\n"
    "\n"
    "Says what is in IDs: the time in UTC, the node and the sequence number. Without an\n"
    "ID it reads standard input, one ID a line. It prints lines of the form\n"
    "  175928847299117063  2016-04-30T11:18:25.796Z  node 32  sequence 7\n"
    "\n"
    "      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)\n"
    "      --format FORMAT     how the IDs are written\n"
    "                          dec: decimal, or 0x and 16 hexadecimal digits (default)\n"
    "                          hex: 16 hexadecimal digits, with or without 0x\n"
    "                          base32, base58, base62: as flake encode writes them\n"
    "      --json              one JSON object a line: id (a string), time, unix_ms,\n"
    "                          node, sequence, layout\n"
    "  -h, --help              print this\n"
    "\n"
    "What is not an ID is reported on standard error with its line number and left out.\n"
    "An ID whose time is before 2006 or in the future is printed, with a warning: it is\n"
    "probably of another layout.\n"
    "\n"
    "Examples:\n"
    "  flake decode --layout discord 175928847299117063\n"
    "  flake next --node 1 -n 5 --format hex | flake decode --format hex\n"
    "  flake decode --json < ids.txt\n";

#define YEAR_2006_MS INT64_C(1136073600000)
#define SKEW_MS 5000 /* between the clock that made the ID and ours */
#define WARNINGS_MAX 10

enum { LAYOUT = 256, FORMAT, JSON };

static const struct option options[] = {
    {"layout", required_argument, NULL, LAYOUT},
    {"format", required_argument, NULL, FORMAT},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct decode_job {
  flake_layout layout;
  char layout_text[FLAKE_LAYOUT_TEXT_SIZE];
  int32_t format;
  bool json;
  int64_t now_ms; /* not later than now */
  uint64_t implausible;
  int status;
} decode_job;

/* ---- one ID ---------------------------------------------------------------------------------- */

static bool is_after_now(decode_job *job, int64_t unix_ms) {
  if (unix_ms <= job->now_ms + SKEW_MS) return false;
  job->now_ms = now_ms();
  return unix_ms > job->now_ms + SKEW_MS;
}

static void warn_of_time(decode_job *job, uint64_t id, int64_t unix_ms, uint64_t line_number) {
  bool early = unix_ms < YEAR_2006_MS;
  if (!early && !is_after_now(job, unix_ms)) return;
  if (++job->implausible > WARNINGS_MAX) return;
  complain("warning: %sthe time of %" PRIu64 " lies %s; is %s its layout? see --layout",
           place_of(line_number).text, id, early ? "before 2006" : "in the future",
           job->layout_text);
}

static void print_text(const flake_decoded *decoded, uint64_t id) {
  char *at = put_decimal(out_line(), id);
  at = put_time(put_text(at, "  "), decoded->unix_ms);
  at = put_decimal(put_text(at, "  node "), (uint64_t)decoded->node);
  out_line_end(put_decimal(put_text(at, "  sequence "), (uint64_t)decoded->sequence));
}

static void print_json(const flake_decoded *decoded, uint64_t id, const char *layout_text) {
  char *at = put_decimal(put_text(out_line(), "{\"id\":\""), id);
  at = put_time(put_text(at, "\",\"time\":\""), decoded->unix_ms);
  at = put_decimal(put_text(at, "\",\"unix_ms\":"), (uint64_t)decoded->unix_ms);
  at = put_decimal(put_text(at, ",\"node\":"), (uint64_t)decoded->node);
  at = put_decimal(put_text(at, ",\"sequence\":"), (uint64_t)decoded->sequence);
  at = put_text(put_text(at, ",\"layout\":\""), layout_text);
  out_line_end(put_text(at, "\"}"));
}

static void decode(void *self, const input_line *line) {
  decode_job *job = self;
  uint64_t id;
  flake_decoded decoded;
  if (!id_read(job->format, line, &id)) {
    job->status = EXIT_FAILED;
    return;
  }
  if (flake_decode(&job->layout, id, &decoded) != FLAKE_OK) {
    complain("%s%s has more bits than layout %s; name its layout with --layout",
             place_of(line->number).text, quote(line->text, line->text_len).text, job->layout_text);
    job->status = EXIT_FAILED;
    return;
  }
  if (job->json)
    print_json(&decoded, id, job->layout_text);
  else
    print_text(&decoded, id);
  warn_of_time(job, id, decoded.unix_ms, line->number);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static decode_job read_job(int argc, char **argv) {
  decode_job job = {.layout = option_layout("snowflake"), .status = EXIT_DONE};
  int option;
  while ((option = option_next(argc, argv, ":h", options)) != -1) {
    if (option == LAYOUT) job.layout = option_layout(optarg);
    if (option == FORMAT) job.format = option_format();
    if (option == JSON) job.json = true;
  }
  int32_t len = flake_layout_format(&job.layout, job.layout_text, sizeof job.layout_text);
  if (len < 0) fail(EXIT_FAILED, "%s", flake_status_text(len));
  return job;
}

static int run(int argc, char **argv) {
  decode_job job = read_job(argc, argv);
  ids_each(argc, argv, decode, &job);
  if (job.implausible > WARNINGS_MAX)
    complain("warning: %" PRIu64 " more such times", job.implausible - WARNINGS_MAX);
  return job.status;
}

const command command_decode = {"decode", "say what is in IDs: time, node, sequence", help, run};
