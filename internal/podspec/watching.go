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

package podspec

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Arming returns what must be seen before the first step: the pod runs, every container said START and every probe ran. Where
// the scenario happens during an image pull, that has begun, and only the containers that need none said START; where it
// happens during a postStart hook that never ends, that has begun. Each event is shown to it once. nil: the scenario has no pod
// before its first step.
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
				delete(missing, "running") // the kubelet says so when the hook has ended
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

// Over reports whether nothing more is to come. In most scenarios: all containers ended, the sandbox was stopped after them, the pod
// left the API, every caller inside the kubelet was answered, and every call that was seen has returned. A pod that comes
// back must have done so; of one that stays the mirror pod must.
func Over(s scenario.Scenario, events []history.Event) bool {
	w := watched{alive: map[string]bool{}, starts: map[string]int{}, calls: map[int64]history.Event{}, kills: map[int64]bool{}, there: map[string]bool{}}
	for _, c := range s.Pod.All() {
		if !c.Pull { // one whose image never comes never lives
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

// watched is what Over gathers.
type watched struct {
	alive   map[string]bool // containers, by name
	starts  map[string]int
	calls   map[int64]history.Event // without an answer
	kills   map[int64]bool          // the same
	there   map[string]bool         // pods seen in the API; false for those that left
	stopped bool                    // a sandbox was
	job     bool                    // the pod's Job is over
	back    bool                    // a pod that had left is there again
}

func (w *watched) allGone() bool {
	for _, there := range w.there {
		if there {
			return false
		}
	}
	return true
}

// waited reports whether a call is under way which is worth waiting for. A hook in a container that has ended is not: where a runtime
// keeps that, nothing comes of it.
func (w *watched) waited() bool {
	for _, call := range w.calls {
		if call.Call != "ExecSync" || w.alive[call.Container] {
			return true
		}
	}
	return false
}

// noneStartedLives reports whether of the containers which were started none lives.
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
	case history.CRIReturn:
		delete(w.calls, e.CallID)
		w.stopped = w.stopped || e.Call == "StopPodSandbox" && e.Error == ""
	case history.KubeletKill:
		w.kills[e.CallID] = true
	case history.KubeletKilled:
		delete(w.kills, e.CallID)
	}
}
