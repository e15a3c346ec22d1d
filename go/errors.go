// SPDX-License-Identifier: MIT

package flakecore

// #include "../core/flakecore.h"
import "C"

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/flakecore/flakecore/go/internal/words"
)

// Class says whose turn it is when an error comes back.
type Class string

// The classes of errors.
const (
	ClassOK       Class = "ok"       // no error
	ClassCaller   Class = "caller"   // the caller's mistake: the same call will fail again
	ClassRetry    Class = "retry"    // may pass by itself: retry later
	ClassOperator Class = "operator" // somebody must mend the clock, a file, a limit or the host
)

var classes = []Class{ClassOK, ClassCaller, ClassRetry, ClassOperator}

// Error is the type of all errors of this package but those of a context. Compare it by errors.Is
// with the Err variables: two Errors of one code are the same error, whatever their text.
type Error struct {
	code int64
	text string
	core string // the same in the words of the core
}

// One error for each status of the core.
var (
	// ErrInvalidArgument: a value outside its documented range. Correct the call.
	ErrInvalidArgument = known(C.FLAKE_E_INVALID_ARGUMENT)
	// ErrBadLayout: fields that do not fit, or a text that is not a layout.
	ErrBadLayout = known(C.FLAKE_E_BAD_LAYOUT)
	// ErrNodeOutOfRange: the node does not fit the layout's node field.
	ErrNodeOutOfRange = known(C.FLAKE_E_NODE_OUT_OF_RANGE)
	// ErrNoNode: no node is configured, and there is no default.
	ErrNoNode = known(C.FLAKE_E_NO_NODE)
	// ErrNodeInUse: another generator holds this node of this space.
	ErrNodeInUse = known(C.FLAKE_E_NODE_IN_USE)
	// ErrClockRewound: the clock reads earlier than it was seen, or than the start floor.
	ErrClockRewound = known(C.FLAKE_E_CLOCK_REWOUND)
	// ErrClockFrozen: the clock stands still.
	ErrClockFrozen = known(C.FLAKE_E_CLOCK_FROZEN)
	// ErrBeforeEpoch: a time before the layout's epoch.
	ErrBeforeEpoch = known(C.FLAKE_E_BEFORE_EPOCH)
	// ErrTimeUsedUp: the layout's time field has ended.
	ErrTimeUsedUp = known(C.FLAKE_E_TIME_USED_UP)
	// ErrExhausted: every sequence number that may be used now is spent.
	ErrExhausted = known(C.FLAKE_E_EXHAUSTED)
	// ErrDeadlinePassed: the longest wait ended before the generator's first tick began.
	ErrDeadlinePassed = known(C.FLAKE_E_DEADLINE_PASSED)
	// ErrCeilingReached: the generator's right to issue ends here.
	ErrCeilingReached = known(C.FLAKE_E_CEILING_REACHED)
	// ErrLeaseLost: the lease belongs to another holder. No call of this release returns it.
	ErrLeaseLost = known(C.FLAKE_E_LEASE_LOST)
	// ErrForked: opened before a fork and used in the child.
	ErrForked = known(C.FLAKE_E_FORKED)
	// ErrClosed: the generator is closed.
	ErrClosed = known(C.FLAKE_E_CLOSED)
	// ErrLayoutDiffers: the space is pinned to another layout.
	ErrLayoutDiffers = known(C.FLAKE_E_LAYOUT_DIFFERS)
	// ErrStoreUnreachable: the lease store does not answer. No call of this release returns it.
	ErrStoreUnreachable = known(C.FLAKE_E_STORE_UNREACHABLE)
	// ErrBadFile: a state file is short, damaged, foreign or copied. No call of this release
	// returns it.
	ErrBadFile = known(C.FLAKE_E_BAD_FILE)
	// ErrBadText: a text that is not an ID in the format asked for.
	ErrBadText = known(C.FLAKE_E_BAD_TEXT)
	// ErrNoEntropy: the kernel gave no random bytes.
	ErrNoEntropy = known(C.FLAKE_E_NO_ENTROPY)
	// ErrOutOfMemory: the system gave no memory or descriptor.
	ErrOutOfMemory = known(C.FLAKE_E_OUT_OF_MEMORY)
	// ErrNotSupported: this build, system or layout cannot do that.
	ErrNotSupported = known(C.FLAKE_E_NOT_SUPPORTED)
	// ErrAgain: nothing is to be had without a wait. Only TryNext returns it.
	ErrAgain = known(C.FLAKE_E_AGAIN)
	// ErrNoRunDir: no directory can hold the node's lock file.
	ErrNoRunDir = known(C.FLAKE_E_NO_RUN_DIR)
)

