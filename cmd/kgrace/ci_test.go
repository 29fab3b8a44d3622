/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kgrace/kgrace/internal/cifiles"
	"github.com/kgrace/kgrace/internal/versions"
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

// TestCIFiles checks every file under ci/ against the command line: internal/cifiles knows all rules but that one.
func TestCIFiles(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := cifiles.Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	known := cifiles.Known{Root: root, Targets: targets, Kgrace: understands}
	files := 0
	for pattern, check := range map[string]func([]byte, cifiles.Known) []string{
		"github/*.yaml": cifiles.CheckWorkflow,
		"prow/*.yaml":   cifiles.CheckProw,
		"*.sh":          func(data []byte, k cifiles.Known) []string { return k.Script(string(data)) },
		"*/*.sh":        func(data []byte, k cifiles.Known) []string { return k.Script(string(data)) },
	} {
		found, err := filepath.Glob(filepath.Join(root, "ci", pattern))
		if err != nil || len(found) == 0 {
			t.Errorf("%s: no files, %v", pattern, err)
		}
		for _, file := range found {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for _, fault := range check(data, known) {
				t.Errorf("%s: %s", file, fault)
			}
		}
	}
	if files < 7 {
		t.Errorf("%d files", files)
	}
	for dir, check := range map[string]func(filesys.FileSystem, string, cifiles.Known) []string{
		"indexed-job/base": cifiles.CheckIndexedJob,
		"indexed-job/kind": cifiles.CheckIndexedJob,
		"check/job":        cifiles.CheckCheckJob,
	} {
		for _, fault := range check(filesys.MakeFsOnDisk(), filepath.Join(root, "ci", dir), known) {
			t.Errorf("ci/%s: %s", dir, fault)
		}
	}
	data, err := os.ReadFile(filepath.Join(root, "ci/github/kgrace.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	minors, err := cifiles.Minors(data)
	if err != nil {
		t.Fatal(err)
	}
	pins, err := versions.LoadRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Sorted(slices.Values(minors["minors"]))
	if diff := cmp.Diff(pins.MinorNames(), all); diff != "" {
		t.Errorf("the minors of ci/github/kgrace.yaml are not those of versions.yaml (-versions.yaml +workflow)\n%s", diff)
	}
	for _, minor := range minors["node"] {
		if _, err := pins.Minor(minor); err != nil {
			t.Error(err)
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
