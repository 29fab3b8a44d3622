// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/actor"
)

// testNode is the name prefix of the nodes that these tests start.
const testNode = "selftest"

func up(t *testing.T, c Config) *Node {
	t.Helper()
	n, err := Up(t.Context(), c)
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

// lineLog calls a function at the first line that contains a text.
type lineLog struct {
	t    *testing.T
	text string
	then func()
	once sync.Once
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.t.Logf("%s", strings.TrimSpace(string(p)))
	if l.text != "" && strings.Contains(string(p), l.text) {
		l.once.Do(l.then)
	}
	return len(p), nil
}

// mountOverlay returns a directory on an overlay file system.
func mountOverlay(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	merged := filepath.Join(base, "merged")
	options := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", base)
	if err := unix.Mount("overlay", merged, "overlay", 0, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(merged, 0); err != nil {
			t.Error(err)
		}
	})
	return merged
}

func pausePod(node, name string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PodSpec{
			NodeName: node, HostNetwork: true, RestartPolicy: v1.RestartPolicyNever,
			Containers: []v1.Container{{
				Name: "main", Image: actor.Image, ImagePullPolicy: v1.PullNever,
				Args: []string{"pause"},
			}},
		},
	}
}

// runPods creates pods all at once and waits until every one runs.
func runPods(t *testing.T, n *Node, count int) {
	t.Helper()
	client, err := kubernetes.NewForConfig(n.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if _, err := client.CoreV1().Pods(v1.NamespaceDefault).Create(t.Context(), pausePod(n.NodeName(), fmt.Sprint("pod-", i)), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range count {
		var last v1.PodStatus
		if err := until(t.Context(), client, "pods", fmt.Sprint("pod-", i), &v1.Pod{}, func(o runtime.Object) bool {
			last = o.(*v1.Pod).Status
			return last.Phase != v1.PodPending
		}); err != nil || last.Phase != v1.PodRunning {
			t.Fatalf("pod-%d: %v, %+v", i, err, last)
		}
	}
}

// TestUpDown runs a node through its whole life: pods run, a second node runs beside it, and both leave no trace.
func TestUpDown(t *testing.T) {
	bin := testPrograms(t)
	// In a container the directory may be on an overlay, which cannot hold the layers of another.
	dirs := []string{filepath.Join(t.TempDir(), "node"), filepath.Join(mountOverlay(t), "a node, oddly named")}
	before := lookAtHost(t)
	nodes := make([]*Node, 2)
	var group sync.WaitGroup
	for i, dir := range dirs {
		c := Config{Dir: dir, Name: fmt.Sprint(testNode, "-", i), Bin: bin, ParentDeath: true, Log: &lineLog{t: t}}
		group.Go(func() {
			n, err := Up(t.Context(), c)
			if err != nil {
				t.Error(err)
				return
			}
			nodes[i] = n
			t.Cleanup(func() { n.Down(context.Background()) })
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	runPods(t, nodes[0], 20)
	runPods(t, nodes[1], 2)

	for _, n := range nodes {
		attached, err := Attach(n.Dir())
		if err != nil {
			t.Fatal(err)
		}
		if attached.Owner() != os.Getpid() {
			t.Errorf("owner is %d, want %d", attached.Owner(), os.Getpid())
		}
		status, err := attached.Status(t.Context())
		if err != nil || status.Phase != Ready || len(status.Components) != 4 {
			t.Errorf("status %+v, %v", status, err)
		}
		for _, c := range status.Components {
			// A program's argv[0] is its path in the node's bin directory.
			if command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", c.PID)); !strings.HasPrefix(string(command), n.paths().bin(c.Name)+"\x00") {
				t.Errorf("%s has pid %d, whose command line is %q", c.Name, c.PID, command)
			}
		}
		if err := attached.Down(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, n := range nodes {
		<-n.Lost() // another Node took it down
		if err := n.Down(t.Context()); err != nil {
			t.Errorf("a second Down: %v", err)
		}
		expectGone(t, before, n.state, n.Dir(), nil)
	}
}

// TestKilled kills each piece of a node with SIGKILL.
func TestKilled(t *testing.T) {
	bin := testPrograms(t)
	for _, victim := range []string{ProgramEtcd, ProgramAPIServer, ProgramContainerd, ProgramKubelet, "pid 1"} {
		t.Run(victim, func(t *testing.T) {
			before := lookAtHost(t)
			n := up(t, Config{Dir: filepath.Join(t.TempDir(), "node"), Name: testNode, Bin: bin, ParentDeath: true})
			runPods(t, n, 2)
			pids := members(t, n.state.InitPID)
			status, err := n.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			pid, want := status.InitPID, Crashed
			for _, c := range status.Components {
				if c.Name == victim {
					pid, want = c.PID, Degraded
				}
			}
			if err := unix.Kill(pid, unix.SIGKILL); err != nil {
				t.Fatal(err)
			}
			<-n.Lost()
			if want == Degraded && (n.Err() == nil || !strings.Contains(n.Err().Error(), victim) || !strings.Contains(n.Err().Error(), "SIGKILL")) {
				t.Errorf("Err is %v, want it to name %s and SIGKILL", n.Err(), victim)
			}
			status, err = n.Status(t.Context())
			if err != nil || status.Phase != want {
				t.Errorf("status %+v, %v; want %s", status, err, want)
			}
			if err := n.Down(t.Context()); err != nil {
				t.Error(err)
			}
			expectGone(t, before, n.state, n.Dir(), pids)
		})
	}
}

// TestInterrupted cancels Up at each of its steps, as Ctrl-C does.
func TestInterrupted(t *testing.T) {
	bin := testPrograms(t)
	for _, at := range []string{"etcd is ready", "containerd is ready", "kube-apiserver is ready"} {
		t.Run(at, func(t *testing.T) {
			before := lookAtHost(t)
			ctx, interrupt := context.WithCancel(t.Context())
			c := Config{Dir: filepath.Join(t.TempDir(), "node"), Name: testNode, Bin: bin, Log: &lineLog{t: t, text: at, then: interrupt}}
			n, err := Up(ctx, c)
			if !errors.Is(err, context.Canceled) || n != nil {
				t.Fatalf("Up gave %v, %v", n, err)
			}
			expectGone(t, before, &state{RunDir: "/run/none", Cgroup: cgroupPrefix + testNode}, c.Dir, nil)
		})
	}
}

// starterVar turns the test binary into a program that starts a node and is then killed.
const starterVar = "KGRACE_TEST_STARTER"

func maybeStarter() {
	input := os.Getenv(starterVar)
	if input == "" {
		return
	}
	var c Config
	if err := json.Unmarshal([]byte(input), &c); err != nil {
		panic(err)
	}
	c.Log = os.Stdout
	if _, err := Up(context.Background(), c); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println("starter is done")
	select {}
}

// TestStarterKilled kills the program that started the node with SIGKILL, during the start and after it.
func TestStarterKilled(t *testing.T) {
	bin := testPrograms(t)
	for _, test := range []struct {
		at          string
		parentDeath bool
		want        Phase
	}{
		{"etcd is ready", false, Crashed},
		{"kube-apiserver is ready", false, Crashed},
		{"starter is done", true, Crashed},
		{"starter is done", false, Ready},
	} {
		t.Run(fmt.Sprintf("%s/ParentDeath=%v", test.at, test.parentDeath), func(t *testing.T) {
			before := lookAtHost(t)
			dir := filepath.Join(t.TempDir(), "node")
			input, err := json.Marshal(map[string]any{"Dir": dir, "Name": testNode, "Bin": bin, "ParentDeath": test.parentDeath})
			if err != nil {
				t.Fatal(err)
			}
			starter := exec.Command("/proc/self/exe")
			starter.Env = append(os.Environ(), starterVar+"="+string(input))
			out, err := starter.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := starter.Start(); err != nil {
				t.Fatal(err)
			}
			reached := false
			for lines := bufio.NewScanner(out); !reached && lines.Scan(); {
				t.Log(lines.Text())
				reached = strings.Contains(lines.Text(), test.at)
			}
			starter.Process.Kill()
			starter.Wait()
			io.Copy(io.Discard, out)
			if !reached {
				t.Fatalf("the starter ended before %q", test.at)
			}
			n, err := Attach(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { n.Down(context.Background()) })
			if test.want == Crashed {
				// Nothing ends the node: it must end by itself.
				fd, err := n.state.openInit()
				if err != nil {
					t.Fatal(err)
				}
				if fd >= 0 && !exited(fd, 10*time.Second) {
					t.Error("the node's pid 1 outlived its parent")
				}
			}
			status, err := n.Status(t.Context())
			if err != nil || status.Phase != test.want {
				t.Errorf("status %+v, %v; want %s", status, err, test.want)
			}
			if n.Owner() != 0 {
				t.Errorf("the node has an owner, %d, but the starter is gone", n.Owner())
			}
			if test.want == Ready {
				// Up refuses a node that is up.
				if _, err := Up(t.Context(), Config{Dir: dir, Name: testNode, Bin: bin}); err == nil || !strings.Contains(err.Error(), "is up in") {
					t.Errorf("a second Up: %v", err)
				}
			}
			if test.at == "etcd is ready" {
				// Up finds the leftovers and removes them.
				again := up(t, Config{Dir: dir, Name: testNode, Bin: bin, ParentDeath: true})
				if again.RunDir() == n.RunDir() {
					t.Error("the new node uses the old run directory")
				}
				n = again
			}
			if err := n.Down(t.Context()); err != nil {
				t.Error(err)
			}
			expectGone(t, before, n.state, dir, nil)
		})
	}
}

// TestProgramFails: if a program reports its version and then ends at once, the error names it with its last words, and the
// node is undone.
func TestProgramFails(t *testing.T) {
	bin := testPrograms(t)
	before := lookAtHost(t)
	broken := filepath.Join(t.TempDir(), "kubelet")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\ncase \"$*\" in --version) echo Kubernetes v1.37.2; exit;; esac\necho no node today\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	bin[ProgramKubelet] = broken
	dir := filepath.Join(t.TempDir(), "node")
	_, err := Up(t.Context(), Config{Dir: dir, Name: testNode, Bin: bin})
	var program *ProgramError
	if !errors.As(err, &program) || program.Program != ProgramKubelet || !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "no node today") {
		t.Errorf("Up: %v", err)
	}
	expectGone(t, before, &state{RunDir: "/run/none", Cgroup: cgroupPrefix + testNode}, dir, nil)
}
