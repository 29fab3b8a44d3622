// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// input is a wrong command line, or a right one on a wrong checkout. By default it is a mistake of the user (exit code 2) in a
// whole checkout of this project.
type input struct {
	args string
	code int
	// says is a part of standard error; it must begin with "kgrace: ". nothing else may be printed, and nothing may be left.
	says string
	// spoil prepares a small checkout (see checkout), which the command then runs in.
	spoil func(t *testing.T, root string)
	env   map[string]string
}

func write(name, text string) func(*testing.T, string) {
	return func(t *testing.T, root string) { put(t, filepath.Join(root, name), text, 0o644) }
}

// pins returns a versions.yaml with one line replaced.
func pins(old, text string) func(*testing.T, string) {
	return write("versions.yaml", strings.Replace("default: v1.37\nminors:\n  v1.37:\n    kubernetes: v1.37.2\n    staging: v0.37.2\n    go: go1.26.10\n    revision: 1\n", old, text, 1))
}

func otherRepository(t *testing.T, root string) {
	put(t, filepath.Join(root, "other", "go.mod"), "module example.test/other\n", 0o644)
	if _, err := tool.Git(t.Context(), filepath.Join(root, "other"), nil, "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	t.Setenv(kubetree.SourceVar, filepath.Join(root, "other"))
}

func nothing(*testing.T, string) {}

var inputs = map[string]input{
	"a mistyped command":        {args: "biuld", says: "Did you mean build?"},
	"a command below another":   {args: "patch extrct", says: `unknown command "extrct" for "kgrace patch"`},
	"help for nothing":          {args: "help bogus", says: `unknown command "bogus" for "kgrace"; known: bench, build`},
	"help for nothing below":    {args: "help patch bogus", says: `unknown command "bogus" for "kgrace patch"; known: edit`},
	"help for an argument":      {args: "help build kubelet", says: `unknown command "kubelet" for "kgrace build"`},
	"an unknown flag":           {args: "tree --colour", says: "unknown flag: --colour\nRun 'kgrace tree --help'."},
	"an argument too much":      {args: "tree x", says: `unknown command "x" for "kgrace tree"`},
	"a format":                  {args: "tree -o xml", says: "want table or json"},
	"a mistyped arm":            {args: "tree --arm stok", says: "unknown arm \"stok\"; known: stock, fixed\nDid you mean stock?"},
	"a minor":                   {args: "tree --kubernetes v1.2", says: "versions.yaml knows v1.22, v1.35"},
	"a minor with a space":      {args: "build --kubernetes 1.37", says: "Did you mean v1.37?"},
	"a mistyped program":        {args: "build kublet", says: "Did you mean kubelet?"},
	"no level":                  {args: "regress --level foo", says: `unknown level "foo"; known: sim, node`},
	"another command's level":   {args: "regress --level kind", says: "level kind is run by `kgrace e2e`"},
	"a runtime for a node":      {args: "regress --level node --runtime crio", says: "--runtime is for level sim"},
	"a mistyped runtime":        {args: "regress --runtime cri-o", says: "Did you mean crio?"},
	"a mistyped scenario":       {args: "regress force-dirct", says: "Did you mean force-direct?"},
	"a pattern without a match": {args: "regress nothing-*", says: `unknown scenario "nothing-*" at level sim`},
	"a broken pattern":          {args: "regress [", says: "syntax error in pattern: want a name, or a pattern such as hook-*"},
	"no repetition":             {args: "regress --repeat 0", says: "--repeat must be at least 1"},
	"repeated JSON":             {args: "regress --repeat 2 -o json", says: "it goes without --judge, --shard and -o json"},
	"a list of a part":          {args: "regress --list --shard 0/2 --run one", says: "--list goes without"},
	"jobs":                      {args: "regress --jobs -1", says: "--jobs must be at least 1"},
	"a part of no run":          {args: "regress --shard 0/2", says: "--shard needs a --run, or KGRACE_RUN"},
	"a part of a strange run":   {args: "properties --shard 0/2 --run ../x", says: `--run: "../x" cannot identify a run`},
	"a minor to judge":          {args: "regress --judge nowhere --kubernetes v1.36", says: "it goes without --kubernetes"},
	"no histories to judge":     {args: "regress --judge nowhere", code: 3, says: "nowhere"},
	"a history of no minor": {args: "regress --judge histories", code: 3, says: "now.jsonl: unknown Kubernetes minor \"v1.99\"; known: v1.37\n",
		spoil: write("histories/now.jsonl", `{"history":1,"scenario":"now","arm":"stock","level":"node","minor":"v1.99","pod":"now","versions":{},"events":0}`+"\n")},
	"a kind of properties":    {args: "properties --kind hurried", says: "Did you mean unhurried?"},
	"no histories":            {args: "properties --histories 0", says: "must be at least 1"},
	"a mistyped mutant":       {args: "mutants round-dwn", says: "Did you mean round-down?"},
	"mutants' level":          {args: "mutants --level kind", says: `unknown level "kind"; known: sim, node`},
	"mutants not for nodes":   {args: "mutants --level node round-down", says: "none of these mutants names a scenario of level node"},
	"mutants' minor":          {args: "mutants --kubernetes v1.2", says: "versions.yaml knows"},
	"processes":               {args: "upstream-e2e --processes 0", says: "--processes must be at least 1"},
	"a list without serial":   {args: "upstream-e2e --list --no-serial", says: "it goes without --no-serial"},
	"specs":                   {args: "e2e-node --specs mine", says: "want all, own or neighbours"},
	"a focus":                 {args: "e2e-node --focus (", says: "--focus: error parsing regexp"},
	"a smoke test of one":     {args: "e2e --smoke now", says: "--smoke selects the scenarios"},
	"a cluster's jobs":        {args: "e2e --jobs -1", says: "--jobs must be at least 1"},
	"a list's minor":          {args: "mutants --list --kubernetes v1.2", says: "versions.yaml knows"},
	"a benchmark":             {args: "bench --bench (", says: "--bench: error parsing regexp"},
	"too few rounds":          {args: "bench --count 1", says: "--count must be at least 10"},
	"a column":                {args: "matrix --column build", says: "Did you mean builds?"},
	"a matrix's format":       {args: "matrix -o xml", says: "want table, markdown or json"},
	"a step":                  {args: "intree --step fix", says: "Did you mean fixed?"},
	"nothing to abort":        {args: "patch edit --abort", code: 3, says: "no patch is being edited; begin with `kgrace patch edit NUMBER`\n"},
	"nothing to continue":     {args: "patch edit --continue", code: 3, says: "no patch is being edited; begin with `kgrace patch edit NUMBER`\n"},
	"no patch of that number": {args: "patch edit 99", says: "there is no patch 99; patches/v1.37/series has 1 to"},
	"a patch's name":          {args: "patch edit zero", says: `"zero" is not the number of a patch`},
	"no rebase to abort":      {args: "patch rebase --abort", code: 3, says: "no rebase of v1.37 is under way"},
	"no rebase to continue":   {args: "patch rebase --continue", code: 3, says: "no rebase of v1.37 is under way"},
	"a submission to nowhere": {args: "patch submit", says: "--to is missing"},
	"an image's name":         {args: "image build --image Kind/Node:v1", says: `image name "Kind/Node:v1"; want [registry/]name:tag`},
	"an image to push":        {args: "image build --push", says: "is a reserved name and never a registry"},
	"an image's architecture": {args: "image build --arch mips", says: `architecture "mips"; kind has node images for amd64 and arm64`},
	"an image of shards":      {args: "shard image --image shards --file x", says: "it has no tag"},
	"a report of nothing":     {args: "report nowhere", code: 3, says: "nowhere holds no results.json"},
	"a merge to nowhere":      {args: "report merge nowhere", says: "name a directory for the merged run"},
	"a node's name":           {args: "node up --name a/b", says: "a/b"},
	"a node that is not up":   {args: "node down nobody", says: "none is up"},

	"no series":             {args: "tree --arm fixed", code: 3, spoil: nothing, says: "Kubernetes v1.37 has no patches, so it has no fixed arm: "},
	"no series to build":    {args: "build --arm fixed kubelet", code: 3, spoil: nothing, says: "Kubernetes v1.37 has no patches, so it has no fixed arm: "},
	"no series to run":      {args: "regress now --arm fixed", code: 3, spoil: nothing, says: "Kubernetes v1.37 has no patches, so it has no fixed arm: "},
	"an unknown pin":        {args: "tree", code: 3, spoil: pins("revision: 1", "revison: 1"), says: "versions.yaml: line 7: unknown field \"revison\"\n"},
	"a pin of another type": {args: "tree", code: 3, spoil: pins("revision: 1", "revision: one"), says: "versions.yaml: line 7: cannot unmarshal !!str"},
	"a wrong default":       {args: "tree", code: 3, spoil: pins("default: v1.37", "default: v1.99"), says: "versions.yaml: line 1: default: \"v1.99\" is not one of the minors v1.37\n"},
	"a wrong toolchain":     {args: "tree", code: 3, spoil: pins("go1.26.10", "1.26"), says: "versions.yaml: line 6: minors.v1.37.go: \"1.26\" is not a Go toolchain"},
	"another repository":    {args: "tree", code: 3, spoil: otherRepository, says: "is not a git checkout of Kubernetes: it has no go.mod of k8s.io/kubernetes; name one, or unset KUBE_SRC"},
	"no repository":         {args: "tree", code: 3, env: map[string]string{kubetree.SourceVar: "/nowhere"}, says: "KUBE_SRC=/nowhere is not a git checkout of Kubernetes: there is no such directory"},
	"no checkout":           {args: "tree", code: 3, env: map[string]string{RootVar: "/nowhere"}, says: "KGRACE_ROOT=/nowhere is not a checkout"},
}

// listing returns the paths below a directory.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// TestWrongInputs checks the message, the exit code and what is left behind of every wrong input. Programs that take long to
// answer, go and docker, must not be asked: there are none.
func TestWrongInputs(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			for k, v := range map[string]string{RootVar: repoRoot(t), kubetree.OutputVar: filepath.Join(work, "output"), kubetree.SourceVar: "",
				ArtifactsVar: "", shard.RunVar: "", "DOCKER_HOST": "unix:///nowhere", "PATH": filepath.Join(work, "bin")} {
				t.Setenv(k, v)
			}
			if err := os.MkdirAll(filepath.Join(work, "bin"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(git, filepath.Join(work, "bin", "git")); err != nil {
				t.Fatal(err)
			}
			if in.spoil != nil {
				root := checkout(t)
				in.spoil(t, root)
				t.Setenv(RootVar, root)
				t.Setenv(kubetree.OutputVar, "")
				t.Chdir(root)
				work = root
			} else {
				t.Chdir(work)
			}
			for k, v := range in.env {
				t.Setenv(k, v)
			}
			before := listing(t, work)
			want := in.code
			if want == 0 {
				want = verdict.ExitUsage
			}
			code, output, errs := kgrace(t.Context(), strings.Fields(in.args)...)
			if code != want || output != "" || !strings.HasPrefix(errs, "kgrace: ") || !strings.Contains(errs, in.says) {
				t.Errorf("kgrace %s: exit %d, want %d with %q\nstdout: %s\nstderr: %s", in.args, code, want, in.says, output, errs)
			}
			if after := listing(t, work); after != before {
				t.Errorf("kgrace %s left\n%s\nthere was\n%s", in.args, after, before)
			}
			for _, raw := range []string{"unlinkat", " -c core.", ".tmp-", "0x", "exit status"} {
				if strings.Contains(errs, raw) {
					t.Errorf("kgrace %s shows %q: %s", in.args, raw, errs)
				}
			}
		})
	}
}
