// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"fmt"
	"strings"
	"time"
)

// Timeline returns the history as text, one event per line, in seconds after the first request, without events that no rule
// uses.
func (h History) Timeline() string {
	events := h.ByTime()
	var start time.Time
	for _, e := range events {
		if e.Kind == APIDelete {
			start = e.At
			break
		}
	}
	if start.IsZero() && len(events) > 0 {
		start = events[0].At
	}
	var b strings.Builder
	for _, e := range events {
		if text := tell(e); text != "" {
			fmt.Fprintf(&b, "%8.3f  %s\n", e.At.Sub(start).Seconds(), text)
		}
	}
	return b.String()
}

// tellsLate is the shortest delay of a control, in seconds, that is shown.
const tellsLate = 0.1

// tell returns an event as text; "" for one that no rule uses.
func tell(e Event) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch e.Kind {
	case Armed, Abandoned, Finished:
		add("%s", strings.TrimPrefix(string(e.Kind), "harness."))
	case APIDelete:
		add("DELETE")
	case APIDeleted:
		add("DELETE answered")
	case APIPod:
		add("watch: %s", e.Reason)
	case CRICall, CRIReturn:
		switch e.Call {
		case "StopContainer", "StopPodSandbox", "ExecSync", "Exec", "PullImage":
		default:
			return ""
		}
		add("runtime: %s", e.Call)
		if e.Kind == CRIReturn {
			add("returned")
		}
	case ControlLate:
		if e.Late < tellsLate {
			return ""
		}
		add("control: delayed by %.2f s", e.Late)
	case CRISlow:
		add("runtime: %s took %.2f s", e.Call, e.Late)
	case ControlSaw:
		add("control saw: %s", e.Reason)
	case ContainerExit:
		add("container ended")
		if e.ExitCode != nil {
			add("with %d", *e.ExitCode)
		}
	case Line:
		add("container says %s", e.Reason)
	case KubeletEvent:
		add("kubelet event %s", e.Reason)
	case KubeletKill:
		add("kubelet kills the pod")
	case KubeletKilled:
		add("kubelet's kill answered")
	case KubeletBegan:
		add("kubelet begins to terminate the pod")
	case KubeletAgain:
		add("kubelet starts another terminating sync")
	case KubeletLeft:
		add("kubelet still keeps %d kill record(s)", e.Count)
	case Step:
		add("step: %s", e.Reason)
	case Manifest:
		add("manifest %s", strings.ToLower(e.Reason))
	case APIContainer:
		add("watch: container's status %s", e.Reason)
	}
	if e.Container != "" {
		add("[%s]", e.Container)
	}
	if e.Grace != nil && e.Kind != CRIReturn {
		add("(%d s)", *e.Grace)
	}
	if e.Error != "" {
		add("error: %s", e.Error)
	}
	if e.Message != "" {
		add("- %s", e.Message)
	}
	return strings.Join(words, " ")
}
