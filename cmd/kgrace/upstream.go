// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/kubetree/verify"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/verdict"
)

// upstreamDocs holds the pull request. Its files may have generated tables between marks: "sizes MINOR".
const upstreamDocs = "docs/upstream"

// upstreamMark begins a generated table.
var upstreamMark = regexp.MustCompile(`(?m)^<!-- begin (sizes (v1\.\d+)) -->$`)

// upstreamFile is one file as it is and as it should be.
type upstreamFile struct{ name, have, want string }

// upstreamFiles reads docs/upstream and fills in its tables. It returns an error if no file has a mark, since then nothing
// would check the figures quoted there.
func upstreamFiles(r *kubetree.Repo) ([]upstreamFile, error) {
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
			table, err := sizeTable(r, m[2])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			if f.want, err = patchset.ReplaceBlock(f.want, m[1], table); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
		files = append(files, f)
	}
	if marks == 0 {
		return nil, fmt.Errorf("%s has no generated table; add a line <!-- begin sizes v1.38 --> and one with end", upstreamDocs)
	}
	return files, nil
}

// sizeTable returns the table of sizes of a minor's series.
func sizeTable(r *kubetree.Repo, minor string) (string, error) {
	if _, err := r.Versions.Minor(minor); err != nil {
		return "", err
	}
	series, err := patchset.Load(r.SeriesDir(minor))
	if err != nil {
		return "", err
	}
	return series.Size(minor).Markdown(), nil
}

func checkUpstreamDocs(ctx context.Context, r *kubetree.Repo) ([]string, error) {
	files, err := upstreamFiles(r)
	if err != nil {
		return verify.Faults(err), nil
	}
	var faults []string
	for _, f := range files {
		if f.have != f.want {
			faults = append(faults, f.name+": a table does not match the patches; run `kgrace update`")
		}
		if filepath.Base(f.name) != "pull-request.md" {
			continue
		}
		minors := r.Versions.MinorNames()
		tree, err := r.Ensure(ctx, minors[len(minors)-1], verdict.Stock, nil)
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

// descriptionFaults checks the description of the pull request against the template of its release.
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
		faults = append(faults, fmt.Sprintf("%q closes an issue or mentions somebody; leave that to whoever opens the pull request", strings.TrimSpace(found)))
	}
	return faults
}

// updateUpstreamDocs rewrites the tables and returns the files that changed.
func updateUpstreamDocs(r *kubetree.Repo) ([]string, error) {
	files, err := upstreamFiles(r)
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
