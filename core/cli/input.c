/* SPDX-License-Identifier: MIT */
/*
 * Standard input by lines, in one buffer however long a line or the input is.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* Longer than whatever can be read from a line, so that none passes for a good one. */
#define KEPT_OF_LONG_LINES 4096

static struct {
  char bytes[65536];
  size_t at;  /* what was handed out ends here */
  size_t end; /* what was read ends here */
  bool ended;
  uint64_t lines;
} in;

/* Reads more behind what is there, which is moved to the front. */
static void refill(void) {
  memmove(in.bytes, in.bytes + in.at, in.end - in.at);
  in.end -= in.at;
  in.at = 0;
  out_flush();
  ssize_t got;
  do {
    got = read(STDIN_FILENO, in.bytes + in.end, sizeof in.bytes - in.end);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(EXIT_FAILED, "cannot read standard input: %s", strerror(errno));
  in.end += (size_t)got;
  in.ended = got == 0;
}

/* Hands out len bytes, and leaves what ends them behind. */
static void hand_out(input_line *line, size_t len, size_t end_len) {
  line->text = in.bytes + in.at;
  line->text_len = len > 0 && line->text[len - 1] == '\r' ? len - 1 : len;
  line->number = ++in.lines;
  in.at += len + end_len;
}

bool line_next(input_line *line) {
  size_t searched = 0;
  for (;;) {
    const char *start = in.bytes + in.at;
    size_t len = in.end - in.at;
    const char *newline = memchr(start + searched, '\n', len - searched);
    if (newline || (in.ended && len > 0)) {
      hand_out(line, newline ? (size_t)(newline - start) : len, newline ? 1 : 0);
      return true;
    }
    if (in.ended) return false;
    if (len == sizeof in.bytes) in.end = KEPT_OF_LONG_LINES;
    searched = in.end - in.at;
    refill();
  }
}
