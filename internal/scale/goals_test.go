// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/verdict"
)

// waveOf returns a wave of one part whose pods died at the given times.
func waveOf(column Column, part Part, dead ...float64) Wave {
	w := Wave{Pods: len(dead), Column: column, Part: part.ID, Grace: part.Requests[0].Grace, Deadline: part.deadline().Seconds(),
		Asked: &Asked{After: .1}}
	for i := range dead {
		l := Life{Pod: string(rune('a' + i)), Terms: 1, Dead: &dead[i]}
		for range part.Requests {
			l.Sent, l.Answered = append(l.Sent, 0), append(l.Answered, .2)
		}
		l.Read = new(float64)
		w.Died = &Since{Pod: l.Pod, After: &dead[i]}
		w.Acted = &Since{Pod: l.Pod, After: new(float64)}
		w.Lives = append(w.Lives, l)
	}
	return w
}

// verdicts judges waves and returns the verdict of each goal of a column whose name contains a word.
func verdicts(column Column, word string, waves ...Wave) (all []verdict.Verdict) {
	for _, c := range Judge(Results{Waves: waves}) {
		if c.Column == column && strings.Contains(c.Goal, word) {
			all = append(all, c.Verdict)
		}
	}
	return all
}

func expect(t *testing.T, what string, got []verdict.Verdict, want ...verdict.Verdict) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}

func TestLast(t *testing.T) {
	part := Parts(120)[1]
	alone := waveOf(Alone, part, 1, 10)
	expect(t, "in time", verdicts(Fixed, "last dead", alone, waveOf(Fixed, part, 1, 12.9)), verdict.Repaired)
	expect(t, "late", verdicts(Fixed, "last dead", alone, waveOf(Fixed, part, 1, 13.1)), verdict.StillBroken)
	expect(t, "stock", verdicts(Stock, "last dead", alone, waveOf(Stock, part, 39, 40)), verdict.Reproduced)
	expect(t, "stock in time", verdicts(Stock, "last dead", alone, waveOf(Stock, part, 1, 12)), verdict.NotReproduced)
	expect(t, "no measure", verdicts(Fixed, "last dead", waveOf(Fixed, part, 1, 12)), verdict.Invalid)
	quick := waveOf(Alone, part, .1, .2)
	expect(t, "a little more than little", verdicts(Fixed, "last dead", quick, waveOf(Fixed, part, .1, .7)), verdict.Repaired)
	expect(t, "much more than little", verdicts(Fixed, "last dead", quick, waveOf(Fixed, part, .1, .71)), verdict.StillBroken)
	slow := waveOf(Fixed, part, 1, 13.3)
	slow.Lost = .2
	expect(t, "later than the machine", verdicts(Fixed, "last dead", alone, slow), verdict.StillBroken)
	slow.Lost = .4
	expect(t, "the machine was late", verdicts(Fixed, "last dead", alone, slow), verdict.Invalid)
	slow = waveOf(Stock, part, 39, 40)
	slow.Lost = 30
	expect(t, "stock on a slow machine", verdicts(Stock, "last dead", alone, slow), verdict.Reproduced)
	slow = waveOf(Fixed, part, 1, 13.39)
	slow.Lives[1].Read = at(.4)
	expect(t, "the loop read it late", verdicts(Fixed, "last dead", alone, slow), verdict.Invalid)
	slow.Lives[1].Read = at(.3)
	expect(t, "later than it was read", verdicts(Fixed, "last dead", alone, slow), verdict.StillBroken)
	if LastRatio(110) != 1.3 || LastRatio(250) != 1.5 {
		t.Error("the limits of the ratio")
	}
}

