// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/kgrace/kgrace/internal/verdict"
)

func TestSuites(t *testing.T) {
	cases := []Case{
		{Arm: "fixed", Name: "a", Verdict: verdict.StillBroken, Why: "late", Message: "all of it", Output: "said", Seconds: 1},
		{Arm: "stock", Name: "a", Verdict: verdict.Reproduced, Seconds: 2},
		{Arm: "fixed", Name: "b", Verdict: verdict.Invalid, Why: "no node", Seconds: 4},
		{Arm: "fixed", Name: "c", Verdict: verdict.Kept},
	}
	if good, red, invalid := Counts(cases); good != 2 || red != 1 || invalid != 1 {
		t.Errorf("counted %d good, %d red, %d invalid", good, red, invalid)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if err := Write(dir, "r.json", []string{"<r>"}, "j.xml", Suites("proof", []verdict.Arm{verdict.Stock, verdict.Fixed, "none"}, cases)); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "r.json")); err != nil || string(data) != "[\n  \"\\u003cr\\u003e\"\n]\n" {
		t.Errorf("%q, %v", data, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "j.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var got reporters.JUnitTestSuites
	if err := xml.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 4 || got.Failures != 1 || got.Errors != 1 || got.Time != 7 || len(got.TestSuites) != 2 {
		t.Fatalf("%+v", got)
	}
	fixed := got.TestSuites[1]
	if fixed.Name != "proof fixed" || fixed.Tests != 3 || fixed.Time != 5 || fixed.TestCases[2].Failure != nil || fixed.TestCases[2].Error != nil {
		t.Errorf("%+v", fixed)
	}
	if f := fixed.TestCases[0].Failure; f == nil || f.Message != "late" || f.Description != "all of it" || fixed.TestCases[0].SystemOut != "said" {
		t.Errorf("%+v", fixed.TestCases[0])
	}
	if e := fixed.TestCases[1].Error; e == nil || e.Message != "no node" || e.Type != "invalid" {
		t.Errorf("%+v", fixed.TestCases[1])
	}
}
