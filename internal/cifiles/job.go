/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package cifiles

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// ShardImage is the image name that an overlay replaces.
const ShardImage = "kgrace-shards"

// CheckJob returns the faults of a job of ci/indexed-job.
func CheckJob(data []byte, known Known) (faults []string) {
	var j batchv1.Job
	if err := yaml.UnmarshalStrict(data, &j); err != nil {
		return []string{err.Error()}
	}
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if j.APIVersion != "batch/v1" || j.Kind != "Job" {
		return []string{fmt.Sprintf("%s %s: want batch/v1 Job", j.APIVersion, j.Kind)}
	}
	pod := j.Spec.Template.Spec
	if pod.RestartPolicy != corev1.RestartPolicyNever {
		refuse("restartPolicy %q: restarting a container hides what it found", pod.RestartPolicy)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		refuse("a pod needs no token: automountServiceAccountToken: false")
	}
	indexed := j.Spec.CompletionMode != nil && *j.Spec.CompletionMode == batchv1.IndexedCompletion
	switch {
	case indexed && (j.Spec.BackoffLimitPerIndex == nil || *j.Spec.BackoffLimitPerIndex != 0):
		refuse("want backoffLimitPerIndex: 0: a part has one attempt")
	case indexed && (j.Spec.MaxFailedIndexes == nil || j.Spec.Completions == nil || *j.Spec.MaxFailedIndexes != *j.Spec.Completions):
		refuse("want as many maxFailedIndexes as completions: a red part must not stop the others")
	case !indexed && (j.Spec.BackoffLimit == nil || *j.Spec.BackoffLimit != 0):
		refuse("want backoffLimit: 0: retries hide failures")
	}
	if j.Spec.ActiveDeadlineSeconds == nil {
		refuse("want activeDeadlineSeconds: nothing may hang forever")
	}
	for _, c := range pod.Containers {
		for _, f := range checkContainer(c, known) {
			refuse("container %s: %s", c.Name, f)
		}
		if indexed {
			if parts := value(c, "PARTS"); j.Spec.Completions == nil || parts != strconv.Itoa(int(*j.Spec.Completions)) {
				refuse("container %s: PARTS is %q, but completions differs", c.Name, parts)
			}
			if !slices.Contains(c.Args, "$(INDEX)/$(PARTS)") {
				refuse("container %s: it does not run its part: want --shard $(INDEX)/$(PARTS)", c.Name)
			}
		}
	}
	return faults
}

func checkContainer(c corev1.Container, known Known) (faults []string) {
	if c.Image != ShardImage {
		faults = append(faults, fmt.Sprintf("image %q: want %s, which an overlay replaces", c.Image, ShardImage))
	}
	s := c.SecurityContext
	if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
		s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
		faults = append(faults, "it has privileges that it does not need: want a read-only root filesystem, no escalation, no capabilities")
	}
	// Kubernetes replaces variables by numbers for the command line to parse.
	args := []string{}
	for _, a := range c.Args {
		args = append(args, strings.NewReplacer("$(INDEX)", "0", "$(PARTS)", "1").Replace(a))
	}
	if err := known.Kgrace(args); err != nil {
		faults = append(faults, err.Error())
	}
	return faults
}

func value(c corev1.Container, name string) string {
	for _, e := range c.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}

// Kustomization contains the fields of a kustomization that ci/ uses.
type Kustomization struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace,omitempty"`
	Resources  []string `json:"resources"`
	Images     []struct {
		Name    string `json:"name"`
		NewName string `json:"newName"`
		NewTag  string `json:"newTag"`
	} `json:"images,omitempty"`
	Patches []struct {
		Target map[string]string `json:"target"`
		Patch  string            `json:"patch"`
	} `json:"patches,omitempty"`
}

// CheckKustomization returns the faults of a kustomization whose folder contains the given files.
func CheckKustomization(data []byte, files []string) (faults []string) {
	var k Kustomization
	if err := yaml.UnmarshalStrict(data, &k); err != nil {
		return []string{err.Error()}
	}
	named := map[string]bool{}
	for _, r := range k.Resources {
		named[r] = true
		if !strings.HasPrefix(r, "../") && !slices.Contains(files, r) {
			faults = append(faults, fmt.Sprintf("resource %s does not exist", r))
		}
	}
	for _, file := range files {
		if !named[file] && file != "kustomization.yaml" {
			faults = append(faults, fmt.Sprintf("%s is in the folder, but not in the kustomization", file))
		}
	}
	for _, i := range k.Images {
		if i.Name != ShardImage && i.Name != CheckImage || strings.ContainsAny(i.NewName, ".:/") {
			faults = append(faults, fmt.Sprintf("image %s: %s: the adopter must name the registry", i.Name, i.NewName))
		}
	}
	for _, p := range k.Patches {
		var ops []map[string]any
		if err := yaml.UnmarshalStrict([]byte(p.Patch), &ops); err != nil || len(ops) == 0 {
			faults = append(faults, fmt.Sprintf("patch of %v: want a list of operations: %v", slices.Sorted(maps.Values(p.Target)), err))
		}
	}
	return faults
}
