// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/versions"
)

// The tiny upstream of these tests raises a grace of 0 to 1 and counts from the wrong moment. The series fixes one after
// the other, and then adds code that needs both.
var upstreamFiles = map[string]string{
	"go.mod":              "module k8s.io/kubernetes\n\ngo 1.24\n",
	"cmd/kubelet/main.go": "package main\n\nimport \"k8s.io/kubernetes/pkg/kubelet\"\n\nfunc main() { println(kubelet.Grace(0)) }\n",
	"pkg/kubelet/kubelet.go": `package kubelet

func Grace(g int) int { return max(g, 1) }
`,
	"pkg/kubelet/clock/clock.go": `package clock

func Deadline(start, g int) int { return g }
`,
	"pkg/kubelet/kubelet_test.go": `package kubelet

import "testing"

func TestOld(t *testing.T) {
	if Grace(5) != 5 {
		t.Error("five is not five")
	}
}
`,
}

// steps are the changes of each patch of the tiny series.
var steps = []map[string]string{
	{
		"pkg/kubelet/kubelet.go": "package kubelet\n\nfunc Grace(g int) int { return g }\n",
		"pkg/kubelet/kubelet_test.go": `package kubelet

import "testing"

func TestOld(t *testing.T) {
	if Grace(5) != 5 {
		t.Error("five is not five")
	}
}

func TestZero(t *testing.T) {
	if g := Grace(0); g != 0 {
		t.Errorf("zero became %d", g)
	}
}

func TestSeven(t *testing.T) {
	if Grace(7) != 7 {
		t.Error("seven is not seven")
	}
}
`,
	},
	{
		"pkg/kubelet/clock/clock.go": "package clock\n\nfunc Deadline(start, g int) int { return start + g }\n",
		"pkg/kubelet/clock/clock_test.go": `package clock

import "testing"

func TestDeadline(t *testing.T) {
	if at := Deadline(3, 4); at != 7 {
		t.Errorf("deadline at %d", at)
	}
}
`,
	},
	{
		"pkg/kubelet/both.go":      "package kubelet\n\nimport \"k8s.io/kubernetes/pkg/kubelet/clock\"\n\nfunc Until(start, g int) int { return clock.Deadline(start, Grace(g)) }\n",
		"pkg/kubelet/both_test.go": "package kubelet\n\nimport \"testing\"\n\nfunc TestUntil(t *testing.T) {\n\tif Until(3, 0) != 3 {\n\t\tt.Error(\"not until three\")\n\t}\n}\n",
	},
}

const testsOfSeries = `tests:
- {package: pkg/kubelet, test: TestZero, reason: zero became 1}
- {package: pkg/kubelet, test: TestSeven, kept: it was right before}
- {package: pkg/kubelet/clock, test: TestDeadline, reason: deadline at 4}
- {package: pkg/kubelet, test: TestUntil, reason: 'undefined: Until'}
`

// lab is the tiny upstream with its series. Its upstream may have changes that the series does not know of.
type lab struct {
	*bench
	t *testing.T
}

// newLab makes the series on the plain upstream, and a stock arm with the given upstream files in place of the plain ones.
func newLab(t *testing.T, upstream map[string]string, declared string) *lab {
	t.Helper()
	root := t.TempDir()
	plain, stock, series := filepath.Join(root, "plain"), filepath.Join(root, "stock"), filepath.Join(root, "series")
	l := &lab{t: t}
	l.commit(plain, upstreamFiles)
	l.commit(stock, upstreamFiles)
	if upstream != nil {
		l.commit(stock, upstream)
	}
	var names []string
	for i, files := range steps {
		l.commit(plain, files)
		l.git(plain, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--amend", "--message",
			fmt.Sprintf("kubelet: thought %d\n\nWhy.\n\nScenarios: shorten-once\nDrop-When: upstream has thought %d", i+1, i+1))
		names = append(names, fmt.Sprintf("000%d.patch", i+1))
		l.write(filepath.Join(series, names[i]), l.git(plain, "format-patch", "--stdout", "--zero-commit", "--no-stat", "-1"))
	}
	l.write(filepath.Join(series, "series"), strings.Join(names, "\n"))
	l.write(filepath.Join(series, "intree.yaml"), declared)
	plan, err := matrix.NewPlan(t.Context(), "v1.37", versions.Minor{Kubernetes: "v1.37.2", Go: "local"}, series)
	if err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(l.git(stock, "rev-parse", "HEAD"))
	p, err := New(t.Context(), &kubetree.Repo{Output: filepath.Join(root, "output")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(p.treesDir()); !os.IsNotExist(err) {
			t.Errorf("trees are left: %v", err)
		}
	})
	l.bench, err = newBench(t.Context(), p, plan, &kubetree.Tree{Dir: stock, Commit: head})
	if err != nil {
		t.Fatal(err)
	}
	p.bench = l.bench
	return l
}

