// SPDX-License-Identifier: MIT

//go:build go1.20

package flakecore

import "context"

// causeOf says why a context is done.
func causeOf(ctx context.Context) error { return context.Cause(ctx) }
