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

package report

import (
	"bytes"
	_ "embed" // the page's template and styles
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
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

// page is what the template shows.
type page struct {
	Style    template.CSS
	Title    string
	Status   verdict.Status
	Sentence string
	Medians  []medians
	Counts   []chip
	Facts    []fact
	Notes    []string
	Columns  []column
	Rows     []row
	Sections []section
	// Matrix says that the proof per patch and minor lies beside this page.
	Matrix bool
}

// Files of the proof per patch and minor in the artifacts folder.
const (
	MatrixFile = "matrix.json"
	MatrixPage = "matrix.html"
)

// column is one run in the matrix: a column for each of its arms.
type column struct {
	Name string
	Arms []verdict.Arm
}

// writePage writes runs as one HTML page that needs nothing from anywhere else. The same runs give the same bytes. A result of a
// scenario that the catalogue does not have is refused.
func writePage(w io.Writer, runs []result.Run, catalogue []scenario.Scenario, withMatrix bool) error {
	if len(runs) == 0 {
		return fmt.Errorf("report: no run to show")
	}
	shown, err := order(catalogue, runs)
	if err != nil {
		return err
	}
	p := page{Style: template.CSS(palette + style), Title: "kgrace: stock against fixed", Status: worst(runs), Matrix: withMatrix}
	p.summarize(runs)
	for _, run := range runs {
		p.Columns = append(p.Columns, column{columnName(run, runs), run.Arms})
	}
	for _, s := range shown {
		p.Rows = append(p.Rows, matrixRow(s, runs))
		p.Sections = append(p.Sections, newSection(s, runs))
	}
	return pageTemplate.Execute(w, p)
}

// WriteArtifacts reads the runs kept in a folder and writes their page beside them, or to file where one is given. It
// returns the path of the page.
func WriteArtifacts(dir, file string) (string, error) {
	runs, err := result.ReadArtifacts(dir)
	if err != nil {
		return "", err
	}
	if file == "" {
		file = filepath.Join(dir, result.PageFile)
	}
	return file, WriteFile(file, runs)
}

// WriteFile writes the page of these runs to a file, whole or not at all.
func WriteFile(path string, runs []result.Run) error {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return err
	}
	return writeFile(path, runs, catalogue)
}

func writeFile(path string, runs []result.Run, catalogue []scenario.Scenario) error {
	var page bytes.Buffer
	if err := writePage(&page, runs, catalogue, exists(filepath.Join(filepath.Dir(path), MatrixPage))); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", page.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// order returns the scenarios that the runs ran, in the order of the catalogue.
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

// columnName is the name of a run, with its minor where the runs are of several.
func columnName(run result.Run, runs []result.Run) string {
	several := slices.ContainsFunc(runs, func(other result.Run) bool { return other.Minor != run.Minor })
	if several && !strings.Contains(run.Name, run.Minor) {
		return run.Name + " " + run.Minor
	}
	return run.Name
}

// worst is the status of all runs together.
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
