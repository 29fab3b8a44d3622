// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/cifiles"
)

func repoRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// makes runs make in the checkout, which builds nothing with -n.
func makes(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "make", append([]string{"--no-print-directory"}, args...)...)
	cmd.Dir = repoRoot(t)
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "KGRACE_OUTPUT=")
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// TestMakeHelp: help lists every target that has a description, and every target has one.
func TestMakeHelp(t *testing.T) {
	targets, err := cifiles.Targets(repoRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	code, output := makes(t)
	if code != 0 || len(targets) < 30 || !slices.Contains(targets, "e2e-node") {
		t.Fatalf("exit %d, %d targets\n%s", code, len(targets), output)
	}
	for _, target := range targets {
		if !regexp.MustCompile(`(?m)^  make ` + regexp.QuoteMeta(target) + ` +\S`).MatchString(output) {
			t.Errorf("make help does not list %s", target)
		}
	}
	if strings.Contains(output, "warning") {
		t.Errorf("make warns:\n%s", output)
	}
	for _, group := range []string{"Begin", "Prove the patches", "On real nodes and clusters", "Build", "Work on kgrace"} {
		if !strings.Contains(output, "\n"+group+"\n") {
			t.Errorf("no group %q in\n%s", group, output)
		}
	}
}

// TestMinorIsTakenOrRefused: no target ignores MINOR.
func TestMinorIsTakenOrRefused(t *testing.T) {
	targets, err := cifiles.Targets(repoRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	takes := 0
	for _, target := range targets {
		code, output := makes(t, "-n", target, "MINOR=v1.36")
		switch {
		case slices.Contains([]string{"setup", "kgrace", "help"}, target):
			if code != 0 {
				t.Errorf("%s, which is for all minors: exit %d\n%s", target, code, output)
			}
		case code != 0:
			if !strings.Contains(output, "make "+target+" takes no MINOR; these do: tree build") {
				t.Errorf("%s: exit %d\n%s", target, code, output)
			}
		default:
			takes++
			for _, line := range strings.Split(output, "\n") {
				if strings.Contains(line, "bin/kgrace ") && !strings.HasPrefix(line, "go build ") && strings.Count(line, "--kubernetes v1.36") != strings.Count(line, "bin/kgrace ") {
					t.Errorf("%s ignores the minor: %s", target, line)
				}
			}
			if !strings.Contains(output, "--kubernetes v1.36") {
				t.Errorf("%s ignores the minor\n%s", target, output)
			}
		}
	}
	if takes < 12 {
		t.Errorf("%d targets take a minor", takes)
	}
	if code, output := makes(t, "-n", "setup", "regression", "MINOR=v1.36"); code != 0 {
		t.Errorf("exit %d\n%s", code, output)
	}
}

// TestLevelsAreNamed: no caller relies on the default level.
func TestLevelsAreNamed(t *testing.T) {
	for target, level := range map[string]string{"regression": "sim", "regression-node": "node", "mutants-node": "node"} {
		if _, output := makes(t, "-n", target); !strings.Contains(output, "--level "+level) {
			t.Errorf("make %s does not name level %s\n%s", target, level, output)
		}
	}
	record, err := os.ReadFile(filepath.Join(repoRoot(t), "hack/record.sh"))
	if err != nil || !strings.Contains(string(record), "regress --level node") {
		t.Errorf("record.sh does not name its level (%v)", err)
	}
}

// copied returns a directory with copies of files of the checkout.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(repoRoot(t), name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name), string(data), 0o755)
	}
	return dir
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// script runs a script of a directory and returns its exit code and output.
func script(t *testing.T, dir, name string, env ...string) (int, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, name))
	cmd.Env = append(os.Environ(), env...)
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// TestWrongDefaultStopsMake: an empty toolchain would let every go command choose one, or wait for it.
func TestWrongDefaultStopsMake(t *testing.T) {
	dir := copied(t, "Makefile", "hack/go-toolchain.sh")
	put(t, filepath.Join(dir, "versions.yaml"), "default: v1.99\nminors:\n  v1.37:\n    go: go1.26.10\n", 0o644)
	cmd := exec.CommandContext(t.Context(), "make", "regression")
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(said), `default: "v1.99" is not one of the minors`) || strings.Contains(string(said), "go build") {
		t.Errorf("%v\n%s", err, said)
	}
}

var (
	goOutput = regexp.MustCompile(`\.Output, "([^"/]+)"`)
	cleaned  = regexp.MustCompile(`(?m)^for directory in (.*); do$`)
)

// TestClean: make clean removes every directory that some command writes, also one that cannot be written to, keeps other files,
// and refuses while a node is up or a tree has work in it.
func TestClean(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(repoRoot(t), "hack/clean.sh"))
	if err != nil {
		t.Fatal(err)
	}
	directories := strings.Fields(cleaned.FindStringSubmatch(string(data))[1])
	err = filepath.WalkDir(repoRoot(t), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "_output" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range goOutput.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(directories, m[1]) && !strings.Contains(string(data), "/"+m[1]+`"`) {
				t.Errorf("%s writes %s to the output directory, which hack/clean.sh leaves", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	dir := copied(t, "hack/clean.sh")
	output := filepath.Join(dir, "_output")
	for _, directory := range directories {
		put(t, filepath.Join(output, directory, "deep", "file"), "", 0o644)
	}
	put(t, filepath.Join(output, "mine"), "", 0o644)
	for file, want := range map[string]string{"nodes/e2e-node/fixed/state.json": "kgrace node down", "docker/engine.json": "kgrace image teardown",
		"rebase/v1.37/rebase.json": "--abort"} {
		put(t, filepath.Join(output, file), "{}", 0o644)
		if code, said := script(t, dir, "hack/clean.sh", "KGRACE_OUTPUT="); code != 1 || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, want %q\n%s", file, code, want, said)
		}
		if err := os.Remove(filepath.Join(output, file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(output, "modules", "deep"), 0o500); err != nil {
		t.Fatal(err)
	}
	if code, said := script(t, dir, "hack/clean.sh", "KGRACE_OUTPUT="); code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	left, err := os.ReadDir(output)
	if err != nil || len(left) != 1 || left[0].Name() != "mine" {
		t.Errorf("left %v, %v", left, err)
	}
}
