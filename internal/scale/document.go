// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

//go:embed document.md.tmpl
var documentText string

var documentTemplate = template.Must(template.New("scale.md").Parse(documentText))

// Document returns the results as a document in Markdown; plot is the name of the file of the plot beside it. sim are the results
// of the sim level, which are part of the document if there are any.
func (r Results) Document(plot string, sim *SimResults) (string, error) {
	var out strings.Builder
	var refused []string
	for pods, why := range r.Refused {
		refused = append(refused, fmt.Sprintf("%4d: %s", pods, why))
	}
	slices.Sort(refused)
	for i, why := range refused {
		refused[i] = strings.TrimSpace(why[5:])
	}
	stock := int64(0)
	for _, w := range r.Waves {
		if w.Column == Stock && w.Part != ForceRunning {
			stock = w.Grace
		}
	}
	about := map[string]string{}
	if sim != nil {
		about["Date"], about["Machine"], about["Table"] = sim.Date.Format("2 January 2006"), sim.Machine.String(), markdown(sim.Table())
	}
	header, rows := r.CheckTable()
	err := documentTemplate.Execute(&out, map[string]any{
		"Date": r.Date.Format("2 January 2006"), "Machine": r.Machine, "Versions": r.Versions, "Seconds": fmt.Sprintf("%.0f", r.Seconds),
		"Plot": plot, "Grace": Grace, "StockGrace": stock, "Refused": refused,
		"Deaths": markdown(r.Table()), "Figures": markdown(r.FiguresTable()), "Work": markdown(r.WorkTable()), "Goals": markdown(header, rows), "Sim": about,
		"Notes": r.Notes,
	})
	return out.String(), err
}

// CheckTable returns the goals with their verdicts.
func (r Results) CheckTable() (header []string, rows [][]string) {
	for _, c := range r.Checks {
		part := c.Part
		if part == "" {
			part = "figures"
		}
		rows = append(rows, []string{fmt.Sprint(c.Pods), part, string(c.Column), c.Goal, c.Found, string(c.Verdict)})
	}
	return []string{"PODS", "PART", "ARM", "GOAL", "FOUND", "VERDICT"}, rows
}
