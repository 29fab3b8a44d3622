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

// Pod is the pod of a scenario.
type Pod struct {
	// Grace is terminationGracePeriodSeconds.
	Grace int64
	// Sidecars are restartable init containers, in the order in which they start. They are stopped in reverse order,
	// after the containers.
	Sidecars   []Container
	Containers []Container
	// Restarts: containers that end are started again (restartPolicy Always), as far as the kubelet's back-off lets them. A static
	// pod's always are.
	Restarts bool
	// Finalizer: the pod has one, so that it stays in the API until a step takes that away.
	Finalizer bool
	// Static: the pod is a static one, from a manifest in the kubelet's folder. Its name in the API and at the runtime has
	// the node's name appended.
	Static bool
	// Owner is the controller that makes the pod; "" is nobody: the harness makes it. An owned pod is placed by the scheduler.
	Owner Owner
	// UID is that which the manifest of a static pod fixes; "" lets the kubelet make one from the manifest.
	UID string
}

// All returns every container, in the order in which they start.
func (p Pod) All() []Container {
	return append(append([]Container{}, p.Sidecars...), p.Containers...)
}

// Owner is the kind of controller that a pod belongs to. Only a level with a controller manager can carry one.
type Owner string

const (
	// OwnerStatefulSet replaces a pod under its own name, OwnerDaemonSet under another one, each as soon as it has left the API.
	OwnerStatefulSet Owner = "StatefulSet"
	OwnerDaemonSet   Owner = "DaemonSet"
	// OwnerJob has a podFailurePolicy: a container that ended with code 137 (SIGKILL) fails the Job. It looks at a pod only
	// when that is in a final phase.
	OwnerJob Owner = "Job"
)

// Owners returns every kind of controller.
func Owners() []Owner { return []Owner{OwnerStatefulSet, OwnerDaemonSet, OwnerJob} }

// Container is a container and how it behaves.
type Container struct {
	Name string
	// Stubborn ignores TERM. Otherwise the main process ends ExitAfter after the first TERM.
	Stubborn  bool
	ExitAfter time.Duration
	// Fails: the main process ends by itself at once, with code 1. Ends: it does so that long after its start, with code 0; 0
	// is not to.
	Fails bool
	Ends  time.Duration
	// Sick: its liveness probe fails so long after its start; 0 for none.
	Sick time.Duration
	// Hook is its preStop hook; nil for none.
	Hook *Hook
	// PostStart is its postStart hook, an exec one; nil for none.
	PostStart *Hook
	// Probe is the period of an exec readiness probe that reports PROBE each time it runs; 0 for none.
	Probe time.Duration
	// Port is a host port that the main process listens on before it says that it started; where it is taken, it ends with
	// code 1. 0 for none.
	Port int
	// Pull: the image is pulled even if it is there (imagePullPolicy Always).
	Pull bool
}

// EndsByItself reports whether the main process may have ended before anything is asked of it.
func (c Container) EndsByItself() bool { return c.Fails || c.Ends > 0 || c.Sick > 0 }

func (c Container) check() error {
	for _, h := range []*Hook{c.Hook, c.PostStart} {
		if h != nil && h.Kind != HookExec && (h.Fails || h.EndsMain > 0) {
			return fmt.Errorf("a hook of kind %s neither fails nor ends the main process; an exec hook does", h.Kind)
		}
	}
	switch {
	case c.PostStart != nil && c.PostStart.Kind != HookExec:
		return fmt.Errorf("a postStart hook of kind %s; scenarios have exec ones", c.PostStart.Kind)
	case c.Fails && c.Ends > 0:
		return fmt.Errorf("it either fails at once or ends after %v", c.Ends)
	}
	return nil
}

// HookKind is the form of a preStop hook.
type HookKind string

const (
	// HookExec runs a command in the container, which reports its start and its end.
	HookExec HookKind = "exec"
	// HookSleep is the API's own sleep action. It leaves no trace in the container.
	HookSleep HookKind = "sleep"
	// HookHTTP asks a server in the container that reports the request, and the client's going away, and never answers.
	HookHTTP HookKind = "http"
)

// Hook is a preStop hook.
type Hook struct {
	Kind HookKind
	// Takes is how long it runs if nobody cuts it; 0 means that it never ends by itself.
	Takes time.Duration
	// Fails: it ends with code 1. EndsMain: it has the main process end by itself, with code 0, so long after its own start; 0 is
	// not to. Exec hooks alone can.
	Fails    bool
	EndsMain time.Duration
}

// PostStartWord is the first word of the lines of a postStart hook, POSTSTART-START and POSTSTART-END, where those of a preStop
// hook begin with HOOK. It stands in the hook's command line too.
const PostStartWord = "POSTSTART"

// Ports of the HTTP servers: pods share the node's network, so each server has a port of its own.
const (
	// HTTPPort is the port of a scenario's HTTP hook server. One scenario of the catalogue has one.
	HTTPPort = 18080
	// ReusedPort and FreedPort are host ports that a pod leaves to the next. One scenario of the catalogue has each.
	ReusedPort = 18081
	FreedPort  = 18082
)
