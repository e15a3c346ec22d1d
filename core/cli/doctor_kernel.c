/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of its clock, and two looks at the clock itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "doctor.h"

#define NS_PER_S INT64_C(1000000000)
#define LOOK_NS (NS_PER_S / 10)  /* the two looks lie so far apart */
#define STEP_NS INT64_C(1000000) /* less is not told from noise */
#define ERROR_MAX_US 1000000
#define READ_MAX_NS 200

/* ---- the kernel's account -------------------------------------------------------------------- */

#define ADVICE_CONTAINER \
  "a container's clock is its host's: run flake doctor there, outside its seccomp profile"

static void look_leap(doctor *d, const struct timex *kernel, int state) {
  bool insert = kernel->status & STA_INS || state == TIME_INS || state == TIME_OOP;
  bool skip = kernel->status & STA_DEL || state == TIME_DEL;
  static const char want[] = "none announced, or smeared or slewed";
  if (insert)
    doctor_add(d, DOCTOR_WARN, "leap second", want,
               "chrony: leapsecmode slew; else keep max_wait_ms or max_lead_ms over 1000 "
               "(docs/clock.md)",
               "one is inserted at the end of the UTC day: the kernel steps back by 1 s");
  else if (skip)
    doctor_add(d, DOCTOR_WARN, "leap second", want,
               "nothing for IDs: a step forward leaves a gap; chrony: leapsecmode slew avoids it",
               "one is left out at the end of the UTC day: the kernel steps forward by 1 s");
  else
    doctor_add(d, DOCTOR_OK, "leap second", want, "", "none announced to the kernel");
}

static void look_errors(doctor *d, const struct timex *kernel) {
  static const char want[] = "at most 1 s: IDs of hosts are in order only so far apart";
  static const char advice[] = "chronyc sources, ntpq -p: is a source reachable, and near?";
  doctor_level level = kernel->maxerror > ERROR_MAX_US ? DOCTOR_WARN : DOCTOR_OK;
  doctor_add(d, level, "clock error", want, advice, "at most %ld.%06ld s, estimated %ld.%06ld s",
             (long)kernel->maxerror / 1000000, (long)kernel->maxerror % 1000000,
             (long)kernel->esterror / 1000000, (long)kernel->esterror % 1000000);
}

void doctor_look_kernel(doctor *d) {
  static const char want[] = "synchronised, by the kernel's account (adjtimex)";
  struct timex kernel;
  memset(&kernel, 0, sizeof kernel);
  int state = adjtimex(&kernel); /* modes 0: reads only */
  if (state < 0) {
    doctor_add(d, DOCTOR_UNKNOWN, "sync", want, ADVICE_CONTAINER, "adjtimex: %s", strerror(errno));
    doctor_add(d, DOCTOR_UNKNOWN, "leap second", "none announced, or smeared or slewed",
               ADVICE_CONTAINER, "adjtimex: %s", strerror(errno));
    return;
  }
  bool synchronised = state != TIME_ERROR && !(kernel.status & STA_UNSYNC);
  if (synchronised)
    doctor_add(d, DOCTOR_OK, "sync", want, "", "the clock is synchronised (status 0x%04x)",
               (unsigned)kernel.status);
  else
    doctor_add(d, DOCTOR_WARN, "sync", want,
               "start chrony and wait for it (chronyc waitsync) before services; the first "
               "correction may be a step",
               "the clock is not synchronised (status 0x%04x%s)", (unsigned)kernel.status,
               kernel.status & STA_UNSYNC ? ", STA_UNSYNC" : "");
  look_leap(d, &kernel, state);
  if (synchronised) look_errors(d, &kernel);
}

/* ---- two looks at the clock ------------------------------------------------------------------ */

