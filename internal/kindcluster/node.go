// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// pause is the time between two checks of a condition that offers no event.
const pause = 100 * time.Millisecond

// in runs a program inside a node.
func in(ctx context.Context, n nodes.Node, args ...string) error {
	var out bytes.Buffer
	err := n.CommandContext(ctx, args[0], args[1:]...).SetStdout(&out).SetStderr(&out).Run()
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("%s on %s: %w: %s", strings.Join(args, " "), n, err, strings.TrimSpace(out.String()))
	}
	return nil
}

// said returns the output of a program that kind ran, if the error contains it.
func said(err error) string {
	var failed *kindexec.RunError
	if !errors.As(err, &failed) || len(failed.Output) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(failed.Output)), "\n")
	return "\n" + strings.Join(lines[max(0, len(lines)-30):], "\n")
}

// KillKubelet kills the worker's kubelet with SIGKILL (units) and keeps it down.
func (c *Cluster) KillKubelet(ctx context.Context) error {
	return in(ctx, c.worker, "systemctl", "stop", "kubelet")
}

// StartKubelet starts it again and returns when its health endpoint reports ok.
func (c *Cluster) StartKubelet(ctx context.Context) error {
	if err := in(ctx, c.worker, "systemctl", "start", "kubelet"); err != nil {
		return err
	}
	return c.until(ctx, "the kubelet to be healthy", func() error {
		return in(ctx, c.worker, "curl", "--silent", "--show-error", "--fail", "--max-time", "5", "http://127.0.0.1:10248/healthz")
	})
}

// RestartRuntime kills the worker's containerd with SIGKILL, starts it again and returns when it serves. Containers live on
// in their shims.
func (c *Cluster) RestartRuntime(ctx context.Context) error {
	if err := in(ctx, c.worker, "systemctl", "restart", "containerd"); err != nil {
		return err
	}
	return c.until(ctx, "containerd to serve", func() error {
		return in(ctx, c.worker, "crictl", "--runtime-endpoint", "unix://"+containerdSocket, "version")
	})
}

// until calls good until it returns nil.
func (c *Cluster) until(ctx context.Context, what string, good func() error) error {
	for {
		err := good()
		if err == nil {
			return nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("waited for %s: %w (%w)", what, context.Cause(ctx), err)
		}
	}
}

const adminConfig = "--kubeconfig=/etc/kubernetes/admin.conf"

// Drain runs `kubectl drain --force --grace-period=0` on the worker for the pods with these labels, and waits for it.
// Afterwards the worker is unschedulable.
func (c *Cluster) Drain(ctx context.Context, selector string) error {
	return in(ctx, c.control, "kubectl", adminConfig, "drain", c.NodeName(), "--force", "--grace-period=0",
		"--pod-selector="+selector, "--timeout=30s")
}

// Uncordon makes the worker schedulable again.
func (c *Cluster) Uncordon(ctx context.Context) error {
	return in(ctx, c.control, "kubectl", adminConfig, "uncordon", c.NodeName())
}

// ready waits until both nodes are Ready.
func (c *Cluster) ready(ctx context.Context) error {
	for _, n := range []nodes.Node{c.control, c.worker} {
		selector := fields.OneTermEqualSelector(metav1.ObjectNameField, n.String()).String()
		_, err := watchtools.UntilWithSync(ctx, &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				o.FieldSelector = selector
				return c.client.CoreV1().Nodes().List(ctx, o)
			},
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				o.FieldSelector = selector
				return c.client.CoreV1().Nodes().Watch(ctx, o)
			},
		}, &corev1.Node{}, nil, func(e watch.Event) (bool, error) { return isReady(e.Object), nil })
		if err != nil {
			return fmt.Errorf("%s: %w (%w)", n, err, context.Cause(ctx))
		}
	}
	return nil
}

func isReady(o runtime.Object) bool {
	node, ok := o.(*corev1.Node)
	if !ok {
		return false
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// watchNodes detects the end of a node's container.
func (c *Cluster) watchNodes(ctx context.Context) {
	ctx, c.unwatch = context.WithCancel(ctx)
	for _, n := range []nodes.Node{c.control, c.worker} {
		c.watching.Go(func() {
			out, err := exec.CommandContext(ctx, "docker", "wait", n.String()).CombinedOutput()
			if ctx.Err() == nil {
				c.setLost(fmt.Errorf("the container of node %s ended: %s (%v)", n, strings.TrimSpace(string(out)), err))
			}
		})
	}
}
