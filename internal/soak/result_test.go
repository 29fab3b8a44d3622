// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

func good() Results {
	return Results{Minor: "v1.37", Arm: verdict.Fixed, Versions: map[string]string{"kubelet": "v1.37.2+grace.2"}, Seed: 7, Pods: 3,
		Rules:  map[scenario.Rule]Tally{scenario.Deadline: {Held: 2, Excused: 1}},
		Kinds:  []KindTally{{Kind: KubeletKilled, Times: 1, Pods: 1, Seconds: 2}, {Kind: DiskFull}},
		Checks: []Check{{"every pod ended", scenario.Held, "3 pods"}}}
}

func TestStatus(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Results)
		want   verdict.Status
	}{
		"good":            {func(*Results) {}, verdict.StatusGood},
		"a broken rule":   {func(r *Results) { r.Broken = []Fault{{}} }, verdict.StatusRed},
		"a broken check":  {func(r *Results) { r.Checks = append(r.Checks, Check{Outcome: scenario.Broken}) }, verdict.StatusRed},
		"an unsure check": {func(r *Results) { r.Checks = append(r.Checks, Check{Outcome: scenario.Invalid}) }, verdict.StatusInvalid},
		"red and unsure": {func(r *Results) {
			r.Broken, r.Checks = []Fault{{}}, append(r.Checks, Check{Outcome: scenario.Invalid})
		}, verdict.StatusRed},
		"no pod":         {func(r *Results) { r.Pods = 0 }, verdict.StatusInvalid},
		"no disturbance": {func(r *Results) { r.Kinds = nil }, verdict.StatusInvalid},
	} {
		r := good()
		c.change(&r)
		if got := r.Status(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestTableAndFiles(t *testing.T) {
	r := good()
	r.Broken = []Fault{{Pod: "soak-1-2", Rule: scenario.Deadline, Why: "lived too long", Scenario: "G=7", Disturbed: "kubelet killed"}}
	r.Rules[scenario.Deadline] = Tally{Held: 1, Broken: 1}
	r.Checks = append(r.Checks, Check{"memory without a slope", scenario.Invalid, "too short"})
	var out bytes.Buffer
	if err := r.Table(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"seed 7", "R1 deadline", "kubelet killed", "memory without a slope", "soak-1-2 R1: lived too long", "disturbed: kubelet killed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	dir := t.TempDir()
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	var back Results
	data, err := os.ReadFile(filepath.Join(dir, ResultsFile))
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || back.Status() != verdict.StatusRed || back.Seed != 7 {
		t.Errorf("%+v, %v", back, err)
	}
	junit, err := os.ReadFile(filepath.Join(dir, JUnitFile))
	if err != nil || !strings.Contains(string(junit), `failures="1"`) || !strings.Contains(string(junit), `errors="1"`) || !strings.Contains(string(junit), "soak-1-2: lived too long") {
		t.Errorf("%s, %v", junit, err)
	}
}

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		err  error
		good bool
		want scenario.Outcome
	}{{nil, true, scenario.Held}, {nil, false, scenario.Broken}, {errors.New("no answer"), true, scenario.Invalid}, {errors.New("no answer"), false, scenario.Invalid}} {
		if got := check("x", c.err, c.good, "held", "broken"); got.Outcome != c.want || got.Why == "" {
			t.Errorf("%v %t: %+v", c.err, c.good, got)
		}
	}
	if c := begun(Results{Pods: 100, NotBegun: 5}); c.Outcome != scenario.Held {
		t.Errorf("%+v", c)
	}
	if c := begun(Results{Pods: 100, NotBegun: 6}); c.Outcome != scenario.Invalid {
		t.Errorf("%+v", c)
	}
}

func TestOptions(t *testing.T) {
	o := Options{For: time.Minute, Bin: map[string]string{}}
	if err := o.check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Options){
		"at least 1m": func(o *Options) { o.For = time.Second }, "at least 1,": func(o *Options) { o.Lanes = -1 }, "no programs": func(o *Options) { o.Bin = nil }} {
		bad := o
		change(&bad)
		if _, err := Run(t.Context(), bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
