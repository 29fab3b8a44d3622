// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"strings"
)

// Table returns the results as one table: a row for each number of pods, part and column. The cells of a row that were not
// measured are "–".
func (r Results) Table() (header []string, rows [][]string) {
	for _, w := range r.Waves {
		rows = append(rows, r.row(w))
	}
	return []string{"PODS", "ASKED", "ENDED BY", "FIRST DEAD", "MEDIAN", "LAST", "× RUNTIME ALONE", "CLIENT", "KILL ASKED", "READ", "STOP CALL"}, rows
}

func (r Results) row(w Wave) []string {
	seconds := func(at float64, ok bool) string {
		if !ok {
			return "–"
		}
		return fmt.Sprintf("%.2f s", at)
	}
	ratio, asked, client := "–", "–", fmt.Sprintf("%.2f s", w.Client())
	last, ok := w.Last()
	if alone, found := r.Wave(w.Pods, Alone, w.Part); found && ok && w.Column != Alone {
		if measure, ok := alone.Last(); ok {
			ratio = fmt.Sprintf("%.2f", last/measure)
		}
	}
	if w.Asked != nil {
		asked = fmt.Sprintf("%.2f s, timeout %d", w.Asked.After, w.Asked.Timeout)
	}
	read, at := w.LastRead()
	stop := "–"
	if w.Acted != nil && w.Acted.After != nil {
		stop = fmt.Sprintf("%.2f s later", *w.Acted.After)
	}
	return []string{fmt.Sprint(w.Pods), about(w), string(w.Column), seconds(w.First()), seconds(w.Median()), seconds(last, ok), ratio, client, asked, seconds(read, at), stop}
}

// about returns what is asked in a wave.
func about(w Wave) string {
	for _, p := range Parts(w.Grace) {
		if p.ID == w.Part {
			return p.About
		}
	}
	return w.Part
}

// FiguresTable returns the kubelets' figures: a row for each number of pods and state.
func (r Results) FiguresTable() (header []string, rows [][]string) {
	for _, pods := range r.Pods {
		for _, state := range []State{Empty, Running, Terminating, Hurried, Left} {
			stock, fixed := r.Of(pods, Stock, state), r.Of(pods, Fixed, state)
			if len(stock)+len(fixed) == 0 {
				continue
			}
			row := []string{fmt.Sprint(pods), string(state)}
			for i, f := range figures {
				if i == 2 && state != Running {
					row = append(row, "–", "–")
					continue
				}
				row = append(row, f.cell(stock), f.cell(fixed))
			}
			rows = append(rows, row)
		}
	}
	return []string{"PODS", "STATE", "GOROUTINES STOCK", "FIXED", "MEMORY STOCK", "FIXED", "CPU STOCK", "FIXED"}, rows
}

func (f figure) cell(all []Sample) string {
	if len(all) == 0 {
		return "–"
	}
	format := map[string]string{"goroutines": "%.0f", "memory in MB": "%.0f MB", "CPU seconds in a second": "%.3f"}[f.name]
	return fmt.Sprintf(format, median(values(all, f)))
}

// WorkTable returns what CPU time the kubelets spent on the end of a pod: that of a whole part, less what they spend at rest in
// the same time, for each pod.
func (r Results) WorkTable() (header []string, rows [][]string) {
	for _, pods := range r.Pods {
		for _, part := range Parts(Grace) {
			row := []string{fmt.Sprint(pods), part.ID}
			for _, column := range []Column{Stock, Fixed} {
				cell := "–"
				if work, ok := r.work(pods, column, part.ID); ok {
					cell = fmt.Sprintf("%.0f ms", work*1000)
				}
				row = append(row, cell)
			}
			rows = append(rows, row)
		}
	}
	return []string{"PODS", "PART", "CPU A POD, STOCK", "FIXED"}, rows
}

func (r Results) work(pods int, column Column, part string) (seconds float64, ok bool) {
	rest := r.Of(pods, column, Running)
	if len(rest) == 0 {
		return 0, false
	}
	idle := median(values(rest, figures[2]))
	for _, s := range r.Of(pods, column, Ended) {
		if s.Part == part {
			return (s.CPU - idle*s.Seconds) / float64(pods), true
		}
	}
	return 0, false
}

// markdown formats a table for a document.
func markdown(header []string, rows [][]string) string {
	var out strings.Builder
	line := func(cells []string) { fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | ")) }
	lower := make([]string, len(header))
	rule := make([]string, len(header))
	for i, h := range header {
		lower[i], rule[i] = strings.ToLower(h), "---"
	}
	line(lower)
	line(rule)
	for _, row := range rows {
		line(row)
	}
	return out.String()
}
