// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/scenario"
)

// Histories recorded on a real node whose processes were stopped for a while (SIGSTOP): the kubelet, the kubelet and the
// control, containerd, and pairs of these. All are of force-while-terminating on the fixed kubelet, which by itself holds every
// rule. The judges tell the causes apart, and only a late kubelet turns red.
func TestRecordedLateness(t *testing.T) {
	s := row(t, "force-while-terminating")
	for _, c := range []struct {
		file string // testdata/late
		want scenario.Outcome
		why  string
	}{
		{"kubelet", broken_, "of which the machine explains 0."},                // stopped from 2.5 to 8 s
		{"machine", none, "but the control or the runtime was delayed"},         // kubelet and control, from 2.5 to 8 s
		{"runtime", held_, "; runtime late by 4.1 s"},                           // from 2.7 to 7 s
		{"runtime-and-kubelet", broken_, "of which the machine explains 3.7 s"}, // 2.5 to 11 s, and 2.5 to 7.5 s
		{"runtime-and-machine", none, "but the control or the runtime was delayed"},
	} {
		h := readRecorded(t, filepath.Join("late", c.file+".jsonl"))
		for _, want := range s.At(scenario.LevelNode).Expect {
			found := Judge(want.Rule, h, s)
			if found.Outcome != c.want || want.Rule != scenario.Prompt && !strings.Contains(found.Why, c.why) {
				t.Errorf("%s: %s %s: %s\nwant %s with %q", c.file, want.Rule, found.Outcome, found.Why, c.want, c.why)
			}
			if found.RuntimeLate > 0 != (c.file == "runtime" && want.Rule != scenario.Prompt) {
				t.Errorf("%s: %s is excused by a runtime that was %v s late", c.file, want.Rule, found.RuntimeLate)
			}
		}
	}
}
