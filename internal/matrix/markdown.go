// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"fmt"
	"strings"
)

// Sign returns a status as one character, for tables.
func (s Status) Sign() string {
	return map[Status]string{Proved: "✓", Red: "✕", Drop: "↧", Nothing: "–", NotRun: "?"}[s]
}

// Word returns a status in the words of a table.
func (s Status) Word() string {
	return map[Status]string{Proved: "proved", Red: "RED", Drop: "**DROP THE PATCH**", Nothing: "nothing to prove", NotRun: "not run"}[s]
}

// Markdown returns the table as text: first patch × minor, then each minor with all columns, then the evidence for the
// cells.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("# Proof per patch and minor\n\nWritten by `make matrix`. " + t.sentence() + "\n\n")
	t.overview(&b)
	for _, m := range t.Minors {
		m.markdown(&b)
	}
	return b.String()
}

// sentence summarizes the table.
func (t Table) sentence() string {
	cells, rows := t.Cells(), t.Rows()
	total := 0
	for _, n := range cells {
		total += n
	}
	text := fmt.Sprintf("Of %d cells %d are proved, %d have nothing to prove", total, cells[Proved], cells[Nothing])
	for _, s := range []Status{Red, NotRun, Drop} {
		if cells[s] > 0 {
			text += fmt.Sprintf(", %d %s", cells[s], map[Status]string{Red: "are red", NotRun: "were not run", Drop: "show that upstream has it"}[s])
		}
	}
	if n := rows[Drop]; n > 0 {
		text += fmt.Sprintf(". **Patches to drop: %d**", n)
	}
	return text + "."
}

func (t Table) overview(b *strings.Builder) {
	b.WriteString("| patch |")
	for _, m := range t.Minors {
		b.WriteString(" " + m.Kubernetes + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(t.Minors)) + "\n")
	for _, subject := range t.Subjects() {
		b.WriteString("| " + escape(subject) + " |")
		for _, m := range t.Minors {
			text := "not in this series"
			if r, ok := m.Row(subject); ok {
				status, _ := r.Verdict()
				text = status.Sign() + " " + status.Word()
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func (m Minor) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "## %s\n\n%s, built with %s.\n\n| patch |", m.Minor, m.Kubernetes, m.Go)
	for _, c := range Columns() {
		b.WriteString(" " + c.Title() + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(Columns())) + "\n")
	for _, r := range m.Rows {
		fmt.Fprintf(b, "| %d %s |", r.Number, escape(r.Subject))
		for _, c := range Columns() {
			cell := r.Cell(c)
			text := cell.Status.Sign() + " " + cell.Status.Word()
			if cell.Status == Proved && cell.Why != "" {
				text = cell.Status.Sign() + " " + escape(cell.Why)
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, r := range m.Rows {
		r.notes(b)
	}
}

// notes writes the details that the table omits: unproved cells, and the evidence for scenarios and tests.
func (r Row) notes(b *strings.Builder) {
	var lines []string
	if status, why := r.Verdict(); status == Drop {
		lines = append(lines, "**Drop the patch**: "+why)
	} else if status == Red {
		lines = append(lines, "**Red**: "+why)
	}
	lines = append(lines, r.unproved()...)
	for _, c := range Columns() {
		cell := r.Cell(c)
		if c == Without || c == Scenarios {
			for _, e := range cell.Evidence {
				lines = append(lines, fmt.Sprintf("%s: %s `%s`: %s", c.Title(), e.Status.Sign(), e.Name, e.Text))
			}
		}
		for _, note := range cell.Notes {
			lines = append(lines, c.Title()+": "+note)
		}
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "### %d %s\n\n", r.Number, r.Subject)
	for _, line := range lines {
		b.WriteString("- " + oneLine(line) + "\n")
	}
	b.WriteString("\n")
}

// unproved describes each cell that is not proved; cells with the same reason share a line.
func (r Row) unproved() (lines []string) {
	titles := map[string][]string{}
	var order []string
	for _, c := range Columns() {
		cell := r.Cell(c)
		if cell.Status == Proved {
			continue
		}
		what := cell.Status.Word() + ", " + cell.Why
		if titles[what] == nil {
			order = append(order, what)
		}
		titles[what] = append(titles[what], c.Title())
	}
	for _, what := range order {
		lines = append(lines, strings.Join(titles[what], "; ")+": "+what)
	}
	return lines
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// escape keeps text from ending a cell of a table.
func escape(text string) string { return strings.ReplaceAll(oneLine(text), "|", `\|`) }
