// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// right is a permission that a run uses.
type right struct {
	verb, resource string
	// cluster: the right is not namespaced.
	cluster bool
	// without is what is lost without the right; "" if a run is impossible without it.
	without string
}

func (r right) String() string { return r.verb + " " + r.resource }

const (
	withoutLog   = "no verdict on zero, and on forced only from the kubelet's metrics"
	withoutNodes = "versions are not shown, and a node that fails in between is not noticed"
	withoutProxy = "the kubelet's own count is not shown"
)

// Rights returns the rights that a run with this configuration uses.
func (c *Config) Rights() []right {
	var all []right
	if c.Namespace == "" {
		for _, verb := range []string{"create", "get", "delete"} {
			all = append(all, right{verb: verb, resource: "namespaces", cluster: true})
		}
	}
	for _, verb := range []string{"create", "delete", "list", "watch"} {
		all = append(all, right{verb: verb, resource: "pods"})
	}
	all = append(all, right{verb: "get", resource: "pods/log", without: withoutLog},
		right{verb: "get", resource: "nodes", cluster: true, without: withoutNodes})
	if len(c.Nodes) == 0 {
		all = append(all, right{verb: "list", resource: "nodes", cluster: true})
	}
	return append(all, right{verb: "get", resource: "nodes/proxy", cluster: true, without: withoutProxy})
}

// granted holds the optional rights.
type granted struct{ logs, nodes, proxy bool }

// ask finds out which rights are granted before anything is created. If the server does not answer, all are assumed; refusals
// are then reported where they happen.
func (r *run) ask(ctx context.Context) (missing []string, err error) {
	r.rights = granted{true, true, true}
	var refused []string
	for _, want := range r.Rights() {
		resource, sub, _ := strings.Cut(want.resource, "/")
		attributes := &authorizationv1.ResourceAttributes{Verb: want.verb, Resource: resource, Subresource: sub}
		if !want.cluster {
			attributes.Namespace = r.Namespace
		}
		answer, err := r.Client.Auth.SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}, metav1.CreateOptions{})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil || answer.Status.Allowed {
			continue
		}
		if want.without == "" {
			refused = append(refused, want.String())
			continue
		}
		missing = append(missing, fmt.Sprintf("%s: %s", want, want.without))
		switch want.resource {
		case "pods/log":
			r.rights.logs = false
		case "nodes":
			r.rights.nodes = false
		case "nodes/proxy":
			r.rights.proxy = false
		}
	}
	if len(refused) > 0 {
		where := "in all namespaces; --namespace uses an existing one, with fewer rights"
		if r.Namespace != "" {
			where = "in namespace " + r.Namespace
		}
		return nil, fmt.Errorf("rights are missing: %s (pods %s); --dry-run prints the roles that grant them", strings.Join(refused, ", "), where)
	}
	return missing, nil
}

// Roles returns the minimal roles for a run, as manifests.
func (c *Config) Roles() []any {
	const name = "kgrace-check"
	meta := metav1.ObjectMeta{Name: name}
	var cluster, inside []rbacv1.PolicyRule
	for _, want := range c.Rights() {
		rule := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{want.resource}, Verbs: []string{want.verb}}
		to := &inside
		if want.cluster || c.Namespace == "" {
			to = &cluster
		}
		if n := len(*to); n > 0 && (*to)[n-1].Resources[0] == want.resource {
			(*to)[n-1].Verbs = append((*to)[n-1].Verbs, want.verb)
			continue
		}
		*to = append(*to, rule)
	}
	roles := []any{&rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: meta, Rules: cluster}}
	if len(inside) > 0 {
		meta.Namespace = c.Namespace
		roles = append(roles, &rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
			ObjectMeta: meta, Rules: inside})
	}
	return roles
}
