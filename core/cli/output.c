/* SPDX-License-Identifier: MIT */
/*
 * Standard output. Millions of short lines go through one buffer, and every failure to write is
 * noticed: a result that is lost must not look like success.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static struct {
  char bytes[65536];
  size_t len;
} out;

/* The reader of a closed pipe has seen enough: that needs no message. */
static _Noreturn void fail_output(void) {
  int error = errno;
  out.len = 0;
  if (error != EPIPE) complain("cannot write to standard output: %s", strerror(error));
  exit(EXIT_FAILED);
}

void out_flush(void) {
  size_t done = 0;
  while (done < out.len) {
    ssize_t written = write(STDOUT_FILENO, out.bytes + done, out.len - done);
    if (written < 0 && errno != EINTR) fail_output();
    if (written > 0) done += (size_t)written;
  }
  out.len = 0;
}

char *out_line(void) {
  if (sizeof out.bytes - out.len < OUT_LINE_SIZE) out_flush();
  return out.bytes + out.len;
}

void out_line_end(char *end) {
  *end++ = '\n';
  out.len = (size_t)(end - out.bytes);
}

void out_text(const char *text) {
  for (; *text; text++) {
    if (out.len == sizeof out.bytes) out_flush();
    out.bytes[out.len++] = *text;
  }
}

void out_printf(const char *format, ...) {
  char text[OUT_LINE_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  out_text(text);
}

void out_json(const char *text) {
  out_text("\"");
  for (; *text; text++) {
    bool plain = *text >= ' ' && *text <= '~';
    if (*text == '"' || *text == '\\')
      out_printf("\\%c", *text);
    else
      out_printf("%c", plain ? *text : '?');
  }
  out_text("\"");
}

void out_close(void) {
  out_flush();
  /* nothing to say on a descriptor that was closed from the start and never written to */
  if (close(STDOUT_FILENO) != 0 && errno != EBADF) fail_output();
}
