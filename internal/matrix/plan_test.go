// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/versions"
)

// patchText returns a patch as git format-patch writes it, with its trailers and one or two test files.
func patchText(n int, scenarios, diff string) string {
	return fmt.Sprintf(`From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A Person <person@example.org>
Date: Mon, 2 Nov 2026 10:00:00 +0000
Subject: [PATCH] kubelet: thought %d

What was wrong.

Scenarios: %s
Drop-When: upstream has thought %d
Signed-off-by: A Person <person@example.org>
---
%s`, n, scenarios, n, diff)
}

const (
	firstDiff = `diff --git a/pkg/kubelet/kubelet.go b/pkg/kubelet/kubelet.go
index 1111111..2222222 100644
--- a/pkg/kubelet/kubelet.go
+++ b/pkg/kubelet/kubelet.go
@@ -1,3 +1,3 @@
 package kubelet

-const one = 0
+const one = 1
diff --git a/pkg/kubelet/kubelet_test.go b/pkg/kubelet/kubelet_test.go
new file mode 100644
index 0000000..2222222
--- /dev/null
+++ b/pkg/kubelet/kubelet_test.go
@@ -0,0 +1,7 @@
+package kubelet
+
+func TestOne(t *testing.T) {
+	t.Run("a case", nil)
+}
+
+func TestBoth(t *testing.T) {}
`
	secondDiff = `diff --git a/pkg/kubelet/kubelet_test.go b/pkg/kubelet/kubelet_test.go
index 1111111..2222222 100644
--- a/pkg/kubelet/kubelet_test.go
+++ b/pkg/kubelet/kubelet_test.go
@@ -4,3 +4,4 @@ func TestOne(t *testing.T) {
 	t.Run("a case", nil)
+	t.Run("another", nil) // said later
 }

@@ -9,1 +10,4 @@ func TestBoth(t *testing.T) {}
 // end
+func TestTwo(t *testing.T) {
+	one()
+}
`
	e2eDiff = `diff --git a/test/e2e_node/x_test.go b/test/e2e_node/x_test.go
new file mode 100644
index 0000000..2222222
--- /dev/null
+++ b/test/e2e_node/x_test.go
@@ -0,0 +1,1 @@
+package e2enode
`
	declaredText = `tests:
- {package: pkg/kubelet, test: TestOne/a_case, reason: got 0}
- {package: pkg/kubelet, test: TestOne/another, reason: got 0}
- {package: pkg/kubelet, test: TestBoth, kept: it was right before}
- {package: pkg/kubelet, test: TestTwo, reason: got 0}
- {package: pkg/kubelet, test: TestOne/a_later_word, reason: said later}
`
)

var pins = versions.Minor{Kubernetes: "v1.37.2", Staging: "v0.37.2", Go: "go1.26.10", Revision: 1}

