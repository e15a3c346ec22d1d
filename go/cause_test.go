// SPDX-License-Identifier: MIT

//go:build go1.20

package flakecore

import (
	"context"
	"errors"
	"testing"
)

func TestWhyAContextWasCanceledIsFound(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errCause)
	_, err := (&Generator{}).NextContext(ctx)
	if !errors.Is(err, errCause) || !errors.Is(err, context.Canceled) ||
		err.Error() != "context canceled: the disk is full" {
		t.Fatal(err)
	}
}
