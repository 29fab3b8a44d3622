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

package history

import "time"

// Kind says what an Event is about. The part before the dot is who saw it.
type Kind string

const (
	// Armed: the scenario reached the point from which its rules apply (the pod runs, its containers reported START).
	// A history without it is invalid, never red.
	Armed Kind = "harness.armed"
	// Abandoned: the harness gave up (no pod, no node, no time). Message says why.
	Abandoned Kind = "harness.abandoned"
	// Finished: observation ended; what did not happen by now did not happen.
	Finished Kind = "harness.finished"
	// Step: the harness carried out a step that is no delete; Reason says which, Error why it could not be done. At is when
	// it was done. Manifest: it changed the manifest of a static pod; Reason is ADDED, CHANGED or REMOVED.
	Step     Kind = "harness.step"
	Manifest Kind = "harness.manifest"

	// APIDelete: the harness sent a DELETE; Grace is what it asked for (nil: nothing asked). Return is APIDeleted.
	APIDelete  Kind = "api.delete"
	APIDeleted Kind = "api.deleted"
	// APIPod: a watch event of the pod. Reason is ADDED, MODIFIED or DELETED; Grace is deletionGracePeriodSeconds,
	// Deletion is deletionTimestamp, Message the phase.
	APIPod Kind = "api.pod"
	// APIContainer: a watch event showed a container's end in the pod's status; ExitCode, Reason and Message as there.
	APIContainer Kind = "api.container"
	// APIJob: a watch event showed that the pod's Job failed or is complete; Reason and Message are those of its condition, Pod
	// is the name of the Job.
	APIJob Kind = "api.job"

	// CRICall and CRIReturn: a runtime call entered and left the proxy; Call is the method, CallID pairs the two.
	// Grace is the timeout of StopContainer; Error is the gRPC status of the return ("" for OK).
	CRICall   Kind = "cri.call"
	CRIReturn Kind = "cri.return"
	// CRISlow: a call that only looks, which is not recorded otherwise, took long: from At on, Late seconds. It is of no pod.
	CRISlow Kind = "cri.slow"
	// ContainerExit: the runtime saw the container's main process end; ExitCode is its code.
	ContainerExit Kind = "cri.exit"

	// ControlLate: something that waits as the kubelet waits, and does nothing else, was kept waiting: it was due at At, and Late
	// is by how many seconds it came later. ControlSaw: the same control, beside the kubelet, saw a watch event of a pod that is
	// to end; Reason is MODIFIED or DELETED, Grace is deletionGracePeriodSeconds (package control).
	ControlLate Kind = "control.late"
	ControlSaw  Kind = "control.saw"

	// Line: the container's own time-stamped line; Reason is its first word (START, TERM, HOOK-START, HOOK-END, ...),
	// At is the container's stamp.
	Line Kind = "container.line"

	// KubeletEvent: a v1.Event about the pod by the kubelet; Reason, Message, Count as in the API.
	KubeletEvent Kind = "kubelet.event"
	// KubeletKill and KubeletKilled: a caller inside the kubelet (eviction) asked for the pod's end through KillPodFunc, and
	// was answered; CallID pairs the two. Grace is the override, Error what the caller got ("" for none).
	KubeletKill   Kind = "kubelet.kill"
	KubeletKilled Kind = "kubelet.killed"
	// KubeletBegan: the first terminating sync of the pod in this run of the kubelet starts. KubeletAgain: another one starts,
	// so the one before it has returned; recorded where Count of KubeletBegan is 1. Only the sim level sees them.
	KubeletBegan Kind = "kubelet.began"
	KubeletAgain Kind = "kubelet.again"
	// KubeletLeft: at the end of the observation the kubelet still kept records of killing pods that had ended; Count is their number.
	// Only the sim level looks into the kubelet, and says so only if there are any.
	KubeletLeft Kind = "kubelet.left"
)

// known holds every Kind, so that a reader notices a kind it would otherwise pass over in silence.
var known = map[Kind]bool{
	Armed: true, Abandoned: true, Finished: true,
	Step: true, Manifest: true,
	APIDelete: true, APIDeleted: true, APIPod: true, APIContainer: true, APIJob: true,
	CRICall: true, CRIReturn: true, CRISlow: true, ContainerExit: true, ControlLate: true, ControlSaw: true,
	Line: true, KubeletEvent: true, KubeletKill: true, KubeletKilled: true, KubeletBegan: true, KubeletAgain: true, KubeletLeft: true,
}

// Event is one thing that happened in a scenario. Fields that a Kind does not use are empty.
type Event struct {
	// Seq numbers the events of one history in the order they were recorded, from 1.
	Seq int `json:"seq"`
	// At is when it happened, by the clock of the machine (virtual at the sim level).
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`

	// Pod is the pod's name; Container the container's name, ContainerID the runtime's id of it.
	Pod         string `json:"pod,omitempty"`
	Container   string `json:"container,omitempty"`
	ContainerID string `json:"containerID,omitempty"`

	// Grace is a grace period or a stop timeout in whole seconds. nil means unset; 0 is a value.
	Grace *int64 `json:"grace,omitempty"`
	// Deletion is deletionTimestamp where the object has one.
	Deletion *time.Time `json:"deletion,omitempty"`

	Call     string `json:"call,omitempty"`
	CallID   int64  `json:"callID,omitempty"`
	Error    string `json:"error,omitempty"`
	ExitCode *int32 `json:"exitCode,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Message  string `json:"message,omitempty"`
	// Status is the pod's whole status as JSON, where the level records it: the sim level, of every write.
	Status string `json:"status,omitempty"`
	Count  int32  `json:"count,omitempty"`
	// Late is a delay in seconds.
	Late float64 `json:"late,omitempty"`
}
