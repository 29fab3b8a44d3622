// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package calls compares what two kubelets asked of the runtime in one scenario: the calls of both arms side by side, for a
// reader. It judges nothing; judge.Compare does, to the last field and the last nanosecond.
package calls

import (
	"fmt"
	"strings"
	"time"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
)

// Call is a runtime call after the first request, or the end of a container's main process.
type Call struct {
	// At counts from the first request. Took is the time until the return; nil if there was none.
	At   time.Duration
	Took *time.Duration
	// Text is the call with what it is about: StopContainer(main, 30 s).
	Text string
	// Error is the code with which the runtime refused it.
	Error string
	// End means the end of a container, which is no call.
	End bool
}

// key is what two calls must have in common to be the same call on both arms.
func (c Call) key() string { return c.Text + " " + c.Error }

// Of returns the runtime calls of a history from the first request on, with the ends of containers between them.
func Of(h history.History, s scenario.Scenario) []Call {
	start := result.Start(h, s)
	var calls []Call
	open := map[int64]int{}
	for _, e := range h.ByTime() {
		if e.At.Before(start) {
			continue
		}
		at := e.At.Sub(start)
		switch e.Kind {
		case history.CRICall:
			open[e.CallID] = len(calls)
			calls = append(calls, Call{At: at, Text: e.Call + about(h, e)})
		case history.CRIReturn:
			if i, ok := open[e.CallID]; ok {
				took := at - calls[i].At
				calls[i].Took = &took
				code, _, _ := strings.Cut(e.Error, ":")
				calls[i].Error = strings.TrimSpace(code)
			}
		case history.ContainerExit:
			code := ""
			if e.ExitCode != nil {
				code = fmt.Sprintf(", exit code %d", *e.ExitCode)
			}
			calls = append(calls, Call{At: at, Text: "end of " + name(h, e) + code, End: true})
		}
	}
	return calls
}

// about returns what a call is about, in parentheses; "" for the pod itself.
func about(h history.History, e history.Event) string {
	var words []string
	if e.Container != "" {
		words = append(words, name(h, e))
	} else if e.Pod != "" && e.Pod != h.Pod {
		words = append(words, e.Pod)
	}
	if e.Grace != nil {
		words = append(words, fmt.Sprintf("%d s", *e.Grace))
	}
	if len(words) == 0 {
		return ""
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// name returns the name of a container, with its pod if that is another than the history's.
func name(h history.History, e history.Event) string {
	if e.Pod != "" && e.Pod != h.Pod {
		return e.Pod + "/" + e.Container
	}
	return e.Container
}

// Pair is a line of two lists side by side: a call of both arms, or one that only one arm has.
type Pair struct {
	Stock, Fixed *Call
	// Same means that both arms made the same call, if not at the same time.
	Same bool
}

// SideBySide aligns the calls of both arms. Calls of which each arm has another one at the same place share a line.
func SideBySide(stock, fixed []Call) []Pair {
	keys := func(calls []Call) (all []string) {
		for _, c := range calls {
			all = append(all, c.key())
		}
		return all
	}
	var pairs []Pair
	for _, op := range difflib.NewMatcherWithJunk(keys(stock), keys(fixed), false, nil).GetOpCodes() {
		for i := range max(op.I2-op.I1, op.J2-op.J1) {
			p := Pair{Same: op.Tag == 'e'}
			if op.I1+i < op.I2 {
				p.Stock = &stock[op.I1+i]
			}
			if op.J1+i < op.J2 {
				p.Fixed = &fixed[op.J1+i]
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}
