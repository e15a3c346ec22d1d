// SPDX-License-Identifier: MIT

package flakecore

// #include "../core/flakecore.h"
import "C"

// Level says how a generator fares.
type Level string

// The levels of Health.
const (
	LevelOK   Level = "ok"
	LevelWarn Level = "warn" // it issues, but somebody should look at the reasons
	LevelFail Level = "fail" // Next refuses now: see Status
)

var levels = []Level{LevelOK, LevelWarn, LevelFail}

// Reason says why a level is not LevelOK.
type Reason string

// The reasons of Health.
const (
	ReasonRewound     Reason = "rewound"      // the wall clock reads earlier than it was seen
	ReasonFrozen      Reason = "frozen"       // the wall clock stands still
	ReasonLead        Reason = "lead"         // monotonic: more than half of the lead is used
	ReasonGuardOff    Reason = "guard_off"    // the host guard is UnsafeOff
	ReasonGuardLost   Reason = "guard_lost"   // the lock file was deleted or its descriptor closed
	ReasonExpires     Reason = "expires"      // the time field ends within a year
	ReasonCeilingNear Reason = "ceiling_near" // less than a minute is left below the ceiling
	ReasonPidChecked  Reason = "pid_checked"  // no memory that a fork wipes: slower
)

var reasons = []struct {
	bit  C.uint32_t
	name Reason
}{
	{C.FLAKE_REASON_REWOUND, ReasonRewound},
	{C.FLAKE_REASON_FROZEN, ReasonFrozen},
	{C.FLAKE_REASON_LEAD, ReasonLead},
	{C.FLAKE_REASON_GUARD_OFF, ReasonGuardOff},
	{C.FLAKE_REASON_GUARD_LOST, ReasonGuardLost},
	{C.FLAKE_REASON_EXPIRES, ReasonExpires},
	{C.FLAKE_REASON_CEILING_NEAR, ReasonCeilingNear},
	{C.FLAKE_REASON_PID_CHECKED, ReasonPidChecked},
}

// Health is how a generator fares.
type Health struct {
	Level     Level
	Reasons   []Reason
	Status    string // name of what Next would end with now for longer than the longest wait, or "ok"
	WallMs    int64  // what the wall clock reads, Unix ms
	RewindMs  int64  // how far that is below the highest reading
	LeadMs    int64  // how far the last ID's tick is ahead of the clock
	ExpiresMs int64  // end of the time field, Unix ms
	CeilingMs int64  // end of the right to issue, Unix ms
	Text      string // all of it in one line: "ok", or "warn: ...; ..."
}

// OK says whether IDs can be had. For a readiness probe: answer 503 when it is false.
func (health Health) OK() bool {
	return health.Level != LevelFail
}

// String is Text.
func (health Health) String() string {
	return health.Text
}

// Stats are counters since the generator was first opened, and gauges.
type Stats struct {
	Issued          int64 // IDs issued
	Dropped         int64 // numbers burnt, one at each re-opening
	ExhaustionWaits int64 // waits for the next tick's edge
	Refusals        int64 // calls that ended with an error
	Rewinds         int64 // rewinds that calls or Health met
	RewindMaxMs     int64 // the largest of them
	LeadMs          int64 // how far the last ID is ahead of the clock
	WallHighMs      int64 // the highest wall time seen, Unix ms
}

func healthOf(native *C.flake_health) Health {
	health := Health{
		Level:     levels[native.level],
		Status:    C.GoString(C.flake_status_name(native.status)),
		WallMs:    int64(native.wall_ms),
		RewindMs:  int64(native.rewind_ms),
		LeadMs:    int64(native.lead_ms),
		ExpiresMs: int64(native.expires_ms),
		CeilingMs: int64(native.ceiling_ms),
	}
	for _, reason := range reasons {
		if native.reasons&reason.bit != 0 {
			health.Reasons = append(health.Reasons, reason.name)
		}
	}
	var chars [C.FLAKE_HEALTH_TEXT_SIZE]C.char
	length := C.flake_health_text(native, &chars[0], C.FLAKE_HEALTH_TEXT_SIZE)
	health.Text = spelled(C.GoStringN(&chars[0], C.int(max0(int64(length)))))
	return health
}

// Health reads the clock and says whether IDs can be had; it issues none and never blocks.
// ErrClosed: closed.
func (gen *Generator) Health() (Health, error) {
	defer gen.stillUsed()
	var found C.flake_health
	native, err := gen.handle()
	if err != nil {
		return Health{}, err
	}
	if status := C.flake_health_get(native, &found, C.sizeof_flake_health); status < 0 {
		return Health{}, errorOf(C.int64_t(status))
	}
	return healthOf(&found), nil
}

// Stats reads the counters. ErrClosed, ErrForked: as Next.
func (gen *Generator) Stats() (Stats, error) {
	defer gen.stillUsed()
	var found C.flake_stats
	native, err := gen.handle()
	if err != nil {
		return Stats{}, err
	}
	if status := C.flake_stats_get(native, &found, C.sizeof_flake_stats); status < 0 {
		return Stats{}, errorOf(C.int64_t(status))
	}
	return Stats{
		Issued:          int64(found.issued),
		Dropped:         int64(found.dropped),
		ExhaustionWaits: int64(found.exhaustion_waits),
		Refusals:        int64(found.refusals),
		Rewinds:         int64(found.rewinds),
		RewindMaxMs:     int64(found.rewind_max_ms),
		LeadMs:          int64(found.lead_ms),
		WallHighMs:      int64(found.wall_high_ms),
	}, nil
}
