/* SPDX-License-Identifier: MIT */
/*
 * flakecore: time-ordered unique 64-bit IDs (Snowflake: time, node, sequence), made in process.
 *
 *      63  62                         22  21          12  11            0
 *     +---+------------------------------+--------------+---------------+
 *     | 0 |  time: ticks since the epoch |     node     |   sequence    |   default 41/10/12, 1 ms
 *     +---+------------------------------+--------------+---------------+
 *
 *     flake_config config;
 *     flake_generator *gen;
 *     if (flake_config_init(&config, sizeof config) != FLAKE_OK) ...
 *     config.node = 7;
 *     if (flake_open(&config, NULL, &gen) != FLAKE_OK) ...
 *     int64_t id = flake_next(gen);         (positive: an ID; negative: a flake_status)
 *
 * The rules, stated once for every declaration:
 * - A call that yields an ID returns it (always > 0) or a negative flake_status. Other calls return
 *   a flake_status, or a count (>= 0) or a negative flake_status where the comment says so.
 * - Handle first, then inputs, then outputs. A length follows its buffer. Outputs are written only
 *   on success. Units stand last in a name: unix_ms is Unix time in milliseconds.
 * - Pointers must not be NULL unless the comment allows it. A NULL is answered with
 *   FLAKE_E_INVALID_ARGUMENT, but for the handle of flake_next and flake_next_step, which is not
 *   looked at there: no instruction is spent on it.
 * - A wrong value is refused. Nothing is masked, wrapped, truncated or defaulted.
 * - Every function may be called from any thread at any time. The library never aborts, prints,
 *   starts a thread, installs a handler, or takes a lock on the way to an ID.
 * - Text with a length needs no NUL; returned text is static or ends with NUL. All text is ASCII.
 *
 * Between "api begin" and "api end" stand only integer defines, plain enums, fixed-width structs,
 * opaque types and prototypes, so that cffi, SWIG and cgo read this file as it is.
 */
#ifndef FLAKECORE_H
#define FLAKECORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* api begin */

/* ---- version ------------------------------------------------------------------------------ */

#define FLAKE_VERSION_MAJOR 0 /* of this header; a change breaks the ABI */
#define FLAKE_VERSION_MINOR 1 /* of this header; a change adds to it */
#define FLAKE_VERSION_PATCH 0 /* of this header; a change mends */

/* The version of the library that is loaded, "0.1.0". Compare it with FLAKE_VERSION_* to find a
 * header and a library that do not belong together. */
const char *flake_version(void);

/* ---- status codes ------------------------------------------------------------------------- */

/* Numbered, part of the ABI: never renumbered, only appended before FLAKE_STATUS_END. */
typedef enum flake_status {
  FLAKE_OK = 0,
  FLAKE_E_INVALID_ARGUMENT = -1,   /* a value outside its documented range: correct the call */
  FLAKE_E_BAD_LAYOUT = -2,         /* fields do not fit, or text is not a layout: correct it */
  FLAKE_E_NODE_OUT_OF_RANGE = -3,  /* the node does not fit the layout's node field */
  FLAKE_E_NO_NODE = -4,            /* no node configured: there is no default, choose one */
  FLAKE_E_NODE_IN_USE = -5,        /* another generator holds this node of this space */
  FLAKE_E_CLOCK_REWOUND = -6,      /* the clock reads earlier than it was seen, or the floor */
  FLAKE_E_CLOCK_FROZEN = -7,       /* the clock stands still: mend the clock */
  FLAKE_E_BEFORE_EPOCH = -8,       /* earlier than the layout's epoch: clock or epoch wrong */
  FLAKE_E_TIME_USED_UP = -9,       /* the time field has ended: move to another layout */
  FLAKE_E_EXHAUSTED = -10,         /* every sequence number that may be used is spent: retry */
  FLAKE_E_DEADLINE_PASSED = -11,   /* max_wait_ms ended before the first tick began: retry later */
  FLAKE_E_CEILING_REACHED = -12,   /* the right to issue ends here: renew it, then retry */
  FLAKE_E_LEASE_LOST = -13,        /* the lease belongs to another holder: acquire anew */
  FLAKE_E_FORKED = -14,            /* opened before a fork, used in the child: open one there */
  FLAKE_E_CLOSED = -15,            /* the generator is closed: open one */
  FLAKE_E_LAYOUT_DIFFERS = -16,    /* the space is pinned to another layout */
  FLAKE_E_STORE_UNREACHABLE = -17, /* the lease store does not answer: retry later */
  FLAKE_E_BAD_FILE = -18,          /* a state file is short, damaged, foreign or copied */
  FLAKE_E_BAD_TEXT = -19,          /* text is not an ID in the format asked for */
  FLAKE_E_NO_ENTROPY = -20,        /* the kernel gave no random bytes */
  FLAKE_E_OUT_OF_MEMORY = -21,     /* the system gave no memory or descriptor */
  FLAKE_E_NOT_SUPPORTED = -22,     /* this build, system or layout cannot do that */
  FLAKE_E_AGAIN = -23,             /* only from *_step: sleep attempt.wait_ns, then call again */
  FLAKE_E_NO_RUN_DIR = -24,        /* no directory can hold the node's lock file */
  FLAKE_STATUS_END = -25           /* sentinel: one below the last code */
} flake_status;

