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
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/kgrace/kgrace/internal/check"
)

// CheckImage and CheckSpace are the image and the namespace of ci/check/job. An overlay replaces the image.
const (
	CheckImage = "kgrace-check"
	CheckSpace = "kgrace-check"
)

// CheckCheckJob returns the faults of the job of ci/check: one pod that runs `kgrace check` and logs JUnit.
func CheckCheckJob(data []byte, known Known) (faults []string) {
	var j batchv1.Job
	if err := yaml.UnmarshalStrict(data, &j); err != nil {
		return []string{err.Error()}
	}
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	pod := j.Spec.Template.Spec
	switch {
	case j.Kind != "Job" || len(pod.Containers) != 1:
		return []string{"want a Job with one container"}
	case j.Spec.BackoffLimit == nil || *j.Spec.BackoffLimit != 0 || pod.RestartPolicy != corev1.RestartPolicyNever:
		refuse("want backoffLimit: 0 and restartPolicy: Never: retries hide failures")
	case j.Spec.ActiveDeadlineSeconds == nil:
		refuse("want activeDeadlineSeconds: nothing may hang forever")
	case pod.ServiceAccountName != CheckSpace:
		refuse("account %q: want %s, which has the permissions", pod.ServiceAccountName, CheckSpace)
	}
	c := pod.Containers[0]
	if c.Image != CheckImage {
		refuse("image %q: want %s, which an overlay replaces", c.Image, CheckImage)
	}
	s := pod.SecurityContext
	if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil || c.SecurityContext == nil ||
		c.SecurityContext.AllowPrivilegeEscalation == nil || *c.SecurityContext.AllowPrivilegeEscalation ||
		c.SecurityContext.Capabilities == nil || !slices.Equal(c.SecurityContext.Capabilities.Drop, []corev1.Capability{"ALL"}) {
		refuse("it does not meet the restricted Pod Security standard")
	}
	if memory := c.Resources.Limits.Memory(); memory.IsZero() || memory.Value() > 64<<20 {
		refuse("memory limit %s: want at most 64Mi, the limit for a check", memory)
	}
	if err := known.Kgrace(c.Args); err != nil {
		refuse("%v", err)
	}
	if line := strings.Join(c.Args, " "); !strings.Contains(line, "--output junit") || !strings.Contains(line, "--quiet") || !strings.Contains(line, "--namespace "+CheckSpace) {
		refuse("args %q: its log must be only JUnit, its pods in %s", line, CheckSpace)
	}
	return faults
}

// CheckRights returns the faults of the permissions of ci/check: they must be those that the program reports to need.
func CheckRights(data []byte) (faults []string) {
	want := map[string][]rbacv1.PolicyRule{}
	for _, role := range (&check.Config{Namespace: CheckSpace}).Roles() {
		switch r := role.(type) {
		case *rbacv1.Role:
			want["Role"] = r.Rules
		case *rbacv1.ClusterRole:
			want["ClusterRole"] = r.Rules
		}
	}
	found := map[string]bool{}
	for _, doc := range bytes.Split(data, []byte("\n---\n")) {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal(doc, &kind); err != nil {
			return []string{err.Error()}
		}
		found[kind.Kind] = true
		var got []rbacv1.PolicyRule
		var err error
		switch kind.Kind {
		case "Role":
			var r rbacv1.Role
			err = yaml.UnmarshalStrict(doc, &r)
			got = r.Rules
		case "ClusterRole":
			var r rbacv1.ClusterRole
			err = yaml.UnmarshalStrict(doc, &r)
			got = r.Rules
		case "ServiceAccount":
			err = yaml.UnmarshalStrict(doc, &corev1.ServiceAccount{})
		case "RoleBinding":
			err = yaml.UnmarshalStrict(doc, &rbacv1.RoleBinding{})
		case "ClusterRoleBinding":
			err = yaml.UnmarshalStrict(doc, &rbacv1.ClusterRoleBinding{})
		default:
			err = fmt.Errorf("%s is not expected", kind.Kind)
		}
		if err != nil {
			faults = append(faults, kind.Kind+": "+err.Error())
		} else if rules := want[kind.Kind]; rules != nil && !reflect.DeepEqual(rules, got) {
			faults = append(faults, fmt.Sprintf("%s: the rules are %v; kgrace check --dry-run --namespace %s prints %v", kind.Kind, got, CheckSpace, rules))
		}
	}
	for _, kind := range []string{"ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"} {
		if !found[kind] {
			faults = append(faults, "no "+kind)
		}
	}
	return faults
}
