// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// pieces is the number of goroutines that share the work after an event, piece the CPU time of each. The sum is a tenth of
	// the 200 ms within which the contract requires a shorter stop to be sent.
	pieces = 10
	piece  = 2 * time.Millisecond
)

// work does the work of one event, one piece after the other, and returns how much longer than its CPU time it took.
func work() time.Duration {
	begin := time.Now()
	for range pieces {
		done := make(chan struct{})
		go func() {
			defer close(done)
			burn(piece)
		}()
		<-done
	}
	return time.Since(begin) - pieces*piece
}

// burn uses the given CPU time on one thread.
func burn(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for begin := threadTime(); threadTime()-begin < d; {
	}
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic("control: this thread's CPU time: " + err.Error()) // every Linux has it
	}
	return time.Duration(t.Nano())
}
