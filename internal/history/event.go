// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import "time"

// Kind is the kind of an Event. The part before the dot is its observer.
type Kind string

const (
	// Armed: the scenario has reached the point from which its rules apply (the pod runs, its containers have reported START).
	// A history without it is invalid, never red.
	Armed Kind = "harness.armed"
	// Abandoned: the harness gave up (no pod, no node, no time). Message gives the reason.
	Abandoned Kind = "harness.abandoned"
	// Finished: the observation ended; anything not recorded by now did not happen.
	Finished Kind = "harness.finished"
	// Step: the harness carried out a step that is not a delete; Reason names it, Error is the reason if it failed. At is when
	// it was done. Manifest: the harness changed the manifest of a static pod; Reason is ADDED, CHANGED or REMOVED.
	Step     Kind = "harness.step"
	Manifest Kind = "harness.manifest"

	// APIDelete: the harness sent a DELETE; Grace is the requested grace (nil: unset). APIDeleted is the response.
	APIDelete  Kind = "api.delete"
	APIDeleted Kind = "api.deleted"
	// APIPod: a watch event of the pod. Reason is ADDED, MODIFIED or DELETED; Grace is deletionGracePeriodSeconds, Deletion is
	// deletionTimestamp, Message is the phase.
	APIPod Kind = "api.pod"
	// APIContainer: a watch event showed a container's exit in the pod's status, with its ExitCode, Reason and Message.
	APIContainer Kind = "api.container"
	// APIJob: a watch event showed that the pod's Job has failed or is complete; Reason and Message are those of its condition,
	// Pod is the name of the Job.
	APIJob Kind = "api.job"

	// CRICall and CRIReturn: a runtime call entered and left the proxy; Call is the method, CallID pairs the two. Grace is the
	// timeout of StopContainer; Error is the gRPC status of the return ("" for OK).
	CRICall   Kind = "cri.call"
	CRIReturn Kind = "cri.return"
	// CRISlow: a read-only call, which is not recorded otherwise, was slow: it took Late seconds from At on. It belongs to no
	// pod.
	CRISlow Kind = "cri.slow"
	// ContainerExit: the runtime saw the container's main process exit; ExitCode is its exit code.
	ContainerExit Kind = "cri.exit"

	// ControlLate: a control, which waits as the kubelet does but does nothing else, was delayed: it was due at At and ran Late
	// seconds later. ControlSaw: the same control, beside the kubelet, saw a watch event of a terminating pod; Reason is
	// MODIFIED or DELETED, Grace is deletionGracePeriodSeconds (package control).
	ControlLate Kind = "control.late"
	ControlSaw  Kind = "control.saw"

	// Line: a line from the container itself; Reason is its first word (START, TERM, HOOK-START, HOOK-END, ...), At is the
	// container's timestamp.
	Line Kind = "container.line"

	// KubeletEvent: a v1.Event of the kubelet about the pod; Reason, Message and Count as in the API.
	KubeletEvent Kind = "kubelet.event"
	// KubeletKill and KubeletKilled: a caller inside the kubelet (eviction) requested the pod's end through KillPodFunc and got
	// the answer; CallID pairs the two. Grace is the override, Error is what the caller got ("" for none).
	KubeletKill   Kind = "kubelet.kill"
	KubeletKilled Kind = "kubelet.killed"
	// KubeletBegan: the first terminating sync of the pod in this run of the kubelet starts. KubeletAgain: another one starts,
	// so the previous one has returned; recorded if Count of KubeletBegan is 1. Only the sim level records them.
	KubeletBegan Kind = "kubelet.began"
	KubeletAgain Kind = "kubelet.again"
	// KubeletRead: the kubelet's sync loop read a change of the pod's deletion, by the kubelet's log; Reason is DELETE or REMOVE,
	// as there. Only `kgrace scale` records it.
	KubeletRead Kind = "kubelet.read"
	// KubeletLeft: at the end of the observation the kubelet still kept records of killing pods that had ended; Count is their
	// number. Only the sim level checks that, and it records the event only if there are any.
	KubeletLeft Kind = "kubelet.left"
)

// known holds every Kind, so that a reader rejects unknown ones.
var known = map[Kind]bool{
	Armed: true, Abandoned: true, Finished: true,
	Step: true, Manifest: true,
	APIDelete: true, APIDeleted: true, APIPod: true, APIContainer: true, APIJob: true,
	CRICall: true, CRIReturn: true, CRISlow: true, ContainerExit: true, ControlLate: true, ControlSaw: true,
	Line: true, KubeletEvent: true, KubeletKill: true, KubeletKilled: true, KubeletBegan: true, KubeletAgain: true, KubeletRead: true, KubeletLeft: true,
}

// Event is one event of a scenario. Fields that its Kind does not use are empty.
type Event struct {
	// Seq numbers the events of one history in the order of recording, from 1.
	Seq int `json:"seq"`
	// At is when it happened, by the machine's clock (virtual at the sim level).
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`

	// Pod is the pod's name; Container is the container's name, ContainerID its id at the runtime.
	Pod         string `json:"pod,omitempty"`
	Container   string `json:"container,omitempty"`
	ContainerID string `json:"containerID,omitempty"`

	// Grace is a grace period or a stop timeout in whole seconds. nil means unset; 0 is a value.
	Grace *int64 `json:"grace,omitempty"`
	// Deletion is the object's deletionTimestamp, if it has one.
	Deletion *time.Time `json:"deletion,omitempty"`

	Call     string `json:"call,omitempty"`
	CallID   int64  `json:"callID,omitempty"`
	Error    string `json:"error,omitempty"`
	ExitCode *int32 `json:"exitCode,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Message  string `json:"message,omitempty"`
	// Status is the pod's whole status as JSON; the sim level records it for every write.
	Status string `json:"status,omitempty"`
	Count  int32  `json:"count,omitempty"`
	// Late is a delay in seconds.
	Late float64 `json:"late,omitempty"`
}