/* Whose turn it is when a status comes back. */
typedef enum flake_class {
  FLAKE_CLASS_OK = 0,
  FLAKE_CLASS_CALLER = 1,  /* the caller's mistake: the same call will fail again */
  FLAKE_CLASS_RETRY = 2,   /* may pass by itself: retry later */
  FLAKE_CLASS_OPERATOR = 3 /* somebody must mend the clock, a file, a limit or the host */
} flake_class;

/* The stable name of a status without prefix, "clock_rewound"; "unknown" for any other number.
 * Takes what flake_next returned as it is; any ID is "ok". */
const char *flake_status_name(int64_t status);

/* One sentence on what the status means and what to do. Never NULL. */
const char *flake_status_text(int64_t status);

/* The class of a status. An unknown number is FLAKE_CLASS_OPERATOR, an ID is FLAKE_CLASS_OK. */
flake_class flake_status_class(int64_t status);

/* ---- layouts ------------------------------------------------------------------------------ */

/* Unix ms of tick 0 of the default layout, 2025-01-01T00:00:00Z. A one-way door: another epoch
 * collides with or reorders every ID already made. */
#define FLAKE_EPOCH_MS 1735689600000

/* "Not given", for config fields that have no default. */
#define FLAKE_UNSET -9223372036854775807

/* How the bits of an ID are divided. Made by flake_layout_parse; one written by hand is checked by
 * every call that takes it. Fields pack without gaps from bit 0; a field of 0 bits has shift 0.
 * time_bits 1..48 (1..43 to generate), node_bits 0..32, seq_bits 0..32, together at most 64. */
typedef struct flake_layout {
  int64_t epoch_ms;    /* Unix ms of tick 0, 0..4102444800000 (the year 2100) */
  uint32_t tick_ms;    /* length of a tick in ms, 1..10000 */
  uint32_t time_bits;  /* width of the time field in bits */
  uint32_t time_shift; /* position of its lowest bit; to generate, above the others */
  uint32_t node_bits;
  uint32_t node_shift;
  uint32_t seq_bits;
  uint32_t seq_shift;
  uint32_t reserved; /* 0 */
} flake_layout;

/* Enough for every layout text and its NUL, in bytes. */
#define FLAKE_LAYOUT_TEXT_SIZE 64

/* Reads a layout from text_len bytes:
 *   "41/10/12"                     time/node/sequence bits, 1 ms ticks, the default epoch
 *   "t41n10s12@1735689600000"      fields from the highest bit down, then the epoch in Unix ms
 *   "t39s8n16*10ms@1735689600000"  "*" gives the tick, in ms or s ("*1s"); tick and epoch may
 *                                  follow the short form too; either may be left out
 *   "twitter"                      a preset, see flake_layout_preset
 * FLAKE_E_BAD_LAYOUT: anything else, also blanks, signs, leading zeros, fields that do not fit. */
