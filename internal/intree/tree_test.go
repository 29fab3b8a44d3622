// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// requirePackage replaces testify's.
const requirePackage = `package require

import "testing"

func Equal(t *testing.T, want, have any) {
	t.Helper()
	if want != have {
		t.Fatalf("have %v, want %v", have, want)
	}
}
`

// The trees of these tests are two tiny modules. Stock raises 0 to 1 and has no deadline.
var stockTree = map[string]string{
	"go.mod": "module k8s.io/kubernetes\n\ngo 1.24\n",
	"pkg/kubelet/kubelet.go": `package kubelet

func Grace(g int) int { return max(g, 1) }

func Wait(a int) int { return a }

type Waiter interface{ Wait(a int) int }

type Getter interface{ Get() int }

func Fetch(g Getter) int { return g.Get() }

func Run(f func(a int) int) int { return f(1) }
`,
	"pkg/kubelet/kubelet_test.go": `package kubelet

import "testing"

func check(t *testing.T, have, want int) {
	t.Helper()
	if have != want {
		t.Errorf("have %d, want %d", have, want)
	}
}

func TestGrace(t *testing.T) { check(t, Grace(0), 1) }

func TestWait(t *testing.T) { check(t, Wait(3), 3) }

func TestUntouched(t *testing.T) { check(t, Grace(5), 5) }

type waiter struct{}

func (waiter) Wait(a int) int { return a }

func TestWaiter(t *testing.T) {
	var w Waiter = waiter{}
	_ = w
}

type getter struct{}

func (*getter) Get() int { return 2 }

func TestFetch(t *testing.T) { check(t, Fetch(&getter{}), 2) }

type runs struct{}

func TestRun(t *testing.T) {
	var r runs
	 check(t, Run(r.run), 1)
}

func (runs) run(a int) int { return a }
`,
	"require/require.go":             requirePackage,
	"pkg/kubelet/only_stock_test.go": "package kubelet\n\nvar onlyStock = 1\n",
}

// Fixed keeps 0, has a deadline, a package of its own for it, and another argument for Wait.
var fixedTree = map[string]string{
	"go.mod":             stockTree["go.mod"],
	"require/require.go": requirePackage,
	"pkg/kubelet/kubelet.go": `package kubelet

import "k8s.io/kubernetes/pkg/kubelet/graceperiod"

type worker struct{ deadline int }

func (w *worker) Deadline() int { return w.deadline }

func newWorker(start, g int) *worker { return &worker{graceperiod.Deadline(start, g)} }

func Grace(g int) int { return g }

func Wait(a, b int) int { return a + b }

type Waiter interface{ Wait(a, b int) int }

type Getter interface{ Do() int }

func Fetch(g Getter) int { return g.Do() }

func Run(f func(a, b int) int) int { return f(1, 2) }
`,
	"pkg/kubelet/graceperiod/graceperiod.go":      "package graceperiod\n\nfunc Deadline(start, g int) int { return start + g }\n",
	"pkg/kubelet/graceperiod/graceperiod_test.go": "package graceperiod\n\nimport \"testing\"\n\nfunc TestDeadline(t *testing.T) {\n\tif Deadline(1, 2) != 3 {\n\t\tt.Error()\n\t}\n}\n",
	"pkg/kubelet/kubelet_test.go": `package kubelet

import (
	"strings"
	"testing"

	"k8s.io/kubernetes/pkg/kubelet/graceperiod"
)

func check(t *testing.T, have, want int) {
	t.Helper()
	if have != want {
		t.Errorf("have %d, want %d", have, want)
	}
}

// deadlineOf is a helper with the new interface.
func deadlineOf(g int) int { return newWorker(10, g).Deadline() }

func TestGrace(t *testing.T) {
	for _, g := range []int{0, 7} {
		t.Run(strings.Repeat("i", g)+"x", func(t *testing.T) { check(t, Grace(g), g) })
	}
}

func TestWait(t *testing.T) { check(t, Wait(3, 0), 3) }

func TestUntouched(t *testing.T) { check(t, Grace(5), 5) }

type waiter struct{}

func (waiter) Wait(a, b int) int { return a + b }

func TestWaiter(t *testing.T) {
	var w Waiter = waiter{}
	_ = w
}

type getter struct{}

func (*getter) Do() int { return 2 }

func TestFetch(t *testing.T) { check(t, Fetch(&getter{}), 2) }

type runs struct{}

func TestRun(t *testing.T) {
	var r runs
	 check(t, Run(r.run), 1)
}

func (runs) run(a, b int) int { return a }

func TestDeadline(t *testing.T) { check(t, deadlineOf(5), 15) }

func TestUsesNewPackage(t *testing.T) { check(t, Grace(graceperiod.Deadline(0, 0)), 0) }

func TestNewButKept(t *testing.T) { check(t, Grace(9), 9) }

func TestPanics(t *testing.T) {
	if Grace(0) == 1 {
		panic("raised to one")
	}
}

func TestSkips(t *testing.T) {
	if Grace(0) == 1 {
		t.Skip("not here")
	}
}
`,
	"pkg/kubelet/harness_test.go": `package kubelet

import (
	"testing"

	"k8s.io/kubernetes/require"
)

type harness struct{ *testing.T }

// settled asserts, among other things, something about a field that stock does not have.
func (h *harness) settled(have, want int) {
	require.Equal(h.T, 0, (&worker{}).deadline)
	require.Equal(h.T, want, have)
}

// started does something with it.
func (h *harness) started() *worker {
	w := newWorker(1, 2)
	return w
}

// wait is a helper that calls a function with another argument on stock.
func (h *harness) wait(a int) int { return Wait(a, 2) }

func TestThroughHelper(t *testing.T) { require.Equal(t, 5, (&harness{t}).wait(3)) }

func TestSettled(t *testing.T) { (&harness{t}).settled(Grace(0), 0) }

func TestStarted(t *testing.T) {
	h := &harness{t}
	require.Equal(t, 3, h.started().deadline)
}
`,
	"pkg/kubelet/graceperiod/outside_test.go": `package graceperiod_test

import (
	"testing"

	"k8s.io/kubernetes/pkg/kubelet/graceperiod"
)

func TestImports(t *testing.T) { _ = graceperiod.Deadline(1, 2) }
`,
	"pkg/kubelet/outside_test.go": `package kubelet_test

import (
	"testing"

	"k8s.io/kubernetes/pkg/kubelet"
)

func TestOutside(t *testing.T) {
	if kubelet.Grace(0) != 0 {
		t.Error("seen from outside, zero is not carried")
	}
}
`,
}

// newRunner lays out both trees.
func newRunner(t *testing.T, declared ...Declared) *Runner {
	t.Helper()
	dir := t.TempDir()
	for arm, files := range map[string]map[string]string{"stock": stockTree, "fixed": fixedTree} {
		for name, text := range files {
			write(t, filepath.Join(dir, arm, name), text)
		}
	}
	for i := range declared {
		if declared[i].Package == "" {
			declared[i].Package = "pkg/kubelet"
		}
		if err := declared[i].check(); err != nil {
			t.Fatal(err)
		}
	}
	return &Runner{Stock: filepath.Join(dir, "stock"), Fixed: filepath.Join(dir, "fixed"), Toolchain: toolchain(), plain: true,
		Run: []string{"pkg/kubelet", "pkg/kubelet/graceperiod"}, Declared: declared}
}

// toolchain returns the toolchain that runs this test.
func toolchain() string {
	v, _, _ := strings.Cut(runtime.Version(), " ")
	return v
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
