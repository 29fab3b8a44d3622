// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/verdict"
)

const (
	tinyFile1 = "0001-kubelet-count-from-the-start-of-termination.patch"
	tinyFile2 = "0002-kuberuntime-return-when-the-context-ends.patch"
)

func TestPatchEditThatChangesNothingKeepsTheFiles(t *testing.T) {
	u := newTiny(t)
	before := u.state()
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for name := range before {
		if path := filepath.Join(u.root, "patches/v1.37", name); name != "versions.yaml" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	output, errs := u.ok("patch", "edit", "1")
	if strings.TrimSpace(output) != u.tree("fixed") {
		t.Errorf("prints %q", output)
	}
	u.says(errs, "the tree is at patch 1", tinySubject1, "kgrace patch edit --continue")
	output, errs = u.ok("patch", "edit", "--continue")
	u.says(errs, "the series is up to date")
	if output != "" || len(changed(before, u.state())) > 0 {
		t.Errorf("prints %q; changed: %v", output, changed(before, u.state()))
	}
	// Not written at all, so that nothing that checks times is rebuilt.
	for name := range before {
		if info, err := os.Stat(filepath.Join(u.root, "patches/v1.37", name)); name != "versions.yaml" && (err != nil || !info.ModTime().Equal(old)) {
			t.Errorf("%s was written: %v, %v", name, info.ModTime(), err)
		}
	}
}

func TestPatchEditWritesOnlyWhatItChanges(t *testing.T) {
	u := newTiny(t)
	before := u.state()
	u.ok("patch", "edit", "1")
	u.edit(u.tree("fixed"), "kubelet.go", "// line twenty\n", "// line 4 * 5\n")
	output, _ := u.ok("patch", "edit", "--continue")
	if got := changed(before, u.state()); !slices.Equal(got, []string{tinyFile1}) || !strings.Contains(output, "wrote "+tinyFile1) || strings.Contains(output, tinyFile2) {
		t.Errorf("changed %v, printed %q", got, output)
	}
	u.says(u.state()[tinyFile1], "+// line 4 * 5")
	u.ok("tree", "--arm", "fixed") // the tree matches the new series
}

func TestPatchEditNamesALaterPatchThatDoesNotFit(t *testing.T) {
	u := newTiny(t)
	before := u.state()
	u.ok("patch", "edit", "1")
	u.edit(u.tree("fixed"), "worker.go", "// worker 7\n", "// worker 3 + 4\n")
	_, errs := u.ends(verdict.ExitRed, "patch", "edit", "--continue")
	u.says(errs, "patch 2 of 2", tinySubject2, "pkg/kubelet/worker.go:", "@@ -", "kgrace patch edit --continue", "kgrace patch edit --abort")
	if got := changed(before, u.state()); len(got) > 0 {
		t.Errorf("written before the conflict was resolved: %v", got)
	}
	u.ok("patch", "edit", "--abort")
	if got := u.git(u.tree("fixed"), "status", "--porcelain"); got != "" {
		t.Errorf("left in the tree: %s", got)
	}
	u.ok("tree", "--arm", "fixed")
}

func TestPatchEditRefuses(t *testing.T) {
	u := newTiny(t)
	for _, c := range []struct {
		code int
		args []string
		errs string
	}{
		{verdict.ExitUsage, []string{"edit"}, "the number of a patch"},
		{verdict.ExitUsage, []string{"edit", "--continue", "--abort"}, "want one of"},
		{verdict.ExitUsage, []string{"edit", "two"}, `"two" is not the number of a patch`},
		{verdict.ExitUsage, []string{"edit", "3"}, "there is no patch 3; patches/v1.37/series has 1 to 2"},
		{verdict.ExitUsage, []string{"edit", "1", "--kubernetes", "v1.2"}, "knows v1.37"},
		{verdict.ExitUsage, []string{"extract", "--kubernetes", "v1.2"}, "knows v1.37"},
		{verdict.ExitUsage, []string{"rebase", "--kubernetes", "v1.2", "--to", "v1.2.3"}, "knows v1.37"},
		{verdict.ExitUsage, []string{"size", "--kubernetes", "v1.2"}, "knows v1.37"},
		{verdict.ExitUsage, []string{"port", "1"}, "want another minor than v1.37"},
		{verdict.ExitUsage, []string{"port", "one", "--to", "v1.36"}, `"one" is not the number of a patch`},
		{verdict.ExitUsage, []string{"extract", "--from", "x"}, "--from and --base go together"},
		{verdict.ExitInvalid, []string{"edit", "--continue"}, "no patch is being edited"},
	} {
		_, errs := u.ends(c.code, append([]string{"patch"}, c.args...)...)
		u.says(errs, c.errs)
	}
	u.ok("patch", "edit", "1")
	_, errs := u.ends(verdict.ExitInvalid, "patch", "edit", "2")
	u.says(errs, "a patch is being edited", "--continue", "--abort")
	u.ok("patch", "edit", "--abort")
	// Unexpected edits are never overwritten.
	u.edit(u.tree("fixed"), "kubelet.go", "// line 1\n", "// mine\n")
	_, errs = u.ends(verdict.ExitInvalid, "patch", "edit", "1")
	u.says(errs, u.tree("fixed"), "has edits", "pkg/kubelet/kubelet.go", "kgrace tree --reset")
}

func TestPatchExtract(t *testing.T) {
	u := newTiny(t)
	u.ok("tree", "--arm", "fixed")
	before := u.state()
	if output, errs := u.ok("patch", "extract"); output != "" || !strings.Contains(errs, "up to date") {
		t.Errorf("nothing changed: %q, %q", output, errs)
	}
	fixed := u.tree("fixed")
	u.edit(fixed, "kubelet.go", "// line 30\n", "// line thirty\n")
	_, errs := u.ends(verdict.ExitInvalid, "patch", "extract")
	u.says(errs, fixed, "pkg/kubelet/kubelet.go")
	if got := changed(before, u.state()); len(got) > 0 {
		t.Errorf("a tree with uncommitted changes gave %v", got)
	}
	u.commit(fixed, "kubelet: say thirty")
	output, _ := u.ok("patch", "extract")
	u.says(output, "wrote 0003-kubelet-say-thirty.patch", "wrote series")
	for _, name := range []string{tinyFile1, tinyFile2} {
		if data, err := os.ReadFile(filepath.Join(u.root, "patches/v1.37", name)); err != nil || string(data) != before[name] {
			t.Errorf("%s has changed (%v)", name, err)
		}
	}
	u.git(fixed, "reset", "--quiet", "--hard", "HEAD~1")
	output, _ = u.ok("patch", "extract")
	u.says(output, "removed 0003-kubelet-say-thirty.patch")
	if got := changed(before, u.state()); len(got) > 0 {
		t.Errorf("a round trip changes %v", got)
	}
}

func TestPatchRebaseMovesTheSeries(t *testing.T) {
	u := newTiny(t)
	before := u.state()
	output, errs := u.ok("patch", "rebase", "--to", "v1.37.3")
	u.says(output, "wrote "+tinyFile1, "wrote versions.yaml")
	u.says(errs, "v1.37 is based on v1.37.3 now", "kgrace intree --kubernetes v1.37")
	if got := changed(before, u.state()); !slices.Contains(got, tinyFile1) || !slices.Contains(got, "versions.yaml") || slices.Contains(got, tinyFile2) {
		t.Errorf("changed %v; the second patch applies as it is", got)
	}
	u.says(u.state()["versions.yaml"], "kubernetes: v1.37.3", "staging: v0.37.3")
	if _, err := os.Stat(filepath.Join(u.root, "_output/rebase/v1.37")); !os.IsNotExist(err) {
		t.Errorf("the directory still exists (%v)", err)
	}
	u.ok("tree")
	_, errs = u.ends(verdict.ExitUsage, "patch", "rebase", "--to", "v1.36.9")
	u.says(errs, "v1.36.9")
}

func TestPatchRebaseStopsAtTheFirstConflict(t *testing.T) {
	u := newTiny(t)
	before := u.state()
	_, errs := u.ends(verdict.ExitRed, "patch", "rebase", "--to", "v1.37.4")
	tree := filepath.Join(u.root, "_output/rebase/v1.37/tree")
	u.says(errs, "patch 2 of 2", tinySubject2, "pkg/kubelet/worker.go:", "@@ -", tree, "kgrace patch rebase --continue", "kgrace patch rebase --abort", "am --skip")
	if got := changed(before, u.state()); len(got) > 0 {
		t.Errorf("a stopped rebase changed %v", got)
	}
	_, errs = u.ends(verdict.ExitInvalid, "patch", "rebase", "--to", "v1.37.3")
	u.says(errs, "a rebase is under way", "--continue", "--abort")
	_, errs = u.ends(verdict.ExitInvalid, "patch", "rebase", "--continue")
	u.says(errs, "conflict marks are left", "worker.go:")
	data, err := os.ReadFile(filepath.Join(tree, "pkg/kubelet/worker.go"))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(data), "<<<<<<< ")
	_, rest, _ = strings.Cut(rest, ">>>>>>> ")
	_, rest, _ = strings.Cut(rest, "\n")
	if err := os.WriteFile(filepath.Join(tree, "pkg/kubelet/worker.go"), []byte(head+"// worker seven of upstream\n"+rest), 0o644); err != nil {
		t.Fatal(err)
	}
	output, _ := u.ok("patch", "rebase", "--continue")
	u.says(output, "wrote "+tinyFile2, "wrote versions.yaml")
	if got := changed(before, u.state()); slices.Contains(got, tinyFile1) {
		t.Errorf("changed %v; the first patch applies as it is", got)
	}
	u.says(u.state()[tinyFile2], "-// worker 7 of upstream", "+// worker seven of upstream")
	u.ok("tree")
}

