/* SPDX-License-Identifier: MIT */
/*
 * Numbers and times as text, the same in every locale and time zone.
 */
#include <string.h>

#include "cli.h"

/* ---- reading --------------------------------------------------------------------------------- */

parse_result parse_decimal(const char *text, size_t text_len, uint64_t *value) {
  uint64_t number = 0;
  bool fits = true;
  if (text_len == 0 || (text[0] == '0' && text_len > 1)) return PARSED_NOTHING;
  for (size_t i = 0; i < text_len; i++) {
    if (text[i] < '0' || text[i] > '9') return PARSED_NOTHING;
    uint64_t digit = (uint64_t)(text[i] - '0');
    fits = fits && number <= (UINT64_MAX - digit) / 10;
    number = number * 10 + digit;
  }
  if (!fits) return PARSED_TOO_LARGE;
  *value = number;
  return PARSED;
}

/* ---- writing --------------------------------------------------------------------------------- */

char *put_text(char *at, const char *text) {
  size_t len = strlen(text);
  memcpy(at, text, len);
  return at + len;
}

char *put_id(char *at, int32_t format, uint64_t id) {
  int32_t len = flake_encode(format, id, at, FLAKE_TEXT_SIZE);
  return len > 0 ? at + len : at;
}

char *put_decimal(char *at, uint64_t value) {
  return put_id(at, FLAKE_FORMAT_DEC, value);
}

/* Exactly so many digits. */
static char *put_digits(char *at, uint64_t value, int digits) {
  for (int i = digits; i-- > 0; value /= 10) at[i] = (char)('0' + value % 10);
  return at + digits;
}

/* The date of a day, counted from 1970-01-01. Counting from a 1 March puts the leap day last, where
 * it moves no other; 400 years are 146,097 days, 719,468 of them lie before 1970. */
static char *put_date(char *at, uint64_t days) {
  days += 719468;
  uint64_t day_of_era = days % 146097;
  uint64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  uint64_t month_from_march = (5 * day_of_year + 2) / 153;
  uint64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  uint64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  uint64_t year = year_of_era + days / 146097 * 400 + (month <= 2);
  if (year > 9999) at = put_text(at, "+"); /* as ISO 8601 marks a longer year */
  at = year > 9999 ? put_decimal(at, year) : put_digits(at, year, 4);
  *at++ = '-';
  at = put_digits(at, month, 2);
  *at++ = '-';
  return put_digits(at, day, 2);
}

char *put_time(char *at, int64_t unix_ms) {
  uint64_t ms = (uint64_t)unix_ms, seconds = ms / 1000;
  at = put_date(at, seconds / 86400);
  *at++ = 'T';
  at = put_digits(at, seconds / 3600 % 24, 2);
  *at++ = ':';
  at = put_digits(at, seconds / 60 % 60, 2);
  *at++ = ':';
  at = put_digits(at, seconds % 60, 2);
  *at++ = '.';
  at = put_digits(at, ms % 1000, 3);
  *at++ = 'Z';
  return at;
}

/* ---- values as text -------------------------------------------------------------------------- */

short_text show_time(int64_t unix_ms) {
  short_text value;
  char *end = put_time(value.text, unix_ms);
  *end = 0;
  if (unix_ms % 1000 == 0) strcpy(end - 5, "Z");
  return value;
}

short_text show_date(int64_t unix_ms) {
  short_text value;
  *put_date(value.text, (uint64_t)unix_ms / 86400000) = 0;
  return value;
}

short_text show_number(uint64_t value) {
  char digits[FLAKE_TEXT_SIZE];
  short_text grouped;
  char *at = grouped.text;
  long len = put_decimal(digits, value) - digits;
  for (long i = 0; i < len; i++) {
    if (i > 0 && (len - i) % 3 == 0) *at++ = ',';
    *at++ = digits[i];
  }
  *at = 0;
  return grouped;
}

short_text show_layout(const flake_layout *layout) {
  short_text value;
  if (flake_layout_format(layout, value.text, sizeof value.text) < 0) strcpy(value.text, "?");
  return value;
}
