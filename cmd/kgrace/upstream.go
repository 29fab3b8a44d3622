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
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/scenario"
)

// upstreamDocs holds the pull request. Its files may have generated tables between marks: "sizes MINOR" and "rules MINOR".
const upstreamDocs = "docs/upstream"

// upstreamMark begins a generated table.
var upstreamMark = regexp.MustCompile(`(?m)^<!-- begin (sizes|rules) (v1\.\d+) -->$`)

// upstreamFile is one file as it is and as the patches want it.
type upstreamFile struct{ name, have, want string }

// upstreamFiles reads docs/upstream and fills its tables in. Without a mark in any file it is an error: then nothing would
// hold the figures that are quoted there.
func upstreamFiles(ctx context.Context, r *kubetree.Repo) ([]upstreamFile, error) {
	entries, err := os.ReadDir(filepath.Join(r.Root, upstreamDocs))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing; it holds the pull request", upstreamDocs)
	}
	if err != nil {
		return nil, err
	}
	var files []upstreamFile
	marks := 0
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".md" {
			continue
		}
		f := upstreamFile{name: filepath.Join(upstreamDocs, e.Name())}
		data, err := os.ReadFile(filepath.Join(r.Root, f.name))
		if err != nil {
			return nil, err
		}
		f.have, f.want = string(data), string(data)
		for _, m := range upstreamMark.FindAllStringSubmatch(f.have, -1) {
			marks++
			table, err := upstreamTable(ctx, r, m[1], m[2])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			if f.want, err = patchset.ReplaceBlock(f.want, m[1]+" "+m[2], table); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
		files = append(files, f)
	}
	if marks == 0 {
		return nil, fmt.Errorf("%s has no table that is generated; write a line <!-- begin sizes v1.38 --> and one with end", upstreamDocs)
	}
	return files, nil
}

func upstreamTable(ctx context.Context, r *kubetree.Repo, what, minor string) (string, error) {
	if _, err := r.Versions.Minor(minor); err != nil {
		return "", err
	}
	series, err := patchset.Load(r.SeriesDir(minor))
	if err != nil {
		return "", err
	}
	if what == "sizes" {
		return series.Size(minor).Markdown(), nil
	}
	declared, err := intree.LoadDeclaration(r.SeriesDir(minor))
	if err != nil {
		return "", err
	}
	all, err := scenario.Catalogue()
	if err != nil {
		return "", err
	}
	return ruleTable(ctx, series, declared, all)
}

// ruleTable says for each rule of the contract which patches give it, which tests come with those, and which scenarios show
// it: in bold where stock breaks the rule there.
func ruleTable(ctx context.Context, series *patchset.Series, declared intree.Declaration, all []scenario.Scenario) (string, error) {
	patches := map[scenario.Rule][]int{}
	for i, p := range series.Patches {
		trailers, err := p.Trailers(ctx)
		if err != nil {
			return "", err
		}
		for _, t := range trailers {
			if t.Key != "Contract" {
				continue
			}
			for _, rule := range strings.FieldsFunc(t.Value, func(c rune) bool { return c == ',' || c == ' ' }) {
				patches[scenario.Rule(rule)] = append(patches[scenario.Rule(rule)], i)
			}
		}
	}
	tests, err := testsByPatch(series, declared)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| rule | patches | tests that come with them | scenarios, bold where stock breaks the rule |\n| --- | --- | --- | --- |\n")
	for _, rule := range scenario.Rules() {
		var numbers, names, scenarios []string
		for _, i := range patches[rule] {
			numbers = append(numbers, fmt.Sprint(i+1))
			names = append(names, tests[i]...)
		}
		for _, s := range all {
			for _, e := range s.Expect {
				switch {
				case e.Rule != rule:
				case e.Stock == scenario.Broken:
					scenarios = append(scenarios, "**"+s.ID+"**")
				default:
					scenarios = append(scenarios, s.ID)
				}
			}
		}
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s |\n", rule, rule.Title(), strings.Join(numbers, " "), strings.Join(names, " "), strings.Join(scenarios, " "))
	}
	return b.String(), nil
}

