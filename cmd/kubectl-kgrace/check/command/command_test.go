// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/cmd/kubectl-kgrace/check"
)

// run executes a command line and returns its error's exit code.
func run(t *testing.T, args ...string) (out, errs string, code int, err error) {
	t.Helper()
	var o, e bytes.Buffer
	cmd := New(&o, &e)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(context.Background())
	var coded *Error
	switch {
	case errors.As(err, &coded):
		code = coded.Code
	case err != nil:
		code = -1 // cobra's; the caller chooses the code
	}
	return o.String(), e.String(), code, err
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--grace 5":               "grace period of 5 s",
		"--node a --selector b=c": "by name and by selector",
		"--output yaml":           "want table, json or junit",
		"--image=":                "no image",
		"--parallel 0":            "0 nodes at a time",
	} {
		if _, _, code, err := run(t, strings.Fields(args)...); code != ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: code %d, %v, want %q", args, code, err, want)
		}
	}
	for _, args := range []string{"node-a", "--nonsense", "--cleanup --dry-run", "--grace x"} {
		if _, _, code, err := run(t, strings.Fields(args)...); code != -1 {
			t.Errorf("%s: code %d, %v", args, code, err)
		}
	}
}

func TestNoCluster(t *testing.T) {
	if _, _, code, err := run(t, "--kubeconfig", filepath.Join(t.TempDir(), "none")); code != ExitUnknown || !strings.Contains(err.Error(), "--kubeconfig") {
		t.Errorf("code %d, %v", code, err)
	}
}

func TestDryRunAsksNobody(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonsense")
	out, _, code, err := run(t, "--dry-run", "--image", "mine:1")
	if err != nil || code != 0 || !strings.Contains(out, "image: mine:1") || !strings.Contains(out, "kind: ClusterRole") {
		t.Errorf("code %d, %v:\n%s", code, err, out)
	}
}

// TestTooMany and other answers of the API server, over HTTP.
func TestTooMany(t *testing.T) {
	nodes := `{"apiVersion":"v1","kind":"NodeList","items":[` + strings.Repeat(`{"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"True"}]}},`, 50) +
		`{"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","status":{"allowed":true}}`))
			return
		}
		_, _ = w.Write([]byte(nodes))
	}))
	defer server.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: " +
		server.URL + "}}]\nusers: [{name: u}]\n"
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, code, err := run(t, "--kubeconfig", kubeconfig); code != ExitUsage || !strings.Contains(err.Error(), "51, want at most 50") {
		t.Errorf("code %d, %v", code, err)
	}
}

func TestConclude(t *testing.T) {
	trouble := errors.New("the namespace stays")
	for name, tc := range map[string]struct {
		verdicts []check.Verdict
		err      error
		want     int
	}{
		"fixed":                   {[]check.Verdict{check.Fixed}, nil, 0},
		"affected":                {[]check.Verdict{check.Fixed, check.Affected, check.Unknown}, nil, ExitAffected},
		"affected, and trouble":   {[]check.Verdict{check.Affected}, trouble, ExitAffected},
		"could not tell":          {[]check.Verdict{check.Fixed, check.Unknown}, nil, ExitUnknown},
		"fixed, but not finished": {[]check.Verdict{check.Fixed}, trouble, ExitUnknown},
		"nothing":                 {nil, nil, ExitUnknown},
	} {
		r := check.Report{}
		for _, v := range tc.verdicts {
			r.Nodes = append(r.Nodes, check.NodeReport{Verdict: v})
		}
		err, code := conclude(r, tc.err), 0
		var coded *Error
		if errors.As(err, &coded) {
			code = coded.Code
		}
		if code != tc.want || tc.err != nil && !errors.Is(err, tc.err) {
			t.Errorf("%s: code %d, %v, want %d", name, code, err, tc.want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	f := flags{out: &out, output: "junit", junitFile: filepath.Join(dir, "j.xml"), jsonFile: filepath.Join(dir, "j.json")}
	if err := f.write(&check.Report{Nodes: []check.NodeReport{{Node: "n", Verdict: check.Fixed}}}); err != nil {
		t.Fatal(err)
	}
	junit, err := os.ReadFile(f.junitFile)
	if err != nil || string(junit) != out.String() || !strings.Contains(out.String(), "<testsuites") {
		t.Errorf("%s, %v", out.String(), err)
	}
	if data, err := os.ReadFile(f.jsonFile); err != nil || !strings.Contains(string(data), `"verdict": "fixed"`) {
		t.Errorf("%s, %v", data, err)
	}
	f.junitFile = filepath.Join(dir, "none", "j.xml")
	if err := f.write(&check.Report{}); err == nil {
		t.Error("a file that cannot be written is no error")
	}
}
