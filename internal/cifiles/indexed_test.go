// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// runID is the variable with the run of a part, and runAnnotation the annotation with which run.sh passes it to the merge.
const (
	runID         = "KGRACE_RUN"
	runAnnotation = "kgrace.test/run-id"
)

// checkIndexedJob returns the faults of a kustomization of ci/indexed-job: an Indexed Job that runs the parts, and a suspended one that
// merges them.
func checkIndexedJob(files filesys.FileSystem, dir string) []string {
	objects, faults := render(files, dir)
	if len(faults) > 0 {
		return faults
	}
	var parts, merges int
	for _, j := range ofType[*batchv1.Job](objects) {
		refuse := func(format string, args ...any) {
			faults = append(faults, "job "+j.Name+": "+fmt.Sprintf(format, args...))
		}
		faults = append(faults, checkJob(j)...)
		if token := j.Spec.Template.Spec.AutomountServiceAccountToken; token == nil || *token {
			refuse("a pod needs no token: automountServiceAccountToken: false")
		}
		if n := completions(j); n > 0 {
			parts++
			if !is(j.Spec.MaxFailedIndexes, n) || !is(j.Spec.Parallelism, n) {
				refuse("want as many maxFailedIndexes and parallelism as completions: a red part must not stop the others")
			}
		} else {
			merges++
			if j.Spec.Suspend == nil || !*j.Spec.Suspend {
				refuse("want suspend: true: the parts are not there yet")
			}
		}
		for _, c := range j.Spec.Template.Spec.Containers {
			for _, f := range checkRun(j, c) {
				refuse("container %s: %s", c.Name, f)
			}
		}
	}
	if parts != 1 || merges != 1 {
		faults = append(faults, fmt.Sprintf("%d Indexed Jobs and %d others: want one that runs the parts and one that merges them", parts, merges))
	}
	return faults
}

// checkRun returns the faults of a container's part and run.
func checkRun(j *batchv1.Job, c corev1.Container) (faults []string) {
	n := completions(j)
	from, directory := "metadata.annotations['"+runAnnotation+"']", "/artifacts/$("+runID+")"
	line := " " + strings.Join(c.Args, " ") + " "
	run := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == runID })
	if n > 0 {
		// The UID of the Job, which the Job controller writes to the labels of its pods.
		from = "metadata.labels['" + batchv1.ControllerUidLabel + "']"
		artifacts := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool {
			return e.Name == "ARTIFACTS" && e.Value == directory+"/shard-$(INDEX)"
		})
		// Kubernetes replaces the variables of a value that stand before it.
		index := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "INDEX" })
		if artifacts < 0 || artifacts < run || artifacts < index {
			faults = append(faults, fmt.Sprintf("want ARTIFACTS %s/shard-$(INDEX), after both variables: parts of two runs must not meet", directory))
		}
		if !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "PARTS" && e.Value == strconv.Itoa(int(n)) }) {
			faults = append(faults, fmt.Sprintf("PARTS is not %d as completions are", n))
		}
		if !strings.Contains(line, " --shard $(INDEX)/$(PARTS) ") {
			faults = append(faults, "it does not run its part: want --shard $(INDEX)/$(PARTS)")
		}
	} else if !strings.Contains(line, " --artifacts "+directory+"/merged "+directory+" ") {
		faults = append(faults, fmt.Sprintf("args %q: want the parts in %s, and no others", c.Args, directory))
	}
	if run < 0 || c.Env[run].ValueFrom == nil || c.Env[run].ValueFrom.FieldRef == nil || c.Env[run].ValueFrom.FieldRef.FieldPath != from {
		faults = append(faults, fmt.Sprintf("want %s from %s", runID, from))
	}
	return faults
}

