// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/versions"
)

// twoPatches returns a checkout with a series of two patches and a page with a table for it.
func twoPatches(t *testing.T, root string) *kubetree.Repo {
	t.Helper()
	patch := func(subject, diff string) string {
		return "From 0 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nDate: x\nSubject: [PATCH] " + subject + "\n\nWhy.\n" +
			"\n---\ndiff --git a/pkg/kubelet/a_test.go b/pkg/kubelet/a_test.go\n" + diff
	}
	for name, text := range map[string]string{
		"patches/v1.99/series":       "0001-a.patch\n0002-b.patch\n",
		"patches/v1.99/0001-a.patch": patch("kubelet: a", "@@ -1,1 +1,2 @@\n a\n+func TestA(t *testing.T) {\n"),
		"patches/v1.99/0002-b.patch": patch("kubelet: b", "@@ -9,1 +9,2 @@ func TestB(t *testing.T) {\n b\n+more\n"),
		"docs/upstream/results.md":   "# Results\n\n<!-- begin sizes v1.99 -->\n<!-- end sizes v1.99 -->\nThe rest.\n",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return &kubetree.Repo{Root: root, Versions: &versions.File{Default: "v1.99", Minors: map[string]versions.Minor{"v1.99": {}}}}
}

func TestUpstreamTablesFollowThePatches(t *testing.T) {
	r := twoPatches(t, t.TempDir())
	if faults, err := checkUpstreamDocs(t.Context(), r); err != nil || len(faults) != 1 || !strings.Contains(faults[0], "run `kgrace update`") {
		t.Errorf("empty tables: %q, %v", faults, err)
	}
	written, err := updateUpstreamDocs(r)
	if err != nil || len(written) != 1 || written[0] != "docs/upstream/results.md" {
		t.Fatalf("wrote %q, %v", written, err)
	}
	data, err := os.ReadFile(filepath.Join(r.Root, "docs/upstream/results.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 1 kubelet: a | 0 | +0 −0 | 0 | +1 −0 |", "| 2 kubelet: b | 0 | +0 −0 | 0 | +1 −0 |", "The rest.\n"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
	if faults, err := checkUpstreamDocs(t.Context(), r); err != nil || len(faults) > 0 {
		t.Errorf("tables as they should be: %q, %v", faults, err)
	}
	if err := os.WriteFile(filepath.Join(r.Root, "docs/upstream/results.md"), []byte("# Results\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if faults, err := checkUpstreamDocs(t.Context(), r); err != nil || len(faults) != 1 || !strings.Contains(faults[0], "no generated table") {
		t.Errorf("no marks: %q, %v", faults, err)
	}
	if err := os.RemoveAll(filepath.Join(r.Root, "docs")); err != nil {
		t.Fatal(err)
	}
	if faults, err := checkUpstreamDocs(t.Context(), r); err != nil || len(faults) != 1 || !strings.Contains(faults[0], "is missing") {
		t.Errorf("no directory: %q, %v", faults, err)
	}
}

func TestDescriptionFollowsTheTemplate(t *testing.T) {
	const template = "<!-- hints -->\n\n#### What:\n<!-- pick -->\n\n#### Why:\n\n"
	for text, want := range map[string]string{
		"# Title\n\n#### What:\n\nx, see #12\n\n#### Why:\n\ny\n":      "",
		"# Title\n\n#### Why:\n\nx\n\n#### What:\n\ny\n":               `no heading "#### Why:"`,
		"# Title\n\n#### What:\n\nx\n":                                 `no heading "#### Why:"`,
		"\n#### What:\n<!-- pick -->\n\n#### Why:\n":                   "an instruction",
		"\n#### What:\nFixes #12\n\n#### Why:\n":                       `"Fixes #12" closes`,
		"\n#### What:\nthanks to @someone\n\n#### Why:\n":              `"@someone" closes an issue or mentions`,
		"\n#### What:\nresolves kubernetes/x#12, a@b.c\n\n#### Why:\n": `"resolves kubernetes/x#12" closes`,
	} {
		got := strings.Join(descriptionFaults(template, text), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

var (
	quoted = regexp.MustCompile("`((?:make|kgrace) [^`]+)`|(?m)^((?:make|kgrace) .+)$")
	linked = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
)

// Every claim of docs/upstream names the command that shows it, so those commands must exist.
func TestUpstreamDocsNameCommandsAndFilesThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, upstreamDocs, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	commands := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(data), -1) {
			commands++
			if err := exists(string(makefile), m[1]+m[2]); err != nil {
				t.Errorf("%s: `%s`: %v", file, m[1]+m[2], err)
			}
		}
		for _, m := range linked.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if commands == 0 {
		t.Error("no command is quoted, so nothing was checked")
	}
	for _, wrong := range []string{"kgrace regress nonsense", "kgrace mutants nonsense", "make nonsense", "kgrace nonsense", "kgrace patch size --nonsense", "kgrace intree --step nonsense extra"} {
		if exists(string(makefile), wrong) == nil {
			t.Errorf("%s passes for a command", wrong)
		}
	}
}

// exists returns an error if a command line names an unknown target, command or flag.
func exists(makefile, line string) error {
	words := strings.Fields(line)
	if words[0] == "make" {
		for _, target := range words[1:] {
			if !strings.Contains(makefile, "\n"+target+":") {
				return fmt.Errorf("no target %s", target)
			}
		}
		return nil
	}
	root := newRootCommand(&app{output: io.Discard, errs: io.Discard})
	cmd, args, err := root.Find(words[1:])
	if err != nil {
		return err
	}
	if cmd == root {
		return fmt.Errorf("no command")
	}
	if err := cmd.ParseFlags(args); err != nil {
		return err
	}
	args = cmd.Flags().Args()
	switch cmd.Name() {
	case "regress":
		return scenariosExist(cmd, args)
	case "mutants":
		_, err := mutant.Pick(args...)
		return err
	}
	if cmd.Args == nil {
		return nil
	}
	return cmd.Args(cmd, args)
}

// scenariosExist returns an error if a scenario does not exist, or not at the given level.
func scenariosExist(cmd *cobra.Command, ids []string) error {
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "SCENARIO" })
	all, err := scenario.Catalogue()
	if err != nil {
		return err
	}
	level, err := scenario.ParseLevel(cmd.Flag("level").Value.String())
	if err != nil {
		return err
	}
	_, err = scenario.Pick(all, level, ids...)
	return err
}
