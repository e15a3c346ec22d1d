/* SPDX-License-Identifier: MIT */
/*
 * Standard error: one line a message, "flake next: what is wrong; what to do". What others wrote is
 * shown in a form that can neither break the line nor drive a terminal.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define QUOTED_MAX 40 /* bytes of a value that are shown, each as 4 at most */

_Static_assert(sizeof(quoted) >= QUOTED_MAX * 4 + sizeof "''...", "a quoted value fits");

static bool is_plain(char c) {
  return c >= ' ' && c <= '~';
}

quoted quote(const char *text, size_t text_len) {
  static const char digits[] = "0123456789abcdef";
  quoted shown;
  char *at = shown.text;
  size_t shown_len = text_len > QUOTED_MAX ? QUOTED_MAX : text_len;
  *at++ = '\'';
  for (size_t i = 0; i < shown_len; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (is_plain(text[i])) {
      *at++ = text[i];
    } else {
      *at++ = '\\';
      *at++ = 'x';
      *at++ = digits[byte >> 4];
      *at++ = digits[byte & 15];
    }
  }
  strcpy(at, shown_len < text_len ? "'..." : "'");
  return shown;
}

quoted quote_word(const char *word) {
  return quote(word, strlen(word));
}

/* Results come first, so that both read in order where they share a terminal or a file. */
static void message(const char *format, va_list args, bool see_help) {
  char text[1024];
  const char *name = command_current ? command_current->name : "";
  const char *blank = command_current ? " " : "";
  out_flush();
  vsnprintf(text, sizeof text, format, args);
  for (char *c = text; *c; c++)
    if (!is_plain(*c)) *c = '?';
  if (see_help)
    fprintf(stderr, "flake%s%s: %s; see flake%s%s --help\n", blank, name, text, blank, name);
  else
    fprintf(stderr, "flake%s%s: %s\n", blank, name, text);
}

void complain(const char *format, ...) {
  va_list args;
  va_start(args, format);
  message(format, args, false);
  va_end(args);
}

_Noreturn void fail(int status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  message(format, args, false);
  va_end(args);
  exit(status);
}

_Noreturn void fail_usage(const char *format, ...) {
  va_list args;
  va_start(args, format);
  message(format, args, true);
  va_end(args);
  exit(EXIT_USAGE);
}
