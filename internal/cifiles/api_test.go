// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/json"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install" // the internal types of Jobs
	_ "k8s.io/kubernetes/pkg/apis/core/install"  // those of their pods
	jobregistry "k8s.io/kubernetes/pkg/registry/batch/job"
)

// stored returns a Job with the API server's defaults, as its registry gets it.
func stored(j *batchv1.Job) (*batch.Job, error) {
	j = j.DeepCopy()
	legacyscheme.Scheme.Default(j)
	var into batch.Job
	if err := legacyscheme.Scheme.Convert(j, &into, nil); err != nil {
		return nil, err
	}
	into.UID = "0123-4567" // the API server makes one
	jobregistry.Strategy.PrepareForCreate(genericapirequest.NewDefaultContext(), &into)
	return &into, nil
}

// invalid returns the faults for which the API server of the default minor refuses to create a Job.
func invalid(j *batchv1.Job) (faults []string) {
	created, err := stored(j)
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range jobregistry.Strategy.Validate(genericapirequest.NewDefaultContext(), created) {
		faults = append(faults, e.Error())
	}
	return faults
}

// TestUID: the API server writes the UID of the parts' Job to the label from which its pods take their run.
func TestUID(t *testing.T) {
	objects, faults := render(inMemory(t), "ci/indexed-job/base")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, j := range ofType[*batchv1.Job](objects) {
		created, err := stored(j)
		if err != nil {
			t.Fatal(err)
		}
		if errs := jobregistry.Strategy.Validate(genericapirequest.NewDefaultContext(), created); len(errs) > 0 {
			t.Fatal(errs)
		}
		if got := created.Spec.Template.Labels[batchv1.ControllerUidLabel]; got != "0123-4567" {
			t.Errorf("job %s: label %s is %q in its pods", j.Name, batchv1.ControllerUidLabel, got)
		}
	}
}

// TestResume has the API server's own registry judge the patch with which run.sh resumes the merge.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	kubectl := program(t, dir, "kubectl", `
case "$*" in
*metadata.uid*) printf 0123-4567 ;;
patch*) for last; do :; done; printf '%s' "$last" >"$0.patch" ;;
*) printf 'p 0' ;;
esac
`)
	if exit, out := run(t, filepath.Join(root, "ci"), []string{"KUBECTL=" + kubectl}, "indexed-job/run.sh"); exit != 0 {
		t.Fatalf("exit code %d:\n%s", exit, out)
	}
	patch, err := os.ReadFile(kubectl + ".patch")
	if err != nil {
		t.Fatal(err)
	}
	objects, faults := render(inMemory(t), "ci/indexed-job/base")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	resume := func(old *batchv1.Job) (*batchv1.Job, string) {
		data, err := json.Marshal(old)
		if err != nil {
			t.Fatal(err)
		}
		patched, err := jsonpatch.MergePatch(data, patch)
		if err != nil {
			t.Fatalf("%s: %v", patch, err)
		}
		resumed := &batchv1.Job{}
		if err := json.Unmarshal(patched, resumed); err != nil {
			t.Fatal(err)
		}
		before, err := stored(old)
		if err != nil {
			t.Fatal(err)
		}
		after, err := stored(resumed)
		if err != nil {
			t.Fatal(err)
		}
		before.ResourceVersion, after.ResourceVersion = "1", "1"
		if err := jobregistry.Strategy.ValidateUpdate(genericapirequest.NewDefaultContext(), after, before).ToAggregate(); err != nil {
			return resumed, err.Error()
		}
		return resumed, ""
	}
	for _, j := range ofType[*batchv1.Job](objects) {
		if j.Name != "kgrace-merge" {
			continue
		}
		resumed, fault := resume(j)
		if fault != "" || *resumed.Spec.Suspend || resumed.Spec.Template.Annotations[runAnnotation] != "0123-4567" {
			t.Errorf("%s, suspended %v, annotations %v", fault, *resumed.Spec.Suspend, resumed.Spec.Template.Annotations)
		}
		// Of a Job that is not suspended nothing may be changed in the template.
		j.Spec.Suspend = new(bool)
		if _, fault := resume(j); !strings.Contains(fault, "field is immutable") {
			t.Errorf("a Job that runs takes the annotation: %s", fault)
		}
		return
	}
	t.Error("no job kgrace-merge")
}
