// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	_ "embed" // the page's template and styles
	"fmt"
	"html/template"
	"io"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/verdict"
)

var (
	//go:embed matrix.html.tmpl
	matrixText string
	//go:embed matrix.css
	matrixStyle string

	matrixTemplate = template.Must(template.New("matrix").Parse(matrixText))
)

// matrixView is the data for the template.
type matrixView struct {
	Style    template.CSS
	Status   verdict.Status
	Sentence string
	Counts   []chip
	// Drops and Faults are notes that a reader must not miss.
	Drops, Faults []matrixNote
	Minors        []matrixMinor
	Overview      []matrixLine
	// Report links to the page of the scenarios in the same directory.
	Report bool
}

type matrixNote struct{ Href, Name, Text string }

type matrixMinor struct {
	matrix.Minor
	Columns []matrix.Column
	Lines   []matrixLine
}

// matrixLine is a row of a table: a patch, and its cells by minor or by column.
type matrixLine struct {
	ID, Name string
	Number   int
	Cells    []matrixCell
	// Verdict, Why and DropWhen are set for a patch on one minor.
	Verdict  chip
	Why      string
	DropWhen string
	File     string
}

type matrixCell struct {
	chip
	Href, Title string
	// None is the reason why there is no such patch.
	None string
	matrix.Cell
	Evidence []matrixEvidence
}

type matrixEvidence struct {
	chip
	Name, Text string
}

// statusChip shows a status as a sign, a word and a colour in the style of the page.
func statusChip(s matrix.Status) chip {
	class := map[matrix.Status]string{matrix.Proved: "fixed", matrix.Red: "red", matrix.Drop: "drop", matrix.Nothing: "kept", matrix.NotRun: "invalid"}[s]
	word := map[matrix.Status]string{matrix.Proved: "proved", matrix.Red: "red", matrix.Drop: "drop the patch", matrix.Nothing: "nothing to prove", matrix.NotRun: "not run"}[s]
	return chip{Class: class, Sign: s.Sign(), Word: word}
}

// Matrix writes a table as one self-contained HTML page in the style of the report. withReport adds a link to the report. The
// output is deterministic.
func Matrix(w io.Writer, t matrix.Table, withReport bool) error {
	if len(t.Minors) == 0 {
		return fmt.Errorf("report: a matrix without a minor")
	}
	v := matrixView{Style: template.CSS(palette + style + matrixStyle), Report: withReport}
	v.summarize(t)
	for _, m := range t.Minors {
		v.Minors = append(v.Minors, newMatrixMinor(m))
	}
	for _, subject := range t.Subjects() {
		v.Overview = append(v.Overview, overviewLine(subject, t))
	}
	return matrixTemplate.Execute(w, v)
}

func (v *matrixView) summarize(t matrix.Table) {
	for _, m := range t.Minors {
		for _, r := range m.Rows {
			status, why := r.Verdict()
			note := matrixNote{Href: "#" + rowID(m, r), Name: fmt.Sprintf("%s, patch %d: %s", m.Minor, r.Number, r.Subject), Text: why}
			switch status {
			case matrix.Drop:
				v.Drops = append(v.Drops, note)
			case matrix.Red:
				v.Faults = append(v.Faults, note)
			}
		}
	}
	cells := t.Cells()
	for _, s := range []matrix.Status{matrix.Proved, matrix.Drop, matrix.Red, matrix.NotRun, matrix.Nothing} {
		if cells[s] > 0 {
			one := statusChip(s)
			one.N = cells[s]
			v.Counts = append(v.Counts, one)
		}
	}
	switch t.Status() {
	case matrix.Red:
		v.Status, v.Sentence = verdict.StatusRed, "At least one patch is not as expected; it is listed below."
	case matrix.NotRun:
		v.Status, v.Sentence = verdict.StatusInvalid, "Nothing is red, but the table is incomplete: some cells were not run."
	case matrix.Drop:
		v.Status, v.Sentence = verdict.StatusGood, "Every patch is proved on every minor, except those that upstream already has: drop them."
	default:
		v.Status, v.Sentence = verdict.StatusGood, "Every patch is proved on every minor: it applies, it builds, the tests pass, and what it fixes is broken without it."
	}
}

func newMatrixMinor(m matrix.Minor) matrixMinor {
	v := matrixMinor{Minor: m, Columns: matrix.Columns()}
	for _, r := range m.Rows {
		status, why := r.Verdict()
		line := matrixLine{ID: rowID(m, r), Name: r.Subject, Number: r.Number, Verdict: statusChip(status), Why: why, DropWhen: r.DropWhen, File: r.Patch}
		for _, c := range matrix.Columns() {
			cell := r.Cell(c)
			shown := matrixCell{chip: statusChip(cell.Status), Href: "#" + rowID(m, r), Title: c.Title(), Cell: cell}
			for _, e := range cell.Evidence {
				shown.Evidence = append(shown.Evidence, matrixEvidence{statusChip(e.Status), e.Name, e.Text})
			}
			line.Cells = append(line.Cells, shown)
		}
		v.Lines = append(v.Lines, line)
	}
	return v
}

func overviewLine(subject string, t matrix.Table) matrixLine {
	line := matrixLine{Name: subject}
	for _, m := range t.Minors {
		r, ok := m.Row(subject)
		if !ok {
			line.Cells = append(line.Cells, matrixCell{None: m.Minor + " has no such patch"})
			continue
		}
		status, _ := r.Verdict()
		line.Cells = append(line.Cells, matrixCell{chip: statusChip(status), Href: "#" + rowID(m, r)})
	}
	return line
}

// rowID returns the anchor of a patch on a minor.
func rowID(m matrix.Minor, r matrix.Row) string { return fmt.Sprintf("%s-%d", m.Minor, r.Number) }

// WriteMatrix writes a table into the artifacts directory: as JSON, as Markdown and as a page.
func WriteMatrix(dir string, t matrix.Table) error {
	if err := matrix.WriteJSON(filepath.Join(dir, MatrixFile), t); err != nil {
		return err
	}
	if err := matrix.WriteFile(filepath.Join(dir, "matrix.md"), []byte(t.Markdown())); err != nil {
		return err
	}
	if err := writeMatrixPage(dir, t); err != nil || !exists(filepath.Join(dir, result.PageFile)) {
		return err
	}
	// Write the page of the scenarios again, so that it links to the matrix.
	_, err := WriteArtifacts(dir, "", func() ([]string, error) { return nil, nil })
	return err
}

// writeMatrixPage writes the page of a table into the artifacts directory, atomically.
func writeMatrixPage(dir string, t matrix.Table) error {
	var page bytes.Buffer
	if err := Matrix(&page, t, exists(filepath.Join(dir, result.PageFile))); err != nil {
		return err
	}
	return matrix.WriteFile(filepath.Join(dir, MatrixPage), page.Bytes())
}
