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

package scenario

import (
	"fmt"
	"time"
)

// Step is one thing done to the pod.
type Step struct {
	// After counts from the first step.
	After time.Duration
	Do    Action
}

func (s Step) String() string { return fmt.Sprintf("+%v %v", s.After, s.Do) }

// Action is what a step does. The kinds are those of this file, of steps_node.go and of steps_kind.go; a level that cannot carry one out
// says so before it starts anything.
//
// Delete, DeletePlainly, Force, Drain, Taint, Evict, Shutdown, RemoveManifest and ChangeManifest ask for the pod's end: Asked says
// with which grace. The others disturb what is around it.
type Action interface {
	fmt.Stringer
	action()
}

// Delete is a DELETE of the pod with a grace period in seconds, as `kubectl delete --grace-period`.
type Delete struct{ Grace int64 }

// DeletePlainly is a DELETE of the pod that names no grace period, so that of the spec counts.
type DeletePlainly struct{}

// Force is what `kubectl delete --force --grace-period=0` sends: a DELETE with grace 0. The API server makes two writes
// of it, grace 0 and the removal.
type Force struct{}

// Taint taints the pod's node NoExecute, which the pod does not tolerate. The pod is then deleted as the taint manager
// does it: a DELETE that asks for no grace, so that of the spec counts.
type Taint struct{}

// Evict is a kill by the kubelet's own eviction manager, through its KillPodFunc: a hard one with an override of 1 s, a
// soft one with the smaller of Max (the kubelet's evictionMaxPodGracePeriod) and the spec's grace. The caller waits for
// the pod's end.
type Evict struct {
	Hard bool
	Max  int64
}

// Shutdown is a kill by the kubelet's manager of node shutdowns, through the same function: with the smaller of what the shutdown
// grants the pod and the spec's grace. Its caller waits too.
type Shutdown struct{ Grants int64 }

func (Delete) action()        {}
func (DeletePlainly) action() {}
func (Force) action()         {}
func (Taint) action()         {}
func (Evict) action()         {}
func (Shutdown) action()      {}

func (d Delete) String() string      { return fmt.Sprintf("del(%d)", d.Grace) }
func (DeletePlainly) String() string { return "del" }
func (Force) String() string         { return "force" }
func (s Shutdown) String() string    { return fmt.Sprintf("node shutdown, %d s granted", s.Grants) }
func (Taint) String() string         { return "taint" }
func (e Evict) String() string {
	if e.Hard {
		return "evict(hard)"
	}
	return fmt.Sprintf("evict(soft, at most %d)", e.Max)
}

// Override is the grace period in seconds that the eviction manager hands to its KillPodFunc.
func (e Evict) Override(spec int64) int64 {
	if e.Hard {
		return 1
	}
	return min(e.Max, spec)
}

// Override is the grace period in seconds that the manager of node shutdowns hands to its KillPodFunc.
func (s Shutdown) Override(spec int64) int64 { return min(s.Grants, spec) }

// Asked returns the grace period in seconds that an action asks for; false when it asks for no end of the pod. A negative
// one is turned into 1 by the API server.
func Asked(do Action, spec int64) (int64, bool) {
	switch do := do.(type) {
	case Delete:
		if do.Grace < 0 {
			return 1, true
		}
		return do.Grace, true
	case Force, Drain:
		return 0, true
	case Evict:
		return do.Override(spec), true
	case Shutdown:
		return do.Override(spec), true
	case DeletePlainly, Taint, RemoveManifest, ChangeManifest:
		return spec, true
	default:
		return spec, false
	}
}

// at is a step of the catalogue: an action so many seconds after the first.
func at(after float64, do Action) Step {
	return Step{After: time.Duration(after * float64(time.Second)), Do: do}
}

// del is a delete so many seconds after the first step.
func del(after float64, grace int64) Step { return at(after, Delete{Grace: grace}) }

// force is a force delete so many seconds after the first step.
func force(after float64) Step { return at(after, Force{}) }
