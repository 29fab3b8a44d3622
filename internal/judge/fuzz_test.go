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

package judge

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// FuzzJudge gives every judge any history that can be read, whole or not: each answers with one of the three outcomes and a
// reason, and none panics. The scenario is the one that the history names, or the one of the same number.
func FuzzJudge(f *testing.F) {
	all, err := scenario.Catalogue()
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob("testdata/histories/fixed/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded histories: %v", err)
	}
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, i)
	}
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		h, err := history.Read(bytes.NewReader(data), "fuzzed")
		if err != nil {
			return
		}
		s := all[uint(n)%uint(len(all))]
		for _, row := range all {
			if row.ID == h.Scenario {
				s = row
			}
		}
		h.Scenario = s.ID
		for _, rule := range scenario.Rules() {
			switch found := Judge(rule, h, s); {
			case found.Outcome != scenario.Held && found.Outcome != scenario.Broken && found.Outcome != scenario.Invalid:
				t.Errorf("%s of %s: outcome %q", rule, s.ID, found.Outcome)
			case found.Why == "":
				t.Errorf("%s of %s: %s without a reason", rule, s.ID, found.Outcome)
			}
		}
		Measure(h, s)
	})
}
