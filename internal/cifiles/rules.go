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

package cifiles

import (
	"fmt"
	"maps"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Metrics maps metrics that rules may query to their exporters' labels.
type Metrics map[string][]string

// CheckRules returns the faults of a file of Prometheus rules, parsed as promtool parses it.
func CheckRules(data []byte, known Metrics) (faults []string) {
	groups, errs := rulefmt.Parse(data, false, model.LegacyValidation)
	for _, err := range errs {
		faults = append(faults, err.Error())
	}
	if len(errs) > 0 {
		return faults
	}
	seen := map[string]bool{}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			refuse := func(format string, args ...any) {
				faults = append(faults, fmt.Sprintf("%s: "+format, append([]any{r.Alert}, args...)...))
			}
			if r.Alert == "" || seen[r.Alert] {
				refuse("want an alert with a unique name")
			}
			seen[r.Alert] = true
			if r.For == 0 || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				refuse("want for, a severity, a summary and a description")
			}
			expr, err := parser.ParseExpr(r.Expr)
			if err != nil {
				refuse("%v", err)
				continue
			}
			for _, selectors := range parser.ExtractSelectors(expr) {
				for _, f := range known.check(selectors) {
					refuse("%s", f)
				}
			}
		}
	}
	if len(seen) == 0 {
		faults = append(faults, "no rules")
	}
	return faults
}

func (m Metrics) check(selectors []*labels.Matcher) (faults []string) {
	name := ""
	for _, s := range selectors {
		if s.Name == model.MetricNameLabel {
			name = s.Value
		}
	}
	has, ok := m[name]
	if !ok {
		return []string{fmt.Sprintf("queries %q; known are %v", name, slices.Sorted(maps.Keys(m)))}
	}
	for _, s := range selectors {
		if s.Name != model.MetricNameLabel && !slices.Contains(has, s.Name) {
			faults = append(faults, fmt.Sprintf("%s has no label %s; it has %v", name, s.Name, has))
		}
	}
	return faults
}
