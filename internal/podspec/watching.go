// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package podspec

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Arming returns the condition for the first step: the pod runs, every container has reported START and every probe has run. If
// the scenario takes place during an image pull, the pull must have begun, and only the containers that do not need it must
// have reported START; if it takes place during a postStart hook that never ends, that hook must have begun. The function gets
// each event once. It is nil if the scenario has no pod before its first step.
func Arming(s scenario.Scenario) func(history.Event) bool {
	if s.Bursts() {
		return nil
	}
	missing := map[string]bool{"running": true}
	if s.Pulls() {
		missing = map[string]bool{"pulling": true}
	}
	for _, c := range s.Pod.All() {
		if !c.Pull {
			missing["START "+c.Name] = true
		}
		if c.Probe > 0 {
			missing["PROBE "+c.Name] = true
		}
		if c.PostStart != nil {
			missing[scenario.PostStartWord+"-START "+c.Name] = true
			if c.PostStart.Takes == 0 {
				delete(missing, "running") // the kubelet reports that only after the hook
			}
		}
	}
	return func(e history.Event) bool {
		switch {
		case e.Kind == history.Line:
			delete(missing, e.Reason+" "+e.Container)
		case e.Kind == history.APIPod && e.Message == string(corev1.PodRunning):
			delete(missing, "running")
		case e.Kind == history.CRICall && e.Call == "PullImage":
			delete(missing, "pulling")
		}
		return len(missing) == 0
	}
}

// Over reports whether the scenario is over. In most scenarios: all containers have exited, the sandbox was stopped after them,
// the pod has left the API, every caller inside the kubelet was answered, and every observed call has returned. A pod that
// comes back must have done so; for a pod that stays, its mirror pod must be back.
func Over(s scenario.Scenario, events []history.Event) bool {
	w := watched{alive: map[string]bool{}, starts: map[string]int{}, calls: map[int64]history.Event{}, kills: map[int64]bool{}, there: map[string]bool{}}
	for _, c := range s.Pod.All() {
		if !c.Pull { // a container whose image is never pulled never runs
			w.alive[c.Name] = true
		}
	}
	for _, e := range events {
		w.see(e)
	}
	switch {
	case w.waited() || len(w.kills) > 0:
		return false
	case s.Stays():
		return w.back
	case s.Bursts():
		for _, step := range s.Steps {
			if burst, ok := step.Do.(scenario.Burst); ok && len(w.there) < burst.Pods {
				return false
			}
		}
		return w.allGone()
	case s.Pulls():
		return w.allGone() && len(w.there) > 0 && w.noneStartedLives()
	case s.ComesBack():
		for _, c := range s.Pod.All() {
			if w.starts[c.Name] < 2 {
				return false
			}
		}
		return len(w.alive) == 0
	}
	if s.Pod.Owner == scenario.OwnerJob && !w.job {
		return false
	}
	return len(w.alive) == 0 && w.stopped && (!s.Leaves() || len(w.there) > 0 && w.allGone())
}

// watched is the state that Over collects.
type watched struct {
	alive   map[string]bool // containers, by name
	starts  map[string]int
	calls   map[int64]history.Event // without an answer
	kills   map[int64]bool          // the same
	there   map[string]bool         // pods seen in the API; false for those that left
	ran     map[string]bool         // sandboxes that started, as their calls name them; nil if no start was observed
	stopped bool                    // one of them was stopped, not one whose start failed
	job     bool                    // the pod's Job has finished
	back    bool                    // a pod that had left is back
}

func (w *watched) allGone() bool {
	for _, there := range w.there {
		if there {
			return false
		}
	}
	return true
}

// waited reports whether a running call is worth waiting for. A hook in a container that has exited is not: if a runtime keeps
// it, it has no further effect.
func (w *watched) waited() bool {
	for _, call := range w.calls {
		if call.Call != "ExecSync" || w.alive[call.Container] {
			return true
		}
	}
	return false
}

// noneStartedLives reports whether all started containers have exited.
func (w *watched) noneStartedLives() bool {
	for name := range w.alive {
		if w.starts[name] > 0 {
			return false
		}
	}
	return true
}

func (w *watched) see(e history.Event) {
	switch e.Kind {
	case history.ContainerExit:
		delete(w.alive, e.Container)
	case history.Line:
		if e.Reason == "START" {
			w.starts[e.Container]++
		}
	case history.APIPod:
		there, known := w.there[e.Pod]
		w.back = w.back || known && !there && e.Reason != "DELETED"
		w.there[e.Pod] = e.Reason != "DELETED"
	case history.APIJob:
		w.job = true
	case history.CRICall:
		w.calls[e.CallID] = e
		if e.Call == "RunPodSandbox" && w.ran == nil {
			w.ran = map[string]bool{}
		}
	case history.CRIReturn:
		delete(w.calls, e.CallID)
		switch {
		case e.Error != "":
		case e.Call == "RunPodSandbox" && w.ran != nil:
			w.ran[e.Message] = true
		case e.Call == "StopPodSandbox":
			w.stopped = w.stopped || w.ran == nil || w.ran[e.Message]
		}
	case history.KubeletKill:
		w.kills[e.CallID] = true
	case history.KubeletKilled:
		delete(w.kills, e.CallID)
	}
}
