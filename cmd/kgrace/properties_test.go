// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestPropertiesAndMutantsRefuseUnknownNames(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"properties", "--arm", "left"}, "known: stock, fixed"},
		{[]string{"properties", "--runtime", "docker"}, "known: containerd, crio"},
		{[]string{"properties", "--kubernetes", "v1.2"}, "versions.yaml knows"},
		{[]string{"properties", "--kubernetes", "v1.22"}, "the suite of v1.22 has no random scenarios"},
		{[]string{"properties", "--histories", "0"}, "at least 1"},
		{[]string{"properties", "--kind", "slow"}, "known: requests, unhurried"},
		{[]string{"properties", "--output", "xml"}, "table"},
		{[]string{"mutants", "round-up"}, "round-down"},
		{[]string{"mutants", "--level", "kind"}, "known: sim, node"},
		{[]string{"mutants", "--level", "node", "round-down"}, "none of these mutants names a scenario of level node"},
	} {
		var output, errs bytes.Buffer
		code := run(t.Context(), c.args, &output, &errs)
		if code != verdict.ExitUsage || output.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output.String(), errs.String(), verdict.ExitUsage, c.want)
		}
	}
}

func TestMutantsAreListed(t *testing.T) {
	var output, errs bytes.Buffer
	if code := run(t.Context(), []string{"mutants", "--list"}, &output, &errs); code != verdict.ExitGood {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	for _, m := range mutant.All() {
		if !strings.Contains(output.String(), m.Name) {
			t.Errorf("%s is not listed", m.Name)
		}
	}
}
