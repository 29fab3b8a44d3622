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
