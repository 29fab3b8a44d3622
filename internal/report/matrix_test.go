// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/result"
)

// sampleMatrix has every status, on all minors, with long texts.
func sampleMatrix() matrix.Table {
	var t matrix.Table
	for i, minor := range []string{"v1.37", "v1.38", "v1.36", "v1.35", "v1.22"} {
		m := matrix.Minor{Minor: minor, Kubernetes: minor + ".17", Go: "go1.26.10"}
		for n := 1; n <= 6-i%2; n++ {
			r := matrix.Row{Number: n, Patch: fmt.Sprintf("%04d-kubelet-count-the-grace-period-from-the-start-of-termination.patch", n),
				Subject: fmt.Sprintf("kubelet: count the grace period from the start of termination, %d", n), DropWhen: "upstream counts <so>"}
			for _, c := range matrix.Columns() {
				cell := matrix.Cell{Column: c, Status: matrix.Proved, Why: "413 tests of 4 packages",
					Evidence: []matrix.Evidence{{Name: "pkg/kubelet/kuberuntime.TestKillContainerWithoutTerminationKeepsWindow/and_a_subtest", Status: matrix.Proved,
						Text: "expected: []int64{0} actual : []int64{2} kuberuntime_termination_test.go:420"}}}
				switch {
				case i == 1 && n == 2 && c == matrix.Builds:
					cell.Status, cell.Why = matrix.Red, "go build ./cmd/kubelet: pkg/kubelet/kubelet.go:12: undefined: <it>"
				case i == 2 && n == 3 && (c == matrix.Without || c == matrix.Scenarios):
					cell.Status, cell.Why = matrix.Drop, "held on stock"
				case i == 3 && c == matrix.Scenarios:
					cell.Status, cell.Why = matrix.NotRun, "the sim level has no seam for v1.35; there is one for v1.37"
				case n == 5 && c == matrix.With:
					cell.Status, cell.Why = matrix.Nothing, "it brings tests that need a cluster, and nothing else"
					cell.Notes = []string{"also broken by the series without it, and not in its trailer: hook-done-not-repeated"}
				}
				r.Cells = append(r.Cells, cell)
			}
			m.Rows = append(m.Rows, r)
		}
		t.Minors = append(t.Minors, m)
	}
	return t
}

func matrixPage(t *testing.T, table matrix.Table) string {
	t.Helper()
	var page bytes.Buffer
	if err := Matrix(&page, table, true); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestMatrixPage(t *testing.T) {
	page := matrixPage(t, sampleMatrix())
	if page != matrixPage(t, sampleMatrix()) {
		t.Error("the same table gave another page")
	}
	for _, want := range []string{
		`<p class="status red"><strong>red</strong>`,
		`<h2 id="drops">Drop the patch</h2>`,
		`<a href="#v1.36-3">v1.36, patch 3: kubelet: count the grace period from the start of termination, 3</a><br>upstream counts &lt;so&gt; (its tests fail without it: held on stock)`,
		`undefined: &lt;it&gt;`,
		`<a class="cell drop" href="#v1.36-3"><span class="verdict"><span class="sign" aria-hidden="true">↧</span> <span class="word">drop the patch</span>`,
		`aria-label="v1.38 has no such patch"`,
		`<a href="report.html">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not in the page", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "http") && strings.Contains(page, "http://") {
		t.Error("the page has a script or an address")
	}
	if err := Matrix(&bytes.Buffer{}, matrix.Table{}, false); err == nil {
		t.Error("an empty table must give no page")
	}
}

// TestPagesLeadToEachOther writes both pages into one directory and checks their links.
func TestPagesLeadToEachOther(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if err := writeMatrixPage(dir, sampleMatrix()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(write(MatrixPage), "report.html") {
		t.Error("the page links to a missing one")
	}
	runs, err := result.ReadArtifacts(filepath.Join("testdata", "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(dir, result.PageFile), runs, rowsForTests()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(write(result.PageFile), `<a href="matrix.html">`) {
		t.Error("the page of the scenarios does not link to the matrix")
	}
	if err := writeMatrixPage(dir, sampleMatrix()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(write(MatrixPage), `<a href="report.html">`) {
		t.Error("the matrix does not link to the page of the scenarios")
	}
}

func TestMatrixInABrowser(t *testing.T) {
	b := openBrowser(t)
	path := filepath.Join(t.TempDir(), MatrixPage)
	if err := matrix.WriteFile(path, []byte(matrixPage(t, sampleMatrix()))); err != nil {
		t.Fatal(err)
	}
	if other := os.Getenv(pictured); strings.HasSuffix(other, MatrixPage) {
		path = other
	}
	for _, width := range []int{360, 390, 768, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(fmt.Sprintf("%d %s", width, scheme), func(t *testing.T) {
				b.t = t
				b.show("file://"+path, width, scheme)
				for _, fault := range b.faults() {
					t.Error(fault)
				}
				if dir := os.Getenv(pictures); dir != "" {
					b.pictures(filepath.Join(dir, fmt.Sprintf("matrix-%d-%s", width, scheme)))
				}
			})
		}
	}
	t.Run("print", func(t *testing.T) {
		b.t = t
		b.show("file://"+path, 718, "light")
		b.media("print", "light")
		cut := evaluate[int](b, `[...document.querySelectorAll('.matrix, .cells, .notes')].filter(e => e.getBoundingClientRect().right > 719).length`)
		if cut > 0 {
			t.Errorf("%d parts are wider than the paper", cut)
		}
	})
}
