// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/verdict"
)

// A cluster of the image becomes ready, and its kubelet is the arm's.
func TestRealCluster(t *testing.T) {
	r, _ := real(t)
	image := build(t, Options{Repo: r, Arm: verdict.Fixed, From: FromModules})
	name := "kgrace-image-test"
	p := cluster.NewProvider(cluster.ProviderWithDocker())
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	t.Cleanup(func() {
		if err := p.Delete(name, kubeconfig); err != nil {
			t.Error(err)
		}
	})
	start := time.Now()
	if err := p.Create(name, cluster.CreateWithV1Alpha4Config(ClusterConfig(ClusterOptions{Name: name, Image: image.Image})),
		cluster.CreateWithKubeconfigPath(kubeconfig), cluster.CreateWithWaitForReady(3*time.Minute)); err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %.1f s", time.Since(start).Seconds())
	kubectl, err := kubebuild.New(r).Build(t.Context(), "", verdict.Stock, "kubectl")
	if err != nil {
		t.Fatal(err)
	}
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), kubectl, append([]string{"--kubeconfig", kubeconfig}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("kubectl %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	if out := run("", "get", "nodes", "-o", `jsonpath={.items[0].status.nodeInfo.kubeletVersion} {.items[0].status.conditions[?(@.type=="Ready")].status}`); out != image.Kubelet+" True" {
		t.Errorf("%s; want kubelet %s, ready", out, image.Kubelet)
	}
	// The default storage class provisions a volume, and a pod runs with it.
	names := strings.Fields(run("", "get", "nodes", "-o", "jsonpath={.items[0].status.images[*].names[*]}"))
	pause := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, "/pause:") })
	if pause < 0 {
		t.Fatalf("the node has no pause image: %v", names)
	}
	run(fmt.Sprintf(withVolume, names[pause]), "apply", "--filename=-")
	run("", "wait", "--for=condition=Ready", "--timeout=90s", "pod/with-volume")
	claim := strings.Fields(run("", "get", "pvc", "data", "-o", "jsonpath={.status.phase} {.spec.storageClassName} {.spec.volumeName}"))
	if len(claim) != 3 || claim[0] != "Bound" || claim[1] != "standard" {
		t.Fatalf("the claim is %q", claim)
	}
	run("", "delete", "pod/with-volume", "pvc/data", "--wait", "--grace-period=1")
	run("", "wait", "--for=delete", "--timeout=60s", "pv/"+claim[2])
}

const withVolume = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 1Mi
---
apiVersion: v1
kind: Pod
metadata:
  name: with-volume
spec:
  containers:
  - name: main
    image: %s
    imagePullPolicy: Never
    volumeMounts:
    - name: data
      mountPath: /data
  volumes:
  - name: data
    persistentVolumeClaim:
      claimName: data
`

// docker load makes the same image of the archive that --file writes.
func TestRealFile(t *testing.T) {
	r, e := real(t)
	source := build(t, Options{Repo: r, Arm: verdict.Stock, From: FromModules})
	file := filepath.Join(t.TempDir(), "image.tar")
	name := testImage(t, e, "file")
	got := build(t, Options{Repo: r, Arm: verdict.Fixed, From: FromImage, Source: source.Image, Image: name, File: file})
	if got.File != file {
		t.Errorf("%+v", got)
	}
	if _, err := e.Docker(t.Context(), "image", "rm", name); err != nil {
		t.Fatal(err)
	}
	if out, err := e.Docker(t.Context(), "load", "--input", file); err != nil || !strings.Contains(out, name) {
		t.Errorf("%s, %v", out, err)
	}
	if image, err := e.Inspect(t.Context(), name); err != nil || image == nil || image.ID != got.ID {
		t.Errorf("%+v, %v; want %s", image, err, got.ID)
	}
}
