// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T, r *Recorder, scenario, pod string, more ...string) *Log {
	t.Helper()
	log, err := r.Open(Header{Scenario: scenario, Pod: pod}, more...)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestRecorderRoutesByPod(t *testing.T) {
	r := NewRecorder()
	one := open(t, r, "one", "p1", "p1-next")
	two := open(t, r, "two", "p2")
	for _, pod := range []string{"p1", "p2", "stranger", "p1-next", ""} {
		r.Add(Event{Kind: Line, Pod: pod})
	}
	two.Add(Event{Kind: Armed}) // the harness's own
	if got := pods(one); got != "1:p1 2:p1-next" {
		t.Errorf("first history: %s", got)
	}
	if got := pods(two); got != "1:p2 2:p2" {
		t.Errorf("second history: %s", got)
	}

	one.Close()
	r.Add(Event{Kind: Line, Pod: "p1"})
	one.Add(Event{Kind: Finished})
	if got := pods(one); got != "1:p1 2:p1-next 3:p1" {
		t.Errorf("a closed history must record only what is added to it directly: %s", got)
	}
	open(t, r, "again", "p1") // the name is free
}

func pods(l *Log) string {
	var parts []string
	for _, e := range l.History().Events {
		parts = append(parts, fmt.Sprintf("%d:%s", e.Seq, e.Pod))
	}
	return strings.Join(parts, " ")
}

func TestRecorderRefusesSharedPods(t *testing.T) {
	r := NewRecorder()
	open(t, r, "one", "p1")
	if _, err := r.Open(Header{Scenario: "two", Pod: "p2"}, "p1"); err == nil || !strings.Contains(err.Error(), `"one"`) {
		t.Errorf("got %v, expected an error that names the pod's scenario", err)
	}
	open(t, r, "three", "p2") // the failed Open took nothing
	if _, err := r.Open(Header{Scenario: "none"}); err == nil {
		t.Error("a history without a pod was opened")
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRecorder()
		log := open(t, r, "s", "p")
		term := func(e Event) bool { return e.Reason == "TERM" }

		got := make(chan Event, 1)
		go func() {
			e, err := log.Wait(t.Context(), "TERM", term)
			if err != nil {
				t.Error(err)
			}
			got <- e
		}()
		synctest.Wait()
		r.Add(Event{Kind: Line, Pod: "p", Reason: "START"})
		synctest.Wait()
		select {
		case e := <-got:
			t.Fatalf("woke for %+v", e)
		default:
		}
		r.Add(Event{Kind: Line, Pod: "p", Reason: "TERM"})
		if e := <-got; e.Seq != 2 {
			t.Errorf("got event %d, expected the second", e.Seq)
		}
		// Past events count.
		if e, err := log.Wait(t.Context(), "TERM", term); err != nil || e.Seq != 2 {
			t.Errorf("got event %d, error %v", e.Seq, err)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := log.Wait(ctx, "EXIT of main", func(e Event) bool { return e.Reason == "EXIT" })
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "EXIT of main") || !strings.Contains(err.Error(), `"s"`) {
			t.Errorf("got %v, expected the deadline, what was awaited and the scenario", err)
		}
	})
}

func TestRecorderIsSafeForConcurrentUse(t *testing.T) {
	const writers, each = 8, 200
	r := NewRecorder()
	log := open(t, r, "s", "p")
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := range each {
				r.Add(Event{Kind: Line, Pod: "p", Message: fmt.Sprint(w, "/", i)})
			}
		})
		wait.Go(func() {
			err := log.WaitAll(t.Context(), "all events", func(events []Event) bool { return len(events) == writers*each })
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for i, e := range log.History().Events {
		if e.Seq != i+1 {
			t.Fatalf("event %d has seq %d", i, e.Seq)
		}
	}
}

func TestRecordedTimesSurviveTheFile(t *testing.T) {
	r := NewRecorder()
	log := open(t, r, "s", "p")
	log.Add(Event{Kind: Armed})
	log.Add(Event{Kind: Line, At: time.Now().In(time.FixedZone("east", 3600))})
	var file bytes.Buffer
	if err := write(&file, log.History()); err != nil {
		t.Fatal(err)
	}
	read, err := Read(&file, "x")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(log.History(), read); diff != "" {
		t.Error(diff)
	}
	for i, e := range log.History().Events {
		if e.At.IsZero() || e.At != read.Events[i].At { // identical, including the zone
			t.Errorf("recorded at %#v, read back %#v", e.At, read.Events[i].At)
		}
	}
}

func TestRecorderKnowsGeneratedNames(t *testing.T) {
	r := NewRecorder()
	ds := open(t, r, "ds", "ds", Generated("ds"))
	more := open(t, r, "ds-more", "ds-more")
	for _, pod := range []string{"ds", "ds-x7k2p", "ds-more", "ds-x7k2p-more", "ds2-x7k2p", "", "-"} {
		r.Add(Event{Kind: APIPod, Pod: pod})
	}
	if got := pods(ds); got != "1:ds 2:ds-x7k2p" {
		t.Errorf("the controller's history has %s", got)
	}
	if got := pods(more); got != "1:ds-more" {
		t.Errorf("an exact name must take precedence over a generated one: %s", got)
	}
}
