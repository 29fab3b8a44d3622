// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"fmt"
	"slices"

	"github.com/kgrace/kgrace/internal/tool"
)

// Column is one thing to prove about a patch.
type Column string

// The columns in order; the package comment describes what each proves.
const (
	Applies   Column = "applies"
	Builds    Column = "builds"
	Upstream  Column = "upstream"
	Without   Column = "without"
	With      Column = "with"
	Scenarios Column = "scenarios"
)

// Columns returns the columns in the order in which they are shown and filled.
func Columns() []Column { return []Column{Applies, Builds, Upstream, Without, With, Scenarios} }

// Title returns the column's heading.
func (c Column) Title() string {
	return map[Column]string{Applies: "applies", Builds: "builds", Upstream: "upstream tests pass", Without: "its tests fail without it",
		With: "its tests pass with it", Scenarios: "scenarios"}[c]
}

// ParseColumn parses a column's name; the error lists the columns.
func ParseColumn(name string) (Column, error) {
	if c := Column(name); slices.Contains(Columns(), c) {
		return c, nil
	}
	return "", tool.NewUnknown("column", name, "", Columns())
}

// Status is the result of a cell.
type Status string

// The statuses; the package comment describes their meanings.
const (
	Proved  Status = "proved"
	Red     Status = "red"
	Drop    Status = "drop"
	Nothing Status = "nothing"
	NotRun  Status = "not-run"
)

// Statuses returns the statuses, worst first.
func Statuses() []Status { return []Status{Red, NotRun, Drop, Proved, Nothing} }

// Evidence is one item that supports a cell's status: a test, a package, a scenario, a build.
type Evidence struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text,omitempty"`
}

// Cell is one column of one patch on one minor.
type Cell struct {
	Column Column `json:"column"`
	Status Status `json:"status"`
	// Why is one line.
	Why      string     `json:"why,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
	// Notes are observations that do not affect the status.
	Notes []string `json:"notes,omitempty"`
	// Seconds is how long filling it took.
	Seconds float64 `json:"seconds,omitempty"`
	// Key is the digest of all its inputs; empty if it is not run.
	Key string `json:"key,omitempty"`
}

// Settle sets the cell's status to the worst of its evidence, and Why to the matching line. A cell without evidence stays
// as it is.
func (c *Cell) Settle(proved string) {
	if len(c.Evidence) == 0 {
		return
	}
	at := func(s Status) []Evidence {
		return slices.DeleteFunc(slices.Clone(c.Evidence), func(e Evidence) bool { return e.Status != s })
	}
	for _, bad := range []Status{Red, NotRun} {
		if found := at(bad); len(found) > 0 {
			c.Status, c.Why = bad, found[0].Name+": "+found[0].Text
			if more := len(found) - 1; more > 0 {
				c.Why += fmt.Sprintf(" (and %d more)", more)
			}
			return
		}
	}
	dropped, still := at(Drop), at(Proved)
	switch {
	case len(dropped) > 0 && len(still) > 0:
		c.Status = Red
		c.Why = fmt.Sprintf("%s shows that upstream has it (%s), %s does not: half of the patch is upstream, or the first no longer detects the fault",
			dropped[0].Name, dropped[0].Text, still[0].Name)
	case len(dropped) > 0:
		c.Status, c.Why = Drop, dropped[0].Name+": "+dropped[0].Text
	case len(still) > 0:
		c.Status, c.Why = Proved, proved
	default:
		c.Status, c.Why = Nothing, c.Evidence[0].Text
	}
}

// Row is a patch on a minor.
type Row struct {
	Number   int    `json:"number"` // in the series, from 1
	Patch    string `json:"patch"`  // the file
	Subject  string `json:"subject"`
	DropWhen string `json:"dropWhen"`
	Cells    []Cell `json:"cells"`
}

// Cell returns the row's cell of a column.
func (r Row) Cell(c Column) Cell {
	for _, one := range r.Cells {
		if one.Column == c {
			return one
		}
	}
	return Cell{Column: c, Status: NotRun, Why: "not in this table"}
}

// Verdict returns the status of the row, and the reason if its cells do not make it obvious.
func (r Row) Verdict() (Status, string) {
	drop, still := "", ""
	status := Proved
	for _, c := range Columns() {
		cell := r.Cell(c)
		switch {
		case cell.Status == Red:
			return Red, c.Title() + ": " + cell.Why
		case cell.Status == NotRun:
			status = NotRun
		case cell.Status == Drop && drop == "":
			drop = c.Title() + ": " + cell.Why
		case cell.Status == Proved && (c == Without || c == Scenarios):
			still = c.Title() + ": " + cell.Why
		}
	}
	switch {
	case drop != "" && still != "":
		return Red, fmt.Sprintf("contradiction: upstream has it (%s), and stock is still at fault (%s)", drop, still)
	case status == NotRun:
		return NotRun, ""
	case drop != "":
		return Drop, r.DropWhen + " (" + drop + ")"
	}
	return Proved, ""
}

// Minor is a series with its rows.
type Minor struct {
	Minor      string `json:"minor"`
	Kubernetes string `json:"kubernetes"`
	Go         string `json:"go"`
	Rows       []Row  `json:"rows"`
}

// Table is the whole matrix.
type Table struct {
	Minors []Minor `json:"minors"`
}

// Row returns the row of a subject on a minor.
func (m Minor) Row(subject string) (Row, bool) {
	for _, r := range m.Rows {
		if r.Subject == subject {
			return r, true
		}
	}
	return Row{}, false
}

// Subjects returns the subjects of the patches of all minors, those of the longest series first, without duplicates.
func (t Table) Subjects() []string {
	longest := slices.Clone(t.Minors)
	slices.SortStableFunc(longest, func(a, b Minor) int { return len(b.Rows) - len(a.Rows) })
	var all []string
	for _, m := range longest {
		for _, r := range m.Rows {
			if !slices.Contains(all, r.Subject) {
				all = append(all, r.Subject)
			}
		}
	}
	return all
}

// Status returns the worst status of the rows: red, then not-run, then drop, then proved. An empty table is not-run.
func (t Table) Status() Status {
	counts := t.Rows()
	for _, s := range Statuses() {
		if counts[s] > 0 {
			return s
		}
	}
	return NotRun
}

// Rows counts the rows by their verdict.
func (t Table) Rows() map[Status]int {
	counts := map[Status]int{}
	for _, m := range t.Minors {
		for _, r := range m.Rows {
			s, _ := r.Verdict()
			counts[s]++
		}
	}
	return counts
}

// Cells counts the cells by their status.
func (t Table) Cells() map[Status]int {
	counts := map[Status]int{}
	for _, m := range t.Minors {
		for _, r := range m.Rows {
			for _, c := range r.Cells {
				counts[c.Status]++
			}
		}
	}
	return counts
}
