// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// packageLimit bounds the tests of one package on the fixed arm; go test kills them then.
const packageLimit = 20 * time.Minute

// event is one line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// runFixed runs all tests of the packages on the fixed tree under the race detector, and returns a result for each package
// and each declared test.
func (r *Runner) runFixed(ctx context.Context) ([]Result, error) {
	flags, cgo := []string{"-count=1"}, "CGO_ENABLED=0"
	if !r.plain {
		flags, cgo = append(flags, "-race"), "CGO_ENABLED=1"
		if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("CC") == "" {
			return nil, fmt.Errorf("the race detector needs a C compiler; run hack/setup.sh, or on Debian: apt-get install gcc libc6-dev")
		}
	}
	stop := r.heartbeat("fixed  running upstream's tests of %d packages under the race detector", len(r.Run))
	defer stop()
	s, stderr, err := r.goTest(ctx, r.Fixed, verdict.Fixed, r.Run, []string{cgo}, flags...)
	if err != nil {
		return nil, err
	}
	results := s.results(stderr)
	for _, d := range r.Declared {
		results = append(results, s.declaredResult(d))
	}
	return results, nil
}

// goTest runs go test -json on packages of a tree and collects its events.
func (r *Runner) goTest(ctx context.Context, tree string, arm verdict.Arm, packages, env []string, flags ...string) (s *suite, stderr string, err error) {
	// vet is a step of its own.
	args := append([]string{"go", "test", "-json", "-vet=off", "-timeout=" + packageLimit.String()}, flags...)
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	reader, writer := io.Pipe()
	s = newSuite(r, arm, packages)
	var wg sync.WaitGroup
	var readErr error
	wg.Go(func() {
		readErr = s.read(reader)
		_, _ = io.Copy(io.Discard, reader)
	})
	_, err = tool.Run(ctx, tool.Cmd{Dir: tree, Env: tool.GoEnv(r.Toolchain, env...), Args: args, Stdout: writer})
	writer.Close()
	wg.Wait()
	var failed *tool.Error
	if err != nil && (ctx.Err() != nil || !errors.As(err, &failed)) {
		return nil, "", err
	}
	if readErr != nil {
		return nil, "", errors.Join(fmt.Errorf("go test -json: output not understood: %w", readErr), err)
	}
	if failed != nil {
		stderr = failed.Stderr
	}
	return s, stderr, nil
}

// suite collects the events of one go test.
type suite struct {
	r        *Runner
	arm      verdict.Arm
	packages []string

	verdicts map[string]event // by package and test: the last pass, fail or skip
	output   map[string]*strings.Builder
	passed   map[string]int
	failing  map[string][]string
}

func newSuite(r *Runner, arm verdict.Arm, packages []string) *suite {
	return &suite{r: r, arm: arm, packages: packages, verdicts: map[string]event{}, output: map[string]*strings.Builder{},
		passed: map[string]int{}, failing: map[string][]string{}}
}

func (s *suite) read(reader io.Reader) error {
	for dec := json.NewDecoder(reader); ; {
		var e event
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		s.add(e)
	}
}

func (s *suite) add(e event) {
	pkg := directory(e.Package)
	if e.Action == "build-output" {
		pkg, _, _ = strings.Cut(directory(e.ImportPath), " ")
	}
	key := pkg + "." + e.Test
	switch e.Action {
	case "output", "build-output":
		if s.output[key] == nil {
			s.output[key] = &strings.Builder{}
		}
		s.output[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		s.verdicts[key] = e
		switch {
		case e.Test == "":
			s.r.say("%-6s %s %s: %d tests passed, %d failed, %.1fs", s.arm, e.Action, pkg, s.passed[pkg], len(s.failing[pkg]), e.Elapsed)
		case e.Action == "pass":
			s.passed[pkg]++
		case e.Action == "fail":
			s.failing[pkg] = append(s.failing[pkg], e.Test)
			s.r.say("%-6s FAIL %s.%s", s.arm, pkg, e.Test)
		}
	}
}

// directory returns the directory of an import path of the tree.
func directory(importPath string) string { return strings.TrimPrefix(importPath, "k8s.io/kubernetes/") }

func (s *suite) results(stderr string) []Result {
	var all []Result
	for _, pkg := range s.packages {
		res := Result{Package: pkg, Arm: s.arm, Passed: s.passed[pkg], Seconds: s.verdicts[pkg+"."].Elapsed}
		e, ok := s.verdicts[pkg+"."]
		switch {
		case !ok:
			res.set(verdict.Invalid, "go test reports nothing about it: "+firstLine(stderr))
			res.Output = stderr
		case e.FailedBuild != "":
			res.set(verdict.Invalid, "does not compile")
			res.Output = s.text(pkg + ".")
		case e.Action == "fail":
			res.set(verdict.Regressed, "fails: "+strings.Join(s.failing[pkg], ", "))
			res.Output = s.text(pkg + ".")
			for _, test := range s.failing[pkg] {
				res.Output += s.text(pkg + "." + test)
			}
		default: // a package without tests is skipped: no regression in it
			res.set(verdict.Kept, fmt.Sprintf("%d tests pass", s.passed[pkg]))
		}
		all = append(all, res)
	}
	return all
}

func (s *suite) declaredResult(d Declared) Result {
	res := Result{Package: d.Package, Test: d.Test, Arm: s.arm}
	good, bad := verdict.Repaired, verdict.StillBroken
	if d.Kept != "" {
		good, bad = verdict.Kept, verdict.Regressed
	}
	e, ok := s.verdicts[d.Name()]
	res.Seconds = e.Elapsed
	switch {
	case !ok:
		res.set(verdict.Invalid, "the test did not run")
	case e.Action == "pass":
		res.set(good, "")
	case e.Action == "skip":
		res.set(verdict.Invalid, "the test was skipped")
	default:
		res.set(bad, "the test fails")
		res.Output = s.text(d.Name())
	}
	return res
}

func (s *suite) text(key string) string {
	if b := s.output[key]; b != nil {
		return b.String()
	}
	return ""
}
