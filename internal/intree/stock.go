// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// maxRounds bounds how often a package is compiled until everything that does not compile is removed. Each round removes
// one layer of the compiler's errors (imports, then types, then imports that are no longer used).
const maxRounds = 8

// testLimit bounds one test on stock. A test that waits for something stock never does runs into it; that is not a reason,
// because the test must give up by itself.
const testLimit = 2 * time.Minute

// runStock runs the declared tests of one package on the stock tree and returns a result for each.
func (r *Runner) runStock(ctx context.Context, pkg string, declared []Declared) ([]Result, error) {
	scratch, err := os.MkdirTemp("", "kgrace-intree-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	t, binary, err := r.compileOnStock(ctx, pkg, scratch)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, d := range declared {
		res := Result{Package: pkg, Test: d.Test, Arm: verdict.Stock}
		said, out := t.complaintsAbout(d.function())
		start := time.Now()
		switch {
		case out && d.Kept == "":
			res.judgeCompile(d, said)
		case out && !t.stocksForm(d.function()):
			res.set(verdict.Invalid, "marked as kept, but does not compile on stock: "+strings.Join(said, "; "))
		default:
			ran, err := r.runOne(ctx, binary, pkg, d.Test)
			if err != nil {
				return nil, err
			}
			if out {
				ran.form = "stock's own form of the test; the series' does not compile there"
			}
			res.judgeRun(d, ran)
		}
		res.Seconds = time.Since(start).Seconds()
		r.say("stock  %-13s %s.%s: %s", res.Verdict, pkg, d.Test, firstLine(res.Why))
		results = append(results, res)
	}
	return results, nil
}

// compileOnStock lays the test files of the fixed tree over the stock tree and compiles as much of them as stock can.
func (r *Runner) compileOnStock(ctx context.Context, pkg, scratch string) (*transplant, string, error) {
	stock, err := testFiles(filepath.Join(r.Stock, filepath.FromSlash(pkg)))
	if err != nil {
		return nil, "", err
	}
	fixed, err := testFiles(filepath.Join(r.Fixed, filepath.FromSlash(pkg)))
	if err != nil {
		return nil, "", err
	}
	beside, err := r.newPackages(pkg)
	if err != nil {
		return nil, "", err
	}
	var forms []*source
	for _, form := range r.OnStock {
		if path.Clean(form.Package) != path.Clean(pkg) {
			continue
		}
		parsed, err := form.parse()
		if err != nil {
			return nil, "", err
		}
		forms = append(forms, parsed)
	}
	t := newTransplant(stock, fixed, forms...)
	binary := filepath.Join(scratch, "stock.test")
	for round := 1; round <= maxRounds; round++ {
		overlay, err := t.write(r.Stock, pkg, scratch, beside)
		if err != nil {
			return nil, "", err
		}
		stop := r.heartbeat("stock  compiling %s with the series' tests, round %d", pkg, round)
		_, err = tool.Go(ctx, r.Stock, r.Toolchain, nil, "test", "-c", "-vet=off", "-gcflags=-e", "-overlay="+overlay, "-o", binary, "./"+pkg)
		stop()
		if err == nil {
			for _, key := range sortedKeys(t.cut) {
				r.say("stock  left out of %s, because stock cannot compile it: %s", key, strings.Join(t.cut[key], "; "))
			}
			return t, binary, nil
		}
		var failed *tool.Error
		if ctx.Err() != nil || !errors.As(err, &failed) {
			return nil, "", err
		}
		if !t.takeOut(complaints(failed.Stdout + failed.Stderr)) {
			return nil, "", fmt.Errorf("%s does not compile on stock with the series' tests laid over, for a reason outside of the tests: %w", pkg, err)
		}
	}
	return nil, "", fmt.Errorf("%s does not compile on stock with the series' tests laid over, in %d rounds", pkg, maxRounds)
}

// newPackages returns the files of the packages that only the fixed tree has, except for pkg itself, by their path in the
// stock tree. They are laid over stock together with the tests: nothing in stock imports them, so stock's behaviour does
// not change, and tests that use them fail because of that behaviour and not for a missing import.
func (r *Runner) newPackages(pkg string) (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range r.Run {
		if _, err := os.Stat(filepath.Join(r.Stock, filepath.FromSlash(dir))); dir == pkg || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		names, err := filepath.Glob(filepath.Join(r.Fixed, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				files[filepath.Join(r.Stock, filepath.FromSlash(dir), filepath.Base(name))] = name
			}
		}
	}
	return files, nil
}

// write writes the current files to scratch and returns the name of go's overlay file, which also contains those of beside.
func (t *transplant) write(tree, pkg, scratch string, beside map[string]string) (string, error) {
	files, err := t.render()
	if err != nil {
		return "", err
	}
	replace := maps.Clone(beside)
	for name, text := range files {
		at := filepath.Join(tree, filepath.FromSlash(pkg), name)
		if text == "" {
			replace[at] = ""
			continue
		}
		replace[at] = filepath.Join(scratch, name)
		if err := os.WriteFile(replace[at], []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(scratch, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o644)
}

// ran is one test, run by itself: a panic in it affects no other test.
type ran struct {
	output string
	failed bool
	// form describes the form of the test that ran, if it is not the series' own.
	form string
}

func (r *Runner) runOne(ctx context.Context, binary, pkg, test string) (ran, error) {
	dir := filepath.Join(r.Stock, filepath.FromSlash(pkg))
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		dir = filepath.Dir(binary) // the package is new; stock has no directory for it
	}
	var parts []string
	for _, part := range strings.Split(test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	out, err := tool.Run(ctx, tool.Cmd{Dir: dir, Env: tool.GoEnv(r.Toolchain), Args: []string{binary,
		"-test.v", "-test.run=" + strings.Join(parts, "/"), "-test.timeout=" + testLimit.String(), "-test.paniconexit0"}})
	var failed *tool.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		return ran{output: failed.Stdout + failed.Stderr, failed: true}, nil
	}
	return ran{output: out}, err
}

// packagesOf returns the packages of some declared tests, sorted.
func packagesOf(declared []Declared) []string {
	var all []string
	for _, d := range declared {
		if !slices.Contains(all, d.Package) {
			all = append(all, path.Clean(d.Package))
		}
	}
	slices.Sort(all)
	return all
}
