/* SPDX-License-Identifier: MIT */
/*
 * Files of the system that flake doctor looks at. Whatever stands there, the command neither blocks
 * nor believes in it: only plain files are read, and only so much of them.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"

bool doctor_path(const doctor *d, const char *path, char full[DOCTOR_PATH_SIZE]) {
  int len = snprintf(full, DOCTOR_PATH_SIZE, "%s%s", d->root, path);
  return len > 0 && len < DOCTOR_PATH_SIZE;
}

static int open_plain(const doctor *d, const char *path) {
  char full[DOCTOR_PATH_SIZE];
  struct stat st;
  if (!doctor_path(d, path, full)) return -1;
  int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

long doctor_read(const doctor *d, const char *path, char *text, size_t text_size) {
  int fd = open_plain(d, path);
  size_t len = 0;
  ssize_t got = fd < 0 ? -1 : 1;
  while (got > 0 && len < text_size - 1) {
    got = read(fd, text + len, text_size - 1 - len);
    if (got > 0) len += (size_t)got;
  }
  if (fd >= 0) close(fd);
  while (len > 0 && strchr(" \t\r\n", text[len - 1])) len--;
  text[len] = 0;
  return got < 0 ? -1 : (long)len;
}

bool doctor_exists(const doctor *d, const char *path) {
  char full[DOCTOR_PATH_SIZE];
  return doctor_path(d, path, full) && access(full, F_OK) == 0;
}

/* ---- configuration files --------------------------------------------------------------------- */

static void split(conf_line *line, char *text, const char *comment, const char *blanks) {
  char *rest;
  line->words = 0;
  text += strspn(text, " \t");
  if (strchr(comment, text[0])) return; /* also the empty line */
  for (char *word = strtok_r(text, blanks, &rest); word && line->words < CONF_WORDS_MAX;
       word = strtok_r(NULL, blanks, &rest)) {
    if (word[0] == '#') return;
    line->word[line->words++] = word;
  }
}

bool conf_file(const doctor *d, const char *path, const char *comment, const char *blanks,
               conf_take *take, void *self) {
  char text[1024];
  conf_line line = {.path = path, .number = 0};
  int fd = open_plain(d, path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
  if (!file) {
    if (fd >= 0) close(fd);
    return false;
  }
  while (line.number < 100000 && fgets(text, sizeof text, file)) {
    size_t len = strlen(text);
    line.number++;
    for (int c = text[len ? len - 1 : 0]; c != '\n' && c != EOF;) c = fgetc(file); /* the rest */
    split(&line, text, comment, blanks);
    if (line.words > 0) take(self, &line);
  }
  fclose(file);
  return true;
}

void conf_glob(const doctor *d, const char *pattern, const char *comment, const char *blanks,
               conf_take *take, void *self) {
  char full[DOCTOR_PATH_SIZE];
  glob_t found;
  size_t root_len = strlen(d->root);
  if (!doctor_path(d, pattern, full) || glob(full, 0, NULL, &found) != 0) return;
  for (size_t i = 0; i < found.gl_pathc; i++)
    conf_file(d, found.gl_pathv[i] + root_len, comment, blanks, take, self);
  globfree(&found);
}
