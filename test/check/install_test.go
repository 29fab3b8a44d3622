// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kgrace/kgrace/internal/kindcluster"
	"github.com/kgrace/kgrace/internal/release"
	"github.com/kgrace/kgrace/internal/versions"
)

// releaseVar is the environment variable with the directory of a release of the default minor.
const releaseVar = "KGRACE_RELEASE"

// commands returns the lines of each block of commands below a heading of a release's INSTALL.md.
func commands(t *testing.T, dir, heading string) (blocks [][]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, release.InstallFile))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(data), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, rest := range strings.Split(section, "\n```sh\n")[1:] {
		block, _, _ := strings.Cut(rest, "\n```")
		blocks = append(blocks, strings.Split(block, "\n"))
	}
	if !ok || len(blocks) == 0 {
		t.Fatalf("%s has no commands below %q", release.InstallFile, heading)
	}
	return blocks
}

// inNode runs a shell command in a directory of a node.
func inNode(t *testing.T, node, dir string, env []string, command string) string {
	t.Helper()
	args := []string{"exec", "--workdir", dir}
	for _, e := range env {
		args = append(args, "--env", e)
	}
	return docker(t, append(args, node, "sh", "-c", command)...)
}

// kubelets returns the program that the node's kubelet is, and the checksum of the package's.
func kubelets(t *testing.T, node string) (runs, packages string) {
	t.Helper()
	runs = inNode(t, node, "/", nil, "readlink /proc/$(systemctl show --property=MainPID --value kubelet)/exe")
	return runs, inNode(t, node, "/", nil, "sha256sum /usr/bin/kubelet")
}

// containers returns the containers of all pods on a node, each with its restarts.
func containers(t *testing.T, c *kindcluster.Cluster, node string) map[string]string {
	t.Helper()
	pods, err := c.Client().CoreV1().Pods("").List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, p := range pods.Items {
		for _, s := range p.Status.ContainerStatuses {
			if s.State.Running == nil {
				t.Errorf("%s/%s: %s does not run", p.Namespace, p.Name, s.Name)
				continue
			}
			all[p.Namespace+"/"+p.Name+" "+s.Name] = fmt.Sprintf("%s %s, %d restarts, since %s", p.UID, s.ContainerID, s.RestartCount, s.State.Running.StartedAt)
		}
	}
	return all
}

// sleeper starts a pod on a node and waits until it is Ready.
func sleeper(t *testing.T, c *kindcluster.Cluster, node string) {
	t.Helper()
	pods := c.Client().CoreV1().Pods("default")
	name := "sleeper-" + node
	_, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: node,
		Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		Containers:  []corev1.Container{{Name: "main", Image: shell, Command: []string{"sleep", "3600"}}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := pods.Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name, ResourceVersion: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	late := time.After(time.Minute)
	for {
		select {
		case e := <-w.ResultChan():
			p, ok := e.Object.(*corev1.Pod)
			if !ok {
				t.Fatalf("%+v", e)
			}
			for _, condition := range p.Status.Conditions {
				if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
					return
				}
			}
		case <-late:
			t.Fatalf("pod %s is not Ready within a minute", name)
		}
	}
}

// TestInstall follows a release's INSTALL.md, line by line, on the nodes of a cluster of stock kubelets: the check says affected;
// installed, it says fixed, and no container on the node has restarted, those of the control plane included; rolled back, it
// says affected again. The package's kubelet is never touched.
func TestInstall(t *testing.T) {
	dir := os.Getenv(releaseVar)
	if dir == "" {
		t.Skipf("%s is not set: it is the directory of a release of the default minor; `make install-test` sets it", releaseVar)
	}
	pins, err := versions.LoadRoot("../..")
	if err != nil {
		t.Fatal(err)
	}
	minor := pins.Minors[pins.Default]
	installs, back := commands(t, dir, "Install"), commands(t, dir, "Roll back")
	if len(installs) != 2 || len(installs[0]) != 5 || len(back) != 1 || len(back[0]) != 5 {
		t.Fatalf("five lines there and five back: %q, %q", installs, back)
	}
	wait := installs[1][0]
	if len(installs[1]) != 2 || installs[1][1] != "kgrace check --node $NODE" {
		t.Fatalf("%q", installs[1])
	}
	c, kubeconfig, control := cluster(t)
	k := newChecker(t, program(t), kubeconfig, "--tainted")
	nodes := []string{c.NodeName(), control}
	affected := func() {
		t.Helper()
		o := k.run(t.Context(), t, nil)
		for _, node := range nodes {
			o.want(t, 1, node, all("affected")...)
		}
	}
	// gate waits for the kubelet of a version, by the command of INSTALL.md.
	gate := func(node, version string) {
		t.Helper()
		inNode(t, control, "/", []string{"NODE=" + node, "KUBECONFIG=/etc/kubernetes/admin.conf"}, strings.Replace(wait, minor.FixedVersion(), version, 1))
		ready(t, c, node, version)
	}
	affected()
	const directory = "/kgrace-release"
	type state struct {
		containers map[string]string
		packages   string
	}
	before := map[string]state{}
	for _, node := range nodes {
		docker(t, "cp", dir, node+":"+directory)
		sleeper(t, c, node)
		runs, packages := kubelets(t, node)
		if runs != "/usr/bin/kubelet" {
			t.Fatalf("%s runs %s", node, runs)
		}
		before[node] = state{containers(t, c, node), packages}
		if len(before[node].containers) < 2 {
			t.Fatalf("%s has only %v", node, before[node].containers)
		}
	}
	same := func(node, program string) {
		t.Helper()
		runs, packages := kubelets(t, node)
		if runs != program || packages != before[node].packages {
			t.Errorf("%s runs %s, want %s; the package's is %s, was %s", node, runs, program, packages, before[node].packages)
		}
		now := containers(t, c, node)
		maps.DeleteFunc(now, func(name, _ string) bool { return before[node].containers[name] == "" })
		if diff := cmp.Diff(before[node].containers, now); diff != "" {
			t.Errorf("containers of %s have changed (-before +now)\n%s", node, diff)
		}
	}
	for _, node := range nodes {
		for _, line := range installs[0] {
			t.Logf("%s: %s\n%s", node, line, inNode(t, node, directory, []string{"ARCH=" + runtime.GOARCH}, line))
		}
		gate(node, minor.FixedVersion())
		k.run(t.Context(), t, nil, "--node", node).want(t, 0, node, all("fixed")...)
		same(node, "/opt/kgrace/bin/kubelet")
	}
	for _, node := range slices.Backward(nodes) {
		for _, line := range back[0] {
			t.Logf("%s: %s\n%s", node, line, inNode(t, node, "/", nil, line))
		}
		gate(node, minor.Kubernetes)
		same(node, "/usr/bin/kubelet")
		if left := inNode(t, node, "/", nil, "ls -d /opt/kgrace /etc/systemd/system/kubelet.service.d/"+release.DropInFile+" 2>/dev/null || true"); left != "" {
			t.Errorf("%s is left on %s", left, node)
		}
	}
	affected()
	nothingLeft(t, c.Client())
}
