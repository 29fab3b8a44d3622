// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/kgrace/kgrace/internal/imagefile"
)

func spec(state types.SpecState, message string, texts ...string) types.SpecReport {
	s := types.SpecReport{LeafNodeType: types.NodeTypeIt, ContainerHierarchyTexts: texts[:len(texts)-1], LeafNodeText: texts[len(texts)-1], State: state, RunTime: time.Second}
	if message != "" {
		s.Failure = types.Failure{Message: message, Location: types.CodeLocation{FileName: "a_test.go", LineNumber: 7}}
	}
	return s
}

func report(t *testing.T, r types.Report) string {
	t.Helper()
	data, err := json.Marshal([]types.Report{r})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReadReport(t *testing.T) {
	good := types.Report{SpecReports: types.SpecReports{
		spec(types.SpecStatePassed, "", "[sig-node] Pods [NodeConformance]", "when deleted", "should go"),
		spec(types.SpecStateFailed, "is still there", "[sig-node] Pods", "should stay"),
		spec(types.SpecStateSkipped, "not on Linux", "Pods", "should sleep"),
		spec(types.SpecStateSkipped, "", "Others"),
		spec(types.SpecStatePending, "", "Later"),
		{LeafNodeType: types.NodeTypeBeforeSuite, State: types.SpecStatePassed},
	}}
	got, err := readReport(report(t, good))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].Text != "Pods when deleted should go" || !got[0].passed() || got[0].Seconds != 1 ||
		got[1].passed() || got[1].Message != "is still there" || !strings.HasSuffix(got[1].Where, "a_test.go:7") || !got[2].skipped() {
		t.Errorf("got %+v", got)
	}
	begun := spec(types.SpecStateFailed, "the node is not ready", "")
	begun.LeafNodeType = types.NodeTypeSynchronizedBeforeSuite
	for name, tc := range map[string]struct {
		report types.Report
		want   string
	}{
		"no spec picked":      {types.Report{SpecReports: good.SpecReports[3:]}, "no spec ran"},
		"never got to a spec": {types.Report{SpecReports: types.SpecReports{begun}}, "the node is not ready"},
		"timed out":           {types.Report{SpecReports: good.SpecReports, SpecialSuiteFailureReasons: []string{"Suite Timeout Elapsed"}}, "incomplete: Suite Timeout"},
	} {
		if _, err := readReport(report(t, tc.report)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := readReport(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "left no report") {
		t.Errorf("no report: got %v", err)
	}
}

func TestCountOf(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("• [1.2 seconds]\ntext • [\n• [FAILED] [3 seconds]\n• [2.0 seconds]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if passed, failed := countOf(log); passed != 2 || failed != 1 {
		t.Errorf("got %d passed, %d failed", passed, failed)
	}
}

// TestWriteImages builds the images from a static program of this machine; the test itself need not be static.
func TestWriteImages(t *testing.T) {
	dir := t.TempDir()
	static := filepath.Join(dir, "static")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", static, "../../cmd/fetch")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	busybox := filepath.Join(dir, "busybox")
	names := Names{Pause: "example.test/pause:1", Busybox: "example.test/busybox:2", Agnhost: "example.test/agnhost:3"}
	p := imagefile.Tools{Agnhost: static, Fetch: static, Actor: static, Busybox: busybox, Applets: []string{"sh"}, Certs: dir}
	file := filepath.Join(dir, "images.tar")
	if err := os.WriteFile(busybox, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeImages(file, names, p); err == nil || !strings.Contains(err.Error(), "is not a program") {
		t.Errorf("a script for a program: got %v", err)
	}
	p.Busybox = static
	if err := writeImages(file, names, p); err == nil || !strings.Contains(err.Error(), "localhost.crt") {
		t.Errorf("no certificate: got %v", err)
	}
	for _, name := range []string{"localhost.crt", "localhost.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeImages(file, names, p); err != nil {
		t.Fatal(err)
	}
	manifest := readMember(t, file, "manifest.json")
	for _, name := range []string{names.Pause, names.Busybox, names.Agnhost} {
		if !strings.Contains(manifest, name) {
			t.Errorf("no %s in %s", name, manifest)
		}
	}
}

func readMember(t *testing.T, file, name string) string {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("no %s in %s", name, file)
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == name {
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
	}
}

// TestFilesBesideScenarios: the report of the scenarios reads every results-*.json of the directory.
func TestFilesBesideScenarios(t *testing.T) {
	if taken, err := filepath.Match("results*.json", ResultsFile); err != nil || taken {
		t.Errorf("%s would be read as the results of scenarios (%v)", ResultsFile, err)
	}
}
