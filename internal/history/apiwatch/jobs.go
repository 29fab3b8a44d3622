// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/history"
)

// Jobs records the end of every Job in the namespace, failed or complete, as history.APIJob, once. At is when it arrived here.
func Jobs(ctx context.Context, client kubernetes.Interface, namespace string, sink history.Sink) (*Watch, error) {
	jobs := client.BatchV1().Jobs(namespace)
	told := map[types.UID]bool{}
	return start(ctx, source[*batchv1.Job]{
		what: "jobs in namespace " + namespace,
		list: func(ctx context.Context, options metav1.ListOptions) ([]*batchv1.Job, string, error) {
			list, err := jobs.List(ctx, options)
			if err != nil {
				return nil, "", err
			}
			return pointers(list.Items), list.ResourceVersion, nil
		},
		watch: jobs.Watch,
		see: func(_ watch.EventType, job *batchv1.Job) {
			e, over := jobOver(job)
			if over && !told[job.UID] {
				told[job.UID] = true
				sink.Add(e)
			}
		},
	})
}

// jobOver returns the history event for a finished Job seen now; false if the Job is not finished.
func jobOver(job *batchv1.Job) (history.Event, bool) {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobFailed || c.Type == batchv1.JobComplete) && c.Status == corev1.ConditionTrue {
			e := history.Event{Kind: history.APIJob, At: time.Now(), Pod: job.Name, Reason: c.Reason, Message: c.Message}
			if c.Type == batchv1.JobComplete && e.Reason == "" {
				e.Reason = string(c.Type)
			}
			return e, true
		}
	}
	return history.Event{}, false
}