flake_status flake_layout_parse(const char *text, size_t text_len, flake_layout *layout);

/* Writes the full form with a NUL, "t41n10s12@1735689600000", and returns its length in bytes.
 * FLAKE_E_BAD_LAYOUT: not a layout. FLAKE_E_INVALID_ARGUMENT: text_size is too small for it. */
int32_t flake_layout_format(const flake_layout *layout, char *text, size_t text_size);

/* The name of preset number index (0, 1, ...), or NULL past the last one: snowflake (the default),
 * twitter, discord, instagram, mastodon, sonyflake (version 2), sonyflake1, tsid, pgedge, js53. */
const char *flake_layout_preset(int32_t index);

/* Whether a generator can use this layout when the Unix time is now_ms.
 * FLAKE_E_BAD_LAYOUT: the fields do not fit. FLAKE_E_NOT_SUPPORTED: decodes only (64 bits in all,
 * time not on top, or more than 43 bits of time). FLAKE_E_BEFORE_EPOCH: the epoch is in the future.
 * FLAKE_E_TIME_USED_UP: its time field has ended. */
flake_status flake_layout_check(const flake_layout *layout, int64_t now_ms);

/* The difference between two IDs whose sequence numbers follow each other in one tick: 1, or more
 * where the sequence is not the lowest field. FLAKE_E_BAD_LAYOUT: not a layout.
 * FLAKE_E_NOT_SUPPORTED: the sequence is bit 63. */
int64_t flake_layout_stride(const flake_layout *layout);

/* The first Unix ms that the time field can no longer express. FLAKE_E_BAD_LAYOUT: not a layout. */
int64_t flake_layout_expires_ms(const flake_layout *layout);

/* ---- IDs ---------------------------------------------------------------------------------- */

/* The parts of an ID. */
typedef struct flake_decoded {
  int64_t unix_ms;  /* start of the ID's tick, UTC */
  int64_t tick;     /* ticks since the epoch */
  int64_t node;     /* 0 in a layout without node field */
  int64_t sequence; /* 0 in a layout without sequence field */
} flake_decoded;

/* Takes an ID apart; unsigned, so that 64-bit layouts of others can be read.
 * FLAKE_E_INVALID_ARGUMENT: 0 (never an ID), or bits set above the layout's fields. */
flake_status flake_decode(const flake_layout *layout, uint64_t id, flake_decoded *decoded);

/* Puts an ID together; the inverse of flake_decode. Makes no claim of uniqueness: only a generator
 * can. unix_ms must be the start of a tick.
 * FLAKE_E_BEFORE_EPOCH, FLAKE_E_TIME_USED_UP: the time does not fit. FLAKE_E_NODE_OUT_OF_RANGE: the
 * node does not fit. FLAKE_E_INVALID_ARGUMENT: the sequence does not fit, unix_ms lies inside a
 * tick, or the ID would be 0. FLAKE_E_NOT_SUPPORTED: the layout has 64 bits. */
int64_t flake_compose(const flake_layout *layout, int64_t unix_ms, int64_t node, int64_t sequence);

/* The smallest and largest ID whose tick starts in from_ms <= t < until_ms, for
 * "WHERE id BETWEEN min_id AND max_id"; ranges that touch do not overlap. Needs time on top.
 * FLAKE_E_INVALID_ARGUMENT: no tick starts in the range (it is empty, reversed, or inside a tick).
 * FLAKE_E_BEFORE_EPOCH: from_ms is before the epoch. FLAKE_E_TIME_USED_UP: until_ms is after
 * flake_layout_expires_ms. FLAKE_E_NOT_SUPPORTED: time is not on top. */
flake_status flake_bounds(const flake_layout *layout, int64_t from_ms, int64_t until_ms,
                          uint64_t *min_id, uint64_t *max_id);

/* ---- IDs as text ----------------------------------------------------------------------------- */