// writeSeries writes the series of these tests, and changes to its files, and returns its directory.
func writeSeries(t *testing.T, change map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"series":          "0001-one.patch\n0002-two.patch\n0003-e2e.patch\n",
		"0001-one.patch":  patchText(1, "force-direct, shorten-once", firstDiff),
		"0002-two.patch":  patchText(2, "shorten-late", secondDiff),
		"0003-e2e.patch":  patchText(3, "none (its tests are seen on a node alone)", e2eDiff),
		"intree.yaml":     declaredText,
		"unrelated.patch": "", // for lint to report
	}
	for name, text := range change {
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func newTestPlan(t *testing.T, minor string, change map[string]string) *Plan {
	t.Helper()
	p, err := NewPlan(t.Context(), minor, pins, writeSeries(t, change))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanKnowsWhatBelongsToAPatch(t *testing.T) {
	p := newTestPlan(t, "v1.37", nil)
	var got []string
	for _, patch := range p.Patches {
		var tests []string
		for _, d := range patch.Tests {
			tests = append(tests, d.Test)
		}
		got = append(got, fmt.Sprintf("%d %s; %v %q; tests %v; only tests %v", patch.Number, patch.DropWhen, patch.Scenarios, patch.NoScenario, tests, patch.OnlyTests()))
	}
	want := []string{
		`1 upstream has thought 1; [force-direct shorten-once] ""; tests [TestOne/a_case TestBoth]; only tests false`,
		`2 upstream has thought 2; [shorten-late] ""; tests [TestOne/another TestTwo TestOne/a_later_word]; only tests false`,
		`3 upstream has thought 3; [] "its tests are seen on a node alone"; tests []; only tests true`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPlanRefuses(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a test that no patch brings": {"intree.yaml", declaredText + "- {package: pkg/kubelet, test: TestNobody, reason: got 0}\n", "v1.37: intree.yaml declares pkg/kubelet.TestNobody, which no patch adds or changes"},
		"a test of another package":   {"intree.yaml", declaredText + "- {package: pkg/kubelet/x, test: TestTwo, reason: got 0}\n", "pkg/kubelet/x.TestTwo, which no patch"},
		"no declared tests":           {"intree.yaml", "tests: []\n", "declares no test"},
		"an unknown scenario":         {"0002-two.patch", patchText(2, "shorten-what", secondDiff), "v1.37: 0002-two.patch: the Scenarios trailer names shorten-what, which is not in the catalogue"},
		"no trailer":                  {"0002-two.patch", strings.Replace(patchText(2, "shorten-late", secondDiff), "Drop-When", "Drop-If", 1), "0002-two.patch: no Drop-When trailer"},
		"no patch":                    {"0002-two.patch", "junk", "0002-two.patch: does not begin with"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewPlan(t.Context(), "v1.37", pins, writeSeries(t, map[string]string{c.file: c.text}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestKeys changes one input at a time and checks which cells get another key.
func TestKeys(t *testing.T) {
	in := Inputs{Stock: "abc", Sources: map[Column]string{Builds: "b", Scenarios: "s"}}
	keys := func(p *Plan, in Inputs) map[string]string {
		m := map[string]string{}
		for _, patch := range p.Patches {
			for _, c := range Columns() {
				m[fmt.Sprintf("%d %s", patch.Number, c)] = p.Key(patch.Number, c, in)
			}
		}
		return m
	}
	base := keys(newTestPlan(t, "v1.37", nil), in)
	seen := map[string]string{}
	for name, key := range base {
		if other := seen[key]; other != "" {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[key] = name
	}
	goPins := newTestPlan(t, "v1.37", nil)
	goPins.Pins.Go = "go1.99.0"
	for name, c := range map[string]struct {
		plan    *Plan
		in      Inputs
		changed func(number int, c Column) bool
	}{
		"nothing":            {newTestPlan(t, "v1.37", nil), in, func(int, Column) bool { return false }},
		"the stock arm":      {newTestPlan(t, "v1.37", nil), Inputs{Stock: "abd", Sources: in.Sources}, func(int, Column) bool { return true }},
		"the toolchain":      {goPins, in, func(_ int, c Column) bool { return c != Applies }},
		"the second patch":   {newTestPlan(t, "v1.37", map[string]string{"0002-two.patch": patchText(2, "shorten-late", secondDiff) + "-- \n"}), in, func(n int, c Column) bool { return n >= 2 || c == Scenarios }},
		"its message":        {newTestPlan(t, "v1.37", map[string]string{"0002-two.patch": strings.Replace(patchText(2, "shorten-late", secondDiff), "\nDrop-When", "\nNo-More: x\nDrop-When", 1)}), in, func(n int, c Column) bool { return n >= 2 && c == Applies }},
		"its scenarios":      {newTestPlan(t, "v1.37", map[string]string{"0002-two.patch": patchText(2, "shorten-once", secondDiff)}), in, func(n int, c Column) bool { return n >= 2 && c == Applies || n == 2 && c == Scenarios }},
		"a test's reason":    {newTestPlan(t, "v1.37", map[string]string{"intree.yaml": strings.Replace(declaredText, "TestTwo, reason: got 0", "TestTwo, reason: got 1", 1)}), in, func(n int, c Column) bool { return n == 2 && (c == Without || c == With) }},
		"a comment there":    {newTestPlan(t, "v1.37", map[string]string{"intree.yaml": "# more\n" + declaredText}), in, func(int, Column) bool { return false }},
		"a column's sources": {newTestPlan(t, "v1.37", nil), Inputs{Stock: "abc", Sources: map[Column]string{Builds: "b2", Scenarios: "s"}}, func(_ int, c Column) bool { return c == Builds }},
	} {
		t.Run(name, func(t *testing.T) {
			now := keys(c.plan, c.in)
			for _, patch := range c.plan.Patches {
				for _, column := range Columns() {
					cell := fmt.Sprintf("%d %s", patch.Number, column)
					if changed, want := now[cell] != base[cell], c.changed(patch.Number, column); changed != want {
						t.Errorf("%s changed: %v, want %v", cell, changed, want)
					}
				}
			}
		})
	}
}
