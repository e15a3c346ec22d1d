/* SPDX-License-Identifier: MIT */
/*
 * What else IDs depend on: the layout's end, the directory of the lock files, and whether this
 * machine may be a copy of another.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"

#define YEAR_MS INT64_C(31556952000)

void doctor_look_layout(doctor *d) {
  static const char want[] = "the clock reads after the epoch, more than a year is left";
  int64_t at_ms = now_ms(), expires_ms = flake_layout_expires_ms(&d->layout);
  flake_status status = flake_layout_check(&d->layout, at_ms);
  short_text layout = show_layout(&d->layout);
  if (status)
    doctor_add(d, DOCTOR_FAIL, "layout", want, flake_status_text(status), "%s at %s: %s",
               layout.text, show_time(at_ms < 0 ? 0 : at_ms).text, flake_status_name(status));
  else
    doctor_add(d, expires_ms - at_ms < YEAR_MS ? DOCTOR_WARN : DOCTOR_OK, "layout", want,
               "move to a layout with more time bits: flake plan, flake check-migration",
               "%s ends %s, %" PRId64 " years are left", layout.text, show_date(expires_ms).text,
               (expires_ms - at_ms) / YEAR_MS);
}

/* ---- the run directory ----------------------------------------------------------------------- */

/* As core/guard.c: a real directory of this user or root, sticky where others may write. NULL, or
 * what is wrong. */
static const char *fault_of(const char *path) {
  struct stat st;
  int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (dir < 0) return "cannot be opened as a directory";
  bool known = fstat(dir, &st) == 0;
  bool writable = faccessat(dir, ".", W_OK | X_OK, AT_EACCESS) == 0;
  close(dir);
  if (!known || (st.st_uid != 0 && st.st_uid != geteuid())) return "belongs to another user";
  if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
    return "can be written by others and is not sticky";
  return writable ? NULL : "cannot be written by this user";
}

/* Whether somebody holds a lock on the file, by /proc/locks: trying would take the lock away from
 * a generator that opens just then. */