/* All but decimal have a fixed width and sort as text exactly as the IDs do. */
typedef enum flake_format {
  FLAKE_FORMAT_DEC = 0,    /* 1..20 digits, no leading zero: "175928847299117063" */
  FLAKE_FORMAT_HEX = 1,    /* 16 digits, 0-9 a-f: "0271065ac1020007" */
  FLAKE_FORMAT_BASE32 = 2, /* 13 digits of Crockford's alphabet, 0-9 A-Z without I L O U */
  FLAKE_FORMAT_BASE58 = 3, /* 11 digits, 1-9 A-Z a-z without I O l */
  FLAKE_FORMAT_BASE62 = 4  /* 11 digits, 0-9 A-Z a-z */
} flake_format;

/* Enough for every text of an ID and its NUL, in bytes. */
#define FLAKE_TEXT_SIZE 24

/* The name of a flake_format, "dec"; NULL past the last one. */
const char *flake_format_name(int32_t format);

/* Writes an ID with a NUL and returns its length in bytes.
 * FLAKE_E_INVALID_ARGUMENT: no such format, or text_size is less than FLAKE_TEXT_SIZE. */
int32_t flake_encode(int32_t format, uint64_t id, char *text, size_t text_size);

/* Reads exactly what flake_encode writes: one ID has one text.
 * FLAKE_E_BAD_TEXT: empty, another length, a character outside the alphabet (also of the other
 * case, also a blank), a leading zero in decimal, or more than 64 bits.
 * FLAKE_E_INVALID_ARGUMENT: no such format. */
flake_status flake_decode_text(int32_t format, const char *text, size_t text_len, uint64_t *id);

/* ---- the generator ------------------------------------------------------------------------ */

/* What to do when the clock is rewound or a tick is exhausted; docs/clock.md has the table. */
typedef enum flake_mode {
  FLAKE_MODE_STRICT = 0,   /* never ahead of the clock: wait within max_wait_ms, or refuse */
  FLAKE_MODE_MONOTONIC = 1 /* never waits: goes on counting, ahead of the clock by max_lead_ms */
} flake_mode;

/* Where the wall time comes from. */
typedef enum flake_clock_source {
  FLAKE_CLOCK_PRECISE = 0, /* CLOCK_REALTIME */
  FLAKE_CLOCK_COARSE = 1   /* CLOCK_REALTIME_COARSE: cheaper, late by a kernel tick (1..10 ms),
                              so IDs carry older times; for layouts with a wide sequence */
} flake_clock_source;

/* Whether lock files keep other processes of this host from a node. They lie in the directory that
 * the environment variable FLAKECORE_RUN_DIR names by an absolute path, else in each of /run/lock,
 * /dev/shm and /tmp that this user can use, and protect among processes that see that directory.
 * A generator on a test clock takes no lock. */
typedef enum flake_guard_mode {
  FLAKE_GUARD_ON = 0,
  FLAKE_GUARD_UNSAFE_OFF = 1 /* nothing keeps a second process from the same IDs */
} flake_guard_mode;

/* Longest name of a space, and its NUL, in bytes. */
#define FLAKE_SPACE_SIZE 64

/* Everything that makes a generator what it is. Always start with flake_config_init. */
typedef struct flake_config {
  uint32_t size;           /* sizeof(flake_config), set by flake_config_init */
  uint32_t mode;           /* a flake_mode; FLAKE_MODE_STRICT */
  flake_layout layout;     /* "snowflake": 41/10/12 with FLAKE_EPOCH_MS */
  int64_t node;            /* 0..2^node_bits-1; no default (0 when the layout has no node field) */
  int64_t max_wait_ms;     /* bounds a whole call, 0..86400000; 1100 rides out a leap second */
  int64_t max_lead_ms;     /* monotonic: how far ahead of the clock, 0..86400000. Must be given,
                              unless start_floor_ms is (then there is no bound): another process
                              that opens the node this soon after this one ended repeats IDs */
  int64_t start_floor_ms;  /* issue no ID with an earlier time than this Unix ms; unset: no floor */
  int64_t ceiling_ms;      /* the first Unix ms not to be used; unset: the end of the time field */
  int64_t seq_spread_bits; /* 0..seq_bits: start each tick's sequence at a random number below
                              2^this, so that id % 16 is not always 0 at low rates; 0 */
  uint32_t clock_source;   /* a flake_clock_source; FLAKE_CLOCK_PRECISE */
  uint32_t host_guard;     /* a flake_guard_mode; FLAKE_GUARD_ON */
  char space[FLAKE_SPACE_SIZE]; /* 1..63 of A-Z a-z 0-9 . _ - and not starting with a dot, then NUL;
                                   "default" */
} flake_config;

