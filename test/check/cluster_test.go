// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/kindcluster"
	"github.com/kgrace/kgrace/internal/kindnode"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/nodetest"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// clusterVar enables the tests on a kind cluster. They use the stock image that `kgrace image build` leaves in the Docker
// engine.
const clusterVar = "KGRACE_CHECK_CLUSTER"

// docker runs the engine's client.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// cluster brings up a cluster of stock nodes with the image shell.
func cluster(t *testing.T) (c *kindcluster.Cluster, kubeconfig string, control string) {
	t.Helper()
	if os.Getenv(clusterVar) == "" {
		t.Skipf("%s is not set: this test needs a Docker engine and a stock node image; `make check-test` provides both", clusterVar)
	}
	repo, err := kubetree.Open("../..")
	if err != nil {
		t.Fatal(err)
	}
	minor, err := repo.Versions.Minor("")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := kindcluster.Build(t.Context(), "../..", "local", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const name = "kgrace-check"
	c, err = kindcluster.Up(t.Context(), kindcluster.Config{Name: name, Image: kindnode.DefaultImage(minor, verdict.Stock, runtime.GOARCH), Programs: programs,
		LinesSocket: "lines.sock", Record: history.SinkFunc(func(history.Event) {}), Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	control = name + "-control-plane"
	image := shellImage(t)
	for _, node := range []string{c.NodeName(), control} {
		docker(t, "cp", image, node+":/kgrace-shell.tar")
		docker(t, "exec", node, "ctr", "--namespace", "k8s.io", "images", "import", "/kgrace-shell.tar")
	}
	return c, writeKubeconfig(t, c), control
}

// writeKubeconfig writes a self-contained kubeconfig.
func writeKubeconfig(t *testing.T, c *kindcluster.Cluster) string {
	t.Helper()
	r := c.RESTConfig()
	config := clientcmdapi.Config{CurrentContext: "c", Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}},
		Clusters:  map[string]*clientcmdapi.Cluster{"c": {Server: r.Host, CertificateAuthorityData: r.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {ClientCertificateData: r.CertData, ClientKeyData: r.KeyData}}}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// swap installs the fixed kubelet on a node.
func swap(t *testing.T, node string) {
	t.Helper()
	dir, minor := nodetest.Asked()
	if minor == "" {
		pins, err := versions.LoadRoot("../..")
		if err != nil {
			t.Fatal(err)
		}
		minor = pins.Default
	}
	docker(t, "cp", filepath.Join(dir, minor, "fixed", "kubelet"), node+":/usr/bin/kubelet.fixed")
	docker(t, "exec", node, "sh", "-c", "mv /usr/bin/kubelet.fixed /usr/bin/kubelet && systemctl restart kubelet")
}

// TestCluster checks a cluster with no, one and two fixed nodes, in namespaces that the runs create; it also interrupts runs
// and kills a node.
func TestCluster(t *testing.T) {
	c, kubeconfig, control := cluster(t)
	bin := program(t)
	k := newChecker(t, bin, kubeconfig, "--tainted")
	t.Run("affected", func(t *testing.T) {
		o := k.run(t.Context(), t, nil, "--hooks")
		o.want(t, 1, c.NodeName(), all("affected", "hook-")...)
		o.want(t, 1, control, all("affected", "hook-")...)
		nothingLeft(t, c.Client())
	})
	t.Run("mixed", func(t *testing.T) {
		swap(t, control)
		ready(t, c, control, "+grace.")
		o := k.run(t.Context(), t, nil, "--hooks")
		o.want(t, 1, c.NodeName(), all("affected", "hook-")...)
		o.want(t, 1, control, all("fixed", "hook-")...)
		k.run(t.Context(), t, nil, "--node", control).want(t, 0, control, all("fixed")...)
		nothingLeft(t, c.Client())
	})
	t.Run("fixed", func(t *testing.T) {
		swap(t, c.NodeName())
		ready(t, c, c.NodeName(), "+grace.")
		var two sync.WaitGroup
		for range 2 {
			two.Go(func() {
				o := k.run(t.Context(), t, nil)
				o.want(t, 0, c.NodeName(), all("fixed")...)
				o.want(t, 0, control, all("fixed")...)
			})
		}
		two.Wait()
		nothingLeft(t, c.Client())
	})
	t.Run("interrupts", func(t *testing.T) {
		for _, after := range []time.Duration{20 * time.Millisecond, 500 * time.Millisecond, 3 * time.Second, 8 * time.Second, 12 * time.Second} {
			stop := make(chan struct{})
			timer := time.AfterFunc(after, func() { close(stop) })
			if o := k.run(t.Context(), t, stop); o.code != 3 && o.code != -1 || o.took > after+20*time.Second {
				t.Errorf("after %v: code %d, took %v", after, o.code, o.took)
			}
			timer.Stop()
			nothingLeft(t, c.Client())
		}
	})
	t.Run("node dies", func(t *testing.T) {
		time.AfterFunc(9*time.Second, func() {
			if out, err := exec.Command("docker", "pause", c.NodeName()).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
		o := k.run(t.Context(), t, nil, "--node", c.NodeName())
		docker(t, "unpause", c.NodeName())
		o.want(t, 3, c.NodeName(), "shortened=could not tell", "forced=could not tell")
		ready(t, c, c.NodeName(), "+grace.")
		nothingLeft(t, c.Client())
	})
}

// ready waits until a node is Ready with a kubelet of the version.
func ready(t *testing.T, c *kindcluster.Cluster, node, version string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		n, err := c.Client().CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err == nil && strings.Contains(n.Status.NodeInfo.KubeletVersion, version) {
			for _, condition := range n.Status.Conditions {
				if condition.Type == "Ready" && condition.Status == "True" && time.Since(condition.LastHeartbeatTime.Time) < 20*time.Second {
					return
				}
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("node %s is not Ready with a kubelet %s: %v", node, version, err)
		}
	}
}
