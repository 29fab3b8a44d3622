//go:build kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import "errors"

// The kubelet of v1.22 uses an older CRI version and another form of client; internal/simkubelet converts between the two. This
// package needs nothing of that client.

type otherCalls struct{}

// eventsClient is the stream of container events; the simulator has none.
type eventsClient any

// errTimedOut is the error of a command that timed out.
var errTimedOut = errors.New("command timed out")

// TimedOut reports whether a command timed out.
func TimedOut(err error) bool { return errors.Is(err, errTimedOut) }
