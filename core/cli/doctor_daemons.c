/* SPDX-License-Identifier: MIT */
/*
 * Who steers the clock: the time daemons that run, or else those that are configured.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

#define ARGUMENTS_SIZE 512

/* comm is what /proc shows: at most 15 bytes. */
static const struct {
  const char *comm;
  const char *name;
} programs[] = {
    {"chronyd", "chronyd"},
    {"ntpd", "ntpd"},
    {"systemd-timesyn", "systemd-timesyncd"},
    {"phc2sys", "phc2sys"},
    {"vmtoolsd", "vmtoolsd"},
    {"VBoxService", "VBoxService"},
    {"timemaster", "timemaster"},
};
enum {
  CHRONYD,
  NTPD,
  TIMESYNCD,
  PHC2SYS,
  VMTOOLSD,
  PROGRAMS = sizeof programs / sizeof programs[0]
};

typedef struct process_list {
  bool readable; /* /proc shows processes at all */
  bool seen[PROGRAMS];
  char arguments[PROGRAMS][ARGUMENTS_SIZE]; /* of the one seen, with blanks between */
} process_list;

/* ---- processes ------------------------------------------------------------------------------- */

static void note(const doctor *d, const char *pid, process_list *list) {
  char path[64], comm[64], *arguments;
  snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
  if (doctor_read(d, path, comm, sizeof comm) < 1) return;
  list->readable = true;
  for (int i = 0; i < PROGRAMS; i++) {
    if (strcmp(comm, programs[i].comm) != 0 || list->seen[i]) continue;
    list->seen[i] = true;
    arguments = list->arguments[i];
    snprintf(path, sizeof path, "/proc/%.20s/cmdline", pid);
    long len = doctor_read(d, path, arguments, ARGUMENTS_SIZE);
    for (long at = 0; at < len; at++)
      if (!arguments[at]) arguments[at] = ' ';
  }
}

static void list_processes(const doctor *d, process_list *list) {
  char full[DOCTOR_PATH_SIZE];
  DIR *proc = doctor_path(d, "/proc", full) ? opendir(full) : NULL;
  const struct dirent *entry;
  if (!proc) return;
  while ((entry = readdir(proc)))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') note(d, entry->d_name, list);
  closedir(proc);
}

/* ---- who ------------------------------------------------------------------------------------- */

static const char want_one[] = "one daemon steers the clock: chronyd";

static void look_steering(doctor *d, const process_list *list) {
  char names[160] = "";
  int count = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    if (!list->seen[i]) continue;
    if (count++ > 0) strcat(names, ", ");
    strcat(names, programs[i].name);
  }
  if (count == 0)
    doctor_add(d, DOCTOR_UNKNOWN, "steering", want_one,
               "in a container look at the host, there or with --root; on a host install chrony",
               "%s",
               list->readable ? "no time daemon is running, as far as this process may see"
                              : "/proc shows no process");
  else if (count > 1)
    doctor_add(d, DOCTOR_WARN, "steering", want_one,
               "let one of them set the clock: stop the others, or switch their time sync off",
               "%s: they may set the clock against each other", names);
  else
    doctor_add(d, DOCTOR_OK, "steering", want_one, "", "%s", names);
}

/* The file that an option of the command line names, else the first of paths that exists, else
 * NULL. */
static const char *config_of(const doctor *d, char *arguments, const char *option,
                             const char *const *paths) {
  char *at = strstr(arguments, option);
  if (at) {
    at += strlen(option);
    at += strspn(at, " ");
    at[strcspn(at, " ")] = 0;
    if (*at == '/') return at;
  }
  for (; *paths; paths++)
    if (doctor_exists(d, *paths)) return *paths;
  return NULL;
}

static void look_chrony(doctor *d, process_list *list, bool guess) {
  static const char *const paths[] = {"/etc/chrony/chrony.conf", "/etc/chrony.conf", NULL};
  char arguments[ARGUMENTS_SIZE];
  strcpy(arguments, list->arguments[CHRONYD]);
  const char *path = config_of(d, arguments, " -f", paths);
  if (path && (list->seen[CHRONYD] || guess)) doctor_look_chrony(d, path);
}

static void look_ntpd(doctor *d, process_list *list, bool guess) {
  static const char *const paths[] = {"/etc/ntpsec/ntp.conf", "/etc/ntp.conf", NULL};
  char arguments[ARGUMENTS_SIZE];
  strcpy(arguments, list->arguments[NTPD]);
  const char *path = config_of(d, arguments, " -c", paths);
  if (path && (list->seen[NTPD] || guess))
    doctor_look_ntpd(d, path, list->arguments[NTPD], list->seen[NTPD]);
}

void doctor_look_daemons(doctor *d) {
  static process_list list;
  list_processes(d, &list);
  look_steering(d, &list);
  bool guess = !list.seen[CHRONYD] && !list.seen[NTPD] && !list.seen[TIMESYNCD];
  look_chrony(d, &list, guess);
  look_ntpd(d, &list, guess);
  guess = guess && doctor_exists(d, "/lib/systemd/systemd-timesyncd");
  if (list.seen[TIMESYNCD] || guess) doctor_look_timesyncd(d, list.seen[TIMESYNCD]);
}
