// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/verdict"
)

// fact is a name with its value.
type fact struct{ Name, Value string }

// overview is what a reader must know of a run before its verdicts: when, where and of what it was made.
type overview struct {
	Name, About string
	Facts       []fact
}

func newOverview(run result.Run, name string) overview {
	v := overview{Name: name, About: times[run.Level]}
	add := func(name, value string) {
		if value != "" {
			v.Facts = append(v.Facts, fact{name, value})
		}
	}
	o := run.Origin
	if o == nil {
		o = &result.Origin{}
	}
	switch {
	case !o.Began.IsZero():
		add("date", o.Began.UTC().Format("2006-01-02 15:04 MST"))
	case run.Seconds == 0:
		add("date", "not recorded: kept histories, judged again")
	default:
		add("date", "not recorded")
	}
	if run.Seconds > 0 {
		add("took", fmt.Sprintf("%.0f s", run.Seconds))
	}
	add("machine", o.Machine)
	kubernetes := run.Minor
	if o.Kubernetes != "" {
		kubernetes = o.Kubernetes
	}
	if o.Go != "" {
		kubernetes += ", built with " + o.Go
	}
	add("Kubernetes", kubernetes)
	v.Facts = append(v.Facts, versionFacts(run)...)
	add("series", o.Series)
	add("commit", o.Commit)
	for _, skip := range run.Skipped {
		add("skipped", skip.Scenario+": "+skip.Why)
	}
	return v
}

// versionFacts returns the programs of a run, each with its versions on each arm.
func versionFacts(run result.Run) []fact {
	versions := map[string]map[verdict.Arm][]string{}
	for key, h := range run.Histories {
		for program, version := range h.Versions {
			if versions[program] == nil {
				versions[program] = map[verdict.Arm][]string{}
			}
			versions[program][key.Arm] = append(versions[program][key.Arm], version)
		}
	}
	var facts []fact
	for _, program := range slices.Sorted(maps.Keys(versions)) {
		var each []string
		for _, arm := range verdict.Arms() {
			if all := slices.Compact(slices.Sorted(slices.Values(versions[program][arm]))); len(all) > 0 {
				each = append(each, strings.Join(all, ", "))
			}
		}
		value := each[0]
		if same := slices.Compact(each); len(same) > 1 {
			value = strings.Join(same, " against ")
		}
		facts = append(facts, fact{program, value})
	}
	return facts
}
