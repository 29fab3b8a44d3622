//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sys/unix"
	"k8s.io/klog/v2"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simkubelet"
)

// TestCrowd plays one crowd: stubborn pods of one node that are shortened at random, each judged as if it were alone. It fails
// only if it cannot play or write.
func TestCrowd(t *testing.T) {
	path, asked := os.LookupEnv(simkubelet.CrowdVar)
	if !asked {
		t.Skipf("%s is not set: this is run by `kgrace scale --level sim`", simkubelet.CrowdVar)
	}
	var c simkubelet.CrowdConfig
	if err := simkubelet.ReadCrowd(path, &c); err != nil {
		t.Fatal(err)
	}
	klog.SetLogger(logr.Discard())
	debug.SetMemoryLimit(8 << 30)
	crowd := simkubelet.Crowd{Play: simkubelet.Play{Minor: c.Minor, Arm: c.Arm, Behaviour: c.Behaviour}, Each: members(c)}
	begin, before := time.Now(), used(t)
	histories, kept, err := crowd.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	r := simkubelet.CrowdResult{CrowdConfig: c, Wall: time.Since(begin).Seconds(), CPU: used(t) - before, Kept: kept,
		Held: map[scenario.Rule]int{}, Broken: map[scenario.Rule]int{}, Invalid: map[scenario.Rule]int{}, Why: map[scenario.Rule]string{}}
	var first, last time.Time
	for i, h := range histories {
		if at := h.Events[0].At; first.IsZero() || at.Before(first) {
			first = at
		}
		if at := h.Events[len(h.Events)-1].At; at.After(last) {
			last = at
		}
		s := crowd.Each[i].Scenario
		for _, rule := range property.Rules(s) {
			found := judge.Judge(rule, h, s)
			switch found.Outcome {
			case scenario.Held:
				r.Held[rule]++
			case scenario.Broken:
				if r.Broken[rule]++; r.Broken[rule] == 1 {
					r.Why[rule] = s.ID + ": " + found.Why
					if err := history.WriteFile(filepath.Join(c.Histories, s.ID+".jsonl"), h); err != nil {
						t.Fatal(err)
					}
				}
			default:
				r.Invalid[rule]++
			}
		}
	}
	r.Virtual = last.Sub(first).Seconds()
	if err := simkubelet.WriteCrowd(c.Results, r); err != nil {
		t.Fatal(err)
	}
}

// used returns the processor time of this process in seconds.
func used(t *testing.T) float64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// members draws the scenarios of a crowd; the same seed draws the same ones. Times are odd, so that they differ from the
// kubelet's periods. Every request but a force leaves at least a second: the API has whole seconds only, and what lies in the past
// by less than one it may take for now.
func members(c simkubelet.CrowdConfig) (all []simkubelet.Member) {
	random := rand.New(rand.NewPCG(c.Seed, uint64(c.Pods)))
	odd := func(least, most int) time.Duration {
		return time.Duration(least*1000+random.IntN((most-least)*1000))*time.Millisecond + 1
	}
	for i := range c.Pods {
		grace := int64(30 + random.IntN(91))
		s := scenario.Scenario{ID: fmt.Sprintf("crowd-%04d", i), Family: "grace", Levels: []scenario.Level{scenario.LevelSim},
			Pod:   scenario.Pod{Grace: grace, Containers: []scenario.Container{{Name: "main", Stubborn: true}}},
			Steps: []scenario.Step{{Do: scenario.DeletePlainly{}}}}
		after := time.Duration(0)
		for range 1 + random.IntN(3) {
			after += odd(1, 8)
			least := int64(after/time.Second) + 2
			if least >= grace {
				break
			}
			if random.IntN(4) == 0 {
				s.Steps = append(s.Steps, scenario.Step{After: after, Do: scenario.Force{}})
				break
			}
			grace = least + random.Int64N(grace-least)
			s.Steps = append(s.Steps, scenario.Step{After: after, Do: scenario.Delete{Grace: grace}})
		}
		all = append(all, simkubelet.Member{Scenario: s, Begin: odd(0, 20)})
	}
	return all
}
