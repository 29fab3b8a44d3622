// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/unixsock"
)

func TestSocket(t *testing.T) {
	for endpoint, want := range map[string]string{
		"unix:///run/crio/crio.sock": "/run/crio/crio.sock", "/run/x.sock": "/run/x.sock",
		"tcp://127.0.0.1:1": "", "run/x.sock": "", "unix://run/x.sock": "", "": "", "/" + strings.Repeat("x", unixsock.MaxPath): "",
	} {
		got, err := Socket(endpoint)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", endpoint, got, err)
		}
	}
}

// listen serves a socket with a gRPC server, or with handle.
func listen(t *testing.T, path string, server *grpc.Server, handle func(net.Conn)) {
	t.Helper()
	listener, err := unixsock.Listen(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if server != nil {
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		return
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			handle(conn)
		}
	}()
}

// older serves the version call of another version of the CRI.
func older() *grpc.Server {
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "runtime.v1alpha2.RuntimeService", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Version", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			return &runtimev1.VersionResponse{RuntimeName: "cri-o", RuntimeVersion: "1.22.0", RuntimeApiVersion: "v1alpha2"}, decode(&runtimev1.VersionRequest{})
		}}},
	}, struct{}{})
	return server
}

func TestConnectTellsWhatIsWrong(t *testing.T) {
	dir, err := os.MkdirTemp("", "connect")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: at("dead"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	listen(t, at("empty"), grpc.NewServer(), nil)
	listen(t, at("text"), nil, func(c net.Conn) {
		_, _ = c.Write([]byte("hello\n"))
		_ = c.Close()
	})
	listen(t, at("older"), older(), nil)
	newer := serve(t, sim.CRIO, func(s *served) {
		s.version = func(v *runtimev1.VersionResponse) { v.RuntimeApiVersion = "v2" }
	})
	for socket, want := range map[string]string{
		at("none"): "there is no socket", at("file"): "is no socket", at("dead"): "nobody answers", at("empty"): "serves gRPC, but no CRI",
		at("text"): "serves no CRI", at("older"): "cri-o 1.22.0, speaks only CRI v1alpha2", newer.socket: `cri-o 1.37.0, speaks CRI "v2": expected v1`,
	} {
		if _, err := Connect(t.Context(), socket); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), socket) {
			t.Errorf("%s: %v, expected %q", socket, err, want)
		}
	}
}

func TestReport(t *testing.T) {
	expected := func(behaviour sim.Behaviour, name string) []string {
		trace, err := Expected(behaviour, name)
		if err != nil {
			t.Fatal(err)
		}
		return trace.Lines
	}
	zero := expected(sim.Containerd, "stop-zero")
	report := Report{Header: Header{Format: format, Runtime: "cri-o", Events: true}, Results: []Result{
		{Sequence: "stop", Trace: expected(sim.CRIO, "stop")},
		{Sequence: "stop-zero", Trace: zero},
		{Sequence: "sandbox", Outcome: Failed, Reason: "no"},
		{Sequence: "restart-stop", Outcome: NotPlayed},
	}}
	if err := report.Judge(sim.CRIO); err != nil {
		t.Fatal(err)
	}
	if report.Count(Same) != 1 || report.Count(Failed) != 1 || report.Count(NotPlayed) != 1 {
		t.Errorf("%+v", report)
	}
	if diff := cmp.Diff([]string{"- 0 s  line of main: TERM 1"}, report.Results[1].Diff); diff != "" || report.Results[1].Outcome != Differs {
		t.Errorf("%s, %s", report.Results[1].Outcome, diff)
	}
	var file bytes.Buffer
	if err := report.Write(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	again, err := Read(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(report, *again); diff != "" {
		t.Errorf("read back (-written +read):\n%s", diff)
	}
	if err := again.Judge(sim.Containerd); err != nil || again.Count(Same) != 2 {
		t.Errorf("against containerd: %v, %+v", err, again.Results)
	}
	lines := strings.SplitAfter(text, "\n")
	for want, bad := range map[string]string{
		"f:1: ": "", "empty": "", "cut short": strings.Join(lines[:3], ""), "f:2": lines[0] + "{\n", "format 1": strings.Replace(text, `"conformance":1`, `"conformance":2`, 1),
	} {
		if _, err := Read(strings.NewReader(bad), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// The lines of events and of a line server are compared only where there are any.
func TestSeen(t *testing.T) {
	all := []string{" 0 s  event of main: CONTAINER_STOPPED_EVENT", " 0 s  line of main: EOF", " 0 s  line of main: TERM 1"}
	if diff := cmp.Diff([]string{all[0], all[2]}, seen(all, true)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{all[2]}, seen(all, false)); diff != "" {
		t.Error(diff)
	}
}
