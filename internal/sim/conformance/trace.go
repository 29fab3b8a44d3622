// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
)

// early is how long before a whole second a timestamp may lie and still count for that second; the clock readings of different
// programs on one machine differ by at most that.
const early = 100 * time.Millisecond

// Parts of a trace's lines.
const (
	eventOf = "event of "
	eof     = lines.EOF
)

// Trace is the record of a played sequence, one line per observation, in an order that does not depend on the order within a
// second. The line of a call includes whether the container was down at its return; that of an exec does not, because a kill
// may end the exec just before or just after its container.
type Trace struct {
	Lines []string
	// Terms is the number of TERMs that the container's main process received.
	Terms int
}

func (t Trace) String() string { return strings.Join(t.Lines, "\n") + "\n" }

// trace builds a Trace from the results and the history.
func (p *player) trace(begin time.Time, last string) Trace {
	var t Trace
	add := func(at time.Time, format string, args ...any) {
		second := at.Sub(begin).Truncate(time.Second)
		if rest := at.Sub(begin) - second; rest >= time.Second-early {
			second += time.Second
		}
		t.Lines = append(t.Lines, fmt.Sprintf("%2.0f s  ", second.Seconds())+fmt.Sprintf(format, args...))
	}
	var exits []history.Event
	type sent struct {
		event history.Event
		back  bool
	}
	open := map[int64]*sent{}
	for _, e := range p.Log.History().Events[p.before:] {
		switch e.Kind {
		case history.Line:
			if e.Reason == "TERM" && e.Container == mainContainer {
				t.Terms++
			}
			add(e.At, "line of %s: %s", e.Container, strings.TrimSpace(e.Reason+" "+e.Message))
		case history.ContainerExit:
			exits = append(exits, e)
			code := "unknown"
			if e.ExitCode != nil {
				code = fmt.Sprint(*e.ExitCode)
			}
			add(e.At, "exit of %s: %s, %s", e.Container, code, e.Reason)
		case history.CRICall:
			open[e.CallID] = &sent{event: e}
			add(e.At, "recorded: %s", described(e))
		case history.CRIReturn:
			open[e.CallID].back = true
			add(e.At, "recorded: end of %s: %s", described(open[e.CallID].event), ending(e.Error))
		}
	}
	for _, call := range open {
		if !call.back {
			t.Lines = append(t.Lines, "never returned: "+described(call.event))
		}
	}
	for _, e := range p.events {
		add(time.Unix(0, e.GetCreatedAt()), eventOf+"%s: %s", p.nameOf(e.GetContainerId()), e.GetContainerEventType())
	}
	for _, r := range p.results {
		step := p.sequence.Steps[r.step]
		line := named(r.step, step) + ": " + r.text
		if step.Call != Exec {
			life := "up"
			for _, e := range exits {
				// On CRI-O a stop returns before the exit is written down.
				if e.Container == mainContainer && !e.At.After(r.at.Add(early)) {
					life = "down"
				}
			}
			line += ", container " + life
		}
		add(r.at, "%s", line)
	}
	slices.Sort(t.Lines)
	t.Lines = append(t.Lines, "last: "+last)
	return t
}

// ending returns a recorded error as text. A client at its deadline also cancels, and a proxy may see either.
func ending(code string) string {
	switch code {
	case "":
		return codes.OK.String()
	case codes.Canceled.String(), codes.DeadlineExceeded.String():
		return "given up"
	default:
		return code
	}
}

// described returns a recorded call as text without ids, so that it is the same on every runtime.
func described(e history.Event) string {
	text := e.Call
	if e.Container != "" {
		text += " of " + e.Container
	}
	if e.Grace != nil {
		text += fmt.Sprintf(", timeout %d", *e.Grace)
	}
	return text
}

// nameOf returns the name of an event's object.
func (p *player) nameOf(id string) string {
	return map[string]string{p.main: mainContainer, p.second: string(Second), p.sandboxID: "sandbox"}[id]
}

func named(number int, step Step) string {
	text := fmt.Sprintf("step %d, %s", number, step.Call)
	switch step.Call {
	case Stop:
		text += fmt.Sprintf("(%d)", step.Timeout)
	case Exec:
		text += "(" + strings.Join(step.Argv, " ") + ")"
	}
	if step.On != Running {
		text += " of " + string(step.On)
	}
	return text
}
