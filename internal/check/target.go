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

// target is a node that is to be checked.
type target struct {
	name, kubelet, runtime string
	// trouble says why a node that was named cannot be checked.
	trouble string
}

// ErrTooMany is a run on more nodes than anybody should start by accident.
var ErrTooMany = errors.New("too many nodes")

// targets chooses the nodes. leftOut names those that were not meant, each with the reason.
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
		return nil, nil, fmt.Errorf("%w: %d, want at most %d; choose some (--node, --selector), or say --all", ErrTooMany, len(chosen), maxNodes)
	}
	return chosen, leftOut, nil
}

func (r *run) named(ctx context.Context) (chosen []target, err error) {
	names := slices.Compact(slices.Sorted(slices.Values(r.Nodes)))
	for _, name := range names {
		n, err := r.Client.Core.Nodes().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsForbidden(err):
			// Its versions are not known, and whether it is still there in the end; pods can be made on it all the same.
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
			return nil, nil, fmt.Errorf("list nodes: %w; ask for that right, or name the nodes (--node)", err)
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
		leftOut = append(leftOut, fmt.Sprintf("%d with taints (--tainted takes them)", tainted))
	}
	return chosen, leftOut, nil
}

func targetOf(n *corev1.Node) target {
	return target{name: n.Name, kubelet: n.Status.NodeInfo.KubeletVersion, runtime: n.Status.NodeInfo.ContainerRuntimeVersion}
}

// unfit says why a node cannot be checked.
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

// isTainted tells a node that wants not everybody's pods. One that is cordoned can be checked: that is when it matters.
func isTainted(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule && t.Key != corev1.TaintNodeUnschedulable
	})
}

// afterwards says why what a node showed does not count.
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
