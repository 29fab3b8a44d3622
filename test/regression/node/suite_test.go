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
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/report"
	"github.com/kgrace/kgrace/internal/scenario"
)

// safety ends a suite that hangs. It decides no verdict: what has none by then is missing from the results.
const safety = 20 * time.Minute

var (
	options   regress.Options
	configErr error
	asked     bool
	run       *regress.Run
)

func TestMain(m *testing.M) {
	localnode.MaybeInit()
	var path string
	if path, asked = os.LookupEnv(regress.ConfigVar); asked {
		var lifeline bool
		options, lifeline, configErr = regress.ReadConfig(path, os.Stderr)
		if lifeline {
			go endWith(os.Stdin)
		}
		// What client libraries have to say goes with the suite's own report; standard error is for progress.
		var flags flag.FlagSet
		klog.InitFlags(&flags)
		_ = flags.Set("logtostderr", "false")
		_ = flags.Set("stderrthreshold", "FATAL")
		klog.SetOutput(os.Stdout)
		specs()
	}
	os.Exit(m.Run())
}

func TestNode(t *testing.T) {
	if !asked {
		t.Skipf("%s is not set: this suite needs the nodes that `kgrace regress` prepares", regress.ConfigVar)
	}
	if configErr != nil {
		t.Fatal(configErr)
	}
	RegisterFailHandler(Fail)
	suite, reporter := GinkgoConfiguration()
	suite.RandomizeAllSpecs = true
	suite.FailOnPending = true
	suite.FailOnEmpty = true
	suite.Timeout = safety
	reporter.NoColor = true
	RunSpecs(t, "regression at node level", suite, reporter)
}

// endWith interrupts the suite once, as Ctrl-C would, when the pipe ends: whoever started it is gone.
func endWith(pipe io.Reader) {
	_, _ = io.Copy(io.Discard, pipe)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
}

// specs makes the tree of specs: it depends on what was asked for, so it is made once that is known.
func specs() {
	BeforeSuite(func() {
		// The run outlives this node: it ends in the cleanup, which also runs on an interrupt.
		ctx, cancel := context.WithCancelCause(context.Background())
		var err error
		run, err = regress.Start(ctx, options)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() {
			cancel(errors.New("the suite was interrupted"))
			_, err := run.Wait()
			Expect(err).NotTo(HaveOccurred(), "the nodes")
		})
	})
	for _, s := range options.Scenarios {
		Describe(s.ID, Label("level:"+string(scenario.LevelNode), "minor:"+options.Minor, "family:"+s.Family), func() {
			for _, arm := range options.Arms {
				labels := Labels{"arm:" + string(arm)}
				for _, e := range s.In(options.Minor).At(scenario.LevelNode).Expect {
					labels = append(labels, "rule:"+string(e.Rule))
				}
				It(string(arm), labels, func(ctx SpecContext) {
					result, err := run.Result(ctx, arm, s.ID)
					Expect(err).NotTo(HaveOccurred(), "invalid:")
					assert(result)
				})
			}
		})
	}
	ReportAfterSuite("reports", func(r Report) {
		config := reporters.JunitReportConfig{OmitSpecLabels: true, OmitLeafNodeType: true, OmitSuiteSetupNodes: true,
			OmitTimelinesForSpecState: types.SpecStatePassed}
		Expect(reporters.GenerateJUnitReportWithConfig(r, filepath.Join(options.Artifacts, "junit-node.xml"), config)).To(Succeed())
		Expect(reporters.GenerateJSONReport(r, filepath.Join(options.Artifacts, "ginkgo-node.json"))).To(Succeed())
	})
}

// assert fails the spec if a verdict is not the expected one, with the timeline of what happened.
func assert(result report.Result) {
	GinkgoHelper()
	if h, err := history.ReadFile(filepath.Join(options.Artifacts, result.History)); err == nil {
		AddReportEntry("timeline", report.Timeline(h), ReportEntryVisibilityFailureOrVerbose)
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
