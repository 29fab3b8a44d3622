// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRuntimesAsInRisks compares the releases of this package with the table for the pull request.
func TestRuntimesAsInRisks(t *testing.T) {
	data, err := os.ReadFile("../../../docs/upstream/risks.md")
	if err != nil {
		t.Fatal(err)
	}
	says := map[string]string{"one loop takes": "", "without the guard": mayPanic, "waits for the first": waitsForFirst, "returns success": stopsEarly}
	but := regexp.MustCompile(` but [0-9.]+`)
	release := regexp.MustCompile(`\b1(?:\.[0-9]+){1,2}\b`)
	checked := 0
	for _, line := range strings.Split(string(data), "\n") {
		row := strings.Split(line, "|")
		if len(row) < 4 || !strings.HasPrefix(strings.TrimSpace(row[1]), "CRI-O ") {
			continue
		}
		want, known := "", false
		for text, class := range says {
			if strings.Contains(row[2], text) {
				want, known = class, true
			}
		}
		if !known {
			t.Errorf("risks.md says of a release what this test does not know: %s", line)
		}
		for _, v := range release.FindAllString(but.ReplaceAllString(row[1], ""), -1) {
			if strings.Count(v, ".") == 1 {
				v += ".0"
			}
			checked++
			if hint := runtimeHint("cri-o://" + v); (hint == "") != (want == "") || !strings.Contains(hint, want) {
				t.Errorf("CRI-O %s: %q, risks.md says %q", v, hint, strings.TrimSpace(row[2]))
			}
		}
	}
	if checked < 15 {
		t.Errorf("found %d releases in risks.md", checked)
	}
}
