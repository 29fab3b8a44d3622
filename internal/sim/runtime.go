// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/kgrace/kgrace/internal/fault"
	"github.com/kgrace/kgrace/internal/history"
)

// Runtime is a container runtime in memory. It replaces the kubelet's CRI client, so its errors are those of that client. It is
// safe for concurrent use.
type Runtime struct {
	otherCalls
	options Options
	faults  fault.Set

	// base ends with Stop. Every goroutine of the runtime ends with it.
	base context.Context
	end  context.CancelFunc
	wait sync.WaitGroup

	calls atomic.Int64

	// mu is never held during a wait. Records are made under it, so their order is the order of events.
	mu         sync.Mutex
	closed     bool
	serving    *serving // nil while the runtime is down
	made       int      // sandboxes and containers so far
	sandboxes  table[*sandbox]
	containers table[*container]
	// owners and pods hold the names of all containers and sandboxes, by id, also after their removal, because calls may still
	// follow.
	owners    map[string]owner
	pods      map[string]string
	images    map[string]*image
	programs  map[owner]Program
	listeners []*listener
}

// serving is one life of the runtime's daemon. Containers outlive it.
type serving struct {
	ctx  context.Context
	stop context.CancelFunc
}

// owner is the pod and the container that something belongs to, by name.
type owner struct{ pod, container string }

// New starts a runtime that holds the images of a node. For a synctest bubble it must be created and stopped inside it.
func New(options Options) *Runtime {
	if options.Behaviour == "" {
		options.Behaviour = Containerd
	}
	if options.Sink == nil {
		options.Sink = history.SinkFunc(func(history.Event) {})
	}
	rt := &Runtime{
		options: options, images: nodeImages(), programs: map[owner]Program{}, owners: map[string]owner{}, pods: map[string]string{},
	}
	rt.base, rt.end = context.WithCancel(context.Background())
	rt.Up()
	return rt
}

// Stop ends the runtime: every call returns, every process vanishes without a record, and no goroutine is left when Stop
// returns. It may be called more than once.
func (rt *Runtime) Stop() {
	rt.mu.Lock()
	rt.closed, rt.serving = true, nil
	rt.end()
	for _, c := range rt.containers.all() {
		c.vanish()
	}
	rt.mu.Unlock()
	rt.wait.Wait()
}

// Down simulates the death of the runtime's daemon: running and later calls end with Unavailable, and its in-memory state
// (deadlines of stops, the record of a sent TERM) is lost. Containers keep running.
func (rt *Runtime) Down() {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.serving == nil {
		return
	}
	rt.serving.stop()
	rt.serving = nil
	for _, c := range rt.containers.all() {
		c.forget()
	}
}

// Up starts the daemon again; a new Runtime is up.
func (rt *Runtime) Up() {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.serving != nil || rt.closed {
		return
	}
	ctx, stop := context.WithCancel(rt.base)
	rt.serving = &serving{ctx, stop}
}

// Program sets the behaviour of a container's main process, whatever its command line says, from the next start on.
func (rt *Runtime) Program(pod, container string, program Program) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.programs[owner{pod, container}] = program
}

// Fault is a fault of chosen calls; the CRI proxy of a real node uses the same type.
type Fault = fault.Fault

// Inject adds a fault; see fault.Set.Inject.
func (rt *Runtime) Inject(fault Fault) (remove func(), err error) { return rt.faults.Inject(fault) }

// spawn runs do on a goroutine that Stop waits for; it returns false if the runtime has stopped.
func (rt *Runtime) spawn(do func()) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return false
	}
	rt.wait.Go(do)
	return true
}

// newID returns the id of a sandbox or container: unique, and the same in every run. mu is held.
func (rt *Runtime) newID(kind string) string {
	rt.made++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, rt.made))
	return hex.EncodeToString(sum[:])
}

// record adds an event to the sink.
func (rt *Runtime) record(e history.Event) { rt.options.Sink.Add(e) }

// table holds values by id, in the order of their creation.
type table[T any] struct {
	byID  map[string]T
	order []string
}

func (t *table[T]) add(id string, v T) {
	if t.byID == nil {
		t.byID = map[string]T{}
	}
	t.byID[id] = v
	t.order = append(t.order, id)
}

func (t *table[T]) get(id string) (T, bool) {
	v, ok := t.byID[id]
	return v, ok
}

func (t *table[T]) remove(id string) {
	delete(t.byID, id)
	for i, other := range t.order {
		if other == id {
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return
		}
	}
}

// all returns a copy.
func (t *table[T]) all() []T {
	list := make([]T, 0, len(t.order))
	for _, id := range t.order {
		list = append(list, t.byID[id])
	}
	return list
}
