// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podspec

import (
	"errors"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Faults are the faults of a running scenario. It is safe for concurrent use.
type Faults struct {
	all    []scenario.Fault
	inject func(scenario.Fault) (remove func(), err error)

	mu     sync.Mutex
	ended  bool
	remove map[int]func()
	err    error
}

// Inject injects the faults that are active from before the pod is created.
func Inject(all []scenario.Fault, inject func(scenario.Fault) (remove func(), err error)) (*Faults, error) {
	f := &Faults{all: all, inject: inject, remove: map[int]func(){}}
	for i, one := range all {
		if one.From == 0 {
			f.put(i)
		}
	}
	return f, f.err
}

// Begin starts the timers of the faults at the first step: some faults start later, some end. The returned function stops the
// timers.
func (f *Faults) Begin() (stop func()) {
	var timers []*time.Timer
	for i, one := range f.all {
		if one.From > 0 {
			timers = append(timers, time.AfterFunc(one.From, func() { f.put(i) }))
		}
		if one.For > 0 {
			timers = append(timers, time.AfterFunc(one.For, func() { f.take(i) }))
		}
	}
	return func() {
		for _, t := range timers {
			t.Stop()
		}
	}
}

// End removes the remaining faults and returns the errors of those that could not be injected.
func (f *Faults) End() error {
	for i := range f.all {
		f.take(i)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	return f.err
}

func (f *Faults) put(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	remove, err := f.inject(f.all[i])
	if err != nil {
		f.err = errors.Join(f.err, err)
		return
	}
	f.remove[i] = remove
}

func (f *Faults) take(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if remove := f.remove[i]; remove != nil {
		remove()
		delete(f.remove, i)
	}
}

// Fault converts a scenario's fault to the runtime's, for calls about the pod with that name at the runtime.
func Fault(f scenario.Fault, pod string) fault.Fault {
	made := fault.Fault{Method: f.Call, Pod: pod, Container: f.Container, Delay: f.Delay, Hang: f.Hangs, Times: f.Times}
	if f.Fails {
		made.Fail = errRefused
	}
	return made
}

var errRefused = errors.New("the scenario makes the runtime refuse this")
