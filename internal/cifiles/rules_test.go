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
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/kubelet/metrics"
)

// exported returns the metrics of the rules. One is as the kubelet of the default minor exports it. The other is
// kube-state-metrics', with the labels from its documentation (docs/metrics/workload/pod-metrics.md).
func exported(t *testing.T) Metrics {
	t.Helper()
	metrics.Register()
	metrics.WorkingPodCount.WithLabelValues("terminating", "orphan", "").Set(1)
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := Metrics{"kube_pod_deletion_timestamp": {"namespace", "pod", "uid"}}
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
	checkSpoiled(t, "ci/check/rules.yaml", func(data []byte, _ Known) []string { return CheckRules(data, metrics) }, []spoiled{
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
	if faults := CheckRules([]byte("groups: []\n"), metrics); len(faults) != 1 || !strings.Contains(faults[0], "no rules") {
		t.Errorf("%q", faults)
	}
}