// testsByPatch names the declared test functions that each patch brings or changes, each once, under the first patch that
// touches it; specs are named together, by their folder. One that no patch touches is an error.
func testsByPatch(series *patchset.Series, declared intree.Declaration) ([][]string, error) {
	tests := make([][]string, len(series.Patches))
	placed := map[string]bool{}
	place := func(pkg, name, begin string) error {
		if placed[pkg+"."+name] {
			return nil
		}
		at := slices.IndexFunc(series.Patches, func(p *patchset.Patch) bool { return touchesTest(p, pkg, begin) })
		if at < 0 {
			return fmt.Errorf("no patch touches %s.%s, which %s declares", pkg, name, intree.DeclaredFile)
		}
		placed[pkg+"."+name] = true
		tests[at] = append(tests[at], name)
		return nil
	}
	for _, d := range declared.Tests {
		name, _, _ := strings.Cut(d.Test, "/")
		if err := place(d.Package, name, "func "+name+"("); err != nil {
			return nil, err
		}
	}
	for _, spec := range declared.Specs {
		if err := place(spec.Package, "specs of "+spec.Package, "var _ = "); err != nil {
			return nil, err
		}
	}
	return tests, nil
}

// touchesTest looks for the beginning of a test among the lines that the patch changes, and in what git says a change is in.
func touchesTest(p *patchset.Patch, pkg, begin string) bool {
	for _, f := range p.Files {
		if filepath.ToSlash(filepath.Dir(f.Path)) != pkg || !strings.HasSuffix(f.Path, "_test.go") {
			continue
		}
		for _, h := range f.Hunks {
			if strings.Contains(h.Header, begin) || slices.ContainsFunc(h.Lines, func(line string) bool { return strings.HasPrefix(line[1:], begin) }) {
				return true
			}
		}
	}
	return false
}

func checkUpstreamDocs(ctx context.Context, r *kubetree.Repo) ([]string, error) {
	files, err := upstreamFiles(ctx, r)
	if err != nil {
		return faultsOf(err), nil
	}
	var faults []string
	for _, f := range files {
		if f.have != f.want {
			faults = append(faults, f.name+": a table does not say what the patches and the catalogue say; run `kgrace update`")
		}
		if filepath.Base(f.name) != "pull-request.md" {
			continue
		}
		minors := r.Versions.MinorNames()
		tree, err := r.Ensure(ctx, minors[len(minors)-1], kubetree.Stock, nil)
		if err != nil {
			return faults, err
		}
		template, err := os.ReadFile(filepath.Join(tree.Dir, ".github", "PULL_REQUEST_TEMPLATE.md"))
		if err != nil {
			return faults, err
		}
		for _, fault := range descriptionFaults(string(template), f.have) {
			faults = append(faults, f.name+": "+fault)
		}
	}
	return faults, nil
}

var (
	templateHeading = regexp.MustCompile(`(?m)^#### .+$`)
	closesIssue     = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w./:-]*#|https?://\S+/)\d+`)
	mention         = regexp.MustCompile(`(?m)(?:^|[\s(])@[A-Za-z0-9][\w/-]*`)
)

// descriptionFaults holds the description of the pull request against the template of the release that it is made for.
func descriptionFaults(template, text string) []string {
	var faults []string
	rest := text
	for _, heading := range templateHeading.FindAllString(template, -1) {
		_, after, ok := strings.Cut(rest, "\n"+heading+"\n")
		if !ok {
			faults = append(faults, fmt.Sprintf("no heading %q, or not in the order of upstream's template", heading))
			continue
		}
		rest = after
	}
	if strings.Contains(text, "<!--") {
		faults = append(faults, "an instruction of the template is left in it")
	}
	for _, found := range append(closesIssue.FindAllString(text, -1), mention.FindAllString(text, -1)...) {
		faults = append(faults, fmt.Sprintf("%q closes an issue or mentions somebody; whoever opens the pull request decides that", strings.TrimSpace(found)))
	}
	return faults
}

// updateUpstreamDocs writes the tables anew and returns the files that changed.
func updateUpstreamDocs(ctx context.Context, r *kubetree.Repo) ([]string, error) {
	files, err := upstreamFiles(ctx, r)
	if err != nil {
		return nil, err
	}
	var written []string
	for _, f := range files {
		if f.have == f.want {
			continue
		}
		if err := os.WriteFile(filepath.Join(r.Root, f.name), []byte(f.want), 0o644); err != nil {
			return written, err
		}
		written = append(written, f.name)
	}
	return written, nil
}
