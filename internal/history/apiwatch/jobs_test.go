// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kgrace/kgrace/internal/history"
)

// job has a resource version, which the fake server does not set and a watch requires.
func job(conditions ...batchv1.JobCondition) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "n", UID: "1", ResourceVersion: "1"},
		Status:     batchv1.JobStatus{Conditions: conditions},
	}
}

func TestAJobIsOverOnce(t *testing.T) {
	events := make(chan history.Event, 10)
	client := fake.NewClientset(job())
	w, err := Jobs(t.Context(), client, "n", history.SinkFunc(func(e history.Event) { events <- e }))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	target := batchv1.JobCondition{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: "PodFailurePolicy"}
	failed := batchv1.JobCondition{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "PodFailurePolicy", Message: "exit code 137"}
	other := job(batchv1.JobCondition{Type: batchv1.JobComplete, Status: corev1.ConditionTrue})
	other.Name, other.UID = "other", "2"
	for _, j := range []*batchv1.Job{job(target), job(target, failed), job(target, failed)} {
		if _, err := client.BatchV1().Jobs("n").UpdateStatus(t.Context(), j, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.BatchV1().Jobs("n").Create(t.Context(), other, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	next := func() history.Event {
		select {
		case e := <-events:
			return e
		case <-w.Done():
			t.Fatalf("the watch ended: %v", w.Err())
			return history.Event{}
		}
	}
	if e := next(); e.Kind != history.APIJob || e.Pod != "j" || e.Reason != "PodFailurePolicy" || e.Message != "exit code 137" {
		t.Errorf("%+v", e)
	}
	if e := next(); e.Pod != "other" || e.Reason != "Complete" {
		t.Errorf("a Job is recorded twice, or a complete one not at all: %+v", e)
	}
}
