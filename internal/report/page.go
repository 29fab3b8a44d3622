// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	_ "embed" // the page's template and styles
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed palette.css
	palette string
	//go:embed page.css
	style string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// page is the data for the template.
type page struct {
	Style    template.CSS
	Title    string
	Status   verdict.Status
	Sentence string
	// Expected and Unexpected count the cells of the matrix by verdict, Cells counts all of them. Judged counts the verdicts on
	// rules, as the table of the command does.
	Expected, Unexpected []chip
	Cells                int
	Judged               string
	Medians              []medians
	Runs                 []overview
	Faults, Seconds      []note
	Filter               []choice
	Columns              []column
	Rows                 []row
	// Odd means that a row is kept although its times differ.
	Odd      bool
	Sections []section
	Rules    []ruleText
	// Matrix links to the proof per patch and minor in the same directory.
	Matrix bool
}

// Files of the proof per patch and minor in the artifacts directory.
const (
	MatrixFile = "matrix.json"
	MatrixPage = "matrix.html"
)

// column is one run in the matrix, with a column for each of its arms.
type column struct {
	Name, About string
	Arms        []columnArm
}

// columnArm is a column of cells, with their number by verdict.
type columnArm struct {
	Arm    verdict.Arm
	Counts []chip
}

func newColumn(run result.Run, name string) column {
	c := column{Name: name, About: times[run.Level]}
	for _, arm := range run.Arms {
		expected, not := counted(run.Leads(arm))
		c.Arms = append(c.Arms, columnArm{arm, slices.Concat(not, expected)})
	}
	return c
}

// site is where the page will be: link returns the address of a file of the artifacts, matrix says that the proof per patch and
// minor is beside it.
type site struct {
	link   func(path string) string
	matrix bool
}

// siteOf returns the site of a page at a path.
func siteOf(path string) site {
	dir := filepath.Dir(path)
	return site{matrix: exists(filepath.Join(dir, MatrixPage)), link: func(file string) string {
		from, err := filepath.Abs(dir)
		to, broken := filepath.Abs(file)
		if err != nil || broken != nil {
			return ""
		}
		if to, err = filepath.Rel(from, to); err != nil {
			return ""
		}
		return (&url.URL{Path: filepath.ToSlash(to)}).String()
	}}
}

// writePage writes runs as one self-contained HTML page. The output is deterministic. A result of a scenario that is not in the
// catalogue is an error.
func writePage(w io.Writer, runs []result.Run, catalogue []scenario.Scenario, at site) error {
	if len(runs) == 0 {
		return fmt.Errorf("report: no run to show")
	}
	shown, err := order(catalogue, runs)
	if err != nil {
		return err
	}
	p := page{Title: "kgrace: stock against fixed", Status: worst(runs), Matrix: at.matrix}
	p.summarize(runs)
	for _, run := range runs {
		p.Columns = append(p.Columns, newColumn(run, columnName(run, runs)))
	}
	var parts []filtered
	ruled := map[scenario.Rule]bool{}
	for _, s := range shown {
		part := filterOf(s, runs)
		parts = append(parts, part)
		for _, rule := range strings.Fields(part.Rules) {
			ruled[scenario.Rule(rule)] = true
		}
		r := matrixRow(s, runs)
		r.filtered, p.Odd = part, p.Odd || r.odd()
		p.Rows = append(p.Rows, r)
		sec := newSection(s, runs, at)
		sec.filtered = part
		p.Sections = append(p.Sections, sec)
		for i := range p.Faults {
			if p.Faults[i].scenario == s.ID {
				p.Faults[i].filtered = part
			}
		}
	}
	for _, rule := range scenario.Rules() {
		if ruled[rule] {
			p.Rules = append(p.Rules, newRuleText(rule))
		}
	}
	p.Filter = newFilter(parts)
	p.Style = template.CSS(palette+style) + filterStyle(p.Filter)
	return pageTemplate.Execute(w, p)
}

// WriteArtifacts reads the runs in a directory and writes their page there, or to file if it is given. It returns the path of
// the page. Histories without results are judged; known returns the minors that they may be of.
func WriteArtifacts(dir, file string, known func() ([]string, error)) (string, error) {
	runs, err := result.ReadArtifacts(dir)
	if errors.Is(err, os.ErrNotExist) {
		runs, err = rejudged(dir, known, err)
	}
	if err != nil {
		return "", err
	}
	if file == "" {
		file = filepath.Join(dir, result.PageFile)
	}
	return file, WriteFile(file, runs)
}

// rejudged judges the histories in a directory. missing is the error if there are none.
func rejudged(dir string, known func() ([]string, error), missing error) ([]result.Run, error) {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return nil, err
	}
	minors, err := known()
	if err != nil {
		return nil, err
	}
	results, err := result.Rejudge(dir, catalogue, minors)
	if errors.Is(err, os.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	run, err := result.NewRun(string(results.Level), results, dir)
	return []result.Run{run}, err
}

// WriteFile writes the page of these runs to a file, atomically.
func WriteFile(path string, runs []result.Run) error {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return err
	}
	return writeFile(path, runs, catalogue)
}

func writeFile(path string, runs []result.Run, catalogue []scenario.Scenario) error {
	var page bytes.Buffer
	if err := writePage(&page, runs, catalogue, siteOf(path)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return tool.WriteFile(path, page.Bytes(), 0o644)
}

// order returns the scenarios of the runs in the order of the catalogue.
func order(catalogue []scenario.Scenario, runs []result.Run) ([]scenario.Scenario, error) {
	var shown []scenario.Scenario
	known := map[string]bool{}
	for _, s := range catalogue {
		known[s.ID] = true
		if slices.ContainsFunc(runs, func(r result.Run) bool { return slices.Contains(r.Scenarios, s.ID) }) {
			shown = append(shown, s)
		}
	}
	for _, run := range runs {
		for _, id := range run.Scenarios {
			if !known[id] {
				return nil, fmt.Errorf("report: the results of %s are of an unknown scenario %q; known: %s", run.Name, id,
					strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			}
		}
	}
	return shown, nil
}

// columnName returns the name of a run, with its minor if the runs are of several minors.
func columnName(run result.Run, runs []result.Run) string {
	several := slices.ContainsFunc(runs, func(other result.Run) bool { return other.Minor != run.Minor })
	if several && !strings.Contains(run.Name, run.Minor) {
		return run.Name + " " + run.Minor
	}
	return run.Name
}

// worst returns the combined status of all runs.
func worst(runs []result.Run) verdict.Status {
	status := verdict.StatusGood
	for _, run := range runs {
		switch run.Status() {
		case verdict.StatusRed:
			return verdict.StatusRed
		case verdict.StatusInvalid:
			status = verdict.StatusInvalid
		}
	}
	return status
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
