// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Names of the files that write creates.
const (
	ResultsFile = "upstream-e2e.json"
	JUnitFile   = "junit-upstream-e2e.xml"
)

// Results of one run.
type Results struct {
	Minor string `json:"minor"`
	// Kubernetes is the release that e2e.test was built from.
	Kubernetes string        `json:"kubernetes"`
	Arms       []verdict.Arm `json:"arms"`
	// NodeImages are the images of the arms' clusters, Kubelets the versions that their kubelets report.
	NodeImages map[verdict.Arm]string `json:"nodeImages"`
	Kubelets   map[verdict.Arm]string `json:"kubelets"`
	Seconds    float64                `json:"seconds"`
	Specs      []Result               `json:"specs"`
	// Not lists the specs about the end of a pod that are not run, each with the reason.
	Not []Spec `json:"not,omitempty"`
	// Images are the images that the specs may request.
	Images []Image `json:"images,omitempty"`
}

// Result is one spec.
type Result struct {
	Spec
	Verdict verdict.Verdict         `json:"verdict"`
	On      map[verdict.Arm]Outcome `json:"on"`
}

// Compare compares the outcomes of the specs on the arms. With only one arm there is nothing to compare: specs that pass
// are kept, specs that fail are invalid.
func Compare(specs []Spec, on map[verdict.Arm]map[string]Outcome) (results []Result) {
	for _, s := range specs {
		r := Result{Spec: s, On: map[verdict.Arm]Outcome{}}
		for arm, said := range on {
			r.On[arm] = said[s.Text]
		}
		r.Verdict = r.verdict()
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b Result) int { return cmp.Compare(a.Text, b.Text) })
	return results
}

// verdict returns the verdict on the outcomes of both arms.
func (r Result) verdict() verdict.Verdict {
	passed, failed := 0, 0
	for _, o := range r.On {
		switch o.State {
		case "passed":
			passed++
		case "failed", "panicked", "timedout":
			failed++
		}
	}
	stock, fixed := r.On[verdict.Stock].State, r.On[verdict.Fixed].State
	switch {
	case passed == len(r.On) && passed > 0:
		return verdict.Kept
	case passed+failed < len(r.On) || len(r.On) < 2:
		return verdict.Invalid
	case stock == "passed":
		return verdict.Regressed
	case fixed == "passed":
		return verdict.Repaired
	}
	return verdict.Alike
}

// Red returns the specs that pass on stock and fail on fixed.
func (r Results) Red() []string {
	return r.texts(func(v verdict.Verdict) bool { return v == verdict.Regressed })
}

// Unsaid returns the specs without a result: they fail on both arms, or did not run. A run without any spec counts as one.
func (r Results) Unsaid() []string {
	if len(r.Specs) == 0 {
		return []string{"no spec was run"}
	}
	return r.texts(func(v verdict.Verdict) bool { return v == verdict.Alike || v == verdict.Invalid })
}

func (r Results) texts(which func(verdict.Verdict) bool) (texts []string) {
	for _, one := range r.Specs {
		if which(one.Verdict) {
			texts = append(texts, one.Text)
		}
	}
	return texts
}

// Table prints the results for people: every spec, then the skipped ones with reasons, then the images.
func (r Results) Table(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"SPEC"}
	for _, arm := range r.Arms {
		head = append(head, strings.ToUpper(string(arm)))
	}
	fmt.Fprintln(tw, strings.Join(append(head, "VERDICT"), "\t"))
	for _, one := range r.Specs {
		row := []string{short(one.Text, 110)}
		for _, arm := range r.Arms {
			o := one.On[arm]
			row = append(row, fmt.Sprintf("%s %.0f s", cmp.Or(o.State, "not run"), o.Seconds))
		}
		fmt.Fprintln(tw, strings.Join(append(row, string(one.Verdict)), "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, one := range r.Specs {
		for _, arm := range r.Arms {
			if o := one.On[arm]; !one.Verdict.Good() && o.Message != "" {
				fmt.Fprintf(w, "\n%s on %s: %s\n  %s\n  log: %s\n", one.Verdict, arm, one.Text, strings.ReplaceAll(short(o.Message, 1500), "\n", "\n  "), o.Log)
			}
		}
	}
	if len(r.Not) > 0 {
		fmt.Fprintln(w, "\nAbout the end of a pod, but not run:")
		for _, s := range r.Not {
			fmt.Fprintf(w, "  %s\n    %s\n", s.Text, s.Why)
		}
	}
	fmt.Fprintln(w, "\nImages:")
	missing := 0
	for _, i := range r.Images {
		switch {
		case i.Made != "":
			fmt.Fprintf(w, "  %s (%d pods)\n    %s\n", i.Name, i.Pods, i.Made)
		case i.Pods > 0:
			fmt.Fprintf(w, "  %s (%d pods)\n    NOT SUPPLIED: there is no registry here, and no source to build it from\n", i.Name, i.Pods)
		default:
			missing++
		}
	}
	fmt.Fprintf(w, "  %d more that upstream's specs know were not supplied, and no pod requested one\n", missing)
	counts := []string{}
	for _, v := range []verdict.Verdict{verdict.Kept, verdict.Repaired, verdict.Regressed, verdict.Alike, verdict.Invalid} {
		if n := len(r.texts(func(one verdict.Verdict) bool { return one == v })); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	var kubelets []string
	for _, arm := range r.Arms {
		kubelets = append(kubelets, fmt.Sprintf("%s (kubelet %s)", arm, r.Kubelets[arm]))
	}
	_, err := fmt.Fprintf(w, "\n%d specs of %s on %s, %.0f s: %s\n", len(r.Specs), r.Kubernetes, strings.Join(kubelets, " and "), r.Seconds, strings.Join(counts, ", "))
	return err
}

// write writes the results as JSON and as JUnit.
func (r Results) write(dir string) error {
	return junit.Write(dir, ResultsFile, r, JUnitFile, r.suites())
}

// suites returns one suite. A regression is a failure, a spec without a result an error, and a spec that is not run is
// skipped with its reason.
func (r Results) suites() reporters.JUnitTestSuites {
	s := reporters.JUnitTestSuite{Name: "upstream e2e, stock against fixed", Time: r.Seconds}
	for _, one := range r.Specs {
		c := reporters.JUnitTestCase{Name: one.Text, Classname: s.Name, Status: string(one.Verdict)}
		var said []string
		for _, arm := range r.Arms {
			o := one.On[arm]
			c.Time += o.Seconds
			if o.Message != "" {
				said = append(said, string(arm)+": "+o.Message)
			}
		}
		message := strings.Join(said, "\n")
		switch {
		case one.Verdict == verdict.Regressed:
			c.Failure = &reporters.JUnitFailure{Message: "passes on stock, fails on fixed", Type: string(one.Verdict), Description: message}
			s.Failures++
		case !one.Verdict.Good():
			c.Error = &reporters.JUnitError{Message: "says nothing", Type: string(one.Verdict), Description: message}
			s.Errors++
		}
		s.TestCases = append(s.TestCases, c)
	}
	for _, one := range r.Not {
		s.TestCases = append(s.TestCases, reporters.JUnitTestCase{Name: one.Text, Classname: s.Name, Status: "not run",
			Skipped: &reporters.JUnitSkipped{Message: one.Why}})
		s.Skipped++
	}
	s.Tests = len(s.TestCases)
	return reporters.JUnitTestSuites{Tests: s.Tests, Disabled: s.Skipped, Failures: s.Failures, Errors: s.Errors, Time: s.Time,
		TestSuites: []reporters.JUnitTestSuite{s}}
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
