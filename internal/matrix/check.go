// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import "fmt"

// Outcome summarizes the wanted part of a table, each list in lines for people.
type Outcome struct {
	Red, NotRun, Drop []string
	// Wanted is the number of cells requested.
	Wanted int
}

// Outcome summarizes the wanted cells (nil: all), and the rows that they complete.
func (t Table) Outcome(wanted func(minor string, number int, c Column) bool) Outcome {
	var o Outcome
	for _, m := range t.Minors {
		for _, r := range m.Rows {
			name := fmt.Sprintf("%s patch %d", m.Minor, r.Number)
			any, red := false, false
			for _, cell := range r.Cells {
				if wanted != nil && !wanted(m.Minor, r.Number, cell.Column) {
					continue
				}
				any = true
				o.Wanted++
				switch cell.Status {
				case Red:
					red = true
					o.Red = append(o.Red, fmt.Sprintf("%s, %s: %s", name, cell.Column.Title(), cell.Why))
				case NotRun:
					o.NotRun = append(o.NotRun, fmt.Sprintf("%s, %s: %s", name, cell.Column.Title(), cell.Why))
				}
			}
			if !any {
				continue
			}
			switch status, why := r.Verdict(); {
			case status == Drop:
				o.Drop = append(o.Drop, fmt.Sprintf("%s, %s: %s", name, r.Subject, why))
			case status == Red && !red:
				o.Red = append(o.Red, name+", "+why)
			}
		}
	}
	return o
}
