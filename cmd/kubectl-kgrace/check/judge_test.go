// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const s = time.Second

// TestJudge tests every bound from both sides.
func TestJudge(t *testing.T) {
	// A good control took 0.3 s more than its grace period.
	good := evidence{grace: 45 * s, control: measure{gone: true, goneFrom: 6300 * time.Millisecond, goneBy: 6300 * time.Millisecond}, noLog: "no right"}
	with := func(change func(*evidence)) evidence {
		e := good
		change(&e)
		return e
	}
	gone := func(from, by time.Duration) measure {
		return measure{probe: Shortened, second: 3 * s, gone: true, goneFrom: from, goneBy: by}
	}
	spoke := func(m measure, word string, lived time.Duration) measure {
		m.logged, m.ended, m.marked, m.lived = true, true, word, lived
		return m
	}
	forced := func(second, lived time.Duration) measure {
		return spoke(measure{probe: Forced, second: second}, wordTerm, lived)
	}
	zero := func(word string, lived, heard time.Duration) measure {
		m := spoke(measure{probe: Zero}, word, lived)
		m.heard = heard
		return m
	}
	for name, tc := range map[string]struct {
		e    evidence
		m    measure
		hook bool
		want Verdict
		why  string
	}{
		"shortened, in time":                     {good, gone(8200*time.Millisecond, 8200*time.Millisecond), false, Fixed, ""},
		"shortened, too late":                    {good, gone(8400*time.Millisecond, 8400*time.Millisecond), false, Unknown, "gone after 8.4 s"},
		"shortened, with a slow API server":      {with(func(e *evidence) { e.control.goneBy = 10 * s }), gone(11*s, 11*s), false, Fixed, ""},
		"shortened, with a late second delete":   {good, func() measure { m := gone(9*s, 11*s); m.second = 9 * s; return m }(), false, Fixed, ""},
		"shortened, hook's window":               {good, gone(10*s, 10*s), true, Fixed, ""},
		"shortened, the same without hook":       {good, gone(10*s, 10*s), false, Unknown, ""},
		"shortened, lived it out":                {good, gone(45*s, 45*s), false, Affected, "old grace period"},
		"shortened, nearly":                      {good, gone(43400*time.Millisecond, 43400*time.Millisecond), false, Unknown, ""},
		"shortened, seen late":                   {good, gone(7*s, 46*s), false, Unknown, ""},
		"shortened, object late, process gone":   {good, spoke(gone(45*s, 45*s), wordTerm, 6*s), false, Unknown, ""},
		"shortened, object gone, process late":   {good, spoke(gone(6*s, 6*s), wordTerm, 45*s), false, Unknown, ""},
		"shortened, both late":                   {good, spoke(gone(45*s, 45*s), wordTerm, 45*s), false, Affected, ""},
		"shortened, both in time":                {good, spoke(gone(6*s, 6*s), wordTerm, 6*s), false, Fixed, ""},
		"shortened, never gone":                  {good, measure{probe: Shortened, second: 3 * s}, false, Unknown, "still there"},
		"forced, at once":                        {good, forced(3*s, 3100*time.Millisecond), false, Fixed, ""},
		"forced, too late":                       {good, forced(3*s, 5100*time.Millisecond), false, Unknown, "at most 5.0 s"},
		"forced, lived it out":                   {good, forced(3*s, 44*s), false, Affected, ""},
		"forced, nearly":                         {good, forced(3*s, 43*s), false, Unknown, ""},
		"forced, the log broke off":              {good, func() measure { m := forced(3*s, 3*s); m.ended, m.silent = false, "broke"; return m }(), false, Unknown, "broke"},
		"forced, the log broke off at the end":   {good, func() measure { m := forced(3*s, 45*s); m.ended, m.silent = false, "broke"; return m }(), false, Affected, ""},
		"forced, no mark":                        {good, forced(3*s, 0).unmarked(), false, Unknown, "never said"},
		"forced, no log":                         {good, measure{probe: Forced, second: 3 * s}, false, Unknown, "no right"},
		"forced, counted":                        {with(func(e *evidence) { e.orphans = &orphans{longest: 40 * s, samples: 20} }), measure{probe: Forced, second: 3 * s}, false, Affected, "counted"},
		"forced, counted, too short":             {with(func(e *evidence) { e.orphans = &orphans{longest: 20 * s, samples: 20} }), measure{probe: Forced, second: 3 * s}, false, Unknown, "at least 36.0 s"},
		"forced, counted none":                   {with(func(e *evidence) { e.orphans = &orphans{longest: 2 * s, samples: 20} }), measure{probe: Forced, second: 3 * s}, false, Fixed, "count"},
		"forced, counted others before":          {with(func(e *evidence) { e.orphans = &orphans{before: 1, longest: 2 * s} }), measure{probe: Forced, second: 3 * s}, false, Unknown, "before"},
		"zero, no TERM":                          {good, zero("", 0, -100*time.Millisecond), false, Fixed, ""},
		"zero, no TERM, heard for long":          {good, zero("", 0, 1500*time.Millisecond), false, Unknown, "last heard 1.5 s after"},
		"zero, TERM and KILL":                    {good, zero(wordTerm, 0, 10*time.Millisecond), false, Fixed, ""},
		"zero, two seconds":                      {good, zero(wordTerm, 1800*time.Millisecond, 2*s), false, Affected, ""},
		"zero, one second":                       {good, zero(wordTerm, s, s), false, Unknown, "at most 0.7 s"},
		"zero, broke off":                        {good, func() measure { m := zero("", 0, 0); m.ended, m.silent = false, "broke"; return m }(), false, Unknown, "broke"},
		"zero, no log":                           {good, measure{probe: Zero}, false, Unknown, "no right"},
		"no control":                             {with(func(e *evidence) { e.control = measure{} }), forced(3*s, 45*s), false, Unknown, "did not go"},
		"control that failed":                    {with(func(e *evidence) { e.control = measure{trouble: "refused"} }), forced(3*s, 45*s), false, Unknown, "the control pod: refused"},
		"control that obeys":                     {with(func(e *evidence) { e.control.goneBy = s }), forced(3*s, 3*s), false, Unknown, "does not ignore TERM"},
		"control that is slow":                   {with(func(e *evidence) { e.control.goneBy = 15 * s }), forced(3*s, 45*s), false, Unknown, "too slow"},
		"node that failed":                       {with(func(e *evidence) { e.node = "is not Ready" }), forced(3*s, 45*s), false, Unknown, "is not Ready"},
		"second delete late":                     {good, forced(12*s, 45*s), false, Unknown, "the API server took 9.0 s"},
		"kubelet that heard late":                {with(func(e *evidence) { e.zero = zero(wordTerm, 2*s, 5*s) }), forced(3*s, 45*s), false, Unknown, "to act on another delete"},
		"kubelet that heard late, and is fixed":  {with(func(e *evidence) { e.zero = zero(wordTerm, 2*s, 5*s) }), forced(3*s, 3*s), false, Fixed, ""},
		"kubelet that heard of the other delete": {with(func(e *evidence) { e.zero = zero(wordTerm, 2*s, 2*s) }), forced(3*s, 45*s), false, Affected, ""},
		"trouble":                                {good, measure{probe: Forced, trouble: "delete: refused"}, false, Unknown, "delete: refused"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.hook {
				tc.m.probe = hookPrefix + tc.m.probe
			}
			r := tc.e.judge(tc.m, tc.hook)
			if r.Verdict != tc.want || !strings.Contains(r.Why, tc.why) || r.Probe != tc.m.probe {
				t.Errorf("got %+v, want %s, %q", r, tc.want, tc.why)
			}
		})
	}
}

