// SPDX-License-Identifier: MIT

//go:build !go1.20

package flakecore

import "context"

// causeOf says why a context is done; Go 1.19 knows no other causes.
func causeOf(ctx context.Context) error { return ctx.Err() }
