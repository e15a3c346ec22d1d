/* SPDX-License-Identifier: MIT */
/*
 * What chronyd may do by its configuration. Directives are not case-sensitive, the last one of a
 * kind counts, and files are included where they are named (chrony.conf(5)).
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doctor.h"

#define COMMENT "!;#%\n\r" /* what a line that says nothing begins with */
#define BLANKS " \t\r\n"
#define DEPTH_MAX 5

typedef struct chrony_conf {
  const doctor *d;
  int depth;
  source_list sources;
  bool makestep;
  double step_s;
  long step_limit; /* updates since the start; below 0: at any time */
  char step_place[96];
  char leapsecmode[16];
  bool leap_file; /* leapsectz or leapseclist */
  bool sources_only;
} chrony_conf;

static void take_line(void *self, const conf_line *line);

static void include(chrony_conf *conf, const char *folder, const char *pattern) {
  char full[DOCTOR_PATH_SIZE];
  snprintf(full, sizeof full, "%s%s", folder, pattern);
  if (conf->depth == DEPTH_MAX) return;
  conf->depth++;
  conf_glob(conf->d, full, COMMENT, BLANKS, take_line, conf);
  conf->depth--;
}

static void take_makestep(chrony_conf *conf, const conf_line *line) {
  conf->makestep = true;
  conf->step_s = line->words > 1 ? strtod(line->word[1], NULL) : 0;
  conf->step_limit = line->words > 2 ? strtol(line->word[2], NULL, 10) : 0;
  snprintf(conf->step_place, sizeof conf->step_place, "%.70s:%d", line->path, line->number);
}

static void take_folder(chrony_conf *conf, const conf_line *line, const char *pattern) {
  bool before = conf->sources_only;
  conf->sources_only = before || strcmp(pattern, "/*.sources") == 0;
  for (int i = 1; i < line->words; i++) include(conf, line->word[i], pattern);
  conf->sources_only = before;
}

static void take_line(void *self, const conf_line *line) {
  chrony_conf *conf = self;
  const char *name = line->word[0], *value = line->words > 1 ? line->word[1] : "";
  if (strcasecmp(name, "server") == 0 || strcasecmp(name, "pool") == 0 ||
      strcasecmp(name, "peer") == 0)
    sources_add(&conf->sources, value);
  if (conf->sources_only) return;
  if (strcasecmp(name, "makestep") == 0) take_makestep(conf, line);
  if (strcasecmp(name, "leapsecmode") == 0)
    snprintf(conf->leapsecmode, sizeof conf->leapsecmode, "%s", value);
  if (strcasecmp(name, "leapsectz") == 0 || strcasecmp(name, "leapseclist") == 0)
    conf->leap_file = true;
  if (strcasecmp(name, "include") == 0) include(conf, value, "");
  if (strcasecmp(name, "confdir") == 0) take_folder(conf, line, "/*.conf");
  if (strcasecmp(name, "sourcedir") == 0) take_folder(conf, line, "/*.sources");
}

/* ---- what it means --------------------------------------------------------------------------- */

static void judge_steps(doctor *d, const chrony_conf *conf, const char *path) {
  static const char want[] = "steps in the first updates only: makestep 1 3";
  static const char advice[] =
      "write makestep 1 3; restart a live chronyd with -R, which skips these steps";
  if (!conf->makestep)
    doctor_add(d, DOCTOR_OK, "chrony steps", want, advice, "never: no makestep in %.200s", path);
  else if (conf->step_limit < 0)
    doctor_add(d, DOCTOR_WARN, "chrony steps", want, advice,
               "makestep %g %ld (%s): may step by more than %g s, also back, at any time",
               conf->step_s, conf->step_limit, conf->step_place, conf->step_s);
  else
    doctor_add(d, DOCTOR_OK, "chrony steps", want, advice,
               "makestep %g %ld (%s): in the first %ld updates after each start", conf->step_s,
               conf->step_limit, conf->step_place, conf->step_limit);
}

static void judge_leaps(doctor *d, const chrony_conf *conf) {
  const char *mode = conf->leapsecmode[0] ? conf->leapsecmode : "system";
  bool steps = strcasecmp(mode, "system") == 0 || strcasecmp(mode, "step") == 0;
  doctor_add(d, DOCTOR_OK, "chrony leap seconds", "leapsecmode slew", "write leapsecmode slew",
             steps ? "leapsecmode %s%s: steps back by 1 s; max_wait_ms 1100 rides it out"
                   : "leapsecmode %s%s",
             mode, conf->leapsecmode[0] ? "" : " (default)");
}

void doctor_look_chrony(doctor *d, const char *path) {
  static chrony_conf conf;
  memset(&conf, 0, sizeof conf);
  conf.d = d;
  if (!conf_file(d, path, COMMENT, BLANKS, take_line, &conf)) {
    doctor_add(d, DOCTOR_UNKNOWN, "chrony steps", "steps in the first updates only: makestep 1 3",
               "run flake doctor as somebody who may read it", "cannot read %.200s", path);
    return;
  }
  judge_steps(d, &conf, path);
  judge_leaps(d, &conf);
  sources_judge(d, "chrony sources", &conf.sources, conf.leap_file);
}
