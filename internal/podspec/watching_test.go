//go:build !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podspec

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// onSim returns a row that runs only at the sim level, as it runs there.
func onSim(t *testing.T, id string) scenario.Scenario {
	t.Helper()
	all, err := scenario.Pick(catalogue(t), scenario.LevelSim, id)
	if err != nil {
		t.Fatal(err)
	}
	return all[0].At(scenario.LevelSim)
}

func TestArming(t *testing.T) {
	running := history.Event{Kind: history.APIPod, Message: "Running"}
	line := func(word string) history.Event {
		return history.Event{Kind: history.Line, Container: "main", Reason: word}
	}
	for id, events := range map[string][]history.Event{
		"now":                   {line("START"), running},
		"readiness-during-stop": {running, line("START"), line("PROBE")},
		"deleted-during-pull":   {{Kind: history.CRICall, Call: "RunPodSandbox"}, {Kind: history.CRICall, Call: "PullImage"}},
		"pull-beside":           {{Kind: history.CRICall, Call: "PullImage"}, {Kind: history.Line, Container: "a", Reason: "START"}},
		"poststart-hang":        {line("START"), line("POSTSTART-START")},
	} {
		arming := Arming(onSim(t, id))
		for i, e := range events {
			if got, want := arming(e), i == len(events)-1; got != want {
				t.Errorf("%s: armed %v after %+v", id, got, e)
			}
		}
	}
	if Arming(onSim(t, "pending-fast-delete")) != nil {
		t.Error("a burst makes its own pods")
	}
}

func TestOverInFlows(t *testing.T) {
	pod := func(name, change string) history.Event {
		return history.Event{Kind: history.APIPod, Pod: name, Reason: change}
	}
	exit := history.Event{Kind: history.ContainerExit, Container: "main"}
	start := history.Event{Kind: history.Line, Container: "main", Reason: "START"}
	sandbox := history.Event{Kind: history.CRIReturn, Call: "StopPodSandbox"}
	kill := history.Event{Kind: history.KubeletKill, CallID: 1}
	answer := history.Event{Kind: history.KubeletKilled, CallID: 1}
	for name, c := range map[string]struct {
		id   string
		all  []history.Event
		last history.Event
	}{
		"an eviction is answered":    {"evict-hard-direct", []history.Event{pod("p", "ADDED"), kill, exit, sandbox}, answer},
		"the mirror pod is back":     {"mirror-only", []history.Event{start, pod("m", "ADDED"), pod("m", "DELETED")}, pod("m", "ADDED")},
		"a static pod started again": {"static-replaced", []history.Event{start, exit, sandbox}, start},
		"a static pod ended":         {"static-removed", []history.Event{start, pod("m", "ADDED"), exit, sandbox}, pod("m", "DELETED")},
		"a hook that the runtime keeps is not waited for once its container is dead": {"hook-exec-force", []history.Event{start, pod("p", "ADDED"),
			{Kind: history.CRICall, Call: "ExecSync", CallID: 7, Container: "main"}, sandbox, pod("p", "DELETED")}, exit},
		"what runs beside a pull has ended": {"pull-beside", []history.Event{{Kind: history.Line, Container: "a", Reason: "START"},
			pod("p", "ADDED"), pod("p", "DELETED")}, history.Event{Kind: history.ContainerExit, Container: "a"}},
		"a pod that never started is gone": {"deleted-during-pull", []history.Event{pod("p", "ADDED")}, pod("p", "DELETED")},
	} {
		s := onSim(t, c.id)
		if Over(s, c.all) {
			t.Errorf("%s: over too early", name)
		}
		if !Over(s, append(c.all, c.last)) {
			t.Errorf("%s: not over", name)
		}
	}
	s := onSim(t, "pending-fast-delete")
	var events []history.Event
	for n := range 20 {
		if Over(s, events) {
			t.Fatalf("over with %d of 20 pods", n)
		}
		name := scenario.Burst{}.Name(s.ID, n)
		events = append(events, pod(name, "ADDED"), pod(name, "DELETED"))
	}
	if !Over(s, events) {
		t.Error("all pods of the burst are gone")
	}
}

