// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestVersion(t *testing.T) {
	t.Setenv(RootVar, checkout(t))
	code, output, errs := kgrace(t.Context(), "version", "-o", "json")
	var b built
	if err := json.Unmarshal([]byte(output), &b); err != nil || code != 0 || len(b.Minors) != 1 || b.Minors[0] != (pinned{"v1.37", "v1.37.2", "v1.37.2+grace.1"}) || b.Go == "" {
		t.Errorf("exit %d, %v: %s%s", code, err, output, errs)
	}
	t.Setenv(RootVar, t.TempDir())
	if code, output, _ := kgrace(t.Context(), "version"); code != 0 || !strings.HasPrefix(output, "kgrace ") || strings.Contains(output, "v1.37") {
		t.Errorf("outside of a checkout: exit %d: %s", code, output)
	}
}

func TestCompletion(t *testing.T) {
	t.Setenv(RootVar, checkout(t))
	for line, want := range map[string]string{
		"tree --arm ":                  "stock",
		"tree --kubernetes ":           "v1.37",
		"regress --kubernetes ":        "all",
		"matrix --kubernetes ":         "default",
		"matrix --output ":             "markdown",
		"tree --output ":               "json",
		"regress --level ":             "node",
		"regress --runtime ":           "crio",
		"regress force-d":              "force-direct",
		"regress --level node force-d": "force-direct",
		"e2e statefulset-f":            "statefulset-force",
		"mutants round-":               "round-down",
		"build kubel":                  "kubelet",
		"help patch ed":                "edit",
		"complet":                      "completion",
	} {
		args := strings.Split(line, " ")
		code, output, errs := kgrace(t.Context(), append([]string{"__complete"}, args...)...)
		found := slices.ContainsFunc(strings.Split(output, "\n"), func(s string) bool { name, _, _ := strings.Cut(s, "\t"); return name == want })
		if code != 0 || !found || !strings.Contains(errs, "ShellCompDirectiveNoFileComp") {
			t.Errorf("%q does not complete to %s: exit %d\n%s%s", line, want, code, output, errs)
		}
	}
	if code, output, _ := kgrace(t.Context(), "completion", "bash"); code != 0 || !strings.Contains(output, "__complete") {
		t.Errorf("exit %d: %s", code, output)
	}
}

func TestRegressList(t *testing.T) {
	t.Setenv(RootVar, repoRoot(t))
	code, output, errs := kgrace(t.Context(), "regress", "--list", "force-*", "-o", "json")
	var all []listed
	if err := json.Unmarshal([]byte(output), &all); err != nil || code != 0 || len(all) < 2 || errs != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, output, errs)
	}
	for _, one := range all {
		if !strings.HasPrefix(one.Scenario, "force-") || one.Fixed == "" || len(one.Rules) == 0 {
			t.Errorf("%+v", one)
		}
	}
	if code, output, _ := kgrace(t.Context(), "regress", "--list", "--kubernetes", "v1.22", "sidecar-order"); code != 0 || !strings.Contains(output, "not run: since v1.29") {
		t.Errorf("exit %d: %s", code, output)
	}
}

// Upstream's specs are listed without building e2e.test.
func TestUpstreamE2EListBuildsNothing(t *testing.T) {
	output := t.TempDir()
	t.Setenv(RootVar, repoRoot(t))
	t.Setenv(kubetree.OutputVar, output)
	t.Setenv("PATH", "")
	code, out, errs := kgrace(t.Context(), "upstream-e2e", "--list", "-o", "json")
	var list map[string][]struct{ Text, Why string }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list["run"]) < 20 || len(list["not"]) == 0 {
		t.Errorf("exit %d, %v: %s%s", code, err, out, errs)
	}
	if left, _ := os.ReadDir(output); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Cold, a matrix of kept cells is one sentence, not one for each cell.
