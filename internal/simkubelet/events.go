//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"fmt"
	"math/rand"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/reference"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/apiwatch"
)

// events adds the kubelet's events to a history when they are made. Repeated ones count up, as the API would show them.
type events struct {
	sink history.Sink

	mu     sync.Mutex
	dead   bool // the kubelet's process is dead
	counts map[string]int32
}

func newEvents(sink history.Sink) *events { return &events{sink: sink, counts: map[string]int32{}} }

func (e *events) Event(object runtime.Object, kind, reason, message string) {
	about, err := reference.GetReference(legacyscheme.Scheme, object)
	if err != nil || about.Kind != "Pod" {
		return
	}
	e.mu.Lock()
	key := fmt.Sprint(about.UID, about.FieldPath, kind, reason, message)
	e.counts[key]++
	count, dead := e.counts[key], e.dead
	e.mu.Unlock()
	if dead {
		return
	}
	// The kubelet delays its retries after a failure by a random time. Reseed here, so that the delay does not depend on other
	// uses of the random source.
	rand.Seed(1)
	e.sink.Add(apiwatch.KubeletEvent(&corev1.Event{InvolvedObject: *about, Type: kind, Reason: reason, Message: message, Count: count}))
}

func (e *events) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	e.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (e *events) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	e.Eventf(object, kind, reason, format, args...)
}

// began records the start of a terminating sync of a pod.
func (e *events) began(_, name string, again bool) {
	e.mu.Lock()
	dead := e.dead
	e.mu.Unlock()
	if dead {
		return
	}
	if again {
		e.sink.Add(history.Event{Kind: history.KubeletAgain, Pod: name})
		return
	}
	e.sink.Add(history.Event{Kind: history.KubeletBegan, Pod: name, Count: 1})
}

func (e *events) kill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead = true
}
