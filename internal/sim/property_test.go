// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	"pgregory.net/rapid"

	"github.com/kgrace/kgrace/internal/history"
)

// deed is one random call.
type deed struct {
	at      time.Duration // no two deeds of a story have the same time
	timeout int64         // of a stop; -1 for StopPodSandbox
	// lasts is the client's timeout; 0 for none.
	lasts time.Duration
}

// story is a random life of a container.
type story struct {
	behaviour Behaviour
	// afterTerm is when the container exits after TERM; negative means never.
	afterTerm time.Duration
	deeds     []deed
}

func stories(behaviour Behaviour) *rapid.Generator[story] {
	return rapid.Custom(func(t *rapid.T) story {
		s := story{behaviour: behaviour, afterTerm: -1}
		if rapid.Bool().Draw(t, "ends on TERM") {
			s.afterTerm = time.Duration(rapid.IntRange(0, 30).Draw(t, "after"))*time.Second + 7*time.Millisecond
		}
		at := time.Duration(0)
		for i := range rapid.IntRange(1, 6).Draw(t, "deeds") {
			// 100 ms apart from every other time, except the odd ones of timers: ties have no unique outcome.
			at += time.Duration(rapid.IntRange(1, 10).Draw(t, "later")) * time.Second
			d := deed{at: at + time.Duration(i)*100*time.Millisecond, timeout: rapid.SampledFrom([]int64{0, 1, 2, 5, 20, 60, 3600}).Draw(t, "timeout")}
			if i > 0 && rapid.IntRange(0, 9).Draw(t, "sandbox") == 0 {
				d.timeout = -1
			}
			if rapid.IntRange(0, 2).Draw(t, "patient") == 0 {
				d.lasts = time.Duration(rapid.IntRange(1, 10).Draw(t, "lasts"))*time.Second + 33*time.Millisecond
			}
			s.deeds = append(s.deeds, d)
		}
		return s
	})
}

// fate is the outcome of a container.
type fate struct {
	terms int
	// end is when it exited; negative means never. killed reports whether it was killed.
	end    time.Duration
	killed bool
}

// foretold computes the expected fate of a story's container from the rules alone.
func (s story) foretold() fate {
	term, kill := time.Duration(-1), time.Duration(-1)
	gone := func(at time.Duration) bool {
		return kill >= 0 && kill <= at || term >= 0 && s.afterTerm >= 0 && term+s.afterTerm <= at
	}
	target := func(at time.Duration) {
		if kill < 0 || at < kill {
			kill = at
		}
	}
	for _, d := range s.deeds {
		if gone(d.at) {
			break
		}
		due := d.at + time.Duration(max(d.timeout, 0))*time.Second
		if s.behaviour == CRIO {
			timeout := time.Duration(d.timeout) * time.Second
			if d.timeout < 0 {
				if term >= 0 {
					continue // waits for the lock
				}
				switch left := d.lasts.Truncate(time.Second); {
				case d.lasts == 0:
					timeout = 118 * time.Second // two minutes have begun
				case left < 2*time.Second:
					timeout = 0
				default:
					timeout = left - time.Second
				}
			}
			if term < 0 {
				term = d.at
			}
			target(max(d.at+timeout, term+crioTermTakes))
			continue
		}
		if d.timeout > 0 && term < 0 {
			term = d.at
		}
		if d.lasts == 0 || d.at+d.lasts > due {
			target(due)
		}
	}
	f := fate{end: kill, killed: true}
	if term >= 0 {
		f.terms = 1
		if natural := term + s.afterTerm; s.afterTerm >= 0 && (kill < 0 || natural < kill) {
			f.end, f.killed = natural, false
		}
	}
	return f
}

// told plays a story and returns the fate of its container.
func (s story) told(t *testing.T) (f fate, trouble error) {
	synctest.Test(t, func(*testing.T) {
		ctx := context.Background()
		recorder := history.NewRecorder()
		log, err := recorder.Open(history.Header{Pod: pod})
		if err != nil {
			trouble = err
			return
		}
		rt := New(Options{Behaviour: s.behaviour, Sink: recorder})
		rt.Program(pod, "main", Program{Stubborn: s.afterTerm < 0, ExitAfterTerm: s.afterTerm})
		begin := time.Now()
		config := &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: pod, Uid: "u", Namespace: "ns"}}
		sandbox, err := rt.RunPodSandbox(ctx, config, "")
		if err != nil {
			trouble = err
			return
		}
		id, err := rt.CreateContainer(ctx, sandbox, &runtimev1.ContainerConfig{
			Metadata: &runtimev1.ContainerMetadata{Name: "main"}, Image: &runtimev1.ImageSpec{Image: ActorImage},
		}, config)
		if err == nil {
			err = rt.StartContainer(ctx, id)
		}
		for _, d := range s.deeds {
			go func() {
				time.Sleep(time.Until(begin.Add(d.at)))
				limited, cancel := context.WithCancel(ctx)
				if d.lasts > 0 {
					limited, cancel = context.WithTimeout(ctx, d.lasts)
				}
				defer cancel()
				if d.timeout < 0 {
					_ = rt.StopPodSandbox(limited, sandbox)
				} else {
					_ = rt.StopContainer(limited, id, d.timeout)
				}
			}()
		}
		time.Sleep(2 * time.Hour)
		f, trouble = seen(log.History(), begin)
		rt.Stop()
		if err != nil {
			trouble = err
		}
	})
	return f, trouble
}

// seen reads a fate from a history, and returns an error if the history is inconsistent.
func seen(h history.History, begin time.Time) (fate, error) {
	f := fate{end: -1, killed: true}
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Line && e.Reason == "TERM":
			f.terms++
		case e.Kind == history.ContainerExit:
			if f.end >= 0 {
				return f, fmt.Errorf("two exits: %+v", e)
			}
			f.end, f.killed = e.At.Sub(begin), *e.ExitCode == killed
		}
	}
	calls, returns := len(h.Select(history.CRICall)), len(h.Select(history.CRIReturn))
	if calls != returns {
		return f, fmt.Errorf("%d calls, %d returns", calls, returns)
	}
	if !slices.IsSortedFunc(h.Events, func(a, b history.Event) int { return a.At.Compare(b.At) }) {
		return f, fmt.Errorf("the history is not in order of time")
	}
	return f, nil
}

// TestStories compares the simulator with the fate computed from the rules. A failure prints how to replay it.
func TestStories(t *testing.T) {
	for _, behaviour := range Behaviours() {
		t.Run(string(behaviour), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				for _, s := range rapid.SliceOfN(stories(behaviour), 1, 20).Draw(rt, "stories") {
					got, err := s.told(t)
					if err != nil {
						rt.Fatal(err)
					}
					if want := s.foretold(); got != want {
						rt.Fatalf("%+v\nwas %+v, expected %+v", s, got, want)
					}
				}
			})
		})
	}
}