func (m measure) unmarked() measure {
	m.marked, m.lived = "", 0
	return m
}

// TestSilence distinguishes the end of a process from other silence.
func TestSilence(t *testing.T) {
	for name, tc := range map[string]struct {
		err     error // of the log
		open    bool  // the log has not ended
		witness bool  // it is heard afterwards
		want    string
	}{
		"ended":         {nil, false, true, ""},
		"broke off":     {errors.New("reset"), false, true, "broke off: reset"},
		"goes on":       {nil, true, true, "had not ended"},
		"witness quiet": {nil, false, false, "the witness"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fresh := func() *life { return &life{done: make(chan struct{}), changed: make(chan struct{})} }
				l, w := fresh(), fresh()
				start := time.Now()
				l.add(start, wordTerm)
				l.add(start.Add(3*s), wordAlive)
				if l.err = tc.err; !tc.open {
					close(l.done)
				}
				w.add(start.Add(3*s), wordAlive)
				if tc.witness {
					time.AfterFunc(s, func() { w.add(start.Add(5*s), wordAlive) })
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*s)
				defer cancel()
				var m measure
				m.read(ctx, l, w, start.Add(-s))
				if m.lived != 3*s || m.marked != wordTerm || !m.logged || m.heard != s {
					t.Errorf("%+v", m)
				}
				if m.ended != (tc.want == "") || !strings.Contains(m.silent, tc.want) {
					t.Errorf("ended %v, %q, want %q", m.ended, m.silent, tc.want)
				}
			})
		})
	}
}