func TestIndexedJobFaults(t *testing.T) {
	checkKustomizations(t, "ci/indexed-job/base", checkIndexedJob, map[string][]spoiled{
		"ci/indexed-job/base/shards.yaml": {
			{"completions: 4", "completions: 5", "PARTS is not 5"},
			{"maxFailedIndexes: 4", "maxFailedIndexes: 1", "must not stop the others"},
			{"parallelism: 4", "parallelism: 1", "must not stop the others"},
			{"backoffLimitPerIndex: 0", "backoffLimitPerIndex: 3", "retries hide failures"},
			{"restartPolicy: Never", "restartPolicy: OnFailure", "hides what it found"},
			{"restartPolicy: Never", "restartPolicy: OnFailure", `only "Never" is supported when podFailurePolicy is specified`},
			{"name: catalogue", "name: properties", "Duplicate value"},
			{"mountPath: /tmp", "mountPath: /artifacts", "must be unique"},
			{"image: kgrace-shards", "image: example.org/kgrace-shards:v1", "which the adopter names"},
			{"--shard, $(INDEX)/$(PARTS)]", "--shard, 0/4]", "does not run its part"},
			{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "want readOnlyRootFilesystem"},
			{"capabilities: {drop: [ALL]}", "capabilities: {drop: [NET_RAW]}", "restricted Pod Security"},
			{"runAsNonRoot: true", "hostNetwork: true", "hostNetwork"},
			{"automountServiceAccountToken: false", "automountServiceAccountToken: true", "needs no token"},
			{"activeDeadlineSeconds: 3600", "activeDeadline: 3600", `unknown field "spec.activeDeadline"`},
			{"activeDeadlineSeconds: 3600", "ttlSecondsAfterFinished: 3600", "may hang forever"},
			{"restartPolicy: Never", "restartPolicy: Never\n      restartPolicy: Never", "restartPolicy"},
			{"action: Ignore", "action: FailJob", "condition DisruptionTarget"},
			{`type: DisruptionTarget, status: "True"`, `type: Ready, status: "False"`, "condition DisruptionTarget"},
			{"limits: {memory: 3Gi}", "limits: {cpu: 1}", "memory request and limit"},
			{"controller-uid", "job-name", "controller-uid"},
			{"/artifacts/$(KGRACE_RUN)/shard-$(INDEX)", "/artifacts/shard-$(INDEX)", "parts of two runs must not meet"},
			{"            - name: KGRACE_RUN\n", "            - {name: ARTIFACTS, value: /artifacts/$(KGRACE_RUN)/shard-$(INDEX)}\n            - name: KGRACE_RUN\n", "after both variables"},
		},
		"ci/indexed-job/base/merge.yaml": {
			{"backoffLimit: 0", "backoffLimit: 6", "retries hide failures"},
			{"suspend: true", "suspend: false", "the parts are not there yet"},
			{"'kgrace.test/run-id'", "'kgrace.test/run'", "want KGRACE_RUN from"},
			{"/artifacts/$(KGRACE_RUN)]", "/artifacts]", "and no others"},
			{"kind: Job", "kind: CronJob", `unknown field "spec.backoffLimit"`},
		},
		"ci/indexed-job/base/kustomization.yaml": {
			{"newName: kgrace-shards", "newName: example.org/kgrace-shards", "which the adopter names"},
			{"claim.yaml, ", "", "claim.yaml is in the directory, but not in the kustomization"},
			{", merge.yaml", "", "merge.yaml is in the directory"},
			{"namespace.yaml, ", "namespaces.yaml, ", "namespaces.yaml"},
			{"resources:", "resource:", "resource"},
		},
		"ci/indexed-job/base/claim.yaml": {{"accessModes:", "accessmodes:", "accessmodes"}},
	})
	checkKustomizations(t, "ci/indexed-job/kind", checkIndexedJob, map[string][]spoiled{
		"ci/indexed-job/kind/kustomization.yaml": {
			{"path: /spec/volumeName, value: kgrace-artifacts}", "path: /spec/volumename, value: kgrace-artifacts}", `unknown field "spec.volumename"`},
			{"- {op: add, path: /spec/volumeName, value: kgrace-artifacts}", "nonsense", "nonsense"},
			{"path: /spec/template/spec/tolerations", "path: /spec/template/spec/none/tolerations", "none"},
			{"../base, ", "../bases, ", "bases"},
		},
		"ci/indexed-job/kind/volume.yaml": {{"hostPath:", "hostpath:", "hostpath"}},
	})
}
