// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Recorder receives the events of one node (one arm) and routes each by its pod's name to the history it belongs to. Events of
// pods without an open history are dropped, because a node runs more than scenarios. It is safe for concurrent use.
type Recorder struct {
	mu   sync.RWMutex
	logs map[string]*Log // by pod name
}

// NewRecorder returns a Recorder with no open history.
func NewRecorder() *Recorder {
	return &Recorder{logs: map[string]*Log{}}
}

// Open starts a history. Events of the header's pod and of the pods in more go there until the Log is closed. Routing uses pod
// names, not namespaces, so the pods of every scenario need unique names. A name that ends in "-*" matches the pods of a
// controller, which have one more word there: Generated.
func (r *Recorder) Open(header Header, more ...string) (*Log, error) {
	pods := more
	if header.Pod != "" {
		pods = append([]string{header.Pod}, more...)
	}
	if len(pods) == 0 {
		return nil, errors.New("open a history: no pod name, so no event can reach it; set Header.Pod")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, pod := range pods {
		if other, taken := r.logs[pod]; taken {
			return nil, fmt.Errorf("open the history of scenario %q: pod %q already belongs to that of scenario %q; give the pod another name or close that history",
				header.Scenario, pod, other.header.Scenario)
		}
	}
	log := &Log{recorder: r, header: header, pods: slices.Clone(pods), changed: make(chan struct{})}
	for _, pod := range pods {
		r.logs[pod] = log
	}
	return log, nil
}

// Generated returns the name to Open a history with for pods whose names a controller generates from its own.
func Generated(controller string) string { return controller + "-*" }

// Add implements Sink. A zero At means now.
func (r *Recorder) Add(e Event) {
	r.mu.RLock()
	log := r.logs[e.Pod]
	if log == nil {
		log = r.logs[Generated(e.Pod[:max(strings.LastIndex(e.Pod, "-"), 0)])]
	}
	r.mu.RUnlock()
	if log != nil {
		log.Add(e)
	}
}

// Log is a history that is still being recorded. It is safe for concurrent use.
type Log struct {
	recorder *Recorder
	header   Header
	pods     []string

	mu      sync.Mutex
	events  []Event
	changed chan struct{} // closed, and replaced, when an event is added
}

// Add implements Sink: it records the event whatever pod it names. An event without a pod belongs to the header's pod; a zero
// At means now. The harness records its own events (Armed, APIDelete, ...) here.
func (l *Log) Add(e Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.At = e.At.Round(0).UTC() // as it will be read back from the file
	if e.Pod == "" {
		e.Pod = l.header.Pod
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Seq = len(l.events) + 1
	l.events = append(l.events, e)
	close(l.changed)
	l.changed = make(chan struct{})
}

// Close ends the routing of events to this history. Its events stay readable, and Add on the Log itself still works.
func (l *Log) Close() {
	l.recorder.mu.Lock()
	defer l.recorder.mu.Unlock()
	for _, pod := range l.pods {
		if l.recorder.logs[pod] == l {
			delete(l.recorder.logs, pod)
		}
	}
}

// History returns the events recorded so far.
func (l *Log) History() History {
	l.mu.Lock()
	defer l.mu.Unlock()
	return History{Header: l.header, Events: slices.Clone(l.events)}
}

// Wait returns the first event, recorded before or after the call, for which match returns true. It checks every event once.
// match must not block. If ctx ends first, the error wraps the context's cause and names the scenario and what was awaited.
func (l *Log) Wait(ctx context.Context, what string, match func(Event) bool) (Event, error) {
	var found Event
	looked := 0
	err := l.WaitAll(ctx, what, func(events []Event) bool {
		for ; looked < len(events); looked++ {
			if match(events[looked]) {
				found = events[looked]
				return true
			}
		}
		return false
	})
	return found, err
}

// WaitAll returns when match returns true for all events recorded so far; it checks at once and again after every new event.
// match must not block, and must not keep or change the slice. The error is like that of Wait.
func (l *Log) WaitAll(ctx context.Context, what string, match func([]Event) bool) error {
	for {
		l.mu.Lock()
		events, changed := l.events, l.changed
		l.mu.Unlock()
		// The slice is only appended to, so the part read under the lock does not change.
		if match(events[:len(events):len(events)]) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("scenario %q (%s): waited for %s, %d events recorded%s: %w",
				l.header.Scenario, strings.Join(l.pods, ", "), what, len(events), lastOf(events), context.Cause(ctx))
		}
	}
}

func lastOf(events []Event) string {
	if len(events) == 0 {
		return ""
	}
	last := events[len(events)-1]
	return fmt.Sprintf(", the last a %s %s", last.Kind, strings.TrimSpace(last.Call+" "+last.Reason))
}
