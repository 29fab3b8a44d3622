// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/player"
)

// Kind is a kind of disturbance.
type Kind string

// The kinds of disturbances.
const (
	KubeletKilled    Kind = "kubelet killed"
	KubeletStopped   Kind = "kubelet stopped"
	RuntimeRestarted Kind = "runtime restarted"
	APIRestarted     Kind = "API server restarted"
	WatchCut         Kind = "watch cut"
	CallFails        Kind = "runtime call fails"
	CallHangs        Kind = "runtime call hangs"
	CallSlow         Kind = "runtime call slow"
	DiskFull         Kind = "kubelet's disk full"
)

// Kinds returns every kind.
func Kinds() []Kind {
	return []Kind{KubeletKilled, KubeletStopped, RuntimeRestarted, APIRestarted, WatchCut, CallFails, CallHangs, CallSlow, DiskFull}
}

// Node is what a disturbance needs of a node. regress.RealNode is one.
type Node interface {
	KillKubelet(ctx context.Context) error
	StartKubelet(ctx context.Context) error
	PauseKubelet(ctx context.Context) error
	ResumeKubelet(ctx context.Context) error
	RestartRuntime(ctx context.Context) error
	RestartAPIServer(ctx context.Context) error
	CutKubeletOff(ctx context.Context) error
	LetKubeletOn(ctx context.Context) error
	FillKubeletDisk(ctx context.Context) error
	FreeKubeletDisk(ctx context.Context) error
	Inject(f fault.Fault) (remove func(), err error)
}

// Plan is a disturbance that has been drawn.
type Plan struct {
	Kind Kind
	// Call is the runtime call that a fault affects.
	Call string
	// For is how long it lasts; a restart takes as long as it takes.
	For time.Duration
	// Gap is the time to wait before it.
	Gap time.Duration
}

// calls are the runtime calls that faults affect: those that end pods, those that start them, and those that only look.
var calls = []string{"StopContainer", "StopContainer", "StopPodSandbox", "ExecSync", "RemoveContainer", "RemovePodSandbox", "CreateContainer",
	"StartContainer", "RunPodSandbox", "ContainerStatus", "PodSandboxStatus", "ListContainers", "ListPodSandbox"}

// Draw draws the next disturbance. Each kind comes once before one comes again: bag holds what is left of the round.
func Draw(r *rand.Rand, bag *[]Kind, without ...Kind) Plan {
	if len(*bag) == 0 {
		*bag = Kinds()
		r.Shuffle(len(*bag), func(i, j int) { (*bag)[i], (*bag)[j] = (*bag)[j], (*bag)[i] })
	}
	p := Plan{Kind: (*bag)[0], Gap: between(r, 6*time.Second, 14*time.Second)}
	*bag = (*bag)[1:]
	for _, kind := range without {
		if p.Kind == kind {
			return Draw(r, bag, without...)
		}
	}
	switch p.Kind {
	case KubeletKilled:
		p.For = between(r, 0, 3*time.Second) // until it is started again
	case KubeletStopped, DiskFull:
		p.For = 5 * time.Second
	case WatchCut:
		p.For = between(r, time.Second, 5*time.Second)
	case CallFails, CallHangs:
		p.Call, p.For = calls[r.IntN(len(calls))], between(r, time.Second, 5*time.Second)
	case CallSlow:
		p.Call, p.For = calls[r.IntN(len(calls))], between(r, time.Second, 5*time.Second)
	}
	return p
}

func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(r.Int64N(int64(high-low)+1))
}

func (p Plan) String() string {
	text := string(p.Kind)
	if p.Call != "" {
		text += ": " + p.Call
	}
	if p.For > 0 {
		text += fmt.Sprintf(", %.1f s", p.For.Seconds())
	}
	return text
}

// delay is how much slower a slow call is.
const delay = 1500 * time.Millisecond

var errRefused = errors.New("the soak makes the runtime refuse this")

// carryOut disturbs the node and returns when the disturbance is over. What it has begun it ends even if ctx ends first.
func (p Plan) carryOut(ctx context.Context, node Node) error {
	undo := context.WithoutCancel(ctx)
	during := func(begin, end func(context.Context) error) error {
		if err := begin(ctx); err != nil {
			return err
		}
		waited := player.Until(ctx, time.Now().Add(p.For))
		return errors.Join(end(undo), waited)
	}
	switch p.Kind {
	case KubeletKilled:
		return during(node.KillKubelet, node.StartKubelet)
	case KubeletStopped:
		return during(node.PauseKubelet, node.ResumeKubelet)
	case RuntimeRestarted:
		return node.RestartRuntime(ctx)
	case APIRestarted:
		return node.RestartAPIServer(ctx)
	case WatchCut:
		return during(node.CutKubeletOff, node.LetKubeletOn)
	case DiskFull:
		return p.fill(ctx, node)
	case CallFails, CallHangs, CallSlow:
		f := fault.Fault{Method: p.Call}
		switch p.Kind {
		case CallFails:
			f.Fail = errRefused
		case CallHangs:
			f.Hang = true
		default:
			f.Delay = delay
		}
		remove, err := node.Inject(f)
		if err != nil {
			return err
		}
		defer remove()
		return player.Until(ctx, time.Now().Add(p.For))
	}
	return fmt.Errorf("unknown disturbance %q", p.Kind)
}

// fill keeps the disk full: what the kubelet frees meanwhile is taken again.
func (p Plan) fill(ctx context.Context, node Node) (err error) {
	defer func() { err = errors.Join(err, node.FreeKubeletDisk(context.WithoutCancel(ctx))) }()
	for end := time.Now().Add(p.For); time.Now().Before(end); {
		if err := node.FillKubeletDisk(ctx); err != nil {
			return err
		}
		if err := player.Until(ctx, time.Now().Add(250*time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}
