// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"github.com/kgrace/kgrace/internal/tool"
)

// TestScripts checks what the scripts under ci/ call.
func TestScripts(t *testing.T) {
	known := inRepo(t)
	scripts := 0
	for _, file := range known.files {
		if !strings.HasPrefix(file, "ci/") || path.Ext(file) != ".sh" {
			continue
		}
		scripts++
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range known.script(string(data)) {
			t.Errorf("%s: %s", file, fault)
		}
	}
	if scripts < 3 {
		t.Errorf("%d scripts", scripts)
	}
	for _, bad := range []string{"true && make nothing", "make", "make -s X=1", "hack/none.sh", "x | ci/none.sh"} {
		if len(known.script(bad)) == 0 {
			t.Errorf("%q has no fault", bad)
		}
	}
}

// program writes a shell script that stands in for a program.
func program(t *testing.T, dir, name, script string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs a script and returns its exit code and output.
func run(t *testing.T, dir string, env []string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return failed.ExitCode(), string(out)
	} else if err != nil {
		t.Fatal(err)
	}
	return 0, string(out)
}

// TestRunScripts: only the exit code of the container gives a verdict; whatever else fails is 3.
func TestRunScripts(t *testing.T) {
	for name, c := range map[string]struct {
		fails, pod string
		exit       int
	}{
		"good":                  {pod: "p 0", exit: 0},
		"red":                   {pod: "p 1", exit: 1},
		"not decided":           {pod: "p 3", exit: 3},
		"no container ended":    {pod: "p ", exit: 3},
		"no pod":                {pod: " ", exit: 3},
		"delete fails":          {fails: "delete", pod: "p 0", exit: 3},
		"apply fails":           {fails: "apply", pod: "p 0", exit: 3},
		"get fails":             {fails: "get", pod: "p 0", exit: 3},
		"logs fail":             {fails: "logs", pod: "p 0", exit: 3},
		"red, and no log":       {fails: "logs", pod: "p 1", exit: 3},
		"an early pod has none": {pod: "early \np 1", exit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			// The pods in their order of creation, of which a script asks for the last.
			kubectl := program(t, dir, "kubectl", `
[ "$1" = "$FAILS" ] && exit 1
case "$*" in
*metadata.uid*) printf 0123-4567 ;;
get*--sort-by=.metadata.creationTimestamp*items\[-1:\]*) printf '%s' "$PODS" | tail -n 1 ;;
logs*) case "$*" in *' p'*) echo "<testsuites/>" ;; *) exit 1 ;; esac ;;
patch*) echo "$*" >"$0.patch" ;;
esac
`)
			env := []string{"KUBECTL=" + kubectl, "FAILS=" + c.fails, "PODS=" + c.pod}
			junit := filepath.Join(dir, "check.xml")
			for _, args := range [][]string{{"check/run.sh", junit}, {"indexed-job/run.sh"}} {
				if exit, out := run(t, filepath.Join(root, "ci"), env, args...); exit != c.exit {
					t.Errorf("%v: exit code %d, want %d:\n%s", args, exit, c.exit, out)
				}
			}
			if c.fails != "" {
				return
			}
			if data, err := os.ReadFile(junit); c.exit < 2 && (err != nil || !strings.Contains(string(data), "testsuites")) {
				t.Errorf("JUnit: %q, %v", data, err)
			}
			patch, err := os.ReadFile(kubectl + ".patch")
			if err != nil || !strings.Contains(string(patch), `{"spec": {"suspend": false, "template": {"metadata": {"annotations": {"`+runAnnotation+`": "0123-4567"}}}}}`) {
				t.Errorf("the merge does not get the UID of the parts' Job as its run: %s, %v", patch, err)
			}
		})
	}
}

// TestRunScriptsOfIndexedJob: what only the merge needs, and a wait that fails.
func TestRunScriptsOfIndexedJob(t *testing.T) {
	for name, script := range map[string]string{
		"no UID":      `case "$*" in *metadata.uid*) ;; *) printf 'p 0' ;; esac`,
		"patch fails": `case "$*" in patch*) exit 1 ;; *) printf 'p 0' ;; esac`,
		"wait fails":  `case "$*" in wait*) exit 1 ;; *) printf 'p 0' ;; esac`,
	} {
		kubectl := program(t, t.TempDir(), "kubectl", script+"\n")
		if exit, out := run(t, filepath.Join(root, "ci"), []string{"KUBECTL=" + kubectl}, "indexed-job/run.sh"); exit != 3 {
			t.Errorf("%s: exit code %d, want 3:\n%s", name, exit, out)
		}
	}
	// A part that failed and left nothing: the merge of the others is good.
	for merged, want := range map[string]int{"0": 3, "1": 1} {
		kubectl := program(t, t.TempDir(), "kubectl", `case "$*" in *metadata.uid*) printf 0123 ;; *Failed*jsonpath*|*jsonpath*Failed*) printf True ;; get*) printf 'p `+merged+`' ;; esac`+"\n")
		if exit, out := run(t, filepath.Join(root, "ci"), []string{"KUBECTL=" + kubectl}, "indexed-job/run.sh"); exit != want {
			t.Errorf("a failed part, merge %s: exit code %d, want %d:\n%s", merged, exit, want, out)
		}
	}
	// A wait of the check's script that fails changes nothing: the exit code of the container decides.
	kubectl := program(t, t.TempDir(), "kubectl", `case "$*" in wait*) exit 1 ;; *) printf 'p 1' ;; esac`+"\n")
	if exit, out := run(t, filepath.Join(root, "ci"), []string{"KUBECTL=" + kubectl}, "check/run.sh", filepath.Join(t.TempDir(), "check.xml")); exit != 1 {
		t.Errorf("exit code %d, want 1:\n%s", exit, out)
	}
}

