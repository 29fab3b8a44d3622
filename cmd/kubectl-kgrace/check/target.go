// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// target is a node to check.
type target struct {
	name, kubelet, runtime string
	// trouble is the reason why a named node cannot be checked.
	trouble string
}

// ErrTooMany is returned for a run on more nodes than one should check by accident.
var ErrTooMany = errors.New("too many nodes")

// targets selects the nodes. leftOut names the others, each with the reason.
func (r *run) targets(ctx context.Context) (chosen []target, leftOut []string, err error) {
	if len(r.Nodes) > 0 {
		chosen, err = r.named(ctx)
	} else {
		chosen, leftOut, err = r.listed(ctx)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case len(chosen) == 0:
		return nil, nil, fmt.Errorf("no node to check: %s", strings.Join(append(leftOut, "want one that is Ready and runs Linux"), "; "))
	case len(chosen) > maxNodes && !r.All:
		return nil, nil, fmt.Errorf("%w: %d, want at most %d; select some (--node, --selector), or use --all", ErrTooMany, len(chosen), maxNodes)
	}
	return chosen, leftOut, nil
}

func (r *run) named(ctx context.Context) (chosen []target, err error) {
	names := slices.Compact(slices.Sorted(slices.Values(r.Nodes)))
	for _, name := range names {
		n, err := r.Client.Core.Nodes().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsForbidden(err):
			// Its versions, and whether it still exists at the end, are not known; pods can run on it anyway.
			r.rights.nodes = false
			chosen = append(chosen, target{name: name})
		case err != nil:
			return nil, fmt.Errorf("node %s: %w", name, err)
		default:
			t := targetOf(n)
			t.trouble = unfit(n)
			chosen = append(chosen, t)
		}
	}
	return chosen, nil
}

func (r *run) listed(ctx context.Context) (chosen []target, leftOut []string, err error) {
	opts := metav1.ListOptions{LabelSelector: r.Selector, Limit: 500}
	tainted := 0
	for {
		list, err := r.Client.Core.Nodes().List(ctx, opts)
		if apierrors.IsForbidden(err) {
			return nil, nil, fmt.Errorf("list nodes: %w; get that right, or name the nodes (--node)", err)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("list nodes: %w", err)
		}
		for i := range list.Items {
			n := &list.Items[i]
			switch {
			case unfit(n) != "":
				leftOut = append(leftOut, n.Name+": "+unfit(n))
			case !r.Tainted && isTainted(n):
				tainted++
			default:
				chosen = append(chosen, targetOf(n))
			}
		}
		if opts.Continue = list.Continue; opts.Continue == "" {
			break
		}
	}
	if tainted > 0 {
		leftOut = append(leftOut, fmt.Sprintf("%d with taints (--tainted includes them)", tainted))
	}
	return chosen, leftOut, nil
}

func targetOf(n *corev1.Node) target {
	return target{name: n.Name, kubelet: n.Status.NodeInfo.KubeletVersion, runtime: n.Status.NodeInfo.ContainerRuntimeVersion}
}

// unfit returns the reason why a node cannot be checked, or "".
func unfit(n *corev1.Node) string {
	if os := n.Status.NodeInfo.OperatingSystem; os != "" && os != "linux" {
		return "runs " + os
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return ""
		}
	}
	return "is not Ready"
}

// isTainted reports whether a node has taints that repel pods. A cordoned node can be checked: that is when it matters.
func isTainted(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule && t.Key != corev1.TaintNodeUnschedulable
	})
}

// afterwards returns the reason why the measurements of a node do not count, or "".
func (r *run) afterwards(ctx context.Context, t target) string {
	if ctx.Err() != nil {
		return context.Cause(ctx).Error()
	}
	if !r.rights.nodes {
		return ""
	}
	n, err := r.Client.Core.Nodes().Get(ctx, t.name, metav1.GetOptions{})
	switch {
	case err != nil:
		return fmt.Sprintf("the node could not be looked at afterwards: %v", err)
	case unfit(n) != "":
		return "afterwards the node " + unfit(n)
	case targetOf(n).kubelet != t.kubelet:
		return fmt.Sprintf("its kubelet became %s in between", targetOf(n).kubelet)
	}
	return ""
}
