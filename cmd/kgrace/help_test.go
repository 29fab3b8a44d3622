// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kgrace/kgrace/internal/verdict"
)

// everyCommand visits all commands, of kgrace and of cobra.
func everyCommand(t *testing.T, visit func(cmd *cobra.Command)) {
	t.Helper()
	n := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		n++
		visit(cmd)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRootCommand(&app{output: &bytes.Buffer{}, errs: &bytes.Buffer{}}))
	if n < 30 {
		t.Errorf("%d commands", n)
	}
}

func TestHelpIsNarrow(t *testing.T) {
	everyCommand(t, func(cmd *cobra.Command) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		code, output, errs := kgrace(t.Context(), args...)
		if code != verdict.ExitGood || errs != "" {
			t.Errorf("%v: exit %d: %s", args, code, errs)
		}
		for _, line := range strings.Split(output, "\n") {
			if n := len([]rune(line)); n > helpWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	})
}

var placeholder = regexp.MustCompile("`[A-Za-z]+`")

// TestFlagsReadWell: pflag takes the first backquoted words of a usage for the name of the flag's value, and -o is a format.
func TestFlagsReadWell(t *testing.T) {
	everyCommand(t, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if rest := placeholder.ReplaceAllString(f.Usage, ""); strings.Contains(rest, "`") {
				t.Errorf("%s --%s: %s: a backquote that is not around the value's name", cmd.CommandPath(), f.Name, f.Usage)
			}
			if (f.Name == "output") != (f.Shorthand == "o") || f.Name == "format" {
				t.Errorf("%s --%s -%s: a format is --output, -o", cmd.CommandPath(), f.Name, f.Shorthand)
			}
			if f.Name == "output" && f.DefValue != "table" {
				t.Errorf("%s --output is %q by default, want a table", cmd.CommandPath(), f.DefValue)
			}
		})
	})
}

func TestWrapText(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30)) // 149 columns
	for name, c := range map[string]struct{ text, want string }{
		"narrow lines stay": {"One.\nTwo:\n  three  four", "One.\nTwo:\n  three  four"},
		"a paragraph": {long + "\nlast. Next line", strings.TrimSpace(strings.Repeat("word ", 20)) + "\n" +
			strings.TrimSpace(strings.Repeat("word ", 10)) + " last. Next line"},
		"a list": {"  name  " + long, "  name  " + strings.TrimSpace(strings.Repeat("word ", 18)) + "\n        " + strings.TrimSpace(strings.Repeat("word ", 12))},
		"a list's own lines": {"  name  " + long + "\n        more\n  other  x", "  name  " + strings.TrimSpace(strings.Repeat("word ", 18)) +
			"\n        " + strings.TrimSpace(strings.Repeat("word ", 12)) + " more\n  other  x"},
	} {
		if got := wrapText(c.text); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