func (l *lab) write(path, text string) {
	l.t.Helper()
	if err := matrix.WriteFile(path, []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// commit writes files into a repository and commits them; it creates the repository if needed.
func (l *lab) commit(dir string, files map[string]string) {
	l.t.Helper()
	for name, text := range files {
		l.write(filepath.Join(dir, name), text)
	}
	l.git(dir, "init", "--quiet")
	l.git(dir, "add", "--all")
	l.git(dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "more")
}

func (l *lab) git(dir string, args ...string) string {
	l.t.Helper()
	out, err := tool.Git(context.WithoutCancel(l.t.Context()), dir, nil, args...)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// prove fills a cell and returns its result in one line.
func (l *lab) prove(number int, c matrix.Column) string {
	l.t.Helper()
	cell, err := l.Prove(l.t.Context(), l.plan, number, c)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(cell.Status) + ": " + cell.Why
}

// expect proves cells and compares the beginnings of their results.
func (l *lab) expect(want map[string]string) {
	l.t.Helper()
	for _, patch := range l.plan.Patches {
		for _, c := range matrix.Columns() {
			name := fmt.Sprintf("%d %s", patch.Number, c)
			w, ok := want[name]
			if !ok {
				continue
			}
			if got := l.prove(patch.Number, c); !strings.HasPrefix(got, w) {
				l.t.Errorf("%s is\n%s\nwant\n%s", name, got, w)
			}
		}
	}
}

func TestASoundSeries(t *testing.T) {
	l := newLab(t, nil, testsOfSeries)
	l.expect(map[string]string{
		"1 applies": "proved: 2 files", "2 applies": "proved: 2 files", "3 applies": "proved: 2 files",
		"1 upstream": "proved: 3 tests of 1 packages", "2 upstream": "proved: 4 tests of 2 packages", "3 upstream": "proved: 5 tests of 2 packages",
		"1 without": "proved: 1 tests fail, each for its reason", "2 without": "proved: 1 tests", "3 without": "proved: 1 tests",
		"1 with": "proved: 2 tests", "2 with": "proved: 1 tests", "3 with": "proved: 1 tests",
		// The sim level has no seam for a tiny upstream.
	})
	for _, pkg := range []string{"./cmd/kubelet", "./pkg/kubelet/..."} {
		if err := l.at(t.Context(), l.after, 3); err != nil {
			t.Fatal(err)
		}
		if faults, err := l.goBuild(t.Context(), pkg); err != nil || faults != "" {
			t.Errorf("%s: %q, %v", pkg, faults, err)
		}
	}
}

// TestUpstreamHasAPatch: verbatim, and in another form.
func TestUpstreamHasAPatch(t *testing.T) {
	t.Run("to the letter", func(t *testing.T) {
		newLab(t, steps[0], testsOfSeries).expect(map[string]string{
			"1 applies": "drop: the tree before it already contains every line of it", "2 applies": "proved", "3 applies": "proved",
			"1 without": "drop: pkg/kubelet.TestZero: passes on stock", "1 with": "proved: 2 tests", "2 without": "proved", "3 upstream": "proved: 5 tests",
		})
	})
	t.Run("in other words", func(t *testing.T) {
		// The code that the patch changes is unchanged; its effect comes from elsewhere.
		elsewhere := map[string]string{"pkg/kubelet/clock/clock.go": "package clock\n\nfunc Deadline(start, g int) int { return g }\n\nfunc init() { offset = 1 }\n\nvar offset int\n",
			"pkg/kubelet/max.go": "package kubelet\n\nfunc max(a, b int) int { return a }\n"}
		newLab(t, elsewhere, testsOfSeries).expect(map[string]string{
			"1 applies": "proved", "1 without": "drop: pkg/kubelet.TestZero: passes on stock", "1 with": "proved", "2 applies": "red: patch 2 of 3, 0002.patch, does not apply: pkg/kubelet/clock/clock.go",
			"2 without": "not-run: there is no tree: patch 2 of 3", "3 applies": "not-run: patch 2 does not apply, and this one depends on it",
			"3 builds": "not-run: there is no tree: patch 2",
		})
	})
}

func TestWhatIsWrongWithTests(t *testing.T) {
	for name, c := range map[string]struct{ declared, cell, want string }{
		"another reason":  {strings.Replace(testsOfSeries, "zero became 1", "zero became 2", 1), "1 without", "not-run: pkg/kubelet.TestZero: the test fails on stock, but its output does not match"},
		"no teeth":        {strings.Replace(testsOfSeries, "kept: it was right before", "reason: seven is not", 1), "1 without", "red: pkg/kubelet.TestSeven shows that upstream has it"},
		"all kept":        {strings.Replace(testsOfSeries, "- {package: pkg/kubelet, test: TestZero, reason: zero became 1}\n", "", 1), "1 without", "red: all its tests are marked as kept"},
		"kept, but fails": {strings.Replace(testsOfSeries, "reason: zero became 1", "kept: it was right before", 1), "1 without", "red: pkg/kubelet.TestZero: the test is marked as kept, but fails on stock"},
		"no test at all":  {strings.Replace(testsOfSeries, "- {package: pkg/kubelet/clock, test: TestDeadline, reason: deadline at 4}\n", "", 1), "2 with", "red: it neither adds nor changes a test that intree.yaml declares"},
	} {
		t.Run(name, func(t *testing.T) { newLab(t, nil, c.declared).expect(map[string]string{c.cell: c.want}) })
	}
}

func TestTreesForScenarios(t *testing.T) {
	l := newLab(t, nil, testsOfSeries)
	for _, c := range []struct {
		applied       []int
		name, missing string
		has, not      string
	}{
		{nil, "stock", "", "pkg/kubelet/kubelet.go", "pkg/kubelet/both.go"},
		{[]int{1, 2}, "stock with the patches up to 2", "", "pkg/kubelet/clock/clock_test.go", "pkg/kubelet/both.go"},
		{[]int{1, 2, 3}, "the whole series", "", "pkg/kubelet/both.go", "nothing"},
		{[]int{2, 3}, "the series without patch 1", "", "pkg/kubelet/both.go", "pkg/kubelet/both_test.go"},
		{[]int{1, 3}, "the series without patch 2", "", "pkg/kubelet/both.go", "pkg/kubelet/clock/clock_test.go"},
	} {
		if err := l.lay(t.Context(), c.applied); err != nil {
			t.Errorf("%v: %v", c.applied, err)
			continue
		}
		if name := l.treeName(c.applied); name != c.name {
			t.Errorf("%v is called %s, want %s", c.applied, name, c.name)
		}
		if _, err := os.Stat(filepath.Join(l.after, c.has)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := os.Stat(filepath.Join(l.after, c.not)); !os.IsNotExist(err) {
			t.Errorf("%s has %s", c.name, c.not)
		}
	}
	// A patch that depends on a missing one.
	l.plan.Patches[2].Patch = mustParse(t, strings.NewReplacer(
		"diff --git a/pkg/kubelet/both.go b/pkg/kubelet/both.go\nnew file mode 100644\n", "diff --git a/pkg/kubelet/both.go b/pkg/kubelet/both.go\n",
		"--- /dev/null\n+++ b/pkg/kubelet/both.go\n", "--- a/pkg/kubelet/both.go\n+++ b/pkg/kubelet/both.go\n",
	).Replace(string(l.plan.Patches[2].Data)))
	if err := l.lay(t.Context(), []int{1, 3}); err == nil || !strings.Contains(err.Error(), "patch 3 does not apply to it") {
		t.Errorf("got %v", err)
	}
}

func mustParse(t *testing.T, text string) *patchset.Patch {
	t.Helper()
	p, err := patchset.Parse("0003.patch", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestATreeThatDoesNotCompileIsNoMachineError(t *testing.T) {
	l := newLab(t, nil, testsOfSeries)
	l.write(filepath.Join(l.after, "pkg/kubelet/broken.go"), "package kubelet\n\nvar x int = \"a\"\n")
	faults, err := l.goBuild(t.Context(), "./cmd/kubelet")
	if err != nil || !strings.Contains(faults, "pkg/kubelet/broken.go:3") {
		t.Errorf("%q, %v", faults, err)
	}
	if faults, err = l.goBuild(t.Context(), "./cmd/nothing"); err == nil || faults != "" {
		t.Errorf("a missing directory: %q, %v", faults, err)
	}
}

func TestSourcesCountCodeAlone(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := matrix.WriteFile(filepath.Join(root, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module github.com/kgrace/kgrace\n\ngo 1.26\n")
	put("go.sum", "")
	put(suite+"/sim_test.go", "//go:build kgrace_sim\n\npackage sim\n\nimport _ \"github.com/kgrace/kgrace/internal/judge\"\n")
	put("internal/judge/judge.go", "package judge\n\nimport _ \"github.com/kgrace/kgrace/pkg/x\"\n\nvar A = 1\n")
	put("internal/judge/judge_test.go", "package judge\n")
	put("pkg/x/x.go", "package x\n")
	put("internal/other/other.go", "package other\n")
	put("internal/simkubelet/seam/v1.37/a.go.seam", "package a\n")
	for _, name := range []string{"bench.go", "scenarios.go", "sim.go"} {
		put("internal/matrix/prove/"+name, "package prove\n")
	}
	p, plan := &Prover{repo: &kubetree.Repo{Root: root}}, &matrix.Plan{Minor: "v1.37", Pins: versions.Minor{Go: runtime.Version()}}
	last := ""
	for _, c := range []struct {
		name, text string
		counts     bool
	}{
		{"internal/judge/judge.go", "package judge\n\nimport _ \"github.com/kgrace/kgrace/pkg/x\"\n\n// A is one.\nvar A = 1 // really\n", false},
		{"internal/judge/judge.go", "package judge\n\nimport _ \"github.com/kgrace/kgrace/pkg/x\"\n\nvar A = 2\n", true},
		{"internal/judge/judge_test.go", "package judge\n\nvar B = 1\n", false},
		{"pkg/x/x.go", "package x\n\nvar X int\n", true},
		{"internal/other/other.go", "package other\n\nvar X int\n", false},
		{"internal/simkubelet/seam/v1.37/a.go.seam", "package a\n\nvar X int\n", true},
		{"internal/simkubelet/seam/v1.36/a.go.seam", "package a\n", false},
		{"internal/simkubelet/seam/common/b.go.seam", "package a\n", true},
		{suite + "/sim_test.go", "//go:build kgrace_sim || other\n\npackage sim\n\nimport _ \"github.com/kgrace/kgrace/internal/judge\"\n", true},
		{"internal/matrix/prove/sim.go", "package prove\n\nvar X int\n", true},
		{"go.sum", "example.com/x v1.0.0 h1:q8Z3UbD3kSMAXJdlUYLLLnTrJXhxW2RdD8VkLUn0dYo=\n", true},
	} {
		if last == "" {
			var err error
			if last, err = p.sources(t.Context(), plan, matrix.Scenarios); err != nil {
				t.Fatal(err)
			}
		}
		put(c.name, c.text)
		now, err := p.sources(t.Context(), plan, matrix.Scenarios)
		if err != nil {
			t.Fatal(err)
		}
		if (now != last) != c.counts {
			t.Errorf("%s counts: %v, want %v", c.name, now != last, c.counts)
		}
		last = now
	}
	if err := os.Remove(filepath.Join(root, "pkg/x/x.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.sources(t.Context(), plan, matrix.Scenarios); err == nil || !strings.Contains(err.Error(), "no required module provides package github.com/kgrace/kgrace/pkg/x") {
		t.Errorf("got %v", err)
	}
	if _, err := readVerdicts(filepath.Join(root, "nowhere")); !os.IsNotExist(err) || err == fs.ErrNotExist {
		t.Errorf("got %v", err)
	}
}
