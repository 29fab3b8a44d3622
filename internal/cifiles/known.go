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

package cifiles

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Known describes what a script may call.
type Known struct {
	// Root is the checkout, in which scripts of the project are looked up.
	Root string
	// Files are the files that git tracks, from the root.
	Files []string
	// Targets are the Makefile's targets.
	Targets []string
	// Kgrace returns an error for an invalid command line of kgrace.
	Kgrace func(args []string) error
}

// target matches a target that `make help` lists, which is every target that people call.
var target = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):.*##`)

// Targets returns the targets of the Makefile in root.
func Targets(root string) (names []string, err error) {
	data, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return nil, err
	}
	for _, m := range target.FindAllStringSubmatch(string(data), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no targets with a ## text", filepath.Join(root, "Makefile"))
	}
	return names, nil
}

// between matches the separators of commands in a script. It supports this project's own files, not every shell syntax.
var between = regexp.MustCompile(`\n|&&|\|\||;|\|`)

// redirection matches a redirection, which is not a word of its command.
var redirection = regexp.MustCompile(`[0-9]?>>?\s*\S+`)

// Script returns the faults of a shell script: targets, commands and scripts of this project that it calls but that do not
// exist.
func (k Known) Script(script string) (faults []string) {
	for _, command := range commands(script) {
		faults = append(faults, k.Command(command)...)
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
	i := slices.IndexFunc(command, func(w string) bool { return w == "./cmd/kgrace" || w == "kgrace" })
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

// Command returns the faults of one command, given as words.
func (k Known) Command(command []string) (faults []string) {
	for _, t := range targets(command) {
		if !slices.Contains(k.Targets, t) {
			faults = append(faults, fmt.Sprintf("make %s: no such target; the Makefile has %s", t, strings.Join(k.Targets, " ")))
		}
	}
	if slices.Contains(command, "make") && len(targets(command)) == 0 {
		faults = append(faults, "make without a target only prints help")
	}
	if args, ok := kgraceArgs(command); ok {
		if err := k.Kgrace(args); err != nil {
			faults = append(faults, fmt.Sprintf("kgrace %s: %v", strings.Join(args, " "), err))
		}
	}
	if len(command) > 0 && path.Base(command[0]) == "kubectl-kgrace" {
		if err := k.Kgrace(command[1:]); err != nil {
			faults = append(faults, fmt.Sprintf("kubectl-kgrace %s: %v", strings.Join(command[1:], " "), err))
		}
	}
	for _, word := range command {
		if strings.HasPrefix(word, "hack/") || strings.HasPrefix(word, "ci/") {
			if info, err := os.Stat(filepath.Join(k.Root, word)); err != nil || info.Mode()&0o111 == 0 && strings.HasSuffix(word, ".sh") {
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