static int64_t read_ns(clockid_t id) {
  struct timespec now = {0};
  clock_gettime(id, &now);
  return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* The best of some: the two readings of the steady clock close around the one of the wall clock. */
clock_look clock_look_now(void) {
  clock_look best = {.unsure_ns = INT64_MAX};
  for (int i = 0; i < 16; i++) {
    int64_t before_ns = read_ns(CLOCK_BOOTTIME), wall_ns = read_ns(CLOCK_REALTIME);
    int64_t after_ns = read_ns(CLOCK_BOOTTIME);
    if (after_ns - before_ns < best.unsure_ns)
      best = (clock_look){wall_ns, before_ns + (after_ns - before_ns) / 2, after_ns - before_ns};
  }
  return best;
}

int64_t clock_step_ns(const clock_look *before, const clock_look *after) {
  int64_t step_ns = after->wall_ns - before->wall_ns - (after->steady_ns - before->steady_ns);
  int64_t noise_ns = STEP_NS + before->unsure_ns + after->unsure_ns;
  return step_ns < -noise_ns || step_ns > noise_ns ? step_ns : 0;
}

void doctor_look_step(doctor *d) {
  static const char want[] = "the wall clock goes as far as the steady one";
  static const char advice[] =
      "find who sets the clock (docs/clock.md, on call) and let it slew; do not restart services";
  int64_t passed_ns = read_ns(CLOCK_BOOTTIME) - d->start.steady_ns;
  if (passed_ns < LOOK_NS) nanosleep(&(struct timespec){.tv_nsec = LOOK_NS - passed_ns}, NULL);
  clock_look now = clock_look_now();
  int64_t step_ns = clock_step_ns(&d->start, &now);
  double passed_s = (double)(now.steady_ns - d->start.steady_ns) / NS_PER_S;
  if (now.wall_ns == d->start.wall_ns)
    doctor_add(d, DOCTOR_FAIL, "step", want, "look at the VM and its clock source",
               "the wall clock stood still for %.2f s", passed_s);
  else if (step_ns)
    doctor_add(d, step_ns < 0 ? DOCTOR_FAIL : DOCTOR_WARN, "step", want, advice,
               "the wall clock went %s by %.6f s within %.2f s", step_ns < 0 ? "back" : "forward",
               (double)(step_ns < 0 ? -step_ns : step_ns) / NS_PER_S, passed_s);
  else
    doctor_add(d, DOCTOR_OK, "step", want, advice, "none within %.2f s (more: --watch)", passed_s);
}

/* ---- what a reading costs -------------------------------------------------------------------- */

static double read_cost_ns(void) {
  enum { BATCHES = 16, READS = 1000 };
  int64_t best_ns = INT64_MAX;
  struct timespec now;
  for (int batch = 0; batch < BATCHES; batch++) {
    int64_t start_ns = read_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < READS; i++) clock_gettime(CLOCK_REALTIME, &now);
    int64_t took_ns = read_ns(CLOCK_MONOTONIC) - start_ns;
    if (took_ns < best_ns) best_ns = took_ns;
  }
  return (double)best_ns / READS;
}

void doctor_look_clocksource(doctor *d) {
  static const char folder[] = "/sys/devices/system/clocksource/clocksource0/";
  static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
  char path[DOCTOR_PATH_SIZE], current[64], available[160];
  doctor_level level = DOCTOR_OK;
  snprintf(path, sizeof path, "%scurrent_clocksource", folder);
  if (doctor_read(d, path, current, sizeof current) < 1) {
    strcpy(current, "not readable");
    level = DOCTOR_UNKNOWN;
  }
  snprintf(path, sizeof path, "%savailable_clocksource", folder);
  if (doctor_read(d, path, available, sizeof available) < 0) strcpy(available, "?");
  for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
    if (strcmp(current, slow[i]) == 0) level = DOCTOR_WARN;
  doctor_add(d, level, "clock source", "one that user space can read: tsc, kvm-clock, ...",
             "journalctl -k | grep clocksource says why the kernel left a better one",
             "%s (available: %s)", current, available);
  double cost_ns = read_cost_ns();
  doctor_add(d, cost_ns > READ_MAX_NS ? DOCTOR_WARN : DOCTOR_OK, "clock reading",
             "at most 200 ns; more is a system call for each ID",
             "another clock source (above), or FLAKE_CLOCK_COARSE with a wide sequence", "%.0f ns",
             cost_ns);
}
