// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kgrace/kgrace/cmd/kubectl-kgrace/check"
)

// checkSpace is the namespace of ci/check/job, and the account of its pod.
const checkSpace = "kgrace-check"

// checkCheckJob returns the faults of the kustomization of ci/check: a Job of one pod that runs `kgrace check` and logs JUnit, with the
// permissions that the program reports to need.
func checkCheckJob(files filesys.FileSystem, dir string) []string {
	objects, faults := render(files, dir)
	if len(faults) > 0 {
		return faults
	}
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	jobs := ofType[*batchv1.Job](objects)
	if len(jobs) != 1 || len(jobs[0].Spec.Template.Spec.Containers) != 1 {
		return []string{"want one Job with one container"}
	}
	faults = append(faults, checkJob(jobs[0])...)
	pod := jobs[0].Spec.Template.Spec
	c := pod.Containers[0]
	if pod.ServiceAccountName != checkSpace {
		refuse("account %q: want %s, which has the permissions", pod.ServiceAccountName, checkSpace)
	}
	if memory := c.Resources.Limits.Memory(); memory.Value() > 64<<20 {
		refuse("memory limit %s: want at most 64Mi, the limit for a check", memory)
	}
	if line := strings.Join(c.Args, " "); !strings.Contains(line, "--output junit") || !strings.Contains(line, "--quiet") || !strings.Contains(line, "--namespace "+checkSpace) {
		refuse("args %q: its log must be only JUnit, its pods in %s", line, checkSpace)
	}
	var roles []rbacv1.PolicyRule
	for _, role := range ofType[*rbacv1.Role](objects) {
		roles = append(roles, role.Rules...)
	}
	var clusterRoles []rbacv1.PolicyRule
	for _, role := range ofType[*rbacv1.ClusterRole](objects) {
		clusterRoles = append(clusterRoles, role.Rules...)
	}
	for _, role := range (&check.Config{Namespace: checkSpace}).Roles() {
		var want, got []rbacv1.PolicyRule
		switch r := role.(type) {
		case *rbacv1.Role:
			want, got = r.Rules, roles
		case *rbacv1.ClusterRole:
			want, got = r.Rules, clusterRoles
		}
		if !reflect.DeepEqual(want, got) {
			refuse("%T: the rules are %v; kgrace check --dry-run --namespace %s prints %v", role, got, checkSpace, want)
		}
	}
	for kind, n := range map[string]int{"ServiceAccount": len(ofType[*corev1.ServiceAccount](objects)),
		"RoleBinding": len(ofType[*rbacv1.RoleBinding](objects)), "ClusterRoleBinding": len(ofType[*rbacv1.ClusterRoleBinding](objects))} {
		if n != 1 {
			refuse("%d of kind %s: want one", n, kind)
		}
	}
	return faults
}

func TestCheckJobFaults(t *testing.T) {
	checkKustomizations(t, "ci/check/job", checkCheckJob, map[string][]spoiled{
		"ci/check/job/job.yaml": {
			{"backoffLimit: 0", "backoffLimit: 1", "retries hide failures"},
			{"restartPolicy: Never", "restartPolicy: OnFailure", "hides what it found"},
			{"activeDeadlineSeconds: 1800", "activeDeadline: 1800", "activeDeadline"},
			{"action: Ignore", "action: Count", "condition DisruptionTarget"},
			{"serviceAccountName: kgrace-check", "serviceAccountName: default", "which has the permissions"},
			{"image: kgrace-check", "image: example.org/kgrace-check", "which the adopter names"},
			{"runAsNonRoot: true", "runAsNonRoot: false", "restricted Pod Security"},
			{"limits: {memory: 64Mi}", "limits: {memory: 65Mi}", "at most 64Mi"},
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
