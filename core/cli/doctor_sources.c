/* SPDX-License-Identifier: MIT */
/*
 * Servers that smear leap seconds, by their operators' documentation: during a smear they differ
 * from plain ones by up to a second, and a client of both may step. Whatever is not known counts as
 * plain only beside one that smears.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "doctor.h"

/* Of one kind: smeared alike. A name that begins with a dot stands for all names that end so. */
static const struct {
  const char *name;
  char kind;
} smearing[] = {
    /* 24 hours, linear, noon to noon UTC */
    {"time.google.com", 'a'},
    {"time1.google.com", 'a'},
    {"time2.google.com", 'a'},
    {"time3.google.com", 'a'},
    {"time4.google.com", 'a'},
    {"time.android.com", 'a'},
    {"metadata.google.internal", 'a'},
    {"169.254.169.254", 'a'},
    {"time.aws.com", 'a'},
    {".time.aws.com", 'a'},
    {"169.254.169.123", 'a'},
    {"fd00:ec2::123", 'a'},
    {"smear.public-utc.com", 'u'},
    /* some 17 hours after the leap second, quadratic */
    {"time.facebook.com", 'f'},
    {"time1.facebook.com", 'f'},
    {"time2.facebook.com", 'f'},
    {"time3.facebook.com", 'f'},
    {"time4.facebook.com", 'f'},
    {"time5.facebook.com", 'f'},
};

/* The kind of smear, or 0. A trailing dot is part of a full name. */
static char kind_of(const char *source) {
  size_t len = strlen(source);
  if (len > 0 && source[len - 1] == '.') len--;
  for (size_t i = 0; i < sizeof smearing / sizeof smearing[0]; i++) {
    const char *name = smearing[i].name;
    size_t name_len = strlen(name);
    bool any = name[0] == '.' && len > name_len;
    if ((any || len == name_len) && strncasecmp(source + len - name_len, name, name_len) == 0)
      return smearing[i].kind;
  }
  return 0;
}

void sources_add(source_list *list, const char *name) {
  bool clock = strncmp(name, "127.127.", 8) == 0; /* a reference clock of ntpd: no server */
  if (!name[0] || clock || list->count == SOURCES_MAX) return;
  for (int i = 0; i < list->count; i++)
    if (strcasecmp(list->name[i], name) == 0) return;
  snprintf(list->name[list->count++], sizeof list->name[0], "%s", name);
}

void sources_judge(doctor *d, const char *daemon, const source_list *list, bool leap_file) {
  static const char want[] = "all smear alike, or none does";
  const char *smeared = NULL, *other = NULL;
  char kind = 0;
  for (int i = 0; i < list->count; i++) {
    char this_kind = kind_of(list->name[i]);
    if (this_kind && !smeared) {
      kind = this_kind;
      smeared = list->name[i];
    }
  }
  for (int i = 0; i < list->count && smeared; i++)
    if (kind_of(list->name[i]) != kind && !other) other = list->name[i];
  if (other)
    doctor_add(d, DOCTOR_WARN, daemon, want,
               "use sources of one kind: at a leap second they are up to 1 s apart, and the daemon "
               "may step between them",
               "%s smears leap seconds, %s %s", smeared, other,
               kind_of(other) ? "in another way" : "is not known to");
  else if (smeared && leap_file)
    doctor_add(d, DOCTOR_WARN, daemon, "no leap second list beside smeared sources",
               "remove leapsectz, leapseclist or leapfile: the leap second would count twice",
               "%s smears leap seconds, and a list announces them too", smeared);
  else if (list->count == 0)
    doctor_add(d, DOCTOR_UNKNOWN, daemon, want, "they may come by DHCP: chronyc sources, ntpq -p",
               "no server is configured");
  else
    doctor_add(d, DOCTOR_OK, daemon, want, "", "%d, %s smeared: %s%s", list->count,
               smeared ? "all" : "none known to be", list->name[0], list->count > 1 ? ", ..." : "");
}
