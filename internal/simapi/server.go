//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simapi

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/watch"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // defaults and conversions
	"k8s.io/kubernetes/pkg/registry/core/pod"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/apiwatch"
)

var resource = corev1.Resource("pods")

// Server holds the objects. It is safe for concurrent use; for a synctest bubble it must be created inside it.
type Server struct {
	objects []runtime.Object
	sink    history.Sink

	// mu is never held during a wait.
	mu      sync.Mutex
	pods    map[types.NamespacedName]*corev1.Pod
	order   []types.NamespacedName
	version uint64
	log     []change // changes that a new watch can still get
	oldest  uint64   // the version before the first change in log
	streams map[*stream]bool
	cut     bool
	ends    apiwatch.Ends
}

// change is a write: its version and its watch event.
type change struct {
	version uint64
	event   watch.Event
}

// New returns a server that holds these objects, which must not be pods. sink receives every change of a pod.
func New(sink history.Sink, objects ...runtime.Object) *Server {
	return &Server{objects: objects, sink: sink, pods: map[types.NamespacedName]*corev1.Pod{}, streams: map[*stream]bool{},
		version: 1, oldest: 1}
}

// Create creates a pod like a POST request.
func (s *Server) Create(given *corev1.Pod) (*corev1.Pod, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := given.DeepCopy()
	legacyscheme.Scheme.Default(made)
	internal, err := toInternal(made)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	key := types.NamespacedName{Namespace: made.Namespace, Name: made.Name}
	if _, ok := s.pods[key]; ok {
		return nil, apierrors.NewAlreadyExists(resource, made.Name)
	}
	ctx := requestContext(made.Namespace, "create", "")
	rest.FillObjectMetaSystemFields(internal)
	if err := rest.BeforeCreate(pod.Strategy, ctx, internal); err != nil {
		return nil, err
	}
	if made, err = toV1(internal); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	s.order = append(s.order, key)
	return s.write(watch.Added, made), nil
}

// Get returns a copy of a pod.
func (s *Server) Get(namespace, name string) (*corev1.Pod, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.get(namespace, name)
	if err != nil {
		return nil, err
	}
	return found.DeepCopy(), nil
}

func (s *Server) get(namespace, name string) (*corev1.Pod, error) {
	found, ok := s.pods[types.NamespacedName{Namespace: namespace, Name: name}]
	if !ok {
		return nil, apierrors.NewNotFound(resource, name)
	}
	return found, nil
}

// PatchStatus applies a strategic merge patch to the status of a pod, as the kubelet's status manager sends it.
func (s *Server) PatchStatus(namespace, name string, patch []byte) (*corev1.Pod, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.get(namespace, name)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(old)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, corev1.Pod{})
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	patched := &corev1.Pod{}
	if err := json.Unmarshal(after, patched); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if patched.UID != old.UID {
		return nil, apierrors.NewConflict(resource, name, fmt.Errorf("the pod has UID %s, not %s", old.UID, patched.UID))
	}
	newer, err := toInternal(patched)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	older, err := toInternal(old)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	ctx := requestContext(namespace, "patch", "status")
	pod.StatusStrategy.PrepareForUpdate(ctx, newer, older)
	result, err := toV1(newer)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	// rest.BeforeUpdate keeps the deletion fields of the object.
	result.ObjectMeta = *old.ObjectMeta.DeepCopy()
	if equality.Semantic.DeepEqual(old, result) {
		return old.DeepCopy(), nil
	}
	return s.write(watch.Modified, result), nil
}

// write stores a pod (or removes it, for Deleted), notifies the watches and records the change. mu is held.
func (s *Server) write(kind watch.EventType, p *corev1.Pod) *corev1.Pod {
	s.version++
	p.ResourceVersion = strconv.FormatUint(s.version, 10)
	p.CreationTimestamp = p.CreationTimestamp.Rfc3339Copy()
	if p.DeletionTimestamp != nil {
		whole := p.DeletionTimestamp.Rfc3339Copy()
		p.DeletionTimestamp = &whole
	}
	key := types.NamespacedName{Namespace: p.Namespace, Name: p.Name}
	if kind == watch.Deleted {
		delete(s.pods, key)
		for i, other := range s.order {
			if other == key {
				s.order = append(s.order[:i:i], s.order[i+1:]...)
				break
			}
		}
	} else {
		s.pods[key] = p
	}
	c := change{s.version, watch.Event{Type: kind, Object: p.DeepCopy()}}
	s.log = append(s.log, c)
	seen := apiwatch.PodEvent(kind, p)
	if status, err := json.Marshal(p.Status); err == nil {
		seen.Status = string(status)
	}
	s.sink.Add(seen)
	for _, e := range s.ends.See(p) {
		s.sink.Add(e)
	}
	for w := range s.streams {
		w.send(c.event)
	}
	return p.DeepCopy()
}

func toInternal(p *corev1.Pod) (*api.Pod, error) {
	internal := &api.Pod{}
	return internal, legacyscheme.Scheme.Convert(p, internal, nil)
}

func toV1(internal *api.Pod) (*corev1.Pod, error) {
	p := &corev1.Pod{}
	err := legacyscheme.Scheme.Convert(internal, p, nil)
	p.TypeMeta = metav1.TypeMeta{}
	return p, err
}

// requestContext returns the request context that the strategies expect.
func requestContext(namespace, verb, subresource string) context.Context {
	return genericapirequest.WithRequestInfo(genericapirequest.WithNamespace(context.Background(), namespace), &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIVersion: "v1", Resource: "pods", Subresource: subresource, Namespace: namespace,
	})
}