func TestPatchRebaseCanBeGivenUp(t *testing.T) {
	u := newTiny(t)
	before := u.state()
	_, errs := u.ends(verdict.ExitInvalid, "patch", "rebase", "--continue")
	u.says(errs, "no rebase of v1.37 is under way", "--to TAG")
	u.ends(verdict.ExitRed, "patch", "rebase", "--to", "v1.37.4")
	u.ok("patch", "rebase", "--abort")
	if _, err := os.Stat(filepath.Join(u.root, "_output/rebase/v1.37")); !os.IsNotExist(err) || len(changed(before, u.state())) > 0 {
		t.Errorf("left (%v), changed %v", err, changed(before, u.state()))
	}
	// A release that does not exist and an interrupted rebase leave nothing either.
	_, errs = u.ends(verdict.ExitInvalid, "patch", "rebase", "--to", "v1.37.99")
	u.says(errs, "k8s.io/kubernetes@v1.37.99")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, errs := kgrace(ended, "patch", "rebase", "--to", "v1.37.3"); code != 130 || !strings.Contains(errs, "interrupted") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(u.root, "_output/rebase/v1.37/rebase.json")); !os.IsNotExist(err) || len(changed(before, u.state())) > 0 {
		t.Errorf("left (%v), changed %v", err, changed(before, u.state()))
	}
	// A directory without a state, left by a killed run, is no rebase under way.
	if err := os.MkdirAll(filepath.Join(u.root, "_output/rebase/v1.37/tree/half"), 0o755); err != nil {
		t.Fatal(err)
	}
	u.ok("patch", "rebase", "--to", "v1.37.3")
}

