// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// word is a forbidden pattern, with a reason or remedy.
type word struct {
	pattern *regexp.Regexp
	why     string
	// goOnly restricts the pattern to Go files.
	goOnly bool
}

// The patterns are concatenated from pieces so that this file passes its own check.
var words = []word{
	{regexp.MustCompile(`\bF` + `lakeAttempts\b`), "a retry hides failures; find out why it fails", true},
	{regexp.MustCompile(`\bF` + `(?:It|Describe|Context|When|Entry|DescribeTable)\(`), "a focused spec disables all others; remove the F", true},
	{regexp.MustCompile(`\b(?:TO` + `DO|FIX` + `ME|X` + `XX)\b`), "unfinished work; do it now, or record it where work is planned", true},
	{regexp.MustCompile(`context\.T` + `ODO\(\)`), "a context that is never cancelled; pass the caller's", true},
}

// skipped matches files whose words are not this project's own.
var skipped = regexp.MustCompile(`^(?:patches/.*\.patch|go\.sum|LICENSE)$`)

// Words checks for forbidden words: the patterns above, and the words of the machine that the project is developed on (see
// Machine).
func Words(files []File, machine []string) []string {
	all := words
	for _, m := range machine {
		all = append(all[:len(all):len(all)], word{regexp.MustCompile(`(?:^|[^A-Za-z0-9_.-])` + regexp.QuoteMeta(m)),
			"a name of this machine; it exists nowhere else", false})
	}
	var faults []string
	for _, f := range files {
		if skipped.MatchString(f.Path) || f.isGenerated() {
			continue
		}
		for i, line := range strings.Split(f.Text, "\n") {
			for _, w := range all {
				if w.goOnly && !f.isGo() {
					continue
				}
				if found := w.pattern.FindString(line); found != "" {
					faults = append(faults, fmt.Sprintf("%s:%d: %q: %s", f.Path, i+1, strings.TrimSpace(found), w.why))
				}
			}
		}
	}
	return faults
}

// Machine returns the words of this machine: the directory of the checkout, the home directory, and the hosts from which go
// fetches modules. They are determined at run time, because a list of them would contain what it forbids.
func Machine(ctx context.Context, root string) ([]string, error) {
	var found []string
	dirs := []string{path.Dir(root)}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, home)
	}
	for _, dir := range dirs {
		if dir != "/" && dir != "." {
			found = append(found, dir+"/")
		}
	}
	out, err := tool.Run(ctx, tool.Cmd{Dir: root, Env: os.Environ(), Args: []string{"go", "env", "GOPROXY"}})
	if err != nil {
		return nil, err
	}
	for _, proxy := range strings.FieldsFunc(strings.TrimSpace(out), func(r rune) bool { return r == ',' || r == '|' }) {
		if u, err := url.Parse(proxy); err == nil && u.Host != "" {
			found = append(found, u.Hostname())
		}
	}
	return found, nil
}
