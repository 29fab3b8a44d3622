// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/fake"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// acting is a place with a scripted kubelet and runtime.
type acting struct {
	Place  // a stage without optional capabilities
	record history.Sink
	script func(pod string, deleted <-chan struct{}, event func(history.Event))

	mu   sync.Mutex
	pods []string
}

// run plays the script for a pod that is created.
func (a *acting) run(pod string, deleted <-chan struct{}) {
	a.mu.Lock()
	a.pods = append(a.pods, pod)
	a.mu.Unlock()
	a.script(pod, deleted, func(e history.Event) {
		e.Pod = pod
		if e.Container == "" && e.Kind != history.APIPod {
			e.Container = "main"
		}
		a.record.Add(e)
	})
}

// played runs one scenario on both arms, at places that follow a script.
func played(t *testing.T, script func(arm verdict.Arm, pod string, deleted <-chan struct{}, event func(history.Event))) (result.Results, map[verdict.Arm]*acting, string, string) {
	t.Helper()
	var progress bytes.Buffer
	places := map[verdict.Arm]*acting{}
	var mu sync.Mutex
	o := Options{Minor: "v1.37", Level: scenario.LevelNode, Arms: verdict.Arms(), Scenarios: []scenario.Scenario{row(t, "now")},
		Artifacts: t.TempDir(), Progress: &progress,
		Open: func(_ context.Context, arm verdict.Arm, record history.Sink) (Place, error) {
			client := fake.NewClientset(node())
			a := &acting{Place: &stage{client: client}, record: record,
				script: func(pod string, deleted <-chan struct{}, event func(history.Event)) { script(arm, pod, deleted, event) }}
			created(client, a.run)
			mu.Lock()
			defer mu.Unlock()
			places[arm] = a
			return a, nil
		}}
	run, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	results, err := run.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return results, places, o.Artifacts, progress.String()
}

// good plays what a kubelet does with scenario "now", late by the given time: del(1), a stop call with 2, dead 2 s later.
func good(deleted <-chan struct{}, event func(history.Event), late time.Duration) {
	event(history.Event{Kind: history.Line, Reason: "START"})
	event(history.Event{Kind: history.APIPod, Reason: "MODIFIED", Message: "Running"})
	<-deleted
	time.Sleep(100 * time.Millisecond)
	event(history.Event{Kind: history.APIPod, Reason: "MODIFIED", Message: "Running", Grace: history.Seconds(1), Deletion: history.Time(time.Now())})
	time.Sleep(late)
	event(history.Event{Kind: history.CRICall, Call: "StopContainer", CallID: 1, Grace: history.Seconds(2)})
	time.Sleep(2 * time.Second)
	code := int32(137)
	event(history.Event{Kind: history.ContainerExit, ExitCode: &code})
	event(history.Event{Kind: history.CRIReturn, Call: "StopContainer", CallID: 1, Grace: history.Seconds(2)})
	event(history.Event{Kind: history.CRICall, Call: "StopPodSandbox", CallID: 2})
	event(history.Event{Kind: history.CRIReturn, Call: "StopPodSandbox", CallID: 2})
	event(history.Event{Kind: history.APIPod, Reason: "DELETED"})
}

// Scenarios without a decision run once more; red or good ones do not.
func TestInvalidIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, places, artifacts, progress := played(t, func(arm verdict.Arm, pod string, deleted <-chan struct{}, event func(history.Event)) {
			late := time.Duration(0)
			if arm == verdict.Fixed && !strings.HasSuffix(pod, "-again") {
				late = 5 * time.Second
				time.AfterFunc(rest, func() {
					event(history.Event{Kind: history.ControlLate, At: time.Now(), Late: 4.9 + apart.Seconds()})
				})
			}
			good(deleted, event, late)
		})
		if results.Status() != verdict.StatusGood {
			var b strings.Builder
			_ = results.Table(&b)
			t.Fatalf("%s\n%s", progress, b.String())
		}
		if got := places[verdict.Stock].pods; len(got) != 1 {
			t.Errorf("stock ran %v", got)
		}
		if got := places[verdict.Fixed].pods; len(got) != 2 || got[1] != "now-again" {
			t.Errorf("fixed ran %v", got)
		}
		one, _ := results.Find("now", verdict.Fixed)
		if !strings.Contains(one.Second, "R5: late by") {
			t.Errorf("second: %q", one.Second)
		}
		for _, file := range []string{filepath.Join(FirstRuns, "node", "fixed", "now.jsonl"), one.History} {
			if _, err := history.ReadFile(filepath.Join(artifacts, file)); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(filepath.Join(artifacts, FirstRuns, "node", "stock")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("stock: %v", err)
		}
		if !strings.Contains(progress, "fixed now is invalid and will run once more, alone: R5: late by") ||
			!strings.Contains(progress, "fixed  1/1 now (second run) dead at") {
			t.Errorf("progress:\n%s", progress)
		}
	})
}

func TestInvalidTwiceStaysInvalid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, places, _, _ := played(t, func(_ verdict.Arm, _ string, deleted <-chan struct{}, event func(history.Event)) {
			time.AfterFunc(rest, func() { event(history.Event{Kind: history.ControlLate, At: time.Now(), Late: 4.9 + apart.Seconds()}) })
			good(deleted, event, 5*time.Second)
		})
		if results.Status() != verdict.StatusInvalid {
			t.Errorf("status %s", results.Status())
		}
		for arm, place := range places {
			if len(place.pods) != 2 {
				t.Errorf("%s ran %v", arm, place.pods)
			}
		}
	})
}

func TestRedIsNotRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, places, _, _ := played(t, func(_ verdict.Arm, _ string, deleted <-chan struct{}, event func(history.Event)) {
			good(deleted, event, 5*time.Second)
		})
		if results.Status() != verdict.StatusRed {
			t.Errorf("status %s", results.Status())
		}
		for arm, place := range places {
			if len(place.pods) != 1 {
				t.Errorf("%s ran %v", arm, place.pods)
			}
		}
	})
}
