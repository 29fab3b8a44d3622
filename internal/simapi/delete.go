//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simapi

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/core/pod"
)

// Delete deletes a pod like a DELETE request. The writes after BeforeDelete follow Delete and
// updateForGracefulDeletionAndFinalizers of the API server's generic registry (k8s.io/apiserver
// pkg/registry/generic/registry/store.go): a graceful delete is an update, and with grace 0 the removal follows.
func (s *Server) Delete(namespace, name string, options metav1.DeleteOptions) (*corev1.Pod, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.get(namespace, name)
	if err != nil {
		return nil, err
	}
	internal, err := toInternal(old)
	if err != nil {
		return nil, err
	}
	ctx := requestContext(namespace, "delete", "")
	opts := options.DeepCopy()
	graceful, pending, err := rest.BeforeDelete(pod.Strategy, ctx, internal, opts)
	if err != nil {
		return nil, err
	}
	if pending { // the grace is not shorter than that of the running deletion
		return old.DeepCopy(), nil
	}
	result := old.DeepCopy()
	if graceful || len(internal.Finalizers) > 0 {
		if result, err = toV1(internal); err != nil {
			return nil, err
		}
		if !graceful {
			zero := int64(0)
			result.DeletionGracePeriodSeconds = &zero
			if result.DeletionTimestamp == nil {
				now := metav1.Now()
				result.DeletionTimestamp = &now
			}
		}
		result = s.write(watch.Modified, result)
		if len(result.Finalizers) > 0 || *opts.GracePeriodSeconds > 0 {
			return result, nil
		}
	}
	return s.write(watch.Deleted, result), nil
}

// Annotate sets an annotation of a pod, like a PATCH of its metadata.
func (s *Server) Annotate(namespace, name, key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.get(namespace, name)
	if err != nil {
		return err
	}
	result := old.DeepCopy()
	metav1.SetMetaDataAnnotation(&result.ObjectMeta, key, value)
	s.write(watch.Modified, result)
	return nil
}

// RemoveFinalizers removes a pod's finalizers, like a PATCH of its metadata. As in the generic registry
// (deleteWithoutFinalizers), that removes a pod whose deletion has no grace left.
func (s *Server) RemoveFinalizers(namespace, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.get(namespace, name)
	if err != nil {
		return err
	}
	result := old.DeepCopy()
	result.Finalizers = nil
	kind := watch.Modified
	if result.DeletionTimestamp != nil && result.DeletionGracePeriodSeconds != nil && *result.DeletionGracePeriodSeconds == 0 {
		kind = watch.Deleted
	}
	s.write(kind, result)
	return nil
}