/* A generator. The memory behind it is never freed, so a late call can do no harm. */
typedef struct flake_generator flake_generator;

/* Sets every field to its default and size to config_size, which must be sizeof(flake_config).
 * FLAKE_E_NOT_SUPPORTED: config_size is not this library's (header and library do not match). */
flake_status flake_config_init(flake_config *config, size_t config_size);

/* A clock for tests; see below. */
typedef struct flake_test_clock flake_test_clock;

/* Opens a generator. clock is NULL for the system's clock. Its first ID lies in the first tick that
 * begins after this call, so that a restart inside one tick repeats nothing.
 * While a generator of the same space, layout and node is open in this process, an equal config
 * shares it, and it is closed by as many flake_close. After it was closed, opening goes on above.
 * FLAKE_E_NO_NODE: config.node is unset. FLAKE_E_NODE_OUT_OF_RANGE: it does not fit.
 * FLAKE_E_NODE_IN_USE: open in this process with other options, or in another process of this host.
 * FLAKE_E_NO_RUN_DIR: no directory can hold the lock file.
 * FLAKE_E_LAYOUT_DIFFERS: the space is open in this process with another layout; give this use a
 * space of its own. FLAKE_E_BEFORE_EPOCH: the clock reads earlier than the epoch.
 * FLAKE_E_BAD_LAYOUT, FLAKE_E_NOT_SUPPORTED, FLAKE_E_TIME_USED_UP: as flake_layout_check, or the
 * first tick lies past the time field. FLAKE_E_CEILING_REACHED: it is not below ceiling_ms.
 * FLAKE_E_INVALID_ARGUMENT: any other field is out of its range; flake_explain says which.
 * FLAKE_E_OUT_OF_MEMORY, FLAKE_E_NO_ENTROPY: the system refused. The lock file is unlocked by the
 * last flake_close or the end of the process; children of a fork that outlive it keep it locked. */
flake_status flake_open(const flake_config *config, flake_test_clock *clock, flake_generator **gen);

/* Closes a generator; the last of the equal ones ends the right to issue. Afterwards the handle
 * must not be used by its owner; another thread that is late gets FLAKE_E_CLOSED. In a forked child
 * it gives up the inherited handle, and with it the child's part in the lock file; the parent's
 * generator stays open.
 * FLAKE_E_CLOSED: it was closed already. */
flake_status flake_close(flake_generator *gen);

/* The next ID, larger than all that this generator returned before, on any thread. Sleeps at most
 * max_wait_ms in all, for the first tick, the next tick, or a rewound clock to catch up.
 * FLAKE_E_CLOCK_REWOUND, FLAKE_E_CLOCK_FROZEN, FLAKE_E_BEFORE_EPOCH: mend the clock; the sequence
 * is untouched, and calls succeed again by themselves when the clock has caught up.
 * FLAKE_E_EXHAUSTED, FLAKE_E_DEADLINE_PASSED: max_wait_ms was too short; retry.
 * FLAKE_E_TIME_USED_UP: the time field ended. FLAKE_E_CEILING_REACHED: ceiling_ms is reached.
 * FLAKE_E_FORKED: the process was forked since flake_open; in the child, close this handle and open
 * a generator with a node of its own.
 * FLAKE_E_CLOSED: closed by flake_close. */
int64_t flake_next(flake_generator *gen);

