// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"time"
)

// RemoveManifest removes the manifest of a static pod. ChangeManifest replaces it with one that differs in a label and so,
// unless the manifest fixes it, in the UID. AddManifest writes the first one again.
type (
	RemoveManifest struct{}
	ChangeManifest struct{}
	AddManifest    struct{}
)

// ForceMirror deletes the mirror pod of a static pod from the API with grace 0.
type ForceMirror struct{}

// Touch changes an annotation of the pod, so that the kubelet syncs it. RemoveFinalizer removes the pod's finalizer.
type (
	Touch           struct{}
	RemoveFinalizer struct{}
)

// KillKubelet ends the kubelet with SIGKILL, so that its memory is lost. StartKubelet starts it again; the step is done when
// the kubelet serves.
type (
	KillKubelet  struct{}
	StartKubelet struct{}
)

// RestartRuntime stops the container runtime and starts it again. Running calls fail, and the runtime loses its in-memory state
// (stop timers); containers keep running. The step is done when the runtime serves.
type RestartRuntime struct{}

// StopRuntime stops the container runtime, as RestartRuntime does, and StartRuntime starts it again. Containers keep running.
type (
	StopRuntime  struct{}
	StartRuntime struct{}
)

// LoseSandbox ends the pod's sandbox but not its containers, like the death of its pause process.
type LoseSandbox struct{}

// CutWatch disconnects the kubelet from the API server. Relist reconnects it in a way that forces it to list again: changes in
// between show only in the list, and their updates are lost.
type (
	CutWatch struct{}
	Relist   struct{}
)

// Burst creates pods like the scenario's, named ID-0, ID-1, ..., and deletes each with a grace: the first right after its
// creation, the last Over after its creation, the others evenly spaced in between.
type Burst struct {
	Pods  int
	Over  time.Duration
	Grace int64
}

func (RemoveManifest) action()  {}
func (ChangeManifest) action()  {}
func (AddManifest) action()     {}
func (ForceMirror) action()     {}
func (Touch) action()           {}
func (RemoveFinalizer) action() {}
func (LoseSandbox) action()     {}
func (StopRuntime) action()     {}
func (StartRuntime) action()    {}
func (KillKubelet) action()     {}
func (StartKubelet) action()    {}
func (RestartRuntime) action()  {}
func (CutWatch) action()        {}
func (Relist) action()          {}
func (Burst) action()           {}

func (RemoveManifest) String() string  { return "manifest removed" }
func (ChangeManifest) String() string  { return "manifest changed" }
func (AddManifest) String() string     { return "manifest added" }
func (ForceMirror) String() string     { return "force on the mirror pod" }
func (Touch) String() string           { return "pod touched" }
func (RemoveFinalizer) String() string { return "finalizer removed" }
func (LoseSandbox) String() string     { return "sandbox lost" }
func (StopRuntime) String() string     { return "runtime stopped" }
func (StartRuntime) String() string    { return "runtime started" }
func (KillKubelet) String() string     { return "kubelet killed" }
func (StartKubelet) String() string    { return "kubelet started" }
func (RestartRuntime) String() string  { return "runtime restarted" }
func (CutWatch) String() string        { return "watch cut" }
func (Relist) String() string          { return "relist" }
func (b Burst) String() string {
	return fmt.Sprintf("%d pods, del(%d) each 0 to %v after creation", b.Pods, b.Grace, b.Over)
}

// Name returns the name of the n-th pod of the burst.
func (Burst) Name(id string, n int) string { return fmt.Sprintf("%s-%d", id, n) }

// Delay returns how long after its creation the n-th pod of the burst is deleted.
func (b Burst) Delay(n int) time.Duration {
	if b.Pods < 2 {
		return 0
	}
	return b.Over * time.Duration(n) / time.Duration(b.Pods-1)
}