static bool is_held(unsigned long inode) {
  static const doctor here = {.root = ""};
  static char locks[65536];
  char end[32];
  snprintf(end, sizeof end, ":%lu 0 EOF", inode);
  if (doctor_read(&here, "/proc/locks", locks, sizeof locks) < 0) return false;
  for (char *rest, *line = strtok_r(locks, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (strstr(line, "FLOCK") && strstr(line, end)) return true;
  return false;
}

static void look_guard(doctor *d, const char *path) {
  char held[200] = "";
  size_t len = 0;
  int count = 0;
  DIR *dir = opendir(path);
  const struct dirent *entry;
  while (dir && (entry = readdir(dir))) {
    const char *name = entry->d_name;
    const char *end = strstr(name, ".lock");
    if (strncmp(name, "flakecore.", 10) != 0 || !end || !is_held(entry->d_ino)) continue;
    if (count++ < 3)
      len += (size_t)snprintf(held + len, sizeof held - len, "%s%.*s", len ? ", " : ": ",
                              (int)(end - name - 10 < 50 ? end - name - 10 : 50), name + 10);
  }
  if (dir) closedir(dir);
  doctor_add(d, DOCTOR_OK, "guard", "each node is held by one process of this host", "",
             "%d node%s in use%s%s", count, count == 1 ? "" : "s", held, count > 3 ? ", ..." : "");
}

/* Of this process, whatever the root: it is here that a generator would lock. */
void doctor_look_run_dir(doctor *d) {
  static const char *const usual[] = {"/run/lock", "/dev/shm", "/tmp"};
  static const char want[] = "a directory for lock files that all processes of the host see";
  static const char advice[] =
      "set FLAKECORE_RUN_DIR to a local directory that this user owns and others cannot write to";
  const char *chosen = getenv("FLAKECORE_RUN_DIR"), *fault = "";
  const char *path = "";
  for (int i = 0; i < (chosen ? 1 : 3) && fault; i++) {
    path = chosen ? chosen : usual[i];
    fault = fault_of(path);
  }
  if (fault) {
    doctor_add(d, DOCTOR_FAIL, "run directory", want, advice, "%.200s %s%s", path, fault,
               chosen ? " (FLAKECORE_RUN_DIR)" : "; nor can the ones before it be used");
    return;
  }
  doctor_add(d, DOCTOR_OK, "run directory", want, advice, "%.200s%s", path,
             chosen ? " (FLAKECORE_RUN_DIR)" : "");
  look_guard(d, path);
}

/* ---- clones ---------------------------------------------------------------------------------- */

/* By the names that ACPI or the driver give it. */
static bool has_generation_id(const doctor *d) {
  static const char *const folders[] = {"/sys/bus/acpi/devices", "/sys/bus/acpi/drivers/vmgenid",
                                        "/sys/bus/platform/drivers/vmgenid"};
  static const char *const names[] = {"VMGENCTR", "QEMUVGID", "VMW0001", "MSFT1000"};
  char full[DOCTOR_PATH_SIZE];
  bool found = false;
  for (int i = 0; i < 3 && !found; i++) {
    DIR *dir = doctor_path(d, folders[i], full) ? opendir(full) : NULL;
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
      if (i > 0) found = found || strchr(entry->d_name, ':') || strstr(entry->d_name, "vmgenid");
      for (int n = 0; n < 3; n++) found = found || strncmp(entry->d_name, names[n], 8) == 0;
    }
    if (dir) closedir(dir);
  }
  return found || doctor_exists(d, "/sys/class/misc/vmclock0");
}

static void look_generation_id(doctor *d) {
  static const char want[] = "a generation ID, so that a copy of the machine can notice it";
  static const char advice[] =
      "after a snapshot or clone restart the services, and give each copy nodes of its own";
  char cpu[4096];
  bool readable = doctor_read(d, "/proc/cpuinfo", cpu, sizeof cpu) > 0;
  if (has_generation_id(d))
    doctor_add(d, DOCTOR_OK, "machine", want, advice, "virtual, with a generation ID");
  else if (!readable)
    doctor_add(d, DOCTOR_UNKNOWN, "machine", want, advice, "/proc/cpuinfo cannot be read");
  else if (strstr(cpu, " hypervisor"))
    doctor_add(d, DOCTOR_UNKNOWN, "machine", want, advice,
               "virtual, without a generation ID: a copy of it looks the same");
  else
    doctor_add(d, DOCTOR_OK, "machine", want, advice, "no hypervisor is seen");
}

/* Whether it is 32 hexadecimal digits, not all the same. */
static bool is_machine_id(const char *id) {
  return strlen(id) == 32 && strspn(id, "0123456789abcdef") == 32 &&
         strspn(id, (char[]){id[0], 0}) < 32;
}

static void look_machine_id(doctor *d) {
  static const char want[] = "32 hexadecimal digits that no other machine has";
  static const char advice[] =
      "empty /etc/machine-id in the image and let each machine make its own "
      "(systemd-machine-id-setup)";
  char id[64];
  long len = doctor_read(d, "/etc/machine-id", id, sizeof id);
  if (len < 0)
    doctor_add(d, DOCTOR_UNKNOWN, "machine-id", want, advice, "/etc/machine-id cannot be read");
  else if (!is_machine_id(id))
    doctor_add(d, DOCTOR_WARN, "machine-id", want, advice, "\"%s\"%s", id,
               len == 0 ? " (empty)" : "");
  else
    doctor_add(d, DOCTOR_OK, "machine-id", want, advice, "%.8s... is one", id);
}

static void look_hostname(doctor *d) {
  static const char *const defaults[] = {
      "",           "(none)",    "localhost", "localhost.localdomain", "localhost.local",
      "localhost4", "localhost6"};
  static const char want[] = "a name of its own: it marks logs, and hostname-ordinal reads it";
  static const char advice[] = "hostnamectl set-hostname NAME, or the pod's or container's name";
  char name[128];
  if (doctor_read(d, "/proc/sys/kernel/hostname", name, sizeof name) < 0) {
    doctor_add(d, DOCTOR_UNKNOWN, "hostname", want, advice, "/proc does not say");
    return;
  }
  doctor_level level = DOCTOR_OK;
  for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
    if (strcmp(name, defaults[i]) == 0) level = DOCTOR_WARN;
  doctor_add(d, level, "hostname", want, advice, "\"%s\"", name);
}

void doctor_look_clones(doctor *d) {
  look_generation_id(d);
  look_machine_id(d);
  look_hostname(d);
}