/* One call's waiting, kept by the caller between steps. All zero before the first step. */
typedef struct flake_attempt {
  int64_t wait_ns;     /* after FLAKE_E_AGAIN: sleep so long, then call again */
  int64_t reason;      /* after FLAKE_E_AGAIN: the flake_status that the wait would end with */
  int64_t wake_ns;     /* the same moment as wait_ns, on CLOCK_MONOTONIC */
  int64_t deadline_ns; /* the core's: end of max_wait_ms on the monotonic clock */
  int64_t rounds;      /* the core's: waits so far, bounded too */
} flake_attempt;

/* The same as flake_next but never sleeps: the ID, a final status as flake_next, or FLAKE_E_AGAIN.
 * The one loop for every language: step; on AGAIN sleep attempt.wait_ns in your own way; step. */
int64_t flake_next_step(flake_generator *gen, flake_attempt *attempt);

/* Draws up to count (>= 1) numbers that follow each other in one tick; returns the first ID. They
 * are first + i * flake_layout_stride for i = 0..issued-1. Waits and fails as flake_next.
 * issued may be less than count, at least 1; the price is that of one flake_next. */
int64_t flake_next_range(flake_generator *gen, int64_t count, int64_t *issued);

/* flake_next_range that never sleeps, as flake_next_step. */
int64_t flake_next_range_step(flake_generator *gen, flake_attempt *attempt, int64_t count,
                              int64_t *issued);

/* Fills ids with ids_len IDs, rising, and returns how many: fewer only when max_wait_ms, which
 * bounds the whole call, or a fault ended it; what was issued is valid. A negative status, as
 * flake_next, when there was none. 0 when ids_len is 0. */
int64_t flake_next_many(flake_generator *gen, int64_t *ids, int64_t ids_len);

/* flake_next_many that never sleeps: what can be had at once, or a status as flake_next_step. */
int64_t flake_next_many_step(flake_generator *gen, flake_attempt *attempt, int64_t *ids,
                             int64_t ids_len);

/* Enough for every sentence of flake_explain and its NUL, in bytes. */
#define FLAKE_EXPLAIN_SIZE 512

/* Writes one sentence with a NUL that says why flake_open gave status for this config, with the
 * values, their ranges and what to do, and returns its length in bytes. For a status that the
 * config has no part in it is flake_status_text.
 * FLAKE_E_INVALID_ARGUMENT: text_size is less than FLAKE_EXPLAIN_SIZE. */
int32_t flake_explain(const flake_config *config, int64_t status, char *text, size_t text_size);

/* ---- health and stats ------------------------------------------------------------------------ */

/* How a generator fares. */
typedef enum flake_level {
  FLAKE_LEVEL_OK = 0,
  FLAKE_LEVEL_WARN = 1, /* it issues, but somebody should look at the reasons */
  FLAKE_LEVEL_FAIL = 2  /* flake_next refuses now: see status */
} flake_level;

/* Why, as bits. */
typedef enum flake_reason {
  FLAKE_REASON_REWOUND = 1,       /* the wall clock reads earlier than it was seen */
  FLAKE_REASON_FROZEN = 2,        /* the wall clock stands still */
  FLAKE_REASON_LEAD = 4,          /* monotonic: more than half of max_lead_ms is used */
  FLAKE_REASON_GUARD_OFF = 8,     /* host_guard is FLAKE_GUARD_UNSAFE_OFF */
  FLAKE_REASON_GUARD_LOST = 16,   /* the lock file was deleted, moved or closed */
  FLAKE_REASON_EXPIRES = 32,      /* the time field ends within a year */
  FLAKE_REASON_CEILING_NEAR = 64, /* less than a minute is left below ceiling_ms */
  FLAKE_REASON_PID_CHECKED = 128  /* no memory that a fork wipes: slower, compares the process ID */
} flake_reason;

