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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// checkKustomizations checks a kustomization of ci/, and that each change to a file of its folder causes the named fault.
func checkKustomizations(t *testing.T, dir string, check func(filesys.FileSystem, string, Known) []string, files map[string][]spoiled) {
	t.Helper()
	if faults := check(inMemory(t), dir, known(t)); len(faults) > 0 {
		t.Errorf("%s:\n  %s", dir, strings.Join(faults, "\n  "))
	}
	for file, cases := range files {
		for _, c := range cases {
			copied := inMemory(t)
			data, err := copied.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.old) {
				t.Errorf("%s has no %q", file, c.old)
				continue
			}
			if err := copied.WriteFile(file, []byte(strings.Replace(string(data), c.old, c.new, 1))); err != nil {
				t.Fatal(err)
			}
			faults := check(copied, dir, known(t))
			if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
				t.Errorf("%s with %q: got %q, want %q", file, c.new, faults, c.want)
			}
		}
	}
}

// inMemory returns the files under ci/.
func inMemory(t *testing.T) filesys.FileSystem {
	t.Helper()
	files := filesys.MakeFsInMemory()
	err := fs.WalkDir(os.DirFS(root), "ci", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		return files.WriteFile(path, data)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestIndexedJobFaults(t *testing.T) {
	checkKustomizations(t, "ci/indexed-job/base", CheckIndexedJob, map[string][]spoiled{
		"ci/indexed-job/base/shards.yaml": {
			{"completions: 4", "completions: 5", "PARTS is not 5"},
			{"maxFailedIndexes: 4", "maxFailedIndexes: 1", "must not stop the others"},
			{"parallelism: 4", "parallelism: 1", "must not stop the others"},
			{"backoffLimitPerIndex: 0", "backoffLimitPerIndex: 3", "retries hide failures"},
			{"restartPolicy: Never", "restartPolicy: OnFailure", "hides what it found"},
			{"image: kgrace-shards", "image: example.org/kgrace-shards:v1", "which the adopter names"},
			{"--shard, $(INDEX)/$(PARTS)]", "--shard, 0/4]", "does not run its part"},
			{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "want readOnlyRootFilesystem"},
			{"capabilities: {drop: [ALL]}", "capabilities: {drop: [NET_RAW]}", "restricted Pod Security"},
			{"runAsNonRoot: true", "hostNetwork: true", "hostNetwork"},
			{"automountServiceAccountToken: false", "automountServiceAccountToken: true", "needs no token"},
			{"args: [regress,", "args: [nonsense,", "unknown command"},
			{"activeDeadlineSeconds: 3600", "activeDeadline: 3600", `unknown field "spec.activeDeadline"`},
			{"activeDeadlineSeconds: 3600", "ttlSecondsAfterFinished: 3600", "may hang forever"},
			{"restartPolicy: Never", "restartPolicy: Never\n      restartPolicy: Never", "restartPolicy"},
			{"action: Ignore", "action: FailJob", "condition DisruptionTarget"},
			{`type: DisruptionTarget, status: "True"`, `type: Ready, status: "False"`, "condition DisruptionTarget"},
			{"limits: {memory: 3Gi}", "limits: {cpu: 1}", "memory request and limit"},
			{"controller-uid", "job-name", "controller-uid"},
			{"/artifacts/$(KGRACE_RUN_ID)/shard-$(INDEX)", "/artifacts/shard-$(INDEX)", "parts of two runs must not meet"},
			{"            - name: KGRACE_RUN_ID\n", "            - {name: ARTIFACTS, value: /artifacts/$(KGRACE_RUN_ID)/shard-$(INDEX)}\n            - name: KGRACE_RUN_ID\n", "after both variables"},
		},
		"ci/indexed-job/base/merge.yaml": {
			{"backoffLimit: 0", "backoffLimit: 6", "retries hide failures"},
			{"suspend: true", "suspend: false", "the parts are not there yet"},
			{"'kgrace.test/run-id'", "'kgrace.test/run'", "want KGRACE_RUN_ID from"},
			{"/artifacts/$(KGRACE_RUN_ID)]", "/artifacts]", "and no others"},
			{"kind: Job", "kind: CronJob", `unknown field "spec.backoffLimit"`},
		},
		"ci/indexed-job/base/kustomization.yaml": {
			{"newName: kgrace-shards", "newName: example.org/kgrace-shards", "which the adopter names"},
			{"claim.yaml, ", "", "claim.yaml is in the folder, but not in the kustomization"},
			{", merge.yaml", "", "merge.yaml is in the folder"},
			{"namespace.yaml, ", "namespaces.yaml, ", "namespaces.yaml"},
			{"resources:", "resource:", "resource"},
		},
		"ci/indexed-job/base/claim.yaml": {{"accessModes:", "accessmodes:", "accessmodes"}},
	})
	checkKustomizations(t, "ci/indexed-job/kind", CheckIndexedJob, map[string][]spoiled{
		"ci/indexed-job/kind/kustomization.yaml": {
			{"path: /spec/volumeName, value: kgrace-artifacts}", "path: /spec/volumename, value: kgrace-artifacts}", `unknown field "spec.volumename"`},
			{"- {op: add, path: /spec/volumeName, value: kgrace-artifacts}", "nonsense", "nonsense"},
			{"path: /spec/template/spec/tolerations", "path: /spec/template/spec/none/tolerations", "none"},
			{"../base, ", "../bases, ", "bases"},
		},
		"ci/indexed-job/kind/volume.yaml": {{"hostPath:", "hostpath:", "hostpath"}},
	})
}

func TestCheckJobFaults(t *testing.T) {
	checkKustomizations(t, "ci/check/job", CheckCheckJob, map[string][]spoiled{
		"ci/check/job/job.yaml": {
			{"backoffLimit: 0", "backoffLimit: 1", "retries hide failures"},
			{"restartPolicy: Never", "restartPolicy: OnFailure", "hides what it found"},
			{"activeDeadlineSeconds: 1800", "activeDeadline: 1800", "activeDeadline"},
			{"action: Ignore", "action: Count", "condition DisruptionTarget"},
			{"serviceAccountName: kgrace-check", "serviceAccountName: default", "which has the permissions"},
			{"image: kgrace-check", "image: example.org/kgrace-check", "which the adopter names"},
			{"runAsNonRoot: true", "runAsNonRoot: false", "restricted Pod Security"},
			{"limits: {memory: 64Mi}", "limits: {memory: 65Mi}", "at most 64Mi"},
			{"args: [check,", "args: [nonsense,", "unknown command"},
			{"--output, junit", "--output, json", "must be only JUnit"},
			{", --quiet]", "]", "must be only JUnit"},
		},
		"ci/check/job/rights.yaml": {
			{"verbs: [create, delete, list, watch]", "verbs: [create, delete, list, watch, patch]", "*v1.Role: the rules are"},
			{"verbs: [get, list]", "verbs: [get]", "*v1.ClusterRole: the rules are"},
			{"resources: [pods/log]", "resources: [secrets]", "*v1.Role: the rules are"},
			{"kind: RoleBinding", "kind: Rolebinding", "Rolebinding"},
			{"apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: kgrace-check\n---\n", "", "0 of kind ServiceAccount"},
			{"roleRef:", "roleref:", "roleref"},
		},
		"ci/check/job/kustomization.yaml": {
			{"newName: kgrace-check", "newName: example.org/kgrace-check", "which the adopter names"},
			{"rights.yaml, ", "", "not in the kustomization"},
		},
	})
}

// TestOverlay names a registry and a tag as adopters do; all Jobs must use them.
func TestOverlay(t *testing.T) {
	for dir, name := range map[string]string{"ci/indexed-job/kind": "kgrace-shards", "ci/check/job": "kgrace-check"} {
		files := inMemory(t)
		overlay := "resources: [../" + dir + "]\nimages: [{name: " + name + ", newName: registry.example/" + name + ", newTag: v2}]\n"
		if err := files.WriteFile("my/kustomization.yaml", []byte(overlay)); err != nil {
			t.Fatal(err)
		}
		objects, faults := Render(files, "my")
		if len(faults) > 0 {
			t.Errorf("%s: %q", dir, faults)
		}
		for _, j := range ofType[*batchv1.Job](objects) {
			for _, c := range j.Spec.Template.Spec.Containers {
				if want := "registry.example/" + name + ":v2"; c.Image != want {
					t.Errorf("%s: job %s, container %s: image %s, want %s", dir, j.Name, c.Name, c.Image, want)
				}
			}
		}
	}
}
