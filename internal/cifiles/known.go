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

// Script returns the faults of a shell script: targets, commands and scripts of this project that it calls but that do not
// exist.
func (k Known) Script(script string) (faults []string) {
	for _, command := range between.Split(strings.ReplaceAll(script, "\\\n", " "), -1) {
		faults = append(faults, k.Command(words(command))...)
	}
	return faults
}

// words splits a command, without redirections, quotes and environment settings.
func words(command string) (all []string) {
	command = regexp.MustCompile(`[0-9]?>>?\s*\S+`).ReplaceAllString(command, "")
	for _, w := range strings.Fields(command) {
		all = append(all, strings.Trim(w, `"'()`))
	}
	return all
}

// Command returns the faults of one command, given as words.
func (k Known) Command(args []string) (faults []string) {
	if i := slices.Index(args, "make"); i >= 0 {
		called := 0
		for _, t := range args[i+1:] {
			if strings.Contains(t, "=") || strings.HasPrefix(t, "-") {
				continue
			}
			called++
			if !slices.Contains(k.Targets, t) {
				faults = append(faults, fmt.Sprintf("make %s: no such target; the Makefile has %s", t, strings.Join(k.Targets, " ")))
			}
		}
		if called == 0 {
			faults = append(faults, "make without a target only prints help")
		}
	}
	for _, name := range []string{"./cmd/kgrace", "kgrace"} {
		if i := slices.Index(args, name); i >= 0 {
			if err := k.Kgrace(args[i+1:]); err != nil {
				faults = append(faults, fmt.Sprintf("kgrace %s: %v", strings.Join(args[i+1:], " "), err))
			}
		}
	}
	if len(args) > 0 && path.Base(args[0]) == "kubectl-kgrace" {
		if err := k.Kgrace(args[1:]); err != nil {
			faults = append(faults, fmt.Sprintf("kubectl-kgrace %s: %v", strings.Join(args[1:], " "), err))
		}
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, "hack/") || strings.HasPrefix(arg, "ci/") {
			if info, err := os.Stat(filepath.Join(k.Root, arg)); err != nil || info.Mode()&0o111 == 0 && strings.HasSuffix(arg, ".sh") {
				faults = append(faults, fmt.Sprintf("%s: no such script, or it cannot be executed", arg))
			}
		}
	}
	return faults
}
