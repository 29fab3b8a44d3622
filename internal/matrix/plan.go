// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/intree"
	"github.com/kgrace/kgrace/internal/patchset"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/versions"
)

// Plan describes what to prove on a minor.
type Plan struct {
	Minor   string
	Pins    versions.Minor
	Series  *patchset.Series
	Patches []Patch
	// OnStock lists variants of the tests' helpers for trees that lack a function that the helpers call.
	OnStock []intree.StockForm
}

// Patch is one patch with its trailers.
type Patch struct {
	Number int // from 1
	*patchset.Patch
	DropWhen string
	// Scenarios are the ids in its trailer; if there are none, NoScenario is the reason that the trailer gives.
	Scenarios  []string
	NoScenario string
	// Tests are the declared tests that it adds or changes.
	Tests []intree.Declared
}

// NewPlan reads a minor's series, trailers and declared tests from dir. Errors name the patch, the trailer or the test.
func NewPlan(ctx context.Context, minor string, pins versions.Minor, dir string) (*Plan, error) {
	series, err := patchset.Load(dir)
	if err != nil {
		return nil, err
	}
	declared, err := intree.LoadDeclaration(dir)
	if err != nil {
		return nil, err
	}
	p := &Plan{Minor: minor, Pins: pins, Series: series, OnStock: declared.OnStock}
	var errs []error
	for i, patch := range series.Patches {
		one := Patch{Number: i + 1, Patch: patch}
		if err := one.readTrailers(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", minor, patch.Name, err))
		}
		p.Patches = append(p.Patches, one)
	}
	for _, d := range declared.Tests {
		owner := ownerOf(series, d)
		if owner < 0 {
			errs = append(errs, fmt.Errorf("%s: %s declares %s, which no patch adds or changes", minor, intree.DeclaredFile, d.Name()))
			continue
		}
		p.Patches[owner].Tests = append(p.Patches[owner].Tests, d)
	}
	return p, errors.Join(errs...)
}

func (p *Patch) readTrailers(ctx context.Context) error {
	trailers, err := p.Patch.Trailers(ctx)
	if err != nil {
		return err
	}
	value := map[string]string{}
	for _, t := range trailers {
		value[t.Key] = t.Value
	}
	for _, key := range []string{"Scenarios", "Drop-When"} {
		if value[key] == "" {
			return fmt.Errorf("no %s trailer; `kgrace verify` shows the form", key)
		}
	}
	p.DropWhen = value["Drop-When"]
	if why, ok := strings.CutPrefix(value["Scenarios"], "none ("); ok {
		p.NoScenario = strings.TrimSuffix(why, ")")
		return nil
	}
	all, err := scenario.Catalogue()
	if err != nil {
		return err
	}
	for _, id := range strings.FieldsFunc(value["Scenarios"], func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.ContainsFunc(all, func(s scenario.Scenario) bool { return s.ID == id }) {
			return fmt.Errorf("the Scenarios trailer names %s, which is not in the catalogue", id)
		}
		p.Scenarios = append(p.Scenarios, id)
	}
	return nil
}

// UpTo returns the series up to and including patch n, counted from 1; UpTo(0) has no patch.
func (p *Plan) UpTo(n int) *patchset.Series {
	return &patchset.Series{Dir: p.Series.Dir, Patches: p.Series.Patches[:n]}
}

// OnlyTests reports whether a patch touches only files under test/, which needs a cluster to run.
func (p Patch) OnlyTests() bool {
	return !slices.ContainsFunc(p.Files, func(f patchset.File) bool { return !strings.HasPrefix(f.Path, "test/") })
}
