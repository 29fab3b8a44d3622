// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

func crowd(arm verdict.Arm, pods int, cpu float64) simkubelet.CrowdResult {
	c := simkubelet.CrowdResult{CPU: cpu, Wall: 2 * cpu, Held: map[scenario.Rule]int{scenario.Deadline: pods}, Broken: map[scenario.Rule]int{}}
	c.Arm, c.Behaviour, c.Pods = arm, sim.Containerd, pods
	if arm == verdict.Stock {
		c.Broken[scenario.Deadline] = 1
	}
	return c
}

func TestSimTable(t *testing.T) {
	_, rows := SimResults{Crowds: []simkubelet.CrowdResult{crowd(verdict.Stock, 100, 2), crowd(verdict.Stock, 1000, 200), crowd(verdict.Fixed, 100, 2)}}.Table()
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join(row[3:7], ", "))
	}
	if want := "4.0 s, 2.0 s, 20 ms, –|400.0 s, 200.0 s, 200 ms, 2.00|4.0 s, 2.0 s, 20 ms, –"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSimMissed(t *testing.T) {
	stock := []simkubelet.CrowdResult{crowd(verdict.Stock, 100, 2), crowd(verdict.Stock, 1000, 20)}
	missed := func(more ...simkubelet.CrowdResult) string {
		return strings.Join(SimResults{Crowds: append(stock[:2:2], more...)}.Missed(), "\n")
	}
	if got := missed(crowd(verdict.Fixed, 100, 2), crowd(verdict.Fixed, 1000, 39)); got != "" {
		t.Errorf("good results: %s", got)
	}
	if got := missed(crowd(verdict.Fixed, 100, 2), crowd(verdict.Fixed, 1000, 41)); !strings.Contains(got, "grows with the power 1.31") {
		t.Errorf("grows faster: %q", got)
	}
	broken := crowd(verdict.Fixed, 100, 2)
	broken.Broken[scenario.OneTerm], broken.Why = 3, map[scenario.Rule]string{scenario.OneTerm: "crowd-0001: two"}
	if got := missed(broken); !strings.Contains(got, "R6 broken for 3 pods: crowd-0001: two") {
		t.Errorf("a broken rule: %q", got)
	}
	kept := crowd(verdict.Fixed, 100, 2)
	kept.Kept = 4
	if got := missed(kept); !strings.Contains(got, "records of 4 killed pods") {
		t.Errorf("records: %q", got)
	}
	toothless := crowd(verdict.Stock, 300, 2)
	toothless.Broken = nil
	if got := missed(toothless); !strings.Contains(got, "no rule was broken") {
		t.Errorf("stock holds everything: %q", got)
	}
}
