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

// Action is what a step does. The kinds are those of this file; a level that cannot carry one out says so before it
// starts anything.
type Action interface {
	fmt.Stringer
	action()
}

// Delete is a DELETE of the pod with a grace period in seconds, as `kubectl delete --grace-period`.
type Delete struct{ Grace int64 }

// Force is what `kubectl delete --force --grace-period=0` sends: a DELETE with grace 0. The API server makes two writes
// of it, grace 0 and the removal.
type Force struct{}

func (Delete) action() {}
func (Force) action()  {}

func (d Delete) String() string { return fmt.Sprintf("del(%d)", d.Grace) }
func (Force) String() string    { return "force" }

// Asked returns the grace period in seconds that an action asks for; false when it asks for none. A negative one is
// turned into 1 by the API server.
func Asked(do Action, spec int64) (int64, bool) {
	switch do := do.(type) {
	case Delete:
		if do.Grace < 0 {
			return 1, true
		}
		return do.Grace, true
	case Force:
		return 0, true
	default:
		return spec, false
	}
}

// del is a step of the catalogue: a delete so many seconds after the first.
func del(after int, grace int64) Step {
	return Step{After: time.Duration(after) * time.Second, Do: Delete{Grace: grace}}
}

// force is a step of the catalogue: a force delete so many seconds after the first.
func force(after int) Step {
	return Step{After: time.Duration(after) * time.Second, Do: Force{}}
}
