/* SPDX-License-Identifier: MIT */
/*
 * Points in time, without the C library's calendar: that one asks the locale and the time zone.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "cli.h"

int64_t now_ms(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

typedef struct cursor {
  const char *at;
  const char *end;
} cursor;

static bool take(cursor *c, char expected) {
  if (c->at == c->end || *c->at != expected) return false;
  c->at++;
  return true;
}

/* Exactly so many digits, for a number in least..most. */
static bool take_number(cursor *c, int digits, int64_t least, int64_t most, int64_t *value) {
  int64_t n = 0;
  if (c->end - c->at < digits) return false;
  for (; digits > 0; digits--, c->at++) {
    if (*c->at < '0' || *c->at > '9') return false;
    n = n * 10 + (*c->at - '0');
  }
  *value = n;
  return n >= least && n <= most;
}

static int64_t days_in_month(int64_t year, int64_t month) {
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (month == 2) return leap ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Since 1970-01-01. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
  int64_t before = year - 1;
  int64_t days = before * 365 + before / 4 - before / 100 + before / 400 - 719162;
  for (int64_t m = 1; m < month; m++) days += days_in_month(year, m);
  return days + day - 1;
}

/* "2026-01-31" */
static bool take_date(cursor *c, int64_t *days) {
  int64_t year, month, day;
  if (!take_number(c, 4, 1970, 9999, &year) || !take(c, '-') || !take_number(c, 2, 1, 12, &month) ||
      !take(c, '-') || !take_number(c, 2, 1, days_in_month(year, month), &day))
    return false;
  *days = days_of(year, month, day);
  return true;
}

/* "12:00", "12:00:00", "12:00:00.25" */
static bool take_clock(cursor *c, int64_t *ms) {
  int64_t hour, minute, second = 0, fraction = 0, unit = 100;
  if (!take_number(c, 2, 0, 23, &hour) || !take(c, ':') || !take_number(c, 2, 0, 59, &minute))
    return false;
  if (take(c, ':')) {
    if (!take_number(c, 2, 0, 59, &second)) return false;
    if (take(c, '.')) {
      const char *start = c->at;
      for (int64_t digit; unit > 0 && take_number(c, 1, 0, 9, &digit); unit /= 10)
        fraction += digit * unit;
      if (c->at == start) return false;
    }
  }
  *ms = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  return true;
}

/* "Z", "+08:00", "-03:30" */
static bool take_zone(cursor *c, int64_t *ahead_ms) {
  int64_t hours, minutes;
  *ahead_ms = 0;
  if (take(c, 'Z')) return true;
  bool west = take(c, '-');
  if (!west && !take(c, '+')) return false;
  if (!take_number(c, 2, 0, 23, &hours) || !take(c, ':') || !take_number(c, 2, 0, 59, &minutes))
    return false;
  *ahead_ms = (west ? -1 : 1) * (hours * 60 + minutes) * 60000;
  return true;
}

bool parse_time(const char *text, size_t text_len, int64_t *unix_ms) {
  uint64_t number;
  int64_t days, ms, ahead_ms;
  cursor c = {text, text + text_len};
  if (parse_decimal(text, text_len, &number) == PARSED) {
    if (number > UINT64_C(253402300799999)) return false; /* the year 9999 */
    *unix_ms = (int64_t)number;
    return true;
  }
  if (!take_date(&c, &days) || !take(&c, 'T') || !take_clock(&c, &ms) || !take_zone(&c, &ahead_ms))
    return false;
  int64_t value = days * 86400000 + ms - ahead_ms;
  if (c.at != c.end || value < 0) return false;
  *unix_ms = value;
  return true;
}
