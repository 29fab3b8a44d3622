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

package docs

import (
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/scenario"
)

func TestEveryRuleHasItsText(t *testing.T) {
	for _, rule := range scenario.Rules() {
		if text := Rule(string(rule)); len(text) < 40 || strings.HasPrefix(text, "|") {
			t.Errorf("%s: %q", rule, text)
		}
	}
	if got := Rule("R1"); !strings.HasPrefix(got, "A terminating pod has one deadline") || !strings.HasSuffix(got, "as Kubernetes documents.") {
		t.Errorf("R1: %q", got)
	}
	if got := Rule("R99"); got != "" {
		t.Errorf("R99: %q", got)
	}
}
