// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"time"
)

// Fault is a fault of the runtime in calls about the scenario's pod.
type Fault struct {
	// Call is the bare name of the CRI method: StopContainer, PullImage.
	Call string
	// Container is the container whose calls are affected; "" means every call about the pod.
	Container string
	// Exactly one of these is set: the call fails, never returns (until its caller gives up), or takes that much longer.
	Fails bool
	Hangs bool
	Delay time.Duration
	// Times is how many calls are affected; 0 means all. From and For limit the fault in time, counted from the first step; 0
	// means from before the pod is created, and until the end.
	Times int
	From  time.Duration
	For   time.Duration
}

func (f Fault) String() string {
	what := fmt.Sprintf("takes %v", f.Delay)
	switch {
	case f.Fails:
		what = "fails"
	case f.Hangs:
		what = "hangs"
	}
	text := f.Call
	if f.Container != "" {
		text += " of " + f.Container
	}
	text += " " + what
	if f.Times > 0 {
		text += fmt.Sprintf(", %d times", f.Times)
	}
	if f.From > 0 {
		text += fmt.Sprintf(", from %v", f.From)
	}
	if f.For > 0 {
		text += fmt.Sprintf(", for %v", f.For)
	}
	return text
}

func (f Fault) check() error {
	ways := 0
	for _, set := range []bool{f.Fails, f.Hangs, f.Delay > 0} {
		if set {
			ways++
		}
	}
	switch {
	case f.Call == "":
		return fmt.Errorf("a fault names no runtime call")
	case ways != 1:
		return fmt.Errorf("fault %v: a call either fails, or hangs, or is delayed", f)
	case f.Times < 0 || f.From < 0 || f.For < 0:
		return fmt.Errorf("fault %v: how often and how long must not be negative", f)
	}
	return nil
}
