//go:build !kgrace_v122

/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package cast

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// onSim returns a row that may run nowhere else, as it runs there.
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
		"an eviction is answered":          {"evict-hard-direct", []history.Event{pod("p", "ADDED"), kill, exit, sandbox}, answer},
		"the mirror pod is back":           {"mirror-only", []history.Event{start, pod("m", "ADDED"), pod("m", "DELETED")}, pod("m", "ADDED")},
		"a static pod started again":       {"static-replaced", []history.Event{start, exit, sandbox}, start},
		"a static pod ended":               {"static-removed", []history.Event{start, pod("m", "ADDED"), exit, sandbox}, pod("m", "DELETED")},
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
		t.Error("an image that is to be pulled is not")
	}
	if pod := Pod(onSim(t, "taint-evict"), "n", "/l"); len(pod.Spec.Tolerations) != 0 {
		t.Error("the pod tolerates the taint")
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
