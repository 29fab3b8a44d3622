// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/fault"
)

// fake is a node that writes down what is done to it, and when.
type fake struct {
	done   []string
	faults []fault.Fault
	// sick is what fails.
	sick string
}

func (f *fake) do(what string) error {
	if n := len(f.done); n == 0 || f.done[n-1] != what {
		f.done = append(f.done, what)
	}
	if what == f.sick {
		return errors.New(what + " failed")
	}
	return nil
}

// on refuses, as a node does, what is asked with a context that has ended.
func (f *fake) on(ctx context.Context, what string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return f.do(what)
}

func (f *fake) KillKubelet(ctx context.Context) error  { return f.on(ctx, "kill") }
func (f *fake) StartKubelet(ctx context.Context) error { return f.on(ctx, "start") }
func (f *fake) PauseKubelet(ctx context.Context) error { return f.on(ctx, "pause") }
func (f *fake) ResumeKubelet(ctx context.Context) error {
	return f.on(ctx, "resume")
}
func (f *fake) RestartRuntime(ctx context.Context) error {
	return f.on(ctx, "runtime")
}
func (f *fake) RestartAPIServer(ctx context.Context) error {
	return f.on(ctx, "api")
}
func (f *fake) CutKubeletOff(ctx context.Context) error { return f.on(ctx, "cut") }
func (f *fake) LetKubeletOn(ctx context.Context) error  { return f.on(ctx, "let on") }
func (f *fake) FillKubeletDisk(ctx context.Context) error {
	return f.on(ctx, "fill")
}
func (f *fake) FreeKubeletDisk(ctx context.Context) error {
	return f.on(ctx, "free")
}
func (f *fake) Inject(one fault.Fault) (func(), error) {
	f.faults = append(f.faults, one)
	return func() { _ = f.do("removed") }, f.do("injected")
}

// Each disturbance takes its time and is undone, also if the run is interrupted in the middle of it.
func TestDisturbancesAreUndone(t *testing.T) {
	for kind, want := range map[Kind][]string{
		KubeletKilled: {"kill", "start"}, KubeletStopped: {"pause", "resume"}, WatchCut: {"cut", "let on"}, DiskFull: {"fill", "free"},
		CallFails: {"injected", "removed"}, CallHangs: {"injected", "removed"}, CallSlow: {"injected", "removed"},
		RuntimeRestarted: {"runtime"}, APIRestarted: {"api"},
	} {
		for _, interrupted := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if interrupted {
					time.AfterFunc(time.Second, cancel)
				}
				node, begin := &fake{}, time.Now()
				err := Plan{Kind: kind, Call: "StopContainer", For: 3 * time.Second}.carryOut(ctx, node)
				if diff := cmp.Diff(want, node.done); diff != "" {
					t.Errorf("%s, interrupted %t: %s", kind, interrupted, diff)
				}
				took := 3 * time.Second
				if len(want) == 1 {
					took = 0
				} else if interrupted {
					took = time.Second
				}
				if got := time.Since(begin); got != took {
					t.Errorf("%s, interrupted %t, took %v, want %v", kind, interrupted, got, took)
				}
				if (err != nil) != (interrupted && len(want) > 1) {
					t.Errorf("%s, interrupted %t: %v", kind, interrupted, err)
				}
			})
		}
	}
}

// What cannot be done is an error.
func TestDisturbanceFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, sick := range map[Kind]string{KubeletKilled: "start", DiskFull: "free", WatchCut: "cut", CallHangs: "injected", APIRestarted: "api"} {
			if err := (Plan{Kind: kind, For: time.Second}).carryOut(t.Context(), &fake{sick: sick}); err == nil {
				t.Errorf("%s: no error though %q failed", kind, sick)
			}
		}
		if err := (Plan{Kind: "flood"}).carryOut(t.Context(), &fake{}); err == nil {
			t.Error("an unknown kind was carried out")
		}
	})
}

// A call that is to fail, hang or be slow does that and nothing else.
func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, good := range map[Kind]func(fault.Fault) bool{
			CallFails: func(f fault.Fault) bool { return f.Fail != nil && !f.Hang && f.Delay == 0 },
			CallHangs: func(f fault.Fault) bool { return f.Fail == nil && f.Hang && f.Delay == 0 },
			CallSlow:  func(f fault.Fault) bool { return f.Fail == nil && !f.Hang && f.Delay > 0 },
		} {
			node := &fake{}
			if err := (Plan{Kind: kind, Call: "ExecSync", For: time.Second}).carryOut(t.Context(), node); err != nil {
				t.Fatal(err)
			}
			if f := node.faults[0]; f.Method != "ExecSync" || f.Pod != "" || f.Times != 0 || !good(f) {
				t.Errorf("%s injects %+v", kind, f)
			}
		}
	})
}

// Every kind comes once in a round, in an order that the seed determines, and one that is left out never.
func TestDraw(t *testing.T) {
	draw := func(seed uint64, n int, without ...Kind) (all []Plan) {
		r := rand.New(rand.NewPCG(seed, 0))
		var bag []Kind
		for range n {
			all = append(all, Draw(r, &bag, without...))
		}
		return all
	}
	first := draw(1, 90)
	if diff := cmp.Diff(first, draw(1, 90)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(first, draw(2, 90)) {
		t.Error("two seeds give the same disturbances")
	}
	for round := range slices.Chunk(first, len(Kinds())) {
		for _, kind := range Kinds() {
			if !slices.ContainsFunc(round, func(p Plan) bool { return p.Kind == kind }) {
				t.Errorf("a round without %q", kind)
			}
		}
	}
	faults := map[string]bool{}
	for _, p := range draw(3, 400, KubeletKilled) {
		if p.Kind == KubeletKilled {
			t.Error("a kubelet was killed that was to be left alone")
		}
		if (p.Kind == CallFails || p.Kind == CallHangs || p.Kind == CallSlow) != (p.Call != "") {
			t.Errorf("%v", p)
		}
		if p.Gap < 6*time.Second || p.Gap > 14*time.Second {
			t.Errorf("%v after %v", p, p.Gap)
		}
		faults[p.Call] = true
	}
	for _, call := range calls {
		if !faults[call] {
			t.Errorf("%s is never affected", call)
		}
	}
}
