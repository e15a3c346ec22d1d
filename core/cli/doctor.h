/* SPDX-License-Identifier: MIT */
/*
 * flake doctor: what its looks share. A look adds one finding for each thing that it judged; the
 * order in which they are added is that of use, and the worst come first when they are printed.
 */
#ifndef FLAKE_DOCTOR_H
#define FLAKE_DOCTOR_H

#include "cli.h"

#define DOCTOR_PATH_SIZE 512
#define FINDINGS_MAX 32

typedef enum doctor_level { DOCTOR_FAIL, DOCTOR_WARN, DOCTOR_UNKNOWN, DOCTOR_OK } doctor_level;

typedef struct finding {
  doctor_level level;
  const char *name;
  char value[320];
  const char *threshold; /* what would be well */
  const char *advice;    /* what to do */
} finding;

/* What the wall clock was ahead of the one that nobody sets, at one moment. */
typedef struct clock_look {
  int64_t wall_ns;
  int64_t steady_ns; /* since boot; also counts a suspend */
  int64_t unsure_ns; /* the two readings lie so far apart */
} clock_look;

typedef struct doctor {
  const char *root; /* before each path; "" for this host */
  flake_layout layout;
  clock_look start;
  finding findings[FINDINGS_MAX];
  int count;
} doctor;

__attribute__((format(printf, 6, 7))) void doctor_add(doctor *d, doctor_level level,
                                                      const char *name, const char *threshold,
                                                      const char *advice, const char *value, ...);

/* ---- doctor_files.c: files below the root ---------------------------------------------------- */

/* The path below the root; false when it is too long. */
bool doctor_path(const doctor *d, const char *path, char full[DOCTOR_PATH_SIZE]);

/* The beginning of a file, with a NUL, without blanks at its end; -1 when it cannot be read. */
long doctor_read(const doctor *d, const char *path, char *text, size_t text_size);

bool doctor_exists(const doctor *d, const char *path);

#define CONF_WORDS_MAX 24

/* A line of a configuration file that is neither blank nor a comment. */
typedef struct conf_line {
  const char *path; /* without the root */
  int number;
  int words;
  char *word[CONF_WORDS_MAX];
} conf_line;

typedef void conf_take(void *self, const conf_line *line);

/* Hands over each line of a file, of which comment says how comments begin and blanks what stands
 * between words. False when there is no such file. */
bool conf_file(const doctor *d, const char *path, const char *comment, const char *blanks,
               conf_take *take, void *self);

/* conf_file for each file that matches a shell pattern, in order of name. */
void conf_glob(const doctor *d, const char *pattern, const char *comment, const char *blanks,
               conf_take *take, void *self);

/* ---- doctor_sources.c: which servers smear --------------------------------------------------- */

#define SOURCES_MAX 32

/* The servers of one configuration. */
typedef struct source_list {
  int count;
  char name[SOURCES_MAX][80];
} source_list;

void sources_add(source_list *list, const char *name);
void sources_judge(doctor *d, const char *daemon, const source_list *list, bool leap_file);

/* ---- the looks ------------------------------------------------------------------------------- */

clock_look clock_look_now(void);
int64_t clock_step_ns(const clock_look *before, const clock_look *after);

void doctor_look_kernel(doctor *d);  /* sync, leap second, errors */
void doctor_look_daemons(doctor *d); /* who steers the clock, and may it step */
void doctor_look_chrony(doctor *d, const char *path);
void doctor_look_ntpd(doctor *d, const char *path, const char *arguments, bool running);
void doctor_look_timesyncd(doctor *d, bool running);
void doctor_look_layout(doctor *d);
void doctor_look_run_dir(doctor *d);
void doctor_look_clones(doctor *d);
void doctor_look_clocksource(doctor *d);
void doctor_look_step(doctor *d); /* against d->start */

/* Prints steps of the clock as they happen, until seconds have passed (0: no end) or it is
 * interrupted. The worst that happened. */
doctor_level doctor_watch(uint64_t seconds, bool json);

#endif