func TestLines(t *testing.T) {
	l := &life{done: make(chan struct{}), changed: make(chan struct{})}
	text := "2026-01-01T00:00:00.1Z alive\n2026-01-01T00:00:00.3Z hook\n2026-01-01T00:00:01.3Z term\n2026-01-01T00:00:02.3Z alive\n" +
		"rpc error: code = NotFound desc = an error occurred\n2026-01-01T00:00:09Z other words\n"
	if err := l.read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if err := l.read(strings.NewReader("failed to create fsnotify watcher: too many open files")); err == nil || !strings.Contains(err.Error(), "too many open files") {
		t.Errorf("got %v", err)
	}
	if l.lines != 4 || l.marked != wordHook || l.last.Sub(l.mark) != 2*s {
		t.Errorf("%+v", l)
	}
}

// TestAbsence: a pod that is missing in a list went at some time since the last contact with the server.
func TestAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTracker(nil, "run")
		start := time.Now()
		k.listed([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, {ObjectMeta: metav1.ObjectMeta{Name: "q"}}})
		time.Sleep(20 * s) // in the bubble: the time between two lists
		k.listed([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "q"}}})
		a, ok := k.isGone("p")
		if !ok || !a.from.Equal(start) || a.by.Sub(start) != 20*s {
			t.Errorf("%v %v", a, ok)
		}
		if _, gone := k.isGone("q"); gone {
			t.Error("q is there")
		}
	})
}

func TestRunning(t *testing.T) {
	waiting := func(reason string) corev1.PodStatus {
		return corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}}
	}
	now := metav1.Now()
	for name, tc := range map[string]struct {
		pod  *corev1.Pod
		ok   bool
		want string
	}{
		"none":            {nil, false, ""},
		"new":             {&corev1.Pod{}, false, ""},
		"pulls":           {&corev1.Pod{Status: waiting("ErrImagePull")}, false, ""},
		"cannot pull":     {&corev1.Pod{Status: waiting("ImagePullBackOff")}, false, "--image"},
		"root":            {&corev1.Pod{Status: waiting("CreateContainerConfigError")}, false, "--user -1"},
		"somebody else's": {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}, false, "somebody else deleted it"},
		"no place":        {&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "OutOfcpu", Message: "full"}}, false, "OutOfcpu: full"},
		"no shell": {&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{
			{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 128, Reason: "StartError", Message: "no sh"}}}}}}, false, "needs a shell"},
		"runs": {&corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}}, true, ""},
	} {
		ok, err := running(tc.pod)
		if ok != tc.ok || (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}
