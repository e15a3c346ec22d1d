/* SPDX-License-Identifier: MIT */
/*
 * flake encode: writes IDs in another text form.
 */
#include "cli.h"

static const char help[] =
    "Usage: flake encode [OPTION...] [ID...]\n"
    "\n"
    "Writes IDs in another form, one a line. Without an ID it reads standard input, one\n"
    "ID a line. All forms but decimal have a fixed width and sort as text exactly as the\n"
    "IDs sort as numbers (compare bytes: LC_ALL=C sort).\n"
    "\n"
    "      --format FORMAT     the form to write\n"
    "                          dec: decimal\n"
    "                          hex: 16 lower-case hexadecimal digits\n"
    "                          base32: 13 digits, 0-9 A-Z without I L O U (default)\n"
    "                          base58: 11 digits, 1-9 A-Z a-z without I O l\n"
    "                          base62: 11 digits, 0-9 A-Z a-z\n"
    "      --from FORMAT       the form to read: one of these (default dec, which also\n"
    "                          takes 0x and 16 hexadecimal digits)\n"
    "  -h, --help              print this\n"
    "\n"
    "What is not an ID is reported on standard error with its line number and left out.\n"
    "flake decode takes IDs apart.\n"
    "\n"
    "Examples:\n"
    "  flake encode 175928847299117063\n"
    "  flake encode --format base62 < ids.txt\n"
    "  flake encode --from base62 --format dec 0CzvRmTkVM7\n";

enum { FORMAT = 256, FROM };

static const struct option options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"from", required_argument, NULL, FROM},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

typedef struct encode_job {
  int32_t format;
  int32_t from;
  int status;
} encode_job;

static void encode(void *self, const input_line *line) {
  encode_job *job = self;
  uint64_t id;
  if (id_read(job->from, line, &id))
    out_line_end(put_id(out_line(), job->format, id));
  else
    job->status = EXIT_FAILED;
}

static int run(int argc, char **argv) {
  encode_job job = {FLAKE_FORMAT_BASE32, FLAKE_FORMAT_DEC, EXIT_DONE};
  int option;
  while ((option = option_next(argc, argv, ":h", options)) != -1) {
    if (option == FORMAT) job.format = option_format();
    if (option == FROM) job.from = option_format();
  }
  ids_each(argc, argv, encode, &job);
  return job.status;
}

const command command_encode = {"encode", "write IDs in another text form", help, run};
