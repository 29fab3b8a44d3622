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
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kgrace/kgrace/internal/check"
)

// CheckSpace is the namespace of ci/check/job, and the account of its pod.
const CheckSpace = "kgrace-check"

// CheckCheckJob returns the faults of the kustomization of ci/check: a Job of one pod that runs `kgrace check` and logs JUnit, with the
// permissions that the program reports to need.
func CheckCheckJob(files filesys.FileSystem, dir string, known Known) []string {
	objects, faults := Render(files, dir)
	if len(faults) > 0 {
		return faults
	}
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	jobs := ofType[*batchv1.Job](objects)
	if len(jobs) != 1 || len(jobs[0].Spec.Template.Spec.Containers) != 1 {
		return []string{"want one Job with one container"}
	}
	faults = append(faults, checkJob(jobs[0], known)...)
	pod := jobs[0].Spec.Template.Spec
	c := pod.Containers[0]
	if pod.ServiceAccountName != CheckSpace {
		refuse("account %q: want %s, which has the permissions", pod.ServiceAccountName, CheckSpace)
	}
	if memory := c.Resources.Limits.Memory(); memory.Value() > 64<<20 {
		refuse("memory limit %s: want at most 64Mi, the limit for a check", memory)
	}
	if line := strings.Join(c.Args, " "); !strings.Contains(line, "--output junit") || !strings.Contains(line, "--quiet") || !strings.Contains(line, "--namespace "+CheckSpace) {
		refuse("args %q: its log must be only JUnit, its pods in %s", line, CheckSpace)
	}
	var roles []rbacv1.PolicyRule
	for _, role := range ofType[*rbacv1.Role](objects) {
		roles = append(roles, role.Rules...)
	}
	var clusterRoles []rbacv1.PolicyRule
	for _, role := range ofType[*rbacv1.ClusterRole](objects) {
		clusterRoles = append(clusterRoles, role.Rules...)
	}
	for _, role := range (&check.Config{Namespace: CheckSpace}).Roles() {
		var want, got []rbacv1.PolicyRule
		switch r := role.(type) {
		case *rbacv1.Role:
			want, got = r.Rules, roles
		case *rbacv1.ClusterRole:
			want, got = r.Rules, clusterRoles
		}
		if !reflect.DeepEqual(want, got) {
			refuse("%T: the rules are %v; kgrace check --dry-run --namespace %s prints %v", role, got, CheckSpace, want)
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
