// SPDX-License-Identifier: MIT

package flakecore

import (
	"context"
	"errors"
)

// interrupted is the error of a call whose context is done. errors.Is and errors.As find in it
// ctx.Err() and what context.Cause gives.
type interrupted struct {
	err, cause error
	during     string
}

func interruptedBy(ctx context.Context, during string) error {
	return &interrupted{ctx.Err(), causeOf(ctx), during}
}

func (it *interrupted) Error() string {
	text := it.err.Error() + it.during
	if it.cause.Error() != it.err.Error() {
		text += ": " + it.cause.Error()
	}
	return text
}

func (it *interrupted) Unwrap() error        { return it.err }
func (it *interrupted) Is(target error) bool { return errors.Is(it.cause, target) }
func (it *interrupted) As(target any) bool   { return errors.As(it.cause, target) }
