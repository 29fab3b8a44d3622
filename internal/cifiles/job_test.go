// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"reflect"
	"regexp"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// image matches an image without a registry, which an overlay names.
var image = regexp.MustCompile(`^kgrace-(shards|check):v[0-9.]+$`)

// ignoreDisruptions is the policy of all Jobs. A pod that was drained, preempted or evicted says nothing about the fix; without the
// policy it counts as a failure, since no Job retries.
var ignoreDisruptions = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionIgnore,
	OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}}}}

// checkJob returns the faults that any Job may have: retries, no end, rights.
func checkJob(j *batchv1.Job) (faults []string) {
	refuse := func(format string, args ...any) {
		faults = append(faults, "job "+j.Name+": "+fmt.Sprintf(format, args...))
	}
	for _, f := range invalid(j) {
		refuse("the API server refuses it: %s", f)
	}
	pod := j.Spec.Template.Spec
	if pod.RestartPolicy != corev1.RestartPolicyNever {
		refuse("restartPolicy %q: restarting a container hides what it found", pod.RestartPolicy)
	}
	if indexed := completions(j) > 0; indexed && !is(j.Spec.BackoffLimitPerIndex, 0) || !indexed && !is(j.Spec.BackoffLimit, 0) {
		refuse("want backoffLimit: 0, or backoffLimitPerIndex: 0 if it is indexed: retries hide failures")
	}
	if !reflect.DeepEqual(j.Spec.PodFailurePolicy, ignoreDisruptions) {
		refuse("podFailurePolicy: want one rule, which ignores pods with the condition DisruptionTarget")
	}
	if j.Spec.ActiveDeadlineSeconds == nil {
		refuse("want activeDeadlineSeconds: nothing may hang forever")
	}
	// Pod Security's own evaluator.
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return append(faults, err.Error())
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	if r := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &j.Spec.Template.ObjectMeta, &pod)); !r.Allowed {
		refuse("not of the restricted Pod Security standard: %s", r.ForbiddenDetail())
	}
	for _, c := range pod.Containers {
		if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
			refuse("container %s: want readOnlyRootFilesystem: true", c.Name)
		}
		if !image.MatchString(c.Image) {
			refuse("container %s: image %q: want a name without a registry, which the adopter names in an overlay", c.Name, c.Image)
		}
		if c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			refuse("container %s: want a memory request and limit", c.Name)
		}
	}
	return faults
}

// completions returns the number of parts of an indexed Job, 0 for another one.
func completions(j *batchv1.Job) int32 {
	if j.Spec.CompletionMode == nil || *j.Spec.CompletionMode != batchv1.IndexedCompletion || j.Spec.Completions == nil {
		return 0
	}
	return *j.Spec.Completions
}

func is(n *int32, want int32) bool { return n != nil && *n == want }
