// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// checkerUser is the user to whom the roles are bound.
var checkerUser = []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "checker"}}

// bind gives the user the roles of a dry run, without one right ("verb resource"), and waits until they are in effect.
func bind(t *testing.T, client kubernetes.Interface, printed, without string) {
	t.Helper()
	rbac := client.RbacV1()
	for _, doc := range strings.Split(printed, "---\n")[1:] {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal([]byte(doc), &kind); err != nil {
			t.Fatal(err)
		}
		var err error
		switch kind.Kind {
		case "Role":
			var r rbacv1.Role
			err = yaml.UnmarshalStrict([]byte(doc), &r)
			r.Rules = less(r.Rules, without)
			make := func() error {
				_, err := rbac.Roles(r.Namespace).Create(t.Context(), &r, metav1.CreateOptions{})
				return err
			}
			change := func() error {
				_, err := rbac.Roles(r.Namespace).Update(t.Context(), &r, metav1.UpdateOptions{})
				return err
			}
			err = firstOf(err, makeOr(make, change))
			_, bound := rbac.RoleBindings(r.Namespace).Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: r.Name}, Subjects: checkerUser,
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: r.Name}}, metav1.CreateOptions{})
			err = firstOf(err, known(bound))
		case "ClusterRole":
			var r rbacv1.ClusterRole
			err = yaml.UnmarshalStrict([]byte(doc), &r)
			r.Rules = less(r.Rules, without)
			make := func() error {
				_, err := rbac.ClusterRoles().Create(t.Context(), &r, metav1.CreateOptions{})
				return err
			}
			change := func() error {
				_, err := rbac.ClusterRoles().Update(t.Context(), &r, metav1.UpdateOptions{})
				return err
			}
			err = firstOf(err, makeOr(make, change))
			_, bound := rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: r.Name}, Subjects: checkerUser,
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: r.Name}}, metav1.CreateOptions{})
			err = firstOf(err, known(bound))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	settle(t, client, without)
}

// settle waits until the API server's authorizer has the new roles.
func settle(t *testing.T, client kubernetes.Interface, without string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		good := true
		for _, right := range []string{"create pods", "delete pods", "list pods", "watch pods", "get pods/log", "get nodes", "list nodes", "get nodes/proxy"} {
			verb, resource, _ := strings.Cut(right, " ")
			resource, sub, _ := strings.Cut(resource, "/")
			a := &authorizationv1.ResourceAttributes{Verb: verb, Resource: resource, Subresource: sub}
			if strings.HasPrefix(resource, "pods") {
				a.Namespace = metav1.NamespaceDefault
			}
			review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: "checker", ResourceAttributes: a}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			good = good && review.Status.Allowed == (right != without)
		}
		if good {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("the rights without %q are not in effect", without)
		}
	}
}

// less removes a right ("verb resource") from rules.
func less(rules []rbacv1.PolicyRule, without string) []rbacv1.PolicyRule {
	verb, resource, _ := strings.Cut(without, " ")
	rules = slices.Clone(rules)
	for i, r := range rules {
		if slices.Contains(r.Resources, resource) {
			rules[i].Verbs = slices.DeleteFunc(slices.Clone(r.Verbs), func(v string) bool { return v == verb })
		}
	}
	return slices.DeleteFunc(rules, func(r rbacv1.PolicyRule) bool { return len(r.Verbs) == 0 })
}

func makeOr(make, change func() error) error {
	if err := make(); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return change()
}

// known ignores an error that the object already exists.
func known(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