var byCode = map[int64]*Error{}

func known(code int64) *Error {
	byCode[code] = general(code)
	return byCode[code]
}

// general is the error of a status with its general sentence.
func general(code int64) *Error {
	return (&Error{code: code}).said(C.GoString(C.flake_status_text(C.int64_t(code))))
}

// errorOf gives the error of a negative status; of one that this version does not know, an Error
// with its code.
func errorOf(status C.int64_t) *Error {
	if err := byCode[int64(status)]; err != nil {
		return err
	}
	return general(int64(status))
}

// because is err with a sentence to say instead of its general one.
func (err *Error) because(format string, values ...any) *Error {
	text := fmt.Sprintf(format, values...)
	return &Error{err.code, text, text}
}

// said is err with a sentence of the core.
func (err *Error) said(sentence string) *Error {
	return &Error{err.code, spelled(sentence), sentence}
}

// Error says what is wrong and what to do.
func (err *Error) Error() string {
	return "flakecore: " + err.text
}

// Text is Error without the name of the package in front.
func (err *Error) Text() string {
	return err.text
}

// Code is the status of the core, a negative number that never changes its meaning.
func (err *Error) Code() int {
	return int(err.code)
}

// Name is the stable name of the status, such as "clock_rewound"; "unknown" for a code that this
// version does not know.
func (err *Error) Name() string {
	return C.GoString(C.flake_status_name(C.int64_t(err.code)))
}

// Class says whose turn it is. Of a code that is unknown it is ClassOperator.
func (err *Error) Class() Class {
	return classes[C.flake_status_class(C.int64_t(err.code))]
}

// Is makes errors.Is compare the codes.
func (err *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.code == err.code
}

// ---- words -------------------------------------------------------------------------------------

func init() {
	words.OfCore = func(err error) string {
		var known *Error
		if errors.As(err, &known) {
			return known.core
		}
		return err.Error()
	}
}

// optionNames are what the core's options are called here.
var optionNames = map[string]string{
	"max_wait_ms": "WithMaxWait", "max_lead_ms": "WithMaxLead", "start_floor_ms": "WithStartFloor",
	"ceiling_ms": "WithCeiling", "seq_spread_bits": "WithSeqSpreadBits",
	"clock_source": "WithClockSource", "host_guard": "WithHostGuard", "node_bits": "NodeBits",
}

var (
	wrongMs = regexp.MustCompile(`^(\w+_ms) is (-?\d+); it must lie in `)
	// what is quoted is a name that somebody gave
	optionName = regexp.MustCompile(`"[^"]*"|\b(max_wait_ms|max_lead_ms|start_floor_ms|ceiling_ms|` +
		`seq_spread_bits|clock_source|host_guard|node_bits)\b`)
)

// spelled is a sentence of the core with the names and the types that options have here.
func spelled(sentence string) string {
	if found := wrongMs.FindStringSubmatch(sentence); found != nil {
		ms, _ := strconv.ParseInt(found[2], 10, 64) // the core prints nothing else
		switch name := optionNames[found[1]]; name {
		case "WithMaxWait", "WithMaxLead":
			return wrongDuration(name, time.Duration(ms)*time.Millisecond)
		case "WithStartFloor", "WithCeiling":
			return wrongLimit(name, time.UnixMilli(ms))
		}
	}
	return optionName.ReplaceAllStringFunc(sentence, func(found string) string {
		if name := optionNames[found]; name != "" {
			return name
		}
		return found
	})
}

func wrongDuration(option string, value time.Duration) string {
	return fmt.Sprintf("%s is %s; it must be whole milliseconds from 0 to 24h", option, value)
}

func wrongLimit(option string, at time.Time) string {
	return fmt.Sprintf("%s is %s; it must lie in 1970..2262", option, shownTime(at))
}