func TestColdMatrix(t *testing.T) {
	t.Setenv(RootVar, repoRoot(t))
	t.Setenv(kubetree.OutputVar, t.TempDir())
	t.Setenv(ArtifactsVar, t.TempDir())
	code, _, errs := kgrace(t.Context(), "matrix", "--kept")
	if code != verdict.ExitInvalid || strings.Count(errs, "\n") > 2 || !strings.HasSuffix(errs, "cells are not kept for the current inputs; `kgrace matrix` fills them\n") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// A saved judgement is usable from any directory: its paths are relative to the histories.
func TestJudgedPaths(t *testing.T) {
	code, output, errs := kgrace(t.Context(), "regress", "--judge", kept, "-o", "json")
	var r result.Results
	if err := json.Unmarshal([]byte(output), &r); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	for _, one := range r.Results {
		if _, err := os.Stat(filepath.Join(kept, one.History)); err != nil {
			t.Error(err)
		}
	}
}

func TestReleaseStates(t *testing.T) {
	for want, r := range map[string]newest{
		"newer":      {Pinned: "v1.37.2", Newest: "v1.37.3", Newer: true},
		"up to date": {Pinned: "v1.37.2", Newest: "v1.37.2"},
		"unknown: the proxy does not list the pinned one yet": {Pinned: "v1.35.8", Newest: "v1.35.4", Ahead: true},
		"unknown: the proxy lists no release of this minor":   {Pinned: "v1.35.8"},
	} {
		if got := r.state(); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	theirs := filepath.Join(t.TempDir(), "_output", "locks")
	if err := os.MkdirAll(theirs, 0o755); err != nil {
		t.Fatal(err)
	}
	denied := &fs.PathError{Op: "open", Path: filepath.Join(theirs, "trees"), Err: syscall.EACCES}
	info, err := os.Stat(theirs)
	if err != nil {
		t.Fatal(err)
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if said := ownerOf(denied.Path, owner+1); !strings.Contains(said, theirs+" belongs to ") || !strings.Contains(said, "chown -R "+nameOf(owner+1)+" "+filepath.Dir(theirs)+")") ||
		!strings.Contains(said, kubetree.OutputVar) {
		t.Errorf("said %q", said)
	}
	if said := ownerOf(denied.Path, owner); said != "" {
		t.Errorf("of our own file: %q", said)
	}
	full := errors.Join(errors.New("the suite of fixed left no results"), &fs.PathError{Op: "write", Path: "x.new", Err: syscall.ENOSPC})
	if said := explain(full); !strings.Contains(said, "the disk is full: make room") {
		t.Errorf("said %q", said)
	}
	if said := explain(&fs.PathError{Op: "unlinkat", Path: "x", Err: syscall.EBUSY}); said != "remove x: device or resource busy" {
		t.Errorf("said %q", said)
	}
}

// TestInterrupt sends signals to a kgrace that waits for a lock.
func TestInterrupt(t *testing.T) {
	root := checkout(t)
	lock := filepath.Join(root, "_output", "locks", "trees")
	put(t, lock, "", 0o644)
	f, err := os.Open(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for sent, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "tree", "--arm", "stock")
		cmd.Env = append(os.Environ(), asProgram+"=1", RootVar+"="+root, kubetree.OutputVar+"=", kubetree.SourceVar+"=")
		pipe, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewScanner(pipe)
		for said.Scan() && !strings.Contains(said.Text(), "waiting for another kgrace process") {
		}
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		var after []string
		for said.Scan() {
			after = append(after, said.Text())
		}
		_ = cmd.Wait()
		if want := []string{"kgrace: interrupted by " + unix.SignalName(sent)}; cmd.ProcessState.ExitCode() != code || !slices.Equal(after, want) {
			t.Errorf("%v: exit %d with %q, want %d with %q", sent, cmd.ProcessState.ExitCode(), after, code, want)
		}
	}
}

// What could not be cleaned up is said after the sentence; what the interrupt itself caused is not.
func TestInterruptThatLeavesSomething(t *testing.T) {
	ended, cancel := untilSignal(t.Context())
	cancel()
	var errs strings.Builder
	err := errors.Join(ended.Err(), &exec.ExitError{}, errors.New("cluster x is left: delete it with kind"))
	if code := interrupted(ended, &errs, err); code != 130 || errs.String() != "kgrace: interrupted by SIGINT\nkgrace: cluster x is left: delete it with kind\n" {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}
