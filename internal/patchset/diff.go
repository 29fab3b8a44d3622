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

package patchset

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
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
	// Header is the whole "@@ -a,b +c,d @@ context" line.
	Header string
	// OldLine and NewLine count from 1.
	OldLine, NewLine int
	// Lines with their first character: ' ', '+', '-' or '\'.
	Lines []string
}

var (
	fileLine = regexp.MustCompile(`^diff --git a/(.+) b/(.+)$`)
	hunkLine = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)
)

// parseDiff parses the part of a patch after the message. Inside hunks every line starts with a marker character, so no
// text of a file can be mistaken for a header.
func parseDiff(diff string) ([]File, error) {
	var files []File
	for _, line := range strings.Split(diff, "\n") {
		if strings.HasPrefix(line, "diff --git ") {
			m := fileLine.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("%q: a file name that git has to quote; rename the file", line)
			}
			if m[1] != m[2] {
				return nil, fmt.Errorf("%q: a rename; write the patch with `kgrace patch extract`, which shows renames as remove and add", line)
			}
			files = append(files, File{Path: m[2]})
			continue
		}
		if len(files) == 0 {
			continue // a diffstat, if any
		}
		f := &files[len(files)-1]
		switch {
		case hunkLine.MatchString(line):
			m := hunkLine.FindStringSubmatch(line)
			h := Hunk{Header: line}
			h.OldLine, _ = strconv.Atoi(m[1])
			h.NewLine, _ = strconv.Atoi(m[2])
			f.Hunks = append(f.Hunks, h)
		case len(f.Hunks) > 0:
			if line != "" && strings.ContainsRune(" +-\\", rune(line[0])) {
				h := &f.Hunks[len(f.Hunks)-1]
				h.Lines = append(h.Lines, line)
			}
		case strings.HasPrefix(line, "new file mode "):
			f.New = true
		case strings.HasPrefix(line, "deleted file mode "):
			f.Deleted = true
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no diff: the patch changes no file")
	}
	return files, nil
}
