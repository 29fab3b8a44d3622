// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/kubelet/metrics"
)

// metricLabels maps metrics that rules may query to their exporters' labels.
type metricLabels map[string][]string

// checkRules returns the faults of a file of Prometheus rules, parsed as promtool parses it.
func checkRules(data []byte, known metricLabels) (faults []string) {
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

func (m metricLabels) check(selectors []*labels.Matcher) (faults []string) {
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

// exported returns the metrics of the rules. One is as the kubelet of the default minor exports it. The other is
// kube-state-metrics', with the labels from its documentation (docs/metrics/workload/pod-metrics.md).
func exported(t *testing.T) metricLabels {
	t.Helper()
	metrics.Register()
	metrics.WorkingPodCount.WithLabelValues("terminating", "orphan", "").Set(1)
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := metricLabels{"kube_pod_deletion_timestamp": {"namespace", "pod", "uid"}}
	for _, f := range families {
		if f.GetName() != "kubelet_working_pods" {
			continue
		}
		for _, m := range f.GetMetric() {
			if labelValue(m, "lifecycle") == "terminating" && labelValue(m, "config") == "orphan" {
				for _, l := range m.GetLabel() {
					known[f.GetName()] = append(known[f.GetName()], l.GetName())
				}
			}
		}
	}
	return known
}

func labelValue(m *dto.Metric, label string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == label {
			return l.GetValue()
		}
	}
	return ""
}

func TestRules(t *testing.T) {
	metrics := exported(t)
	checkSpoiled(t, "ci/check/rules.yaml", func(data []byte, _ callable) []string { return checkRules(data, metrics) }, []spoiled{
		{"> 0", "> > 0", "parse error"},
		{"kubelet_working_pods{", "kubelet_working_pod{", "kubelet_working_pod"},
		{`lifecycle="terminating"`, `life="terminating"`, "has no label life"},
		{"for: 1m", "for: one", "not a valid duration"},
		{"for: 1m", "form: 1m", "form not found"},
		{"        for: 1m\n", "", "want for"},
		{"severity: warning", "level: warning", "a severity"},
		{"{{ $value }}", "{{ $valu }}", "undefined variable"},
		{"PodOutlivesDeletionTimestamp", "KubeletOrphanedTerminatingPods", "a unique name"},
	})
	if faults := checkRules([]byte("groups: []\n"), metrics); len(faults) != 1 || !strings.Contains(faults[0], "no rules") {
		t.Errorf("%q", faults)
	}
}
