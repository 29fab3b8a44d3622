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
	"path/filepath"
	"testing"
)

func TestCheckJobFaults(t *testing.T) {
	checkSpoiled(t, "ci/check/job/job.yaml", CheckCheckJob, []spoiled{
		{"backoffLimit: 0", "backoffLimit: 1", "retries hide failures"},
		{"restartPolicy: Never", "restartPolicy: OnFailure", "retries hide failures"},
		{"activeDeadlineSeconds: 1800", "activeDeadline: 1800", "activeDeadline"},
		{"serviceAccountName: kgrace-check", "serviceAccountName: default", "which has the permissions"},
		{"image: kgrace-check", "image: example.org/kgrace-check", "which an overlay replaces"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "restricted Pod Security"},
		{"limits: {memory: 64Mi}", "limits: {memory: 65Mi}", "at most 64Mi"},
		{"args: [check,", "args: [nonsense,", "unknown command"},
		{"--output, junit", "--output, json", "must be only JUnit"},
		{", --quiet]", "]", "must be only JUnit"},
	})
	checkSpoiled(t, "ci/check/job/rights.yaml", func(data []byte, _ Known) []string { return CheckRights(data) }, []spoiled{
		{"verbs: [create, delete, list, watch]", "verbs: [create, delete, list, watch, patch]", "Role: the rules are"},
		{"verbs: [get, list]", "verbs: [get]", "ClusterRole: the rules are"},
		{"resources: [pods/log]", "resources: [secrets]", "Role: the rules are"},
		{"kind: RoleBinding", "kind: Rolebinding", "is not expected"},
		{"kind: ServiceAccount\nmetadata:\n  name: kgrace-check\n---\n", "kind: Role\n---\n", "no ServiceAccount"},
	})
	files := folderFiles(t, filepath.Join(root, "ci/check/job"))
	checkSpoiled(t, "ci/check/job/kustomization.yaml", func(data []byte, _ Known) []string { return CheckKustomization(data, files) }, []spoiled{
		{"newName: kgrace-check", "newName: example.org/kgrace-check", "the adopter must name"},
		{"rights.yaml, ", "", "not in the kustomization"},
	})
}

func TestCalledWorkflowFaults(t *testing.T) {
	checkSpoiled(t, "ci/github/check.yaml", CheckWorkflow, []spoiled{
		{"secrets.kubeconfig", "secrets.other", "reads a credential"},
		{"      kubeconfig: {required", "      other: {required", "reads a credential"},
		{"\"$RUNNER_TEMP/kubectl-kgrace\" check", "\"$RUNNER_TEMP/kubectl-kgrace\" nonsense", "unknown command"},
		{"--image \"$IMAGE\"", "--image ${{ inputs.image }}", "text that the shell runs"},
		{"type: string", "typ: string", "typ"},
	})
}
