// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/cmd/kubectl-kgrace/check"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/nodetest"
	"github.com/kgrace/kgrace/internal/versions"
)

// up starts a node of an arm with the image shell and without a pod network.
func up(t *testing.T, arm string) *localnode.Node {
	t.Helper()
	dir, minor := nodetest.Asked()
	if dir == "" {
		t.Skipf("%s is not set: it is the directory that `kgrace build` fills (_output/bin)", nodetest.DirVar)
	}
	bin, err := nodetest.Find("../..", dir, minor)
	if err != nil {
		t.Fatal(err)
	}
	if minor == "" {
		pins, err := versions.LoadRoot("../..")
		if err != nil {
			t.Fatal(err)
		}
		minor = pins.Default
	}
	bin[localnode.ProgramKubelet] = filepath.Join(dir, minor, arm, "kubelet")
	delete(bin, localnode.ProgramPTP)
	delete(bin, localnode.ProgramHostLocal)
	actor := filepath.Join(t.TempDir(), "actor")
	if err := localnode.BuildActor(t.Context(), "../..", actor); err != nil {
		t.Fatal(err)
	}
	bin[localnode.ProgramActor] = actor
	n, err := localnode.Up(t.Context(), localnode.Config{Dir: filepath.Join(t.TempDir(), "node"), Name: "check-" + arm, Bin: bin,
		Images: []string{shellImage(t)}, ParentDeath: true, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Down(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return n
}

// nothingLeft fails if a check left objects.
func nothingLeft(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	pods, err := client.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{LabelSelector: check.RunLabel})
	if err != nil || len(pods.Items) > 0 {
		t.Errorf("%d pods are left, %v", len(pods.Items), err)
	}
	spaces, err := client.CoreV1().Namespaces().List(context.Background(), metav1.ListOptions{LabelSelector: check.RunLabel})
	if err != nil || len(spaces.Items) > 0 {
		t.Errorf("%d namespaces are left, %v", len(spaces.Items), err)
	}
}

func client(t *testing.T, n *localnode.Node) kubernetes.Interface {
	t.Helper()
	c, err := kubernetes.NewForConfig(n.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNodes: each arm's node gets the right verdict, with and without hooks, and nothing is left.
func TestNodes(t *testing.T) {
	bin := program(t)
	for arm, want := range map[string]struct {
		code    int
		verdict string
	}{"stock": {1, "affected"}, "fixed": {0, "fixed"}} {
		t.Run(arm, func(t *testing.T) {
			t.Parallel()
			n := up(t, arm)
			c := newChecker(t, bin, n.Kubeconfig(), "--namespace", "default", "--tainted", "--host-network", "--hooks")
			o := c.run(t.Context(), t, nil)
			o.want(t, want.code, n.NodeName(), all(want.verdict, "hook-")...)
			if o.took > maxTime {
				t.Errorf("took %v", o.took)
			}
			nothingLeft(t, client(t, n))
		})
	}
}

// TestOneNode runs the check on one affected node with a missing image, interrupts, a killed kubelet and a second run.
func TestOneNode(t *testing.T) {
	bin := program(t)
	n := up(t, "stock")
	c := newChecker(t, bin, n.Kubeconfig(), "--namespace", "default", "--tainted", "--host-network")
	t.Run("image", func(t *testing.T) {
		o := c.run(t.Context(), t, nil, "--image", "kgrace.test/none:v1")
		o.want(t, 3, n.NodeName(), all("could not tell")...)
		if len(o.report.Nodes) == 0 || !strings.Contains(o.report.Nodes[0].Why, "--image") {
			t.Errorf("%+v", o.report)
		}
		nothingLeft(t, client(t, n))
	})
	t.Run("interrupts", func(t *testing.T) {
		for _, after := range []time.Duration{50 * time.Millisecond, time.Second, 4 * time.Second, 9 * time.Second, 20 * time.Second} {
			stop := make(chan struct{})
			timer := time.AfterFunc(after, func() { close(stop) })
			o := c.run(t.Context(), t, stop)
			timer.Stop()
			if o.code != 3 && o.code != -1 || o.took > after+10*time.Second {
				t.Errorf("after %v: code %d, took %v", after, o.code, o.took)
			}
			nothingLeft(t, client(t, n))
		}
	})
	t.Run("kubelet killed", func(t *testing.T) {
		time.AfterFunc(12*time.Second, func() {
			if err := n.KillKubelet(context.Background()); err != nil {
				t.Error(err)
			}
		})
		o := c.run(t.Context(), t, nil)
		// A result of zero from before the kill may count.
		o.want(t, o.code, n.NodeName(), "shortened=could not tell", "forced=could not tell")
		if o.code == 0 {
			t.Error("green with a dead kubelet")
		}
		if err := n.StartKubelet(t.Context()); err != nil {
			t.Fatal(err)
		}
		nothingLeft(t, client(t, n))
	})
	t.Run("killed", func(t *testing.T) {
		killed, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		c.run(killed, t, nil, "--grace", "20", "--start-timeout", "8s")
		cleanup := func() []corev1.Pod {
			if o := c.run(t.Context(), t, nil, "--cleanup"); o.code != 0 {
				t.Errorf("code %d", o.code)
			}
			pods, err := client(t, n).CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: check.RunLabel})
			if err != nil {
				t.Fatal(err)
			}
			return pods.Items
		}
		left := cleanup()
		if len(left) == 0 {
			t.Fatal("nothing was left, or objects that a run may still use were removed")
		}
		until, err := time.Parse(time.RFC3339, left[len(left)-1].Annotations[check.UntilAnnotation])
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Until(until) + time.Second)
		if left := cleanup(); len(left) > 0 {
			t.Errorf("%d pods are left", len(left))
		}
	})
	t.Run("two at once", func(t *testing.T) {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { c.run(t.Context(), t, nil).want(t, 1, n.NodeName(), all("affected")...) })
		}
		both.Wait()
		nothingLeft(t, client(t, n))
	})
}

// TestRights: the roles that --dry-run prints are sufficient, and a missing right is named.
func TestRights(t *testing.T) {
	bin := program(t)
	n := up(t, "fixed")
	c := newChecker(t, bin, n.Kubeconfig(), "--namespace", "default", "--tainted", "--host-network", "--as", "checker")
	dry := exec.CommandContext(t.Context(), bin, "check", "--dry-run", "--namespace", "default")
	out, err := dry.Output()
	if err != nil {
		t.Fatal(err)
	}
	bind(t, client(t, n), string(out), "")
	c.run(t.Context(), t, nil).want(t, 0, n.NodeName(), all("fixed")...)
	for taken, want := range map[string]string{"create pods": "create pods", "delete pods": "delete pods", "list pods": "list pods", "watch pods": "watch pods",
		"get pods/log": "", "get nodes/proxy": "", "list nodes": "list nodes", "get nodes": ""} {
		t.Run(taken, func(t *testing.T) {
			bind(t, client(t, n), string(out), taken)
			o := c.run(t.Context(), t, nil)
			switch {
			case want != "" && (o.code != 3 || !strings.Contains(o.errs, want) || len(o.report.Nodes) > 0):
				t.Errorf("code %d: %s", o.code, o.errs)
			case taken == "get pods/log":
				o.want(t, 3, n.NodeName(), "shortened=fixed", "forced=fixed", "zero=could not tell")
			case want == "":
				o.want(t, 0, n.NodeName(), all("fixed")...)
			}
			nothingLeft(t, client(t, n))
		})
	}
}
