// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
	"k8s.io/klog/v2"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/result"
)

// safety ends a suite that hangs. It decides no verdict: a scenario without one is missing from the results.
const safety = 20 * time.Minute

// suite is the suite of one level.
type suite struct {
	options regress.Options
	err     error
	asked   bool
	run     *regress.Run
}

// load reads the configuration and builds the specs; TestMain calls it.
func load() *suite {
	s := &suite{}
	var path string
	if path, s.asked = os.LookupEnv(regress.ConfigVar); !s.asked {
		return s
	}
	var lifeline bool
	s.options, lifeline, s.err = regress.ReadConfig(path, os.Stderr)
	if lifeline {
		go endWith(os.Stdin)
	}
	// Logs of client libraries go with the suite's own report; standard error is for progress.
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(os.Stdout)
	if s.err == nil {
		s.specs()
	}
	return s
}

// test runs the specs.
func (s *suite) test(t *testing.T) {
	if !s.asked {
		t.Skipf("%s is not set: this suite needs the nodes that `kgrace` prepares", regress.ConfigVar)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	RegisterFailHandler(Fail)
	config, reporter := GinkgoConfiguration()
	// The order of the specs does not matter, since they wait for results. It is the same each time.
	config.RandomizeAllSpecs, config.RandomSeed = true, 1
	config.FailOnPending = true
	config.FailOnEmpty = true
	config.Timeout = safety
	reporter.NoColor = true
	RunSpecs(t, "regression at level "+string(s.options.Level), config, reporter)
}

// endWith interrupts the suite once, as Ctrl-C would, when the pipe closes: the process that started it is gone.
func endWith(pipe io.Reader) {
	_, _ = io.Copy(io.Discard, pipe)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
}

// specs builds the tree of specs, which depends on the configuration.
func (s *suite) specs() {
	level := s.options.Level
	BeforeSuite(func() {
		// The run outlives BeforeSuite: it ends in the cleanup, which also runs on an interrupt.
		ctx, cancel := context.WithCancelCause(context.Background())
		var err error
		s.run, err = regress.Start(ctx, s.options)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() {
			cancel(errors.New("the suite was interrupted"))
			_, err := s.run.Wait()
			Expect(err).NotTo(HaveOccurred(), "the nodes")
		})
	})
	for _, row := range s.options.Scenarios {
		Describe(row.ID, Label("level:"+string(level), "minor:"+s.options.Minor, "family:"+row.Family), func() {
			for _, arm := range s.options.Arms {
				labels := Labels{"arm:" + string(arm)}
				for _, e := range row.At(level).Expect {
					labels = append(labels, "rule:"+string(e.Rule))
				}
				It(string(arm), labels, func(ctx SpecContext) {
					result, err := s.run.Result(ctx, arm, row.ID)
					Expect(err).NotTo(HaveOccurred(), "invalid:")
					s.assert(result)
				})
			}
		})
	}
	ReportAfterSuite("reports", func(r Report) {
		config := reporters.JunitReportConfig{OmitSpecLabels: true, OmitLeafNodeType: true, OmitSuiteSetupNodes: true,
			OmitTimelinesForSpecState: types.SpecStatePassed}
		junit, ginkgo := regress.Reports(level)
		Expect(reporters.GenerateJUnitReportWithConfig(r, filepath.Join(s.options.Artifacts, junit), config)).To(Succeed())
		Expect(reporters.GenerateJSONReport(r, filepath.Join(s.options.Artifacts, ginkgo))).To(Succeed())
	})
}

// assert fails the spec if a verdict is not the expected one, with the timeline of what happened.
func (s *suite) assert(result result.Result) {
	GinkgoHelper()
	if h, err := history.ReadFile(filepath.Join(s.options.Artifacts, result.History)); err == nil {
		AddReportEntry("timeline", h.Timeline(), ReportEntryVisibilityFailureOrVerbose)
	}
	kind, notes := "invalid", ""
	if result.Red() {
		kind = "red"
	}
	for _, rule := range result.Rules {
		if !rule.Verdict.Good() {
			notes += "\n" + result.Note(rule)
		}
	}
	if !result.Good() {
		Fail(kind + ":" + notes)
	}
}
