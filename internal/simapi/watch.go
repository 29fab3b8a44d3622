//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simapi

import (
	"context"
	"errors"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// ahead is how many changes a watch may lag behind before the server ends it, as the API server does.
const ahead = 10_000

// Pods returns the list and watch of a node's pods for its kubelet.
func (s *Server) Pods(node string) cache.ListerWatcher { return &nodePods{s, node} }

// Cut ends every watch of pods, and refuses lists, watches and client requests until Restore. Watches that resume from an older
// version do not get the changes in between: they must list again, as after a compaction.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = true
	for w := range s.streams {
		w.end()
	}
	clear(s.streams)
}

// Restore undoes Cut.
func (s *Server) Restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = false
	s.log, s.oldest = nil, s.version
}

var errCut = errors.New("connection refused: the API server cannot be reached")

type nodePods struct {
	server *Server
	node   string
}

// IsWatchListSemanticsUnSupported makes a reflector list first.
func (n *nodePods) IsWatchListSemanticsUnSupported() bool { return true }

func (n *nodePods) List(metav1.ListOptions) (runtime.Object, error) {
	s := n.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		return nil, errCut
	}
	list := s.list()
	mine := list.Items[:0]
	for _, p := range list.Items {
		if p.Spec.NodeName == n.node {
			mine = append(mine, p)
		}
	}
	list.Items = mine
	return list, nil
}

func (n *nodePods) ListWithContext(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return n.List(options)
}

func (n *nodePods) Watch(options metav1.ListOptions) (watch.Interface, error) {
	s := n.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		return nil, errCut
	}
	from, err := strconv.ParseUint(options.ResourceVersion, 10, 64)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if from < s.oldest {
		return nil, apierrors.NewResourceExpired("too old resource version")
	}
	w := &stream{events: make(chan watch.Event, ahead), node: n.node}
	for _, c := range s.log {
		if c.version > from {
			w.send(c.event)
		}
	}
	w.leave = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.streams, w)
		w.end()
	}
	s.streams[w] = true
	return w, nil
}

func (n *nodePods) WatchWithContext(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return n.Watch(options)
}

// list returns all pods in the order of their creation. mu is held.
func (s *Server) list() *corev1.PodList {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.FormatUint(s.version, 10)}}
	for _, key := range s.order {
		list.Items = append(list.Items, *s.pods[key].DeepCopy())
	}
	return list
}

// stream is one watch. Its methods, except those of watch.Interface, are called with the server's lock held.
type stream struct {
	events chan watch.Event
	node   string
	once   sync.Once
	ended  bool
	leave  func()
}

func (w *stream) send(e watch.Event) {
	if w.ended || e.Object.(*corev1.Pod).Spec.NodeName != w.node {
		return
	}
	select {
	case w.events <- watch.Event{Type: e.Type, Object: e.Object.DeepCopyObject()}:
	default:
		w.end()
	}
}

func (w *stream) end() {
	w.once.Do(func() {
		w.ended = true
		close(w.events)
	})
}

func (w *stream) Stop() { w.leave() }

func (w *stream) ResultChan() <-chan watch.Event { return w.events }
