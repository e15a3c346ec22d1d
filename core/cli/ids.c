/* SPDX-License-Identifier: MIT */
/*
 * IDs that somebody wrote, as arguments or as lines. A bad one is reported; the others go on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

line_place place_of(uint64_t line_number) {
  line_place place = {""};
  if (line_number > 0) snprintf(place.text, sizeof place.text, "line %" PRIu64 ": ", line_number);
  return place;
}

/* Hexadecimal in either case, as logs and debuggers show it. */
static bool read_hex(const char *text, size_t text_len, uint64_t *id) {
  char lower[16];
  if (text_len != sizeof lower) return false;
  for (size_t i = 0; i < sizeof lower; i++)
    lower[i] = text[i] >= 'A' && text[i] <= 'F' ? (char)(text[i] - 'A' + 'a') : text[i];
  return flake_decode_text(FLAKE_FORMAT_HEX, lower, sizeof lower, id) == FLAKE_OK;
}

static parse_result parse_id(int32_t format, const char *text, size_t len, uint64_t *id) {
  bool prefixed = len > 2 && text[0] == '0' && text[1] == 'x';
  bool hex = format == FLAKE_FORMAT_HEX;
  if (format == FLAKE_FORMAT_DEC && !prefixed) return parse_decimal(text, len, id);
  if (prefixed && (hex || format == FLAKE_FORMAT_DEC))
    return read_hex(text + 2, len - 2, id) ? PARSED : PARSED_NOTHING;
  if (hex) return read_hex(text, len, id) ? PARSED : PARSED_NOTHING;
  return flake_decode_text(format, text, len, id) == FLAKE_OK ? PARSED : PARSED_NOTHING;
}

static const char *form_of(int32_t format) {
  static const char *const forms[] = {
      "decimal, or 0x and 16 hexadecimal digits",
      "16 hexadecimal digits",
      "13 digits of Crockford's base32, 0-9 A-Z without I L O U, below 2^64",
      "11 digits of base58, 1-9 A-Z a-z without I O l, below 2^64",
      "11 digits of base62, 0-9 A-Z a-z, below 2^64",
  };
  return format >= 0 && format < (int32_t)(sizeof forms / sizeof forms[0]) ? forms[format] : "?";
}

bool id_read(int32_t format, const input_line *line, uint64_t *id) {
  *id = 0;
  parse_result result = parse_id(format, line->text, line->text_len, id);
  if (result == PARSED && *id != 0) return true;
  line_place place = place_of(line->number);
  quoted text = quote(line->text, line->text_len);
  if (line->text_len == 0)
    complain("%sblank, where an ID should be", place.text);
  else if (result == PARSED_NOTHING)
    complain("%s%s is not an ID; write it as %s%s", place.text, text.text, form_of(format),
             format == FLAKE_FORMAT_DEC ? "; --help names the other forms" : "");
  else if (result == PARSED_TOO_LARGE)
    complain("%s%s is not an ID; the largest is 2^64 - 1", place.text, text.text);
  else
    complain("%s%s is not an ID; 0 is never issued", place.text, text.text);
  return false;
}

void ids_each(int argc, char **argv, void (*take)(void *self, const input_line *line), void *self) {
  input_line line = {NULL, 0, 0};
  for (int i = optind; i < argc; i++) {
    line.text = argv[i];
    line.text_len = strlen(argv[i]);
    take(self, &line);
  }
  while (optind == argc && line_next(&line)) take(self, &line);
}