func TestSinceRead(t *testing.T) {
	part := Parts(120)[1]
	alone := waveOf(Alone, part, 1, 10)
	expect(t, "in time", verdicts(Fixed, "after its request was read", alone, waveOf(Fixed, part, 1, 12.9)), verdict.Repaired)
	expect(t, "late", verdicts(Fixed, "after its request was read", alone, waveOf(Fixed, part, 1, 13.1)), verdict.StillBroken)
	expect(t, "stock", verdicts(Stock, "after its request was read", alone, waveOf(Stock, part, 39, 40)), verdict.Reproduced)
	expect(t, "stock in time", verdicts(Stock, "after its request was read", alone, waveOf(Stock, part, 1, 12)), verdict.NotReproduced)
	expect(t, "no measure", verdicts(Fixed, "after its request was read", waveOf(Fixed, part, 1, 12)), verdict.Invalid)
	quick := waveOf(Alone, part, .1, .2)
	expect(t, "a little more than little", verdicts(Fixed, "after its request was read", quick, waveOf(Fixed, part, .1, .7)), verdict.Repaired)
	expect(t, "much more than little", verdicts(Fixed, "after its request was read", quick, waveOf(Fixed, part, .1, .71)), verdict.StillBroken)
	slow := waveOf(Fixed, part, 1, 13.3)
	slow.Died.Lost = .2
	expect(t, "later than the machine", verdicts(Fixed, "after its request was read", alone, slow), verdict.StillBroken)
	slow.Died.Lost = .4
	expect(t, "the machine was late", verdicts(Fixed, "after its request was read", alone, slow), verdict.Invalid)
	slow = waveOf(Stock, part, 39, 40)
	slow.Died.Lost = 30
	expect(t, "stock on a slow machine", verdicts(Stock, "after its request was read", alone, slow), verdict.Reproduced)
	running := Parts(120)[0]
	alone, stock := waveOf(Alone, running, 1), waveOf(Stock, running, 12)
	expect(t, "no slower than stock", verdicts(Fixed, "after its request was read", alone, stock, waveOf(Fixed, running, 13)), verdict.Repaired)
	expect(t, "slower than stock", verdicts(Fixed, "after its request was read", alone, stock, waveOf(Fixed, running, 13.1)), verdict.StillBroken)
}

func TestFirst(t *testing.T) {
	part := Parts(120)[0]
	asked := func(a Asked) Wave {
		w := waveOf(Fixed, part, 1, 2)
		w.Asked = &a
		return w
	}
	expect(t, "prompt", verdicts(Fixed, "first kill", asked(Asked{After: .5})), verdict.Repaired)
	expect(t, "late", verdicts(Fixed, "first kill", asked(Asked{After: .6})), verdict.StillBroken)
	expect(t, "not with zero", verdicts(Fixed, "first kill", asked(Asked{After: .1, Timeout: 2})), verdict.StillBroken)
	expect(t, "the machine was late", verdicts(Fixed, "first kill", asked(Asked{After: .6, Lost: .2})), verdict.Invalid)
	expect(t, "the control saw it late", verdicts(Fixed, "first kill", asked(Asked{After: .9, Saw: at(.5)})), verdict.Invalid)
	expect(t, "later than the machine", verdicts(Fixed, "first kill", asked(Asked{After: .9, Saw: at(.2), Lost: .3})), verdict.StillBroken)
	expect(t, "stock", verdicts(Stock, "first kill", waveOf(Stock, part, 2, 3)), verdict.Reproduced)
	expect(t, "stock at once", verdicts(Stock, "first kill", waveOf(Stock, part, .3, 3)), verdict.NotReproduced)
}

func TestShortened(t *testing.T) {
	part := Parts(120)[2]
	alone := waveOf(Alone, part, 15.1, 18)
	expect(t, "on time", verdicts(Fixed, "before its deadline", alone, waveOf(Fixed, part, 15, 20.2)), verdict.Kept)
	expect(t, "early", verdicts(Fixed, "before its deadline", alone, waveOf(Fixed, part, 14.9, 20)), verdict.Regressed)
	// Counted from the answer at 0.2: 15 s of grace, 2 s of window, and the 3 s that the runtime alone needs.
	expect(t, "in the window", verdicts(Fixed, "all dead within", alone, waveOf(Fixed, part, 15, 20.2)), verdict.Repaired)
	expect(t, "after it", verdicts(Fixed, "all dead within", alone, waveOf(Fixed, part, 15, 20.3)), verdict.StillBroken)
	expect(t, "stock", verdicts(Stock, "all dead within", alone, waveOf(Stock, part, 40, 41)), verdict.Reproduced)
}

func TestEndedAndTerms(t *testing.T) {
	part := Parts(120)[0]
	w := waveOf(Fixed, part, .1, .2)
	expect(t, "all", verdicts(Fixed, "every pod ends", w), verdict.Kept)
	w.Lives[1].Dead = nil
	expect(t, "one lives", verdicts(Fixed, "every pod ends", w), verdict.Regressed)
	w.Column = Alone
	expect(t, "without a measure", verdicts(Alone, "every pod ends", w), verdict.Invalid)
	w = waveOf(Fixed, part, .1, .2)
	w.Lives[0].Failed = "timeout"
	expect(t, "a request failed", verdicts(Fixed, "", w), verdict.Invalid)
	w = waveOf(Fixed, part, .1, .2)
	w.Lives[0].Terms = 2
	expect(t, "two TERMs", verdicts(Fixed, "one TERM", w), verdict.Regressed)
}

