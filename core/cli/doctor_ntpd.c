/* SPDX-License-Identifier: MIT */
/*
 * What ntpd (ntp.org or NTPsec) and systemd-timesyncd may do by their configurations.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

#define BLANKS " \t\r\n"
#define DEPTH_MAX 5

/* ---- ntpd ------------------------------------------------------------------------------------ */

typedef struct ntp_conf {
  const doctor *d;
  int depth;
  source_list sources;
  bool leap_file;
  bool slews;    /* -x */
  double step_s; /* tinker step, or below 0 */
  double back_s; /* tinker stepback, or below 0 */
} ntp_conf;

static void take_ntp(void *self, const conf_line *line);

/* A file, or all *.conf of a folder, as NTPsec allows. */
static void include(ntp_conf *conf, const char *path) {
  char full[DOCTOR_PATH_SIZE];
  if (conf->depth == DEPTH_MAX) return;
  conf->depth++;
  snprintf(full, sizeof full, "%s/*.conf", path);
  if (!conf_file(conf->d, path, "#\n\r", BLANKS, take_ntp, conf))
    conf_glob(conf->d, full, "#\n\r", BLANKS, take_ntp, conf);
  conf->depth--;
}

static void take_tinker(ntp_conf *conf, const conf_line *line) {
  for (int i = 1; i + 1 < line->words; i += 2) {
    double value = strtod(line->word[i + 1], NULL);
    if (strcmp(line->word[i], "step") == 0) conf->step_s = value;
    if (strcmp(line->word[i], "stepback") == 0) conf->back_s = value;
  }
}

static void take_ntp(void *self, const conf_line *line) {
  ntp_conf *conf = self;
  const char *name = line->word[0];
  int at = 1; /* "server -4 host" */
  while (at < line->words && line->word[at][0] == '-') at++;
  const char *value = at < line->words ? line->word[at] : "";
  if (strcmp(name, "server") == 0 || strcmp(name, "pool") == 0 || strcmp(name, "peer") == 0)
    sources_add(&conf->sources, value);
  if (strcmp(name, "tinker") == 0) take_tinker(conf, line);
  if (strcmp(name, "leapfile") == 0) conf->leap_file = true;
  if (strcmp(name, "includefile") == 0 || strcmp(name, "include") == 0) include(conf, value);
}

/* Whether the option -x is among arguments, also together with others ("-gx"). */
static bool has_x(const char *arguments) {
  for (const char *at = strchr(arguments, '-'); at; at = strchr(at + 1, '-')) {
    if (at > arguments && !strchr(" \t\"'=", at[-1])) continue;
    size_t len = strcspn(at, " \t\"'");
    if (len == 6 && strncmp(at, "--slew", 6) == 0) return true;
    if (len > 1 && at[1] != '-' && memchr(at, 'x', len)) return true;
  }
  return false;
}

/* NTPD_OPTS="-g -x" and the like, for a daemon that is not seen running. */
static void take_default(void *self, const conf_line *line) {
  ntp_conf *conf = self;
  const char *name = line->word[0];
  if (strncmp(name, "NTPD_OPTS", 9) != 0 && strncmp(name, "OPTIONS", 7) != 0) return;
  conf->slews = false;
  for (int i = 0; i < line->words; i++) conf->slews = conf->slews || has_x(line->word[i]);
}

static void judge_ntp_steps(doctor *d, const ntp_conf *conf, const char *path) {
  static const char want[] = "none while services run: -x, tinker step 0 or tinker stepback 0";
  static const char advice[] = "write tinker step 0, or use chrony with makestep 1 3";
  double step_s = conf->step_s < 0 ? 0.128 : conf->step_s;
  if (conf->step_s == 0)
    doctor_add(d, DOCTOR_OK, "ntpd steps", want, advice, "never: tinker step 0 (%.200s)", path);
  else if (conf->back_s == 0)
    doctor_add(d, DOCTOR_OK, "ntpd steps", want, advice, "never back: tinker stepback 0 (%.200s)",
               path);
  else if (conf->slews)
    doctor_add(d, DOCTOR_OK, "ntpd steps", want, advice, "-x: only beyond 600 s");
  else
    doctor_add(d, DOCTOR_WARN, "ntpd steps", want, advice,
               "may step by more than %g s, also back, at any time (%.200s)", step_s, path);
}

void doctor_look_ntpd(doctor *d, const char *path, const char *arguments, bool running) {
  static const char *const defaults[] = {"/etc/default/ntpsec", "/etc/default/ntp",
                                         "/etc/sysconfig/ntpd"};
  static ntp_conf conf;
  memset(&conf, 0, sizeof conf);
  conf.d = d;
  conf.step_s = conf.back_s = -1;
  conf.slews = has_x(arguments);
  for (int i = 0; i < 3 && !running; i++)
    if (conf_file(d, defaults[i], "#\n\r", BLANKS, take_default, &conf)) break;
  if (!conf_file(d, path, "#\n\r", BLANKS, take_ntp, &conf)) {
    doctor_add(d, DOCTOR_UNKNOWN, "ntpd steps", "none while services run",
               "run flake doctor as somebody who may read it", "cannot read %.200s", path);
    return;
  }
  judge_ntp_steps(d, &conf, path);
  sources_judge(d, "ntpd sources", &conf.sources, conf.leap_file);
}

/* ---- systemd-timesyncd ----------------------------------------------------------------------- */

typedef struct timesyncd_conf {
  source_list named;    /* NTP= */
  source_list fallback; /* FallbackNTP=, used when no other is known */
} timesyncd_conf;

/* "NTP=a b": the words add to the list, no word at all empties it. */
static void take_timesyncd(void *self, const conf_line *line) {
  timesyncd_conf *conf = self;
  source_list *list = strcmp(line->word[0], "NTP") == 0           ? &conf->named
                      : strcmp(line->word[0], "FallbackNTP") == 0 ? &conf->fallback
                                                                  : NULL;
  if (!list) return;
  if (line->words == 1) list->count = 0;
  for (int i = 1; i < line->words; i++) sources_add(list, line->word[i]);
}

void doctor_look_timesyncd(doctor *d, bool running) {
  static const char *const folders[] = {"/etc", "/run", "/usr/local/lib", "/usr/lib"};
  static timesyncd_conf conf;
  char path[DOCTOR_PATH_SIZE];
  memset(&conf, 0, sizeof conf);
  for (int i = 0; i < 4; i++) { /* the first file alone, then the drop-ins of all folders */
    snprintf(path, sizeof path, "%s/systemd/timesyncd.conf", folders[i]);
    if (conf_file(d, path, "#;[\n\r", BLANKS "=", take_timesyncd, &conf)) break;
  }
  for (int i = 3; i >= 0; i--) {
    snprintf(path, sizeof path, "%s/systemd/timesyncd.conf.d/*.conf", folders[i]);
    conf_glob(d, path, "#;[\n\r", BLANKS "=", take_timesyncd, &conf);
  }
  doctor_add(d, running ? DOCTOR_WARN : DOCTOR_UNKNOWN, "timesyncd steps",
             "a daemon that slews: chrony with makestep 1 3",
             "replace it by chrony; until then keep max_wait_ms above the steps you have seen",
             "systemd-timesyncd%s: steps from 0.4 s on, also back, at any time",
             running ? "" : " is installed, not seen running");
  sources_judge(d, "timesyncd sources", conf.named.count ? &conf.named : &conf.fallback, false);
}
