// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// programVar is the environment variable with the path of the program, for a test that takes minutes of real time.
const programVar = "KGRACE_CHECK_PROGRAM"

// ServeHTTP serves the fake API to another program.
func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r, err := f.RoundTrip(req)
	if err != nil {
		return
	}
	defer r.Body.Close()
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.StatusCode)
	flusher := w.(http.Flusher)
	flusher.Flush()
	buffer := make([]byte, 1<<16)
	for {
		n, err := r.Body.Read(buffer)
		if _, failed := w.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
		flusher.Flush()
	}
}

// TestTwentyNodes runs the program itself on twenty nodes, half of them affected: under 3 minutes, under 64 MiB.
func TestTwentyNodes(t *testing.T) {
	program := os.Getenv(programVar)
	if program == "" {
		t.Skipf("%s is not set: it names the program kubectl-kgrace; `make check-test` sets it", programVar)
	}
	kubelets := map[string]*kubelet{}
	for i := range 20 {
		kubelets[fmt.Sprint("node-", i)] = &kubelet{fixed: i%2 == 0, start: 2 * time.Second}
	}
	f := newFakeAPI(kubelets)
	server := httptest.NewServer(f)
	defer server.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: %q}}]}", server.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "check", "--kubeconfig", kubeconfig)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took, memory := time.Since(start), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss<<10
	t.Logf("%s%v\n%.0f s, %d MiB, %d requests", out, err, took.Seconds(), memory>>20, len(f.requests))
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if took > 3*time.Minute || memory > 64<<20 {
		t.Errorf("took %v and %d bytes", took, memory)
	}
	if left := f.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
