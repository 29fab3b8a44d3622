// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	remote "k8s.io/cri-client/pkg"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/verdict"
)

// askedVar enables the test on a real containerd, which builds the missing parts of a node.
const askedVar = "KGRACE_CONFORMANCE"

func TestMain(m *testing.M) {
	localnode.MaybeInit()
	os.Exit(m.Run())
}

func programs(t *testing.T) map[string]string {
	t.Helper()
	if os.Getenv(askedVar) == "" {
		t.Skipf("%s is not set: `make conformance` sets it and runs this on a real containerd", askedVar)
	}
	if os.Geteuid() != 0 {
		t.Fatal("the test on a real containerd needs root: run it as root")
	}
	repo, err := kubetree.Open("../../..")
	if err != nil {
		t.Fatal(err)
	}
	bin, err := kubebuild.New(repo).Binaries(t.Context(), "", verdict.Stock)
	if err != nil {
		t.Fatal(err)
	}
	bin[localnode.ProgramActor] = filepath.Join(t.TempDir(), "actor")
	if err := localnode.BuildActor(t.Context(), repo.Root, bin[localnode.ProgramActor]); err != nil {
		t.Fatal(err)
	}
	return bin
}

// shellImage writes an image that has sh and sleep to a file.
func shellImage(t *testing.T) string {
	t.Helper()
	busybox, err := osexec.LookPath("busybox")
	if err != nil {
		t.Fatalf("%v: install busybox-static, as `make conformance` does", err)
	}
	layer := &imagefile.Files{{Path: "/bin/busybox", Mode: 0o755, From: busybox}, {Path: "/bin/sh", Link: "busybox"}, {Path: "/bin/sleep", Link: "busybox"}}
	file := filepath.Join(t.TempDir(), "shell.tar")
	image := imagefile.Image{Names: []string{pulled}, Layers: []imagefile.Layer{layer}, Cmd: []string{"sh"}, Env: []string{"PATH=/bin"}, WorkingDir: "/"}
	if err := imagefile.WriteFile(file, time.Time{}, image); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRealContainerd plays the sequences on a real containerd and on the simulator and compares the traces. Then it plays them
// again as `kgrace conformance --runtime-endpoint` does, without the actor. All before the node's kubelet starts, because it would
// remove pods that it does not know.
func TestRealContainerd(t *testing.T) {
	bin := programs(t)
	dir, err := os.MkdirTemp("", "conf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var proxy *criproxy.Proxy
	var server *lines.Server
	var traces map[string]Trace
	var report Report
	node, err := localnode.Up(t.Context(), localnode.Config{
		Dir: filepath.Join(dir, "node"), Name: "conformance", Bin: bin, Images: []string{shellImage(t)}, ParentDeath: true, Log: t.Output(),
		RuntimeEndpoint: filepath.Join(dir, "cri.sock"),
		BeforeKubelet: func(ctx context.Context, n *localnode.Node) (err error) {
			recorder := history.NewRecorder()
			// These outlive the start.
			proxy, err = criproxy.Start(context.Background(), criproxy.Options{
				Listen: n.RuntimeEndpoint(), Upstream: n.ContainerdSocket(), Record: recorder, Log: t.Output(),
			})
			if err != nil {
				return err
			}
			server, err = lines.Serve(context.Background(), filepath.Join(n.LinesDir(), "lines.sock"), recorder, func(err error) { t.Error(err) })
			if err != nil {
				return err
			}
			if traces, err = playAll(ctx, n, recorder); err != nil {
				return err
			}
			report, err = playRemote(ctx, n, t.Output())
			return errors.Join(err, proxy.ExitsErr())
		},
	})
	t.Cleanup(func() {
		if node != nil {
			if err := node.Down(context.Background()); err != nil {
				t.Error(err)
			}
		}
		if server != nil {
			_ = server.Close()
		}
		if proxy != nil {
			_ = proxy.Close()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range report.Results {
		if result.Outcome != Same && result.Outcome != NotPlayed {
			t.Errorf("as a runtime of others: %s: %s %s\n%s", result.Sequence, result.Outcome, result.Reason, strings.Join(result.Diff, "\n"))
		}
	}
	for _, sequence := range Sequences() {
		t.Run(sequence.Name, func(t *testing.T) {
			real := traces[sequence.Name].String()
			if *update {
				write(t, sim.Containerd, sequence, traces[sequence.Name])
			}
			if diff := cmp.Diff(real, simulate(t, sequence, sim.Containerd).String()); diff != "" {
				t.Errorf("%s\nthe simulator differs from containerd (-containerd +simulator):\n%s", sequence.Why, diff)
			}
		})
	}
}

// playRemote plays all sequences as on a runtime of others.
func playRemote(ctx context.Context, node *localnode.Node, log io.Writer) (Report, error) {
	r, err := Connect(ctx, node.ContainerdSocket())
	if err != nil {
		return Report{}, err
	}
	report, err := r.Play(ctx, Plan{Sequences: Sequences(), Image: pulled, Cgroup: node.Cgroup(), Against: sim.Containerd, Log: log})
	if err != nil {
		return report, err
	}
	left, err := r.ours(ctx)
	if len(left) > 0 {
		err = fmt.Errorf("sandboxes %v are left", left)
	}
	return report, errors.Join(err, r.Close(ctx))
}

// playAll plays all sequences concurrently, those that restart the runtime after the others.
func playAll(ctx context.Context, node *localnode.Node, recorder *history.Recorder) (map[string]Trace, error) {
	client, err := remote.NewRemoteRuntimeServiceBuilder().
		WithEndpoint("unix://" + node.RuntimeEndpoint()).WithConnectionTimeout(2 * time.Minute).Build(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close(ctx) }()
	restart := sync.OnceValue(func() error { return node.RestartRuntime(ctx) })
	t := Theatre{
		Stage: Stage{
			Runtime: client, Image: actor.Image, Lines: node.LinesDir(), Cgroup: node.Cgroup(),
			Restart: func(context.Context) error { return restart() },
		},
		Recorder: recorder, Level: "node",
	}
	played := t.Play(ctx, Sequences())
	traces := map[string]Trace{}
	var errs []error
	for name, p := range played {
		traces[name] = p.Trace
		errs = append(errs, p.Err)
	}
	return traces, errors.Join(errs...)
}
