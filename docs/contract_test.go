// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
