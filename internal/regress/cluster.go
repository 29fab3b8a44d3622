// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
)

// This file needs a cluster: controllers that create pods, a taint manager, kubectl.

// scenarioLabel is the label by which a controller or kubectl finds the pod of a scenario.
const scenarioLabel = "kgrace.test/scenario"

// pod returns the API object of the scenario's pod.
func (p *apiPlace) pod(s scenario.Scenario) *corev1.Pod {
	pod := podspec.Pod(s, p.node.NodeName(), p.node.LinesDir())
	pod.Labels = map[string]string{scenarioLabel: s.ID}
	return pod
}

// createOwner creates the controller that creates the scenario's pod.
func (p *apiPlace) createOwner(ctx context.Context, s scenario.Scenario) error {
	pod := p.pod(s)
	about := metav1.ObjectMeta{Name: s.ID, Namespace: namespace}
	selector := &metav1.LabelSelector{MatchLabels: pod.Labels}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}
	one := int32(1)
	var err error
	switch owner := s.Pod.Owner; owner {
	case scenario.OwnerStatefulSet:
		template.Spec.RestartPolicy = corev1.RestartPolicyAlways
		_, err = p.client.AppsV1().StatefulSets(namespace).Create(ctx, &appsv1.StatefulSet{ObjectMeta: about,
			Spec: appsv1.StatefulSetSpec{Replicas: &one, Selector: selector, Template: template}}, metav1.CreateOptions{})
	case scenario.OwnerDaemonSet:
		template.Spec.RestartPolicy = corev1.RestartPolicyAlways
		_, err = p.client.AppsV1().DaemonSets(namespace).Create(ctx, &appsv1.DaemonSet{ObjectMeta: about,
			Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}}, metav1.CreateOptions{})
	case scenario.OwnerJob:
		_, err = p.client.BatchV1().Jobs(namespace).Create(ctx, &batchv1.Job{ObjectMeta: about, Spec: batchv1.JobSpec{
			Template: template,
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action: batchv1.PodFailurePolicyActionFailJob,
				OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
					Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{137},
				},
			}}},
		}}, metav1.CreateOptions{})
	default:
		err = fmt.Errorf("unknown owner %q", owner)
	}
	return err
}

// remove deletes the pod, and the controller that would create another.
func (p *play) remove(ctx context.Context) error {
	policy, name := metav1.DeletePropagationBackground, p.Scenario.ID
	var err error
	switch p.Scenario.Pod.Owner {
	case scenario.OwnerStatefulSet:
		err = p.client.AppsV1().StatefulSets(namespace).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	case scenario.OwnerDaemonSet:
		err = p.client.AppsV1().DaemonSets(namespace).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	case scenario.OwnerJob:
		err = p.client.BatchV1().Jobs(namespace).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	}
	if err != nil || p.Target == "" {
		return err
	}
	return p.client.CoreV1().Pods(namespace).Delete(ctx, p.Target, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
}

// owned returns the name of the pod that the controller created.
func (b *bench) owned(ctx context.Context, s scenario.Scenario) (string, error) {
	pods, err := b.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: scenarioLabel + "=" + s.ID})
	if err != nil {
		return "", err
	}
	if len(pods.Items) != 1 {
		return "", fmt.Errorf("the %s created %d pods, expected one", s.Pod.Owner, len(pods.Items))
	}
	return pods.Items[0].Name, nil
}

// evictedByTaint taints the node and waits until the taint manager's delete has marked the pod. In the history that delete
// is sent just before the taint is set, so never later than the real one.
func (p *apiPlace) evictedByTaint(ctx context.Context, play *player.Play) error {
	play.Log.Add(history.Event{Kind: history.APIDelete, Pod: play.Target})
	if err := p.taint(ctx, true); err != nil {
		return err
	}
	_, err := play.Log.Wait(ctx, "the taint manager's delete", func(e history.Event) bool {
		return e.Kind == history.APIPod && e.Pod == play.Target && e.Deletion != nil
	})
	if err != nil {
		return err
	}
	play.Log.Add(history.Event{Kind: history.APIDeleted, Pod: play.Target})
	return nil
}

// drain runs `kubectl drain`, which sends an eviction with grace 0 for the pod.
func (p *apiPlace) drain(ctx context.Context, play *player.Play) error {
	place, ok := p.node.(clustered)
	if !ok {
		return play.CannotCarry()
	}
	zero := int64(0)
	play.Log.Add(history.Event{Kind: history.APIDelete, Pod: play.Target, Grace: &zero})
	answer := history.Event{Kind: history.APIDeleted, Pod: play.Target, Grace: &zero}
	err := place.Drain(ctx, scenarioLabel+"="+play.Scenario.ID)
	if err != nil {
		answer.Error = err.Error()
	}
	play.Log.Add(answer)
	return err
}

// admits waits until pods of the namespace are admitted, that is until the controller manager has created its service
// account.
func admits(ctx context.Context, client kubernetes.Interface) error {
	accounts := client.CoreV1().ServiceAccounts(namespace)
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, "default").String()
	_, err := watchtools.UntilWithSync(ctx, cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = selector
			return accounts.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = selector
			return accounts.Watch(ctx, o)
		},
	}, client), &corev1.ServiceAccount{}, nil, func(e watch.Event) (bool, error) { return e.Type == watch.Added, nil })
	if err != nil {
		return fmt.Errorf("namespace %s got no service account, so no pod is admitted: %w", namespace, err)
	}
	return nil
}
