// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"context"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/history"
)

// Pods records every change of every pod in the namespace as history.APIPod, and the exits of containers in the pods' statuses
// as history.APIContainer. It returns when the watch is open: a later change is recorded. At is when the change arrived here.
func Pods(ctx context.Context, client kubernetes.Interface, namespace string, sink history.Sink) (*Watch, error) {
	pods := client.CoreV1().Pods(namespace)
	var ends Ends
	return start(ctx, source[*corev1.Pod]{
		what: "pods in namespace " + namespace,
		list: func(ctx context.Context, options metav1.ListOptions) ([]*corev1.Pod, string, error) {
			list, err := pods.List(ctx, options)
			if err != nil {
				return nil, "", err
			}
			return pointers(list.Items), list.ResourceVersion, nil
		},
		watch: pods.Watch,
		see: func(change watch.EventType, pod *corev1.Pod) {
			sink.Add(PodEvent(change, pod))
			for _, e := range ends.See(pod) {
				sink.Add(e)
			}
		},
	})
}

// Events records every event that the kubelet reports about a pod in the namespace as history.KubeletEvent, once for each
// increase of its count. At is when the event arrived here: the API's own timestamps have whole seconds. The kubelet sends
// events in the background, so they arrive after what they report.
func Events(ctx context.Context, client kubernetes.Interface, namespace string, sink history.Sink) (*Watch, error) {
	events := client.CoreV1().Events(namespace)
	return start(ctx, source[*corev1.Event]{
		what: "events in namespace " + namespace,
		list: func(ctx context.Context, options metav1.ListOptions) ([]*corev1.Event, string, error) {
			list, err := events.List(ctx, options)
			if err != nil {
				return nil, "", err
			}
			return pointers(list.Items), list.ResourceVersion, nil
		},
		watch: events.Watch,
		see: func(change watch.EventType, event *corev1.Event) {
			if change == watch.Deleted || event.InvolvedObject.Kind != "Pod" {
				return
			}
			if event.Source.Component != "kubelet" && event.ReportingController != "kubelet" {
				return
			}
			sink.Add(KubeletEvent(event))
		},
	})
}

// PodEvent returns the history event for a change of a pod seen now.
func PodEvent(change watch.EventType, pod *corev1.Pod) history.Event {
	e := history.Event{
		Kind:    history.APIPod,
		At:      time.Now(),
		Pod:     pod.Name,
		Reason:  string(change),
		Message: string(pod.Status.Phase),
	}
	if grace := pod.DeletionGracePeriodSeconds; grace != nil {
		e.Grace = history.Seconds(*grace)
	}
	if pod.DeletionTimestamp != nil {
		e.Deletion = history.Time(pod.DeletionTimestamp.Time)
	}
	return e
}

// containerPath matches the field path of a container in the kubelet's events: spec.containers{main}.
var containerPath = regexp.MustCompile(`^spec\.(?:containers|initContainers|ephemeralContainers)\{(.+)\}$`)

// KubeletEvent returns the history event for an event of the kubelet seen now.
func KubeletEvent(event *corev1.Event) history.Event {
	e := history.Event{
		Kind:    history.KubeletEvent,
		At:      time.Now(),
		Pod:     event.InvolvedObject.Name,
		Reason:  event.Reason,
		Message: event.Message,
		Count:   event.Count,
	}
	if match := containerPath.FindStringSubmatch(event.InvolvedObject.FieldPath); match != nil {
		e.Container = match[1]
	}
	return e
}

func pointers[T any](items []T) []*T {
	list := make([]*T, len(items))
	for i := range items {
		list[i] = &items[i]
	}
	return list
}