func TestFigures(t *testing.T) {
	of := func(column Column, state State, goroutines int, memory, cpu float64) Sample {
		return Sample{Pods: 10, Column: column, State: state, Goroutines: goroutines, MemoryMB: memory, CPU: cpu, Seconds: 10}
	}
	judge := func(word string, samples ...Sample) (all []verdict.Verdict) {
		for _, c := range Judge(Results{Pods: []int{10}, Samples: samples}) {
			if strings.Contains(c.Goal, word) {
				all = append(all, c.Verdict)
			}
		}
		return all
	}
	stock := []Sample{of(Stock, Running, 400, 80, 1), of(Stock, Running, 410, 100, 2)}
	expect(t, "as stock", judge("goroutines at rest", append(stock, of(Fixed, Running, 430, 90, 1))...), verdict.Kept)
	expect(t, "more", judge("goroutines at rest", append(stock, of(Fixed, Running, 431, 90, 1), of(Fixed, Running, 440, 90, 1))...), verdict.Regressed)
	expect(t, "samples overlap", judge("memory", append(stock, of(Fixed, Running, 400, 104, 1), of(Fixed, Running, 400, 140, 1))...), verdict.Kept)
	expect(t, "more CPU", judge("CPU", append(stock, of(Fixed, Running, 400, 90, 2.2))...), verdict.Regressed)
	ending := func(column Column, state State, n int) Sample {
		return Sample{Pods: 10, Column: column, State: state, Ending: n}
	}
	hurried := func(n int) []verdict.Verdict {
		return judge("shorter stop", ending(Stock, Running, 10), ending(Stock, Hurried, 20), ending(Fixed, Running, 10), ending(Fixed, Terminating, 40), ending(Fixed, Hurried, n))
	}
	expect(t, "two each and one", hurried(20+30+passing), verdict.Kept)
	expect(t, "one more than that", hurried(20+30+passing+1), verdict.Regressed)
	alone := func(n int) []verdict.Verdict {
		return judge("shorter stop", ending(Fixed, Running, 10), ending(Fixed, Terminating, 40), ending(Fixed, Hurried, n))
	}
	expect(t, "without stock", alone(40+10+passing), verdict.Kept)
	expect(t, "without stock, one more", alone(40+10+passing+1), verdict.Regressed)
	left := func(n int) []verdict.Verdict {
		return judge("gone", of(Fixed, Empty, 300, 0, 0), of(Fixed, Left, n, 0, 0))
	}
	expect(t, "gone", left(leftAllowed(300, 10)), verdict.Kept)
	expect(t, "left", left(leftAllowed(300, 10)+1), verdict.Regressed)
}

func TestActs(t *testing.T) {
	acted := func(column Column, part Part, a *Since) Wave {
		w := waveOf(column, part, 1)
		if w.Acted = a; a == nil {
			w.Lives[0].Read = nil
		}
		return w
	}
	running, terminating := Parts(120)[0], Parts(120)[1]
	expect(t, "prompt", verdicts(Fixed, "sync loop", acted(Fixed, terminating, &Since{After: at(.5)})), verdict.Repaired)
	expect(t, "late", verdicts(Fixed, "sync loop", acted(Fixed, terminating, &Since{After: at(.9), Lost: .3})), verdict.StillBroken)
	expect(t, "the machine was late", verdicts(Fixed, "sync loop", acted(Fixed, terminating, &Since{After: at(.9), Lost: .4})), verdict.Invalid)
	expect(t, "none", verdicts(Fixed, "sync loop", acted(Fixed, terminating, &Since{})), verdict.StillBroken)
	expect(t, "not in the log", verdicts(Fixed, "sync loop", acted(Fixed, terminating, nil)), verdict.Invalid)
	expect(t, "stock, none", verdicts(Stock, "sync loop", acted(Stock, terminating, &Since{})), verdict.Reproduced)
	expect(t, "stock, prompt", verdicts(Stock, "sync loop", acted(Stock, terminating, &Since{After: at(.1)})), verdict.NotReproduced)
	expect(t, "running", verdicts(Fixed, "sync loop", acted(Fixed, running, &Since{After: at(.9)})))
}
