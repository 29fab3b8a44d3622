//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

// safety ends a suite that hangs, in real time, not that of the bubbles. It decides no verdict.
const safety = 10 * time.Minute

var (
	config    simkubelet.Config
	rows      []scenario.Scenario
	configErr error
	asked     bool
	suite     *testing.T
	results   result.Results
)

func TestMain(m *testing.M) {
	var path string
	if path, asked = os.LookupEnv(simkubelet.ConfigVar); asked {
		config, rows, configErr = simkubelet.ReadConfig(path)
		specs()
	}
	os.Exit(m.Run())
}

func TestSim(t *testing.T) {
	if !asked {
		t.Skipf("%s is not set: this suite is run by `kgrace regress --level sim`", simkubelet.ConfigVar)
	}
	if configErr != nil {
		t.Fatal(configErr)
	}
	quiet(t, config)
	suite = t
	RegisterFailHandler(Fail)
	suiteConfig, reporter := GinkgoConfiguration()
	// A scenario must not depend on another's leftovers, so the order is random, but the same each time.
	suiteConfig.RandomizeAllSpecs, suiteConfig.RandomSeed = true, 1
	suiteConfig.FailOnPending = true
	suiteConfig.FailOnEmpty = true
	suiteConfig.Timeout = safety
	reporter.NoColor = true
	RunSpecs(t, "regression at sim level, "+string(config.Arm), suiteConfig, reporter)
}

// specs builds the tree of specs, which depends on the configuration.
func specs() {
	results = result.Results{Minor: config.Minor, Level: scenario.LevelSim, Arms: []verdict.Arm{config.Arm}}
	begin := time.Now()
	for _, s := range rows {
		results.Scenarios = append(results.Scenarios, s.ID)
		Describe(s.ID, Label("level:"+string(scenario.LevelSim), "minor:"+config.Minor, "family:"+s.Family), func() {
			labels := Labels{"arm:" + string(config.Arm), "runtime:" + string(config.Behaviour)}
			for _, e := range s.Expect {
				labels = append(labels, "rule:"+string(e.Rule))
			}
			It(string(config.Arm), labels, func() {
				h := simkubelet.Play{Minor: config.Minor, Arm: config.Arm, Behaviour: config.Behaviour, Scenario: s}.Run(suite)
				result := result.Of(h, s)
				result.History = config.History(s.ID)
				Expect(history.WriteFile(filepath.Join(config.Artifacts, result.History), h)).To(Succeed())
				results.Results = append(results.Results, result)
				assert(h, result)
			})
		})
	}
	ReportAfterSuite("reports", func(r Report) {
		results.Seconds = time.Since(begin).Seconds()
		Expect(results.Write(filepath.Join(config.Artifacts, config.File("results", "json")))).To(Succeed())
		junit := reporters.JunitReportConfig{OmitSpecLabels: true, OmitLeafNodeType: true, OmitSuiteSetupNodes: true,
			OmitTimelinesForSpecState: types.SpecStatePassed}
		Expect(reporters.GenerateJUnitReportWithConfig(r, filepath.Join(config.Artifacts, config.File("junit", "xml")), junit)).To(Succeed())
		Expect(reporters.GenerateJSONReport(r, filepath.Join(config.Artifacts, config.File("ginkgo", "json")))).To(Succeed())
	})
}

// assert fails the spec if a verdict is not the expected one, with the timeline of what happened.
func assert(h history.History, result result.Result) {
	GinkgoHelper()
	if result.Good() {
		return
	}
	AddReportEntry("timeline", h.Timeline(), ReportEntryVisibilityFailureOrVerbose)
	kind, notes := "invalid", ""
	if result.Red() {
		kind = "red"
	}
	for _, rule := range result.Rules {
		if !rule.Verdict.Good() {
			notes += "\n" + result.Note(rule)
		}
	}
	Fail(kind + ":" + notes)
}

// forced is the deletion timestamp of a force 3 s after a delete: now.
const forced = 3 * time.Second

// passed is the write of a delete with grace 10, 30 s after one with grace 60: a timestamp in the past becomes now, with grace
// 1.
var passed = write{"MODIFIED", 1, 30 * time.Second}
