// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/kgrace/kgrace/internal/scenario"
)

// listed is one line of `kgrace regress --list`.
type listed struct {
	Scenario string          `json:"scenario"`
	Family   string          `json:"family"`
	Rules    []scenario.Rule `json:"rules"`
	Fixed    string          `json:"fixed"`
	Stock    string          `json:"stock"`
	// Skipped is the reason why the minor cannot run it.
	Skipped string `json:"skipped,omitempty"`
}

// printList prints the scenarios that the command line selects, and runs nothing. It needs a checkout only for a minor's name.
func (q *regression) printList(app *app) error {
	if q.minor != "" && q.minor != everyMinor {
		if _, _, err := app.seriesOf(q.minor); err != nil {
			return err
		}
	}
	level := scenario.Level(q.level)
	rows, err := scenario.Pick(q.catalogue, level, q.ids...)
	if err != nil {
		return usage(err)
	}
	all, table := []listed{}, [][]string{}
	for _, s := range rows {
		s = s.At(level)
		one := listed{Scenario: s.ID, Family: s.Family, Fixed: s.Fixed, Stock: s.Stock}
		if q.minor != everyMinor {
			one.Skipped = s.SkipReason(q.minor)
		}
		for _, e := range s.Expect {
			one.Rules = append(one.Rules, e.Rule)
		}
		all = append(all, one)
		what := s.Fixed
		if one.Skipped != "" {
			what = "not run: " + one.Skipped
		}
		table = append(table, []string{s.ID, s.Family, strings.Join(texts(one.Rules), ","), what})
	}
	return q.out.write(app.output, all, []string{"SCENARIO", "FAMILY", "RULES", "ON FIXED"}, table)
}
