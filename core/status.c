/* SPDX-License-Identifier: MIT */
/*
 * Status codes as name, class and sentence, and the version. A sentence says what the status means,
 * then what to do.
 */
#include "internal.h"

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

static const struct {
  const char *name;
  flake_class class;
  const char *text;
} statuses[] = {
    {"ok", FLAKE_CLASS_OK, "done"},
    {"invalid_argument", FLAKE_CLASS_CALLER,
     "an argument is outside its documented range; correct the call"},
    {"bad_layout", FLAKE_CLASS_CALLER,
     "this is not a layout; write it as 41/10/12 (bits of time/node/sequence), in full as "
     "t41n10s12@1735689600000, with *10ms for another tick, or name a preset such as twitter"},
    {"node_out_of_range", FLAKE_CLASS_CALLER,
     "the node does not fit the layout's node field; give a number from 0 to 2^node_bits - 1"},
    {"no_node", FLAKE_CLASS_CALLER,
     "no node is configured and there is no default; give each live generator of the space a "
     "node number of its own"},
    {"node_in_use", FLAKE_CLASS_OPERATOR,
     "another generator holds this node of this space; share that one or choose another node"},
    {"clock_rewound", FLAKE_CLASS_OPERATOR,
     "the wall clock reads earlier than it was seen before, or than start_floor_ms; calls are "
     "refused "
     "until it has caught up: check what set it back (docs/clock.md)"},
    {"clock_frozen", FLAKE_CLASS_OPERATOR,
     "the wall clock stands still and its tick is used up; check the host's clock (docs/clock.md)"},
    {"before_epoch", FLAKE_CLASS_OPERATOR,
     "the time is earlier than the layout's epoch; set the clock, or correct the epoch"},
    {"time_used_up", FLAKE_CLASS_OPERATOR,
     "the layout's time field has ended; move to a layout with more bits of time or a later epoch"},
    {"exhausted", FLAKE_CLASS_RETRY,
     "every sequence number that may be used now is spent; retry, allow a longer max_wait_ms (in "
     "monotonic mode max_lead_ms), or choose a layout with more sequence bits"},
    {"deadline_passed", FLAKE_CLASS_RETRY,
     "the generator's first tick did not begin within max_wait_ms (in monotonic mode max_lead_ms); "
     "retry, or allow more"},
    {"ceiling_reached", FLAKE_CLASS_OPERATOR,
     "the generator's right to issue ends here; open one with a higher ceiling_ms"},
    {"lease_lost", FLAKE_CLASS_RETRY, "the lease belongs to another holder now; acquire a new one"},
    {"forked", FLAKE_CLASS_CALLER,
     "the process was forked after this generator was opened, and its parent goes on with the same "
     "numbers; open a generator with a node of its own in the child"},
    {"closed", FLAKE_CLASS_CALLER, "the generator is closed; open one"},
    {"layout_differs", FLAKE_CLASS_CALLER,
     "the space is pinned to another layout; use that layout, or name another space"},
    {"store_unreachable", FLAKE_CLASS_RETRY, "the lease store does not answer; retry later"},
    {"bad_file", FLAKE_CLASS_OPERATOR, "the state file is short, damaged, foreign or a copy"},
    {"bad_text", FLAKE_CLASS_CALLER, "the text is not an ID in the format asked for"},
    {"no_entropy", FLAKE_CLASS_OPERATOR,
     "the kernel gave no random bytes; check that getrandom(2) is allowed"},
    {"out_of_memory", FLAKE_CLASS_OPERATOR, "the system gave no memory or no file descriptor"},
    {"not_supported", FLAKE_CLASS_CALLER,
     "this layout, build or system cannot do that; a layout that generates has time on top, at "
     "most 43 bits of time and at most 63 bits in all"},
    {"again", FLAKE_CLASS_RETRY,
     "nothing is to be had yet; sleep attempt.wait_ns, then step again"},
    {"no_run_dir", FLAKE_CLASS_OPERATOR,
     "no directory can hold the node's lock file; set FLAKECORE_RUN_DIR to a local directory that "
     "this user owns, or switch the guard off with host_guard if nothing else uses this node"},
};

_Static_assert(sizeof statuses / sizeof statuses[0] == -FLAKE_STATUS_END,
               "every status has a name, a class and a text");

/* The row of a status, or -1. */
static int row_of(int64_t status) {
  if (status > 0) return 0;
  return status > FLAKE_STATUS_END ? (int)-status : -1;
}

const char *flake_status_name(int64_t status) {
  int row = row_of(status);
  return row < 0 ? "unknown" : statuses[row].name;
}

const char *flake_status_text(int64_t status) {
  int row = row_of(status);
  return row < 0 ? "unknown status; the library is newer than the program that asks"
                 : statuses[row].text;
}

flake_class flake_status_class(int64_t status) {
  int row = row_of(status);
  return row < 0 ? FLAKE_CLASS_OPERATOR : statuses[row].class;
}

const char *flake_version(void) {
  return VERSION_TEXT(FLAKE_VERSION_MAJOR, FLAKE_VERSION_MINOR, FLAKE_VERSION_PATCH);
}