func TestPodOfTheSecondList(t *testing.T) {
	args := func(id string) string { return strings.Join(Pod(onSim(t, id), "n", "").Spec.Containers[0].Args, " ") }
	hooks := func(id string) *corev1.Lifecycle { return Pod(onSim(t, id), "n", "").Spec.Containers[0].Lifecycle }
	for got, want := range map[string]string{
		args("evict-finished"): "run --exit-after 3s",
		strings.Join(hooks("hook-that-fails").PreStop.Exec.Command, " "):  "/actor hook --for 1s --exit-code 1",
		strings.Join(hooks("hook-ends-main").PreStop.Exec.Command, " "):   "/actor hook --for 20s --end-main 3s",
		strings.Join(hooks("poststart-hang").PostStart.Exec.Command, " "): "/actor hook --for forever --word POSTSTART",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if pod := Pod(onSim(t, "finalizer-force"), "n", ""); len(pod.Finalizers) != 1 {
		t.Errorf("finalizers: %v", pod.Finalizers)
	}
	if pod := Pod(onSim(t, "sidecar-of-a-finished-main"), "n", ""); pod.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		t.Errorf("restart policy %s", pod.Spec.RestartPolicy)
	}
	if pod := Pod(onSim(t, "spec-zero"), "n", ""); *pod.Spec.TerminationGracePeriodSeconds != 0 {
		t.Error("a grace of 0 was lost")
	}
	if probe := Pod(onSim(t, "liveness-kill"), "n", "").Spec.Containers[0].LivenessProbe; probe == nil || probe.InitialDelaySeconds != 10 {
		t.Errorf("liveness probe: %+v", probe)
	}
}

func TestFaultsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := map[string]bool{}
		faults, err := Inject([]scenario.Fault{{Call: "A", Fails: true}, {Call: "B", Fails: true, From: 2 * time.Second, For: 3 * time.Second},
			{Call: "C", Fails: true, From: time.Hour}},
			func(f scenario.Fault) (func(), error) {
				there[f.Call] = true
				return func() { delete(there, f.Call) }, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // nothing counts before the first step
		stop := faults.Begin()
		for _, want := range []string{"A", "A", "A B", "A"} {
			synctest.Wait()
			if got := strings.Join(slices.Sorted(maps.Keys(there)), " "); got != want {
				t.Errorf("in place: %s, want %s", got, want)
			}
			time.Sleep(1100 * time.Millisecond)
		}
		stop()
		if err := faults.End(); err != nil || len(there) > 0 {
			t.Errorf("left: %v, %v", there, err)
		}
		time.Sleep(2 * time.Hour)
		if len(there) > 0 {
			t.Errorf("came after the end: %v", there)
		}
	})
	broken := errors.New("no")
	if _, err := Inject([]scenario.Fault{{Call: "A", Fails: true}}, func(scenario.Fault) (func(), error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestFault(t *testing.T) {
	got := Fault(scenario.Fault{Call: "StopContainer", Fails: true, Times: 2}, "p")
	if got.Method != "StopContainer" || got.Pod != "p" || got.Fail == nil || got.Times != 2 || got.Hang || got.Delay != 0 {
		t.Errorf("%+v", got)
	}
	if got := Fault(scenario.Fault{Call: "PullImage", Delay: time.Second}, "p"); got.Fail != nil || got.Delay != time.Second {
		t.Errorf("%+v", got)
	}
}

func TestManifest(t *testing.T) {
	s := row(t, "same-uid-restart").At(scenario.LevelNode)
	read := func(changed bool) (pod corev1.Pod) {
		data, err := Manifest(s, "/run/x/lines", changed)
		if err == nil {
			err = json.Unmarshal(data, &pod)
		}
		if err != nil {
			t.Fatal(err)
		}
		return pod
	}
	first, second := read(false), read(true)
	if first.Kind != "Pod" || first.Spec.NodeName != "" || first.Name != s.ID || string(first.UID) != s.Pod.UID ||
		first.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		t.Errorf("%+v", first)
	}
	if len(first.Labels) != 0 || len(second.Labels) == 0 {
		t.Error("the changed manifest must differ")
	}
}

func TestPodProbesPullsAndTaints(t *testing.T) {
	if probe := Pod(onSim(t, "readiness-during-stop"), "n", "/l").Spec.Containers[0].ReadinessProbe; probe == nil ||
		!strings.Contains(strings.Join(probe.Exec.Command, " "), "PROBE") || probe.PeriodSeconds != 1 {
		t.Errorf("probe: %+v", probe)
	}
	if c := Pod(onSim(t, "deleted-during-pull"), "n", "/l").Spec.Containers[0]; c.ImagePullPolicy != corev1.PullAlways {
		t.Error("the image must be pulled")
	}
	if pod := Pod(onSim(t, "taint-evict"), "n", "/l"); len(pod.Spec.Tolerations) != 0 {
		t.Error("the pod must not tolerate the taint")
	}
	if args := Pod(onSim(t, "pending-fast-delete"), "n", "/l").Spec.Containers[0].Args; strings.Join(args, " ") != "run --exit-after 0s --exit-code 1" {
		t.Errorf("%v", args)
	}
}

func TestOver(t *testing.T) {
	s := row(t, "sidecar-shorten").At(scenario.LevelNode)
	events := []history.Event{
		{Kind: history.ContainerExit, Container: "main"},
		{Kind: history.CRICall, Call: "StopContainer", CallID: 1},
		{Kind: history.ContainerExit, Container: "sidecar"},
		{Kind: history.CRIReturn, Call: "StopContainer", CallID: 1},
		{Kind: history.CRICall, Call: "StopPodSandbox", CallID: 2},
		{Kind: history.CRIReturn, Call: "StopPodSandbox", CallID: 2},
		{Kind: history.APIPod, Reason: "DELETED"},
	}
	if !Over(s, events) {
		t.Error("all is over")
	}
	for i := range events {
		if i == 1 || i == 4 {
			continue // a return without its call
		}
		if Over(s, slices.Delete(slices.Clone(events), i, i+1)) {
			t.Errorf("over without %+v", events[i])
		}
	}
}

// The stop of a sandbox whose start failed is not that of the pod's sandbox.
func TestAFailedSandboxIsNotThePods(t *testing.T) {
	s := scenario.Scenario{ID: "s", Pod: scenario.Pod{Containers: []scenario.Container{{Name: "main"}}}, Steps: []scenario.Step{{Do: scenario.Force{}}}}
	call := func(kind history.Kind, id int64, name, message, failed string) history.Event {
		return history.Event{Kind: kind, Pod: "p", CallID: id, Call: name, Message: message, Error: failed}
	}
	events := []history.Event{
		{Kind: history.APIPod, Pod: "p", Reason: "ADDED"},
		call(history.CRICall, 1, "RunPodSandbox", "", ""), call(history.CRIReturn, 1, "RunPodSandbox", "reset", "Unavailable"),
		call(history.CRICall, 2, "StopPodSandbox", "sandbox a", ""), call(history.CRIReturn, 2, "StopPodSandbox", "sandbox a", ""),
		call(history.CRICall, 3, "RunPodSandbox", "", ""), call(history.CRIReturn, 3, "RunPodSandbox", "sandbox b", ""),
		{Kind: history.APIPod, Pod: "p", Reason: "DELETED"}, {Kind: history.ContainerExit, Pod: "p", Container: "main"},
	}
	if Over(s, events) {
		t.Error("over before the pod's sandbox was stopped")
	}
	events = append(events, call(history.CRICall, 4, "StopPodSandbox", "sandbox b", ""), call(history.CRIReturn, 4, "StopPodSandbox", "sandbox b", ""))
	if !Over(s, events) {
		t.Error("not over after it")
	}
}