func TestPatchSize(t *testing.T) {
	u := newTiny(t)
	output, _ := u.ok("patch", "size", "--markdown")
	u.says(output, "## v1.37\n", "| 1 "+tinySubject1+" | 1 | +1 −1 | 1 |", "| all | 2 | +2 −2 |")
	output, _ = u.ok("patch", "size", "-o", "json")
	u.says(output, `"minor": "v1.37"`, `"added": 1`)
	u.ends(verdict.ExitUsage, "patch", "size", "-o", "json", "--markdown")
}

func TestPatchSubmit(t *testing.T) {
	u := newTiny(t)
	before := u.state()
	dir := filepath.Join(t.TempDir(), "submit")
	t.Chdir(u.root) // outside of this checkout's git configuration
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(u.root, "gitconfig"))
	_, errs := u.ends(verdict.ExitInvalid, "patch", "submit", "--to", dir)
	u.says(errs, "user.name", "git config --global", "--author 'A Person <person@example.org>'")
	u.write("gitconfig", "[user]\nname = From Config\nemail = config@example.org\n")
	output, errs := u.ok("patch", "submit", "--to", dir)
	u.says(output, filepath.Join(dir, tinyFile1)+"\n", filepath.Join(dir, tinyFile2)+"\n")
	u.says(errs, "by From Config <config@example.org>, signed off by From Config", "v1.37.2", "git am "+dir+"/*.patch")
	if got := changed(before, u.state()); len(got) > 0 {
		t.Errorf("the series itself changed: %v", got)
	}
	_, errs = u.ends(verdict.ExitInvalid, "patch", "submit", "--to", dir)
	u.says(errs, dir, tinyFile1, "--overwrite")
	u.ok("patch", "submit", "--to", dir, "--overwrite", "--author", "An Author <author@example.org>", "--signoff", "A Signer <signer@example.org>")

	// On the pinned release they give the same tree as the series.
	u.ok("tree")
	stock := u.tree("stock")
	u.git(stock, "am", "--quiet", filepath.Join(dir, tinyFile1), filepath.Join(dir, tinyFile2))
	if got, want := u.git(stock, "rev-parse", "HEAD^{tree}"), u.git(u.tree("fixed"), "rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("tree %s, the fixed arm has %s", got, want)
	}
	for commit, subject := range map[string]string{"HEAD~1": tinySubject1, "HEAD": tinySubject2} {
		want := "An Author <author@example.org>\n" + subject + "\n\nThe body says why.\n\nSigned-off-by: A Signer <signer@example.org>"
		if got := u.git(stock, "log", "-1", "--format=%an <%ae>%n%B", commit); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}

	for wrong, args := range map[string][]string{
		"--to is missing":         {},
		`"me" is not a name and`:  {"--to", dir, "--author", "me"},
		`"you" is not a name and`: {"--to", dir, "--signoff", "you"},
		"knows v1.37":             {"--to", dir, "--kubernetes", "v1.2"},
	} {
		_, errs := u.ends(verdict.ExitUsage, append([]string{"patch", "submit"}, args...)...)
		u.says(errs, wrong)
	}
	_, errs = u.ends(verdict.ExitInvalid, "patch", "submit", "--overwrite", "--to", filepath.Join(u.root, "patches/v1.37"))
	u.says(errs, "the directory of a series")
	if got := changed(before, u.state()); len(got) > 0 {
		t.Errorf("the series itself changed: %v", got)
	}
}
