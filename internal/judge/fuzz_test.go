// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// FuzzJudge spoils recorded histories event by event, and has every judge judge them as any scenario: each answers with one of the
// three outcomes and a reason, none panics, and none needs more than the history. A change is four bytes: what is done, to which
// event, and how much.
func FuzzJudge(f *testing.F) {
	all, err := scenario.Catalogue()
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob("testdata/histories/*/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded histories: %v", err)
	}
	var histories []history.History
	for _, file := range files {
		h, err := history.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		histories = append(histories, h)
	}
	for i := range all {
		f.Add(uint16(i), uint16(len(all)), []byte{})
	}
	f.Add(uint16(0), uint16(1), []byte{0, 0, 3, 0, 1, 0, 9, 200, 2, 0, 8, 0, 3, 0, 20, 0, 4, 0, 10, 7, 5, 0, 11, 1, 6, 0, 12, 2, 7, 0, 13, 3})
	f.Fuzz(func(t *testing.T, which, as uint16, changes []byte) {
		h := histories[int(which)%len(histories)]
		s := all[int(as)%len(all)]
		if int(as) >= len(all) {
			for _, row := range all {
				if row.ID == h.Scenario {
					s = row
				}
			}
		}
		h.Scenario, h.Events = s.ID, slices.Clone(h.Events)
		for ; len(changes) >= 4 && len(h.Events) > 0; changes = changes[4:] {
			i, n := (int(changes[1])<<8|int(changes[2]))%len(h.Events), changes[3]
			e := &h.Events[i]
			switch changes[0] % 8 {
			case 0:
				h.Events = slices.Delete(h.Events, i, i+1)
			case 1:
				e.At = e.At.Add((time.Duration(n) - 128) * 200 * time.Millisecond)
			case 2:
				h.Events = append(h.Events, *e)
			case 3:
				e.Grace = nil
			case 4:
				e.Grace = history.Seconds(int64(n) - 2)
			case 5:
				e.Container, e.ContainerID = "", ""
			case 6:
				e.Error = "Canceled"
			case 7:
				if len(s.Steps) == 0 {
					continue
				}
				e.Kind, e.Reason = history.Step, s.Steps[int(n)%len(s.Steps)].Do.String()
			}
		}
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
