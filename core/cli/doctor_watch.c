/* SPDX-License-Identifier: MIT */
/*
 * flake doctor --watch: steps of the clock as they happen. The kernel cancels a timer when the wall
 * clock is set; a look each second finds steps where a sandbox does not tell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "doctor.h"

#define NS_PER_S INT64_C(1000000000)
#define LOOK_MS 1000

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* A timer that does not end within a lifetime, but when the clock is set. */
static void arm(int timer) {
  struct itimerspec far = {.it_value = {.tv_sec = 0}};
  clock_look now = clock_look_now();
  far.it_value.tv_sec = (time_t)(now.wall_ns / NS_PER_S + 3155695200); /* a hundred years */
  if (timer >= 0) timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far, NULL);
}

/* Whether the clock was set. Arms the timer anew. */
static bool was_set(int timer) {
  uint64_t ends;
  if (timer < 0 || read(timer, &ends, sizeof ends) >= 0 || errno != ECANCELED) return false;
  arm(timer);
  return true;
}

static void print_step(const clock_look *now, int64_t step_ns, bool json) {
  bool back = step_ns < 0;
  uint64_t size_ns = (uint64_t)(back ? -step_ns : step_ns);
  short_text at = show_time(now->wall_ns < 0 ? 0 : now->wall_ns / 1000000);
  if (json)
    out_printf("{\"time\":\"%s\",\"step_ns\":%" PRId64 "}\n", at.text, step_ns);
  else
    out_printf("%s  the clock went %s by %" PRIu64 ".%09" PRIu64 " s\n", at.text,
               back ? "back" : "forward", size_ns / NS_PER_S, size_ns % NS_PER_S);
  out_flush();
}

static void listen_for_interrupts(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = interrupt;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

doctor_level doctor_watch(uint64_t seconds, bool json) {
  doctor_level worst = DOCTOR_OK;
  int timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  struct pollfd waiting = {.fd = timer, .events = POLLIN};
  clock_look last = clock_look_now();
  int64_t end_ns = seconds ? last.steady_ns + (int64_t)seconds * NS_PER_S : INT64_MAX;
  arm(timer);
  listen_for_interrupts();
  if (timer < 0)
    complain("no timer that tells when the clock is set: %s; looking each second", strerror(errno));
  while (!interrupted && last.steady_ns < end_ns) {
    int64_t left_ms = (end_ns - last.steady_ns) / 1000000 + 1;
    poll(&waiting, 1, (int)(left_ms < LOOK_MS ? left_ms : LOOK_MS));
    bool set = was_set(timer);
    clock_look now = clock_look_now();
    int64_t step_ns = clock_step_ns(&last, &now);
    int64_t raw_ns = now.wall_ns - last.wall_ns - (now.steady_ns - last.steady_ns);
    if (step_ns || set) print_step(&now, step_ns ? step_ns : raw_ns, json);
    if (step_ns > 0 && worst > DOCTOR_WARN) worst = DOCTOR_WARN;
    if (step_ns < 0) worst = DOCTOR_FAIL;
    last = now;
  }
  if (timer >= 0) close(timer);
  return worst;
}
