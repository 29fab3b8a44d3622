// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Lines counts lines of a diff.
type Lines struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	// Text is the number of added lines that are empty or only comment, licence headers included.
	Text int `json:"text"`
}

func (l *Lines) add(m Lines) {
	l.Added += m.Added
	l.Removed += m.Removed
	l.Text += m.Text
}

// PatchSize is the size of a patch. Code of a release, code of tests and generated code are counted separately.
type PatchSize struct {
	Patch     int    `json:"patch"` // its place in the series, from 1
	Subject   string `json:"subject"`
	Files     int    `json:"files"` // code only
	Code      Lines  `json:"code"`
	Tests     Lines  `json:"tests"`
	Generated Lines  `json:"generated"`
}

// SeriesSize is the size of a series. Its total counts each file once, so the number of files may be less than the sum.
type SeriesSize struct {
	Minor   string      `json:"minor"`
	Patches []PatchSize `json:"patches"`
	Total   PatchSize   `json:"total"`
}

// onlyTests matches the files that no release is built from: Go tests, their data, fakes, and the suites under test/.
var onlyTests = regexp.MustCompile(`_test\.go$|^test/|(?:^|/)(?:testing|testdata)/`)

// Size returns the size of the series.
func (s *Series) Size(minor string) SeriesSize {
	size := SeriesSize{Minor: minor}
	files := map[string]bool{}
	for i, p := range s.Patches {
		one := PatchSize{Patch: i + 1, Subject: p.Subject}
		for _, f := range p.Files {
			lines := f.lines()
			switch {
			case generated.MatchString(f.Path):
				one.Generated.add(lines)
			case onlyTests.MatchString(f.Path):
				one.Tests.add(lines)
			default:
				one.Code.add(lines)
				one.Files++
				files[f.Path] = true
			}
		}
		size.Patches = append(size.Patches, one)
		size.Total.Code.add(one.Code)
		size.Total.Tests.add(one.Tests)
		size.Total.Generated.add(one.Generated)
	}
	size.Total.Files = len(files)
	return size
}

// lines counts the lines of one file.
func (f File) lines() Lines {
	var l Lines
	for _, h := range f.Hunks {
		comment := false // inside /* ... */
		for _, line := range h.Lines {
			text := strings.TrimSpace(line[1:])
			begins := strings.HasPrefix(text, "/*")
			switch line[0] {
			case '-':
				l.Removed++
			case '+':
				l.Added++
				if text == "" || comment || begins || strings.HasPrefix(text, "//") {
					l.Text++
				}
			}
			comment = (comment || begins) && !strings.Contains(text, "*/")
		}
	}
	return l
}

// Markdown returns a table of the series, with one row per patch and one for all.
func (s SeriesSize) Markdown() string {
	var b strings.Builder
	b.WriteString("| patch | files | code | of it comment or empty | tests | generated |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, p := range s.Patches {
		row := strings.Join(p.Cells(), " | ")
		fmt.Fprintf(&b, "| %d %s | %s |\n", p.Patch, strings.ReplaceAll(p.Subject, "|", `\|`), row)
	}
	fmt.Fprintf(&b, "| all | %s |\n", strings.Join(s.Total.Cells(), " | "))
	return b.String()
}

// Sizes are the sizes of several series.
type Sizes []SeriesSize

// LoadSizes returns the sizes of the series of the minors. dir returns their directories.
func LoadSizes(minors []string, dir func(minor string) string) (all Sizes, err error) {
	for _, minor := range minors {
		series, err := Load(dir(minor))
		if err != nil {
			return nil, err
		}
		all = append(all, series.Size(minor))
	}
	return all, nil
}

// Markdown returns a table of each series below a heading.
func (s Sizes) Markdown() string {
	var parts []string
	for _, size := range s {
		parts = append(parts, "## "+size.Minor+"\n\n"+size.Markdown())
	}
	return strings.Join(parts, "\n")
}

// Rows returns one row per patch and one for all of each series: minor, patch, figures, subject.
func (s Sizes) Rows() (rows [][]string) {
	for _, size := range s {
		row := func(place string, p PatchSize) {
			rows = append(rows, slices.Concat([]string{size.Minor, place}, p.Cells(), []string{p.Subject}))
		}
		for _, p := range size.Patches {
			row(strconv.Itoa(p.Patch), p)
		}
		row("all", size.Total)
	}
	return rows
}

// Cells returns the figures as a table shows them: files, code, comment, tests, generated.
func (p PatchSize) Cells() []string {
	return []string{fmt.Sprint(p.Files), p.Code.String(), fmt.Sprint(p.Code.Text), p.Tests.String(), p.Generated.String()}
}

func (l Lines) String() string { return fmt.Sprintf("+%d −%d", l.Added, l.Removed) }