/* What flake_health_get found. */
typedef struct flake_health {
  uint32_t level;     /* a flake_level */
  uint32_t reasons;   /* flake_reason bits */
  int64_t status;     /* what flake_next would end with now for longer than max_wait_ms, or 0 */
  int64_t wall_ms;    /* what the wall clock reads, Unix ms */
  int64_t rewind_ms;  /* how far that is below the highest reading, in whole ticks */
  int64_t lead_ms;    /* how far the last ID's tick is ahead of the clock */
  int64_t expires_ms; /* end of the time field, Unix ms */
  int64_t ceiling_ms; /* end of the right to issue, Unix ms */
} flake_health;

/* Reads the clock and says whether IDs can be had; issues none and never blocks. For a readiness
 * probe: answer 503 when level is FLAKE_LEVEL_FAIL. health_size is sizeof(flake_health).
 * FLAKE_E_NOT_SUPPORTED: health_size is not this library's. */
flake_status flake_health_get(flake_generator *gen, flake_health *health, size_t health_size);

/* Enough for every text of flake_health_text and its NUL, in bytes. */
#define FLAKE_HEALTH_TEXT_SIZE 1536

/* Writes health as one line with a NUL, "ok", or "warn: ...; ...", and returns its length in bytes.
 * FLAKE_E_INVALID_ARGUMENT: text_size is less than FLAKE_HEALTH_TEXT_SIZE, or level is not one. */
int32_t flake_health_text(const flake_health *health, char *text, size_t text_size);

/* Counters since the generator was first opened, and gauges; beside each the name for a metric. */
typedef struct flake_stats {
  int64_t issued;           /* flakecore_ids_issued_total: IDs issued */
  int64_t dropped;          /* flakecore_numbers_dropped_total: burnt, one at each re-opening */
  int64_t exhaustion_waits; /* flakecore_exhaustion_waits_total: waits for the next tick's edge */
  int64_t refusals;         /* flakecore_refusals_total: calls that ended with an error */
  int64_t rewinds;          /* flakecore_clock_rewinds_total: rewinds that calls or health met */
  int64_t rewind_max_ms;    /* flakecore_clock_rewind_max_ms: the largest, in whole ticks */
  int64_t lead_ms;          /* flakecore_lead_ms: how far the last ID is ahead of the clock */
  int64_t wall_high_ms;     /* flakecore_wall_high_ms: highest wall time seen, start of its tick */
} flake_stats;

/* Reads the counters; they cost the fast path nothing. stats_size is sizeof(flake_stats). A reading
 * made while IDs are drawn may lag behind, never run ahead.
 * FLAKE_E_NOT_SUPPORTED: stats_size is not this library's. FLAKE_E_FORKED: as flake_next. */
flake_status flake_stats_get(flake_generator *gen, flake_stats *stats, size_t stats_size);

/* ---- a node number from the surroundings ----------------------------------------------------- */

/* Enough for every sentence of flake_node_from and its NUL, in bytes. */
#define FLAKE_NODE_TEXT_SIZE 512

/* Finds a node number for a layout and returns it (>= 0). chain lists sources, with commas, in the
 * order in which they are asked; the first that is there decides:
 *   "7"                the number itself
 *   "env:NAME"         the environment variable NAME
 *   "file:PATH"        the first line of a file
 *   "hostname-ordinal" the number after the last dash of the host name (StatefulSet "web-3")
 *   "ipv4:PREFIX"      the bits after a prefix of PREFIX (1..31) bits of this host's private IPv4
 *                      address (10/8, 172.16/12, 192.168/16, 100.64/10); "ipv4:PREFIX@eth0" takes
 *                      the one of an interface
 *   "random:FLEET"     a random number, for a fleet of FLEET generators: two of them may get the
 *                      same one, and the sentence says how probable that is
 * Nothing is looked up in the network. text (text_size >= FLAKE_NODE_TEXT_SIZE) receives a sentence
 * with a NUL, also on failure: which source decided, or what is wrong; NULL when it is not wanted.
 * FLAKE_E_NO_NODE: no source is there. FLAKE_E_NODE_OUT_OF_RANGE: the number does not fit, or an
 * address has more bits after the prefix than the node field. FLAKE_E_INVALID_ARGUMENT: the chain
 * is not one, a source holds no number, or several addresses are there to choose from.
 * FLAKE_E_NO_ENTROPY, FLAKE_E_OUT_OF_MEMORY: the system gave no random bytes, or no descriptor. */
