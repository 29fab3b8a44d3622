// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/verdict"
)

// TestMain lets the test binary act as kgrace where a node starts a copy of the running program.
func TestMain(m *testing.M) {
	localnode.MaybeInit()
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// asProgram makes the test binary be kgrace: for what only a process has, such as signals.
const asProgram = "KGRACE_TEST_AS_PROGRAM"

// checkout returns a directory that passes for a checkout of this project.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module " + moduleName + "\n",
		"versions.yaml": `default: v1.37
minors:
  v1.37: {kubernetes: v1.37.2, staging: v0.37.2, go: go1.26.10, revision: 1}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func kgrace(ctx context.Context, args ...string) (code int, output, errs string) {
	var o, e bytes.Buffer
	code = run(ctx, args, &o, &e)
	return code, o.String(), e.String()
}

func TestExitCodes(t *testing.T) {
	root := checkout(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		env  string
		args []string
		code int
		out  string // prefix of standard output
		errs string // part of standard error
	}{
		"no arguments":    {args: nil, code: verdict.ExitGood, out: "kgrace lays out"},
		"help":            {args: []string{"build", "--help"}, code: verdict.ExitGood, out: "Build programs"},
		"unknown command": {args: []string{"biuld"}, code: verdict.ExitUsage, errs: `unknown command "biuld"`},
		"unknown flag":    {args: []string{"tree", "--colour"}, code: verdict.ExitUsage, errs: "--colour"},
		"extra argument":  {args: []string{"tree", "x"}, code: verdict.ExitUsage, errs: "kgrace tree --help"},
		"bad format":      {args: []string{"tree", "-o", "xml"}, code: verdict.ExitUsage, errs: "table or json"},
		"unknown arm":     {args: []string{"tree", "--arm", "left"}, code: verdict.ExitUsage, errs: "stock, fixed"},
		"unknown minor":   {args: []string{"tree", "--kubernetes", "v1.2"}, code: verdict.ExitUsage, errs: "knows v1.37"},
		"minor to build":  {args: []string{"build", "--kubernetes", "v1.2"}, code: verdict.ExitUsage, errs: "knows v1.37"},
		"unknown program": {args: []string{"build", "kublet"}, code: verdict.ExitUsage, errs: "kubelet"},
		"unknown arch":    {args: []string{"build", "--arch", "mips", "kubelet"}, code: verdict.ExitUsage, errs: "amd64 or arm64"},
		"arch of what":    {args: []string{"build", "--arch", "arm64"}, code: verdict.ExitUsage, errs: "--arch needs the names of programs"},
		"no checkout":     {env: t.TempDir(), args: []string{"tree"}, code: verdict.ExitInvalid, errs: RootVar},
		"interrupted":     {ctx: ended, args: []string{"tree"}, code: 130, errs: "kgrace: interrupted by SIGINT\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(RootVar, root)
			if c.env != "" {
				t.Setenv(RootVar, c.env)
			}
			if c.ctx == nil {
				c.ctx = t.Context()
			}
			code, out, errs := kgrace(c.ctx, c.args...)
			if code != c.code || !strings.HasPrefix(out, c.out) || c.out == "" && out != "" || !strings.Contains(errs, c.errs) {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, c.code, out, errs)
			}
		})
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	cause := errors.New("cause")
	for err, code := range map[error]int{red(cause): verdict.ExitRed, usage(cause): verdict.ExitUsage} {
		var coded *exitError
		if !errors.As(err, &coded) || coded.code != code || !errors.Is(err, cause) {
			t.Errorf("%v: %+v", err, coded)
		}
	}
}

func TestFindRoot(t *testing.T) {
	root := checkout(t)
	sub := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(RootVar, "")
	t.Chdir(sub)
	if got, err := (&app{}).findRoot(); err != nil || got != root {
		t.Errorf("from %s: %s, %v", sub, got, err)
	}
	t.Chdir(t.TempDir())
	if _, err := (&app{}).findRoot(); err == nil || !strings.Contains(err.Error(), RootVar) {
		t.Errorf("outside: %v", err)
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Long == "" && !cmd.HasSubCommands() {
			t.Errorf("%s: Short %q, Long %q", cmd.CommandPath(), cmd.Short, cmd.Long)
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	for _, cmd := range newRootCommand(&app{}).Commands() {
		check(cmd)
	}
}
