// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/release"
	"github.com/kgrace/kgrace/internal/verdict"
)

// TestRelease makes two releases of a tiny Kubernetes in two output directories: the same bytes, and git am makes the fixed tree of
// the stock one.
func TestRelease(t *testing.T) {
	u := newTiny(t)
	var sums []string
	for range 2 {
		output := t.TempDir()
		t.Setenv("KGRACE_OUTPUT", output)
		out, _ := u.ok("release", "-o", "json")
		var r release.Result
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if r.Version != "v1.37.2+grace.1" || r.Dir != filepath.Join(output, "release", "v1.37") || len(r.Files) != 7 {
			t.Errorf("%+v", r)
		}
		data, err := os.ReadFile(filepath.Join(r.Dir, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(data))
		stock, fixed := filepath.Join(output, "trees/v1.37/stock"), filepath.Join(output, "trees/v1.37/fixed")
		u.git(stock, "am", "--quiet", filepath.Join(r.Dir, "series.mbox"))
		if one, two := u.git(stock, "rev-parse", "HEAD^{tree}"), u.git(fixed, "rev-parse", "HEAD^{tree}"); one != two {
			t.Errorf("git am makes %s, the fixed tree is %s", one, two)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("the first time\n%s, then\n%s", sums[0], sums[1])
	}
	_, errs := u.ends(verdict.ExitUsage, "release", "--arch", "mips")
	u.says(errs, "amd64 or arm64")
	full := t.TempDir()
	if err := os.MkdirAll(filepath.Join(full, "v1.37", "letters"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, errs = u.ends(verdict.ExitInvalid, "release", "--to", full)
	u.says(errs, "not a release")
}

// TestBuildArch builds for two architectures.
func TestBuildArch(t *testing.T) {
	u := newTiny(t)
	out, _ := u.ok("build", "--arm", "fixed", "kubelet", "--arch", "amd64,arm64")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || !strings.Contains(lines[1], " amd64 ") || !strings.Contains(lines[2], " arm64 ") {
		t.Errorf("%s", out)
	}
}
