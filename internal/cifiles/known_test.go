// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/tool"
)

// callable is what a script may call, besides kgrace: a test in cmd/kgrace checks its command lines.
type callable struct {
	// files are those that git tracks, from the root.
	files []string
	// targets are the Makefile's.
	targets []string
}

// between matches the separators of commands in a script. It supports this project's own files, not every shell syntax.
var between = regexp.MustCompile(`\n|&&|\|\||;|\|`)

// redirection matches a redirection, which is not a word of its command.
var redirection = regexp.MustCompile(`[0-9]?>>?\s*\S+`)

// script returns the faults of a shell script: targets and scripts of this project that it calls but that do not exist.
func (k callable) script(script string) (faults []string) {
	for _, command := range commands(script) {
		faults = append(faults, k.command(command)...)
	}
	return faults
}

// commands splits a script into commands, without comments, redirections and quotes.
func commands(script string) (all [][]string) {
	for _, command := range between.Split(strings.ReplaceAll(script, "\\\n", " "), -1) {
		var words []string
		for _, w := range strings.Fields(redirection.ReplaceAllString(command, "")) {
			words = append(words, strings.Trim(w, `"'()`))
		}
		if len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			all = append(all, words)
		}
	}
	return all
}

// kgraceArgs returns the arguments of kgrace in a command.
func kgraceArgs(command []string) ([]string, bool) {
	i := slices.IndexFunc(command, func(w string) bool { return path.Base(w) == "kgrace" })
	if i < 0 {
		return nil, false
	}
	return command[i+1:], true
}

// targets returns the targets that a command makes.
func targets(command []string) (all []string) {
	i := slices.Index(command, "make")
	if i < 0 {
		return nil
	}
	for _, t := range command[i+1:] {
		if !strings.Contains(t, "=") && !strings.HasPrefix(t, "-") {
			all = append(all, t)
		}
	}
	return all
}

// command returns the faults of one command, given as words.
func (k callable) command(command []string) (faults []string) {
	for _, t := range targets(command) {
		if !slices.Contains(k.targets, t) {
			faults = append(faults, fmt.Sprintf("make %s: no such target; the Makefile has %s", t, strings.Join(k.targets, " ")))
		}
	}
	if slices.Contains(command, "make") && len(targets(command)) == 0 {
		faults = append(faults, "make without a target only prints help")
	}
	for _, word := range command {
		if strings.HasPrefix(word, "hack/") || strings.HasPrefix(word, "ci/") {
			if info, err := os.Stat(filepath.Join(root, word)); err != nil || info.Mode()&0o111 == 0 && strings.HasSuffix(word, ".sh") {
				faults = append(faults, fmt.Sprintf("%s: no such script, or it cannot be executed", word))
			}
		}
	}
	return faults
}

// unprepared returns a fault for the first command of a job that needs packages before `make setup` installs them, shellcheck among
// them.
func unprepared(scripts []string) []string {
	for _, command := range commands(strings.Join(scripts, "\n")) {
		args, kgrace := kgraceArgs(command)
		first := targets(command)
		switch {
		case len(first) > 0 && first[0] == "setup":
			return nil
		case len(first) > 0, slices.Contains(command, "ci/releases.sh"), kgrace && len(args) > 0 && args[0] != "releases":
			return []string{strings.Join(command, " ") + ": want make setup before it, which installs what it needs, shellcheck for example"}
		}
	}
	return nil
}

const root = "../.."

// inRepo returns what the files may call in this repository.
func inRepo(t *testing.T) callable {
	t.Helper()
	tracked, err := tool.Git(t.Context(), root, nil, "ls-files", "-z")
	if err != nil {
		t.Fatal(err)
	}
	made, err := Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	known := callable{files: strings.Split(strings.TrimRight(tracked, "\x00"), "\x00"), targets: made}
	if len(known.files) < 100 || len(known.targets) < 10 {
		t.Fatalf("%d files, %d targets", len(known.files), len(known.targets))
	}
	return known
}

// spoiled is a change to a file and the expected fault.
type spoiled struct{ old, new, want string }

// checkSpoiled checks that the file has no faults and that each change causes the named fault.
func checkSpoiled(t *testing.T, file string, check func([]byte, callable) []string, cases []spoiled) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	known := inRepo(t)
	if faults := check(data, known); len(faults) > 0 {
		t.Errorf("%s:\n  %s", file, strings.Join(faults, "\n  "))
	}
	for _, c := range cases {
		if !strings.Contains(string(data), c.old) {
			t.Errorf("%s has no %q", file, c.old)
			continue
		}
		faults := check([]byte(strings.Replace(string(data), c.old, c.new, 1)), known)
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%s with %q: got %q, want %q", file, c.new, faults, c.want)
		}
	}
}
