// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/apiwatch"
	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/nodetest"
)

func TestMain(m *testing.M) {
	localnode.MaybeInit()
	os.Exit(m.Run())
}

func programs(t *testing.T) map[string]string {
	t.Helper()
	dir, minor := nodetest.Asked()
	if dir == "" {
		t.Skipf("%s is not set: it names the directory that `kgrace build` fills (_output/bin)", nodetest.DirVar)
	}
	if os.Geteuid() != 0 {
		t.Fatal("a real node needs root: run the test as root")
	}
	bin, err := nodetest.Find("../..", dir, minor)
	if err != nil {
		t.Fatal(err)
	}
	bin[localnode.ProgramActor] = filepath.Join(t.TempDir(), "actor")
	if err := localnode.BuildActor(t.Context(), "../..", bin[localnode.ProgramActor]); err != nil {
		t.Fatal(err)
	}
	return bin
}

// TestRealContainerd puts the proxy between a stock kubelet and containerd and checks what the fake runtime of the other
// tests assumes.
func TestRealContainerd(t *testing.T) {
	bin := programs(t)
	ctx := t.Context()
	const pod = "subject"
	recorder := history.NewRecorder()
	log, err := recorder.Open(history.Header{Scenario: t.Name(), Arm: "stock", Level: "node", Pod: pod})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "cri")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })

	var proxy *criproxy.Proxy
	node, err := localnode.Up(ctx, localnode.Config{
		Dir: filepath.Join(dir, "node"), Name: "criproxy", Bin: bin, ParentDeath: true, Log: t.Output(),
		RuntimeEndpoint: filepath.Join(dir, "cri.sock"),
		BeforeKubelet: func(_ context.Context, n *localnode.Node) (err error) {
			proxy, err = criproxy.Start(context.Background(), criproxy.Options{
				Listen: n.RuntimeEndpoint(), Upstream: n.ContainerdSocket(), Record: recorder, Log: t.Output(),
			})
			return err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := node.Down(context.Background()); err != nil {
			t.Error(err)
		}
		_ = proxy.Close()
	})
	server, err := lines.Serve(context.Background(), filepath.Join(node.LinesDir(), "lines.sock"), recorder, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	client, err := kubernetes.NewForConfig(node.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, record := range []func(context.Context, kubernetes.Interface, string, history.Sink) (*apiwatch.Watch, error){apiwatch.Pods, apiwatch.Events} {
		w, err := record(ctx, client, "ns", recorder)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
	}
	wait := func(what string, match func(history.Event) bool) history.Event {
		t.Helper()
		e, err := log.Wait(ctx, what, match)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	line := func(container, word string) func(history.Event) bool {
		return func(e history.Event) bool {
			return e.Kind == history.Line && e.Container == container && e.Reason == word
		}
	}

	if _, err := client.CoreV1().Pods("ns").Create(ctx, stubborn(node, pod), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	wait("START of main", line("main", "START"))
	wait("START of brief", line("brief", "START"))
	id := wait("the creation of main", func(e history.Event) bool {
		return e.Kind == history.CRIReturn && e.Call == "CreateContainer" && e.Container == "main"
	}).ContainerID

	// A container that ended by itself: compare the runtime's time with the socket's EOF.
	brief := wait("the exit of brief", func(e history.Event) bool { return e.Kind == history.ContainerExit && e.Container == "brief" })
	said, end := wait("EXIT of brief", line("brief", "EXIT")), wait("EOF of brief", line("brief", "EOF"))
	if brief.ExitCode == nil || *brief.ExitCode != 7 || brief.At.Before(said.At) {
		t.Errorf("brief said %+v, the runtime %+v", said, brief)
	}
	t.Logf("brief: EXIT line, then socket's end after %s, runtime's finishedAt after %s", end.At.Sub(said.At), brief.At.Sub(said.At))

	// crictl is another caller.
	out, err := exec.CommandContext(ctx, bin["crictl"], "--runtime-endpoint", "unix://"+node.RuntimeEndpoint(),
		"--image-endpoint", "unix://"+node.RuntimeEndpoint(), "ps", "-a").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "main") {
		t.Errorf("crictl through the proxy: %v\n%s", err, out)
	}

	conn, err := grpc.NewClient("unix://"+node.RuntimeEndpoint(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	runtime := runtimev1.NewRuntimeServiceClient(conn)
	stop := func(ctx context.Context, timeout int64) error {
		_, err := runtime.StopContainer(ctx, &runtimev1.StopContainerRequest{ContainerId: id, Timeout: timeout})
		return err
	}
	state := func() runtimev1.ContainerState {
		t.Helper()
		reply, err := runtime.ContainerStatus(ctx, &runtimev1.ContainerStatusRequest{ContainerId: id})
		if err != nil {
			t.Fatal(err)
		}
		return reply.GetStatus().GetState()
	}

	// A cancelled stop: containerd must see the cancellation, or the next one could not follow at once.
	stopping, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- stop(stopping, 3600) }()
	wait("TERM at main", line("main", "TERM"))
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the cancelled stop: %v", err)
	}
	back := wait("its record", func(e history.Event) bool {
		return e.Kind == history.CRIReturn && e.Call == "StopContainer" && e.Grace != nil && *e.Grace == 3600
	})
	if back.Error != "Canceled" {
		t.Errorf("recorded %+v", back)
	}
	if s := state(); s != runtimev1.ContainerState_CONTAINER_RUNNING {
		t.Errorf("after the cancelled stop main is %s", s)
	}

	// A stop that hangs, and another one that kills.
	remove, err := proxy.Inject(criproxy.Fault{Method: "StopContainer", Pod: pod, Container: "main", Hang: true, Times: 1})
	if err != nil {
		t.Fatal(err)
	}
	hanging := make(chan error, 1)
	go func() { hanging <- stop(ctx, 1800) }()
	wait("the hanging stop", func(e history.Event) bool {
		return e.Kind == history.CRICall && e.Grace != nil && *e.Grace == 1800
	})
	if err := stop(ctx, 0); err != nil {
		t.Fatal(err)
	}
	zero := func(kind history.Kind) history.Event {
		return wait("the stop with timeout 0", func(e history.Event) bool {
			return e.Kind == kind && e.Call == "StopContainer" && e.Grace != nil && *e.Grace == 0
		})
	}
	exit := wait("the exit of main", func(e history.Event) bool { return e.Kind == history.ContainerExit && e.Container == "main" })
	call, returned := zero(history.CRICall), zero(history.CRIReturn)
	if exit.At.Before(call.At) || exit.At.After(returned.At) || exit.ExitCode == nil || *exit.ExitCode != 137 {
		t.Errorf("main ended at %v with %v, the stop went from %v to %v", exit.At, exit.ExitCode, call.At, returned.At)
	}
	gone := wait("EOF of main", line("main", "EOF"))
	t.Logf("main: stop called, socket's end after %s, finishedAt after %s, return after %s", gone.At.Sub(call.At), exit.At.Sub(call.At), returned.At.Sub(call.At))
	remove()
	if err := <-hanging; err != nil {
		t.Errorf("the hanging stop, let go at a stopped container: %v", err)
	}
	terms := 0
	for _, e := range log.History().Events {
		if line("main", "TERM")(e) {
			terms++
		}
	}
	if terms != 1 {
		t.Errorf("main got %d TERMs", terms)
	}
	if err := proxy.ExitsErr(); err != nil {
		t.Error(err)
	}

	zeroGrace := int64(0)
	if err := client.CoreV1().Pods("ns").Delete(ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: &zeroGrace}); err != nil {
		t.Fatal(err)
	}
	wait("DELETED", func(e history.Event) bool { return e.Kind == history.APIPod && e.Reason == "DELETED" })
	file := filepath.Join(dir, "h.jsonl")
	if err := history.WriteFile(file, log.History()); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err == nil {
		t.Logf("history:\n%s", data)
	}
}

// stubborn returns a pod with a container that ignores TERM and one that ends by itself.
func stubborn(node *localnode.Node, name string) *corev1.Pod {
	container := func(name string, args ...string) corev1.Container {
		return corev1.Container{
			Name: name, Image: actor.Image, ImagePullPolicy: corev1.PullNever,
			Command: []string{"/actor"}, Args: append([]string{"run"}, args...),
			Env: []corev1.EnvVar{
				{Name: "KGRACE_POD", Value: "subject"}, {Name: "KGRACE_CONTAINER", Value: name},
				{Name: "KGRACE_SOCKET", Value: "/lines/lines.sock"},
			},
			VolumeMounts: []corev1.VolumeMount{{Name: "lines", MountPath: "/lines"}},
		}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"},
		Spec: corev1.PodSpec{
			NodeName: node.NodeName(), HostNetwork: true, RestartPolicy: corev1.RestartPolicyNever,
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Volumes: []corev1.Volume{{Name: "lines", VolumeSource: corev1.VolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: node.LinesDir()}}}},
			Containers: []corev1.Container{
				container("main", "--stubborn"),
				container("brief", "--exit-after", "500ms", "--exit-code", "7"),
			},
		},
	}
}
