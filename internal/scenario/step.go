// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"time"
)

// Step is one action on the pod.
type Step struct {
	// After counts from the first step.
	After time.Duration
	Do    Action
}

func (s Step) String() string { return fmt.Sprintf("+%v %v", s.After, s.Do) }

// Action is the action of a step. The types are in this file, steps_node.go and steps_kind.go; a level that cannot carry one
// out reports that before it starts anything.
//
// Delete, DeletePlainly, Force, Drain, Taint, Evict, Shutdown, RemoveManifest and ChangeManifest request the pod's end; Asked
// returns their grace. The others disturb its surroundings.
type Action interface {
	fmt.Stringer
	action()
}

// Delete is a DELETE of the pod with a grace period in seconds, as `kubectl delete --grace-period`.
type Delete struct{ Grace int64 }

// DeletePlainly is a DELETE of the pod without a grace period; the spec's applies.
type DeletePlainly struct{}

// Force is the request of `kubectl delete --force --grace-period=0`: a DELETE with grace 0. The API server turns it into two
// writes, grace 0 and the removal.
type Force struct{}

// Taint puts a NoExecute taint on the pod's node, which the pod does not tolerate. The pod is then deleted as by the taint
// manager: a DELETE without a grace period, so that the spec's applies.
type Taint struct{}

// Evict is a kill by the kubelet's own eviction manager, through its KillPodFunc: a hard one with an override of 1 s, a soft
// one with the smaller of Max (the kubelet's evictionMaxPodGracePeriod) and the spec's grace. The caller waits for the pod's
// end.
type Evict struct {
	Hard bool
	Max  int64
}

// Shutdown is a kill by the kubelet's node shutdown manager, through the same function, with the smaller of the time that the
// shutdown grants the pod and the spec's grace. Its caller waits too.
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

// Override returns the grace period in seconds that the eviction manager passes to its KillPodFunc.
func (e Evict) Override(spec int64) int64 {
	if e.Hard {
		return 1
	}
	return min(e.Max, spec)
}

// Override returns the grace period in seconds that the node shutdown manager passes to its KillPodFunc.
func (s Shutdown) Override(spec int64) int64 { return min(s.Grants, spec) }

// Asked returns the grace period in seconds of an action; false if it does not request the pod's end. The API server turns a
// negative one into 1.
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

// at returns a step with an action that many seconds after the first one.
func at(after float64, do Action) Step {
	return Step{After: time.Duration(after * float64(time.Second)), Do: do}
}

// del returns a delete that many seconds after the first step.
func del(after float64, grace int64) Step { return at(after, Delete{Grace: grace}) }

// force returns a force delete that many seconds after the first step.
func force(after float64) Step { return at(after, Force{}) }
