// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// File is one file that a patch changes.
type File struct {
	// Path in the tree, with slashes; for a deleted file its former path.
	Path         string
	New, Deleted bool
	Hunks        []Hunk
}

// Hunk is one change inside a file.
type Hunk struct {
	// Header is the whole "@@ -a,b +c,d @@ context" line; Context is its last part, for Go the function or type above.
	Header, Context string
	// OldLine counts from 1.
	OldLine int
	// Lines with their first character: ' ', '+' or '-'.
	Lines []string
}

// parseDiff parses the part of a patch after the message.
func parseDiff(diff string) ([]File, error) {
	parsed, _, err := gitdiff.Parse(strings.NewReader(diff))
	if err != nil {
		return nil, err
	}
	if len(parsed) == 0 {
		return nil, errors.New("no diff: the patch changes no file")
	}
	var files []File
	for _, p := range parsed {
		if p.IsRename || p.IsCopy {
			return nil, fmt.Errorf("%s: a rename or copy; write the patch with `kgrace patch extract`, which shows renames as remove and add", p.NewName)
		}
		f := File{Path: cmp.Or(p.NewName, p.OldName), New: p.IsNew, Deleted: p.IsDelete}
		for _, t := range p.TextFragments {
			if min(t.OldPosition, t.NewPosition) < 0 {
				return nil, fmt.Errorf("%s: hunk %q begins before the file; want line numbers from 0", f.Path, t.Header())
			}
			h := Hunk{Header: t.Header(), Context: t.Comment, OldLine: int(t.OldPosition)}
			for _, line := range t.Lines {
				h.Lines = append(h.Lines, strings.TrimSuffix(line.String(), "\n"))
			}
			f.Hunks = append(f.Hunks, h)
		}
		files = append(files, f)
	}
	return files, nil
}