// repo makes a repository with a series of one patch.
func repo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"versions.yaml": "kubernetes: v1.0.0\n", "patches/v1.0/0001-old.patch": "old\n"} {
		write(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=a"}} {
		if _, err := tool.Git(t.Context(), dir, nil, args...); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkDiff checks that rebase.diff turns the series of repo into the rebased one: one patch gone, one new, one pin changed.
func checkDiff(t *testing.T, file string) {
	t.Helper()
	dir := repo(t)
	if _, err := tool.Git(t.Context(), dir, nil, "apply", file); err != nil {
		t.Fatal(err)
	}
	pins, _ := os.ReadFile(filepath.Join(dir, "versions.yaml"))
	added, _ := os.ReadFile(filepath.Join(dir, "patches/v1.0/0001-new.patch"))
	if _, err := os.Stat(filepath.Join(dir, "patches/v1.0/0001-old.patch")); string(pins) != "kubernetes: v1.0.1\n" || string(added) != "new\n" || err == nil {
		t.Errorf("after git apply of rebase.diff: versions.yaml %q, new patch %q, old patch %v", pins, added, err)
	}
}

// TestRebaseDiffOfWorkflow runs the step of the workflow that writes rebase.diff.
func TestRebaseDiffOfWorkflow(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "ci/github/kubernetes-releases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w, _ := actionlint.Parse(data)
	script := ""
	for _, s := range w.Jobs["rebase"].Steps {
		if e, ok := s.Exec.(*actionlint.ExecRun); ok && strings.Contains(text(e.Run), "rebase.diff") {
			script = text(e.Run)
		}
	}
	dir := repo(t)
	write(t, filepath.Join(dir, "versions.yaml"), "kubernetes: v1.0.1\n")
	write(t, filepath.Join(dir, "patches/v1.0/0001-new.patch"), "new\n")
	if err := os.Remove(filepath.Join(dir, "patches/v1.0/0001-old.patch")); err != nil {
		t.Fatal(err)
	}
	if exit, out := run(t, dir, nil, "bash", "-e", "-c", script); exit != 0 {
		t.Fatalf("exit code %d:\n%s", exit, out)
	}
	checkDiff(t, filepath.Join(dir, "_output/artifacts/rebase.diff"))
}

// TestReleases runs ci/releases.sh with a stand-in for go, which rebases, and is killed by a time-out in the step after it.
func TestReleases(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		exit    int
		diff    bool
	}{
		"newer": {`
case "$*" in
*releases*) printf 'v1.0 v1.0.0 v1.0.1 newer\nv1.1 v1.1.0 v1.1.0 current\n' ;;
*rebase*v1.0.1*) echo 'kubernetes: v1.0.1' >versions.yaml; rm patches/v1.0/0001-old.patch; echo new >patches/v1.0/0001-new.patch ;;
*v1.1*) exit 1 ;;
esac`, 0, true},
		"a red matrix": {`
case "$*" in
*releases*) printf 'v1.0 v1.0.0 v1.0.1 newer\n' ;;
*rebase*) echo 'kubernetes: v1.0.1' >versions.yaml; rm patches/v1.0/0001-old.patch; echo new >patches/v1.0/0001-new.patch ;;
*matrix*) exit 1 ;;
esac`, 1, true},
		"a time-out in the matrix": {`
case "$*" in
*releases*) printf 'v1.0 v1.0.0 v1.0.1 newer\n' ;;
*rebase*) echo 'kubernetes: v1.0.1' >versions.yaml; rm patches/v1.0/0001-old.patch; echo new >patches/v1.0/0001-new.patch ;;
*matrix*) kill -KILL "$PPID" ;;
esac`, -1, true},
		"a conflict": {`case "$*" in *releases*) printf 'v1.0 v1.0.0 v1.0.1 newer\n' ;; *rebase*) exit 1 ;; *) exit 3 ;; esac`, 1, false},
		"no list":    {"exit 1", 3, false},
		"none newer": {`case "$*" in *releases*) printf 'v1.0 v1.0.0 v1.0.0 current\n' ;; *) exit 1 ;; esac`, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, bin := repo(t), t.TempDir()
			program(t, bin, "go", c.program+"\n")
			data, err := os.ReadFile(filepath.Join(root, "ci/releases.sh"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "ci/releases.sh"), string(data))
			exit, out := run(t, dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "ARTIFACTS="}, "bash", "ci/releases.sh")
			if exit != c.exit {
				t.Errorf("exit code %d, want %d:\n%s", exit, c.exit, out)
			}
			diff := filepath.Join(dir, "_output/artifacts/rebase.diff")
			if c.diff {
				checkDiff(t, diff)
			} else if _, err := os.Stat(diff); err == nil {
				t.Error("there is a rebase.diff, though nothing was rebased")
			}
		})
	}
}
