// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// understands returns an error if kgrace does not accept a command line. It runs nothing.
func understands(args []string) error {
	root := newRootCommand(&app{})
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if !cmd.Runnable() || cmd == root || slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Runnable() }) && cmd.Name() != "report" {
		return fmt.Errorf("%s does nothing by itself", cmd.CommandPath())
	}
	if cmd.Args == nil {
		return nil
	}
	return cmd.Args(cmd, cmd.Flags().Args())
}

var (
	// called matches a call in a script: go run ./cmd/kgrace, or a built program.
	called = regexp.MustCompile(`(?m)(?:\./cmd/kgrace|/kgrace|^\s*"?\S*/kubectl-kgrace)"? ([^\n]*)`)
	// containerArgs matches the arguments of a container whose program is kgrace.
	containerArgs = regexp.MustCompile(`(?m)^\s*args: \[([^\]]*)\]`)
	// after matches redirections and the end of a substitution, which are no arguments.
	after = regexp.MustCompile(`\s*(?:\)|[0-9]?>).*$`)
	// between separates commands. Like the others it is for this project's own files, not for every shell syntax.
	between = regexp.MustCompile(`&&|\|\||[;|]`)
)

// calls returns the command lines of kgrace in a file under ci/.
func calls(file, text string) (all [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, m := range called.FindAllStringSubmatch(between.ReplaceAllString(text, "\n"), -1) {
		var args []string
		for _, w := range strings.Fields(after.ReplaceAllString(m[1], "")) {
			args = append(args, strings.Trim(w, `"'`))
		}
		all = append(all, args)
	}
	if strings.Contains(file, "indexed-job") || strings.Contains(file, "check/job") {
		for _, m := range containerArgs.FindAllStringSubmatch(text, -1) {
			// Kubernetes replaces the variables.
			line := strings.NewReplacer("$(INDEX)", "0", "$(PARTS)", "1", `"`, "").Replace(m[1])
			all = append(all, strings.Split(line, ", "))
		}
	}
	return all
}

// TestCIFiles checks the command lines of kgrace in the files under ci/. internal/cifiles checks everything else in them.
func TestCIFiles(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir("../../ci", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" && filepath.Ext(file) != ".sh" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, args := range calls(file, string(data)) {
			found[filepath.Base(file)] = true
			if err := understands(args); err != nil {
				t.Errorf("%s: kgrace %s: %v", file, strings.Join(args, " "), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"check.yaml", "job.yaml", "kgrace.yaml", "kubernetes-releases.yaml", "merge.yaml", "releases.sh", "shards.yaml"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("the files that call kgrace (-want +got)\n%s", diff)
	}
}

// TestCalls shows which command lines are found in a file, faults among them.
func TestCalls(t *testing.T) {
	for text, want := range map[string][]string{
		`      - run: go run ./cmd/kgrace nonsense --kubernetes "$MINOR"`:                                          {"nonsense --kubernetes $MINOR"},
		"if ! list=\"$(go run ./cmd/kgrace releases --newer)\"; then":                                              {"releases --newer"},
		"make setup && go run ./cmd/kgrace build && _output/bin/kgrace e2e >x 2>&1":                                {"build", "e2e"},
		"go build -C cmd/kubectl-kgrace -o \"$TMP/kubectl-kgrace\" .\n\"$TMP/kubectl-kgrace\" check --node \"$N\"": {"check --node $N"},
		"args: [nonsense, --seed, \"1\", --shard, $(INDEX)/$(PARTS)]":                                              {"nonsense --seed 1 --shard 0/1"},
		"go run ./cmd/kgrace regress \\\n  --level sim || failed=1":                                                {"regress --level sim"},
	} {
		var got []string
		for _, args := range calls("ci/indexed-job/base/shards.yaml", text) {
			got = append(got, strings.Join(args, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

// TestUnderstands shows which command lines a file under ci/ may contain.
func TestUnderstands(t *testing.T) {
	for _, good := range []string{"matrix --kubernetes $MINOR", "regress --level sim --kubernetes v1.36", "report merge --artifacts a b c",
		"patch rebase --kubernetes v1.36 --to v1.36.9", "properties --suites /suites --seed 1 --shard 0/4", "image setup"} {
		if err := understands(strings.Fields(good)); err != nil {
			t.Errorf("kgrace %s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "matrices", "matrix --minor v1.36", "regress --level", "properties all", "patch", "shard", "report merge"} {
		if understands(strings.Fields(bad)) == nil {
			t.Errorf("kgrace %s is understood", bad)
		}
	}
}