int64_t flake_node_from(const char *chain, size_t chain_len, const flake_layout *layout, char *text,
                        size_t text_size);

/* ---- the test clock ----------------------------------------------------------------------- */

/* A clock that only moves when told: the generator's sleeps move it at once, so that tests need no
 * real time. It has a wall clock and a monotonic one, both in ns. Keep it until the generators that
 * use it are closed. */

/* Makes a clock that reads wall_ns (Unix ns, >= 0) and whose monotonic clock reads 1 s. */
flake_status flake_test_clock_open(int64_t wall_ns, flake_test_clock **clock);

/* Frees the clock. NULL is allowed. */
void flake_test_clock_close(flake_test_clock *clock);

/* Sets the wall clock, also backwards; the monotonic clock stays. FLAKE_E_INVALID_ARGUMENT: < 0. */
flake_status flake_test_clock_set_wall(flake_test_clock *clock, int64_t wall_ns);

/* How many ns the wall clock gains for each 1,000 ns of monotonic time: 1000 at first, 0 is frozen,
 * -1000 retreats. -1000000..1000000. */
flake_status flake_test_clock_set_rate(flake_test_clock *clock, int64_t rate_permille);

/* Lets ns (>= 0) of monotonic time pass; the wall clock moves by the rate, and scripted steps that
 * fall due happen. This is also what a sleep on this clock does. The wall clock stays where it is
 * when it cannot go on. FLAKE_E_INVALID_ARGUMENT: ns is more than the monotonic clock can tell. */
flake_status flake_test_clock_advance(flake_test_clock *clock, int64_t ns);

/* Scripts a step: when after_ns more of monotonic time have passed, the wall clock moves by step_ns
 * at once (negative: a rewind). At most 16 may be pending: FLAKE_E_INVALID_ARGUMENT. */
flake_status flake_test_clock_script(flake_test_clock *clock, int64_t after_ns, int64_t step_ns);

/* Stops the monotonic clock for the generator's sleeps (stopped != 0), as a fault-injected sleep
 * that returns at once does, or lets them pass time again (0). */
flake_status flake_test_clock_stop_sleeps(flake_test_clock *clock, int32_t stopped);

/* What the wall clock reads, in Unix ns. */
int64_t flake_test_clock_wall(flake_test_clock *clock);

/* What the monotonic clock reads, in ns. */
int64_t flake_test_clock_monotonic(flake_test_clock *clock);

/* api end */

#if defined(__GNUC__)
#pragma GCC visibility pop
/* An ignored status is a bug: these say so to the compiler, which the block above cannot. */
#define FLAKE_CHECKED(name) __typeof__(name) name __attribute__((warn_unused_result))
FLAKE_CHECKED(flake_layout_parse);
FLAKE_CHECKED(flake_layout_format);
FLAKE_CHECKED(flake_layout_check);
FLAKE_CHECKED(flake_layout_expires_ms);
FLAKE_CHECKED(flake_decode);
FLAKE_CHECKED(flake_compose);
FLAKE_CHECKED(flake_bounds);
FLAKE_CHECKED(flake_encode);
FLAKE_CHECKED(flake_decode_text);
FLAKE_CHECKED(flake_config_init);
FLAKE_CHECKED(flake_open);
FLAKE_CHECKED(flake_next);
FLAKE_CHECKED(flake_next_step);
FLAKE_CHECKED(flake_next_range);
FLAKE_CHECKED(flake_next_range_step);
FLAKE_CHECKED(flake_next_many);
FLAKE_CHECKED(flake_next_many_step);
FLAKE_CHECKED(flake_layout_stride);
FLAKE_CHECKED(flake_health_get);
FLAKE_CHECKED(flake_stats_get);
FLAKE_CHECKED(flake_node_from);
FLAKE_CHECKED(flake_test_clock_open);
#undef FLAKE_CHECKED
#endif
#ifdef __cplusplus
}
#endif

#endif
