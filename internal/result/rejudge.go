// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Rejudge judges stored histories again: every *.jsonl below dir. The content of dir determines the scenarios and arms of the
// results, which name the histories relative to dir. minors are the known ones; nil accepts all. The error names each file that is not a history, or has an unknown scenario or arm.
func Rejudge(dir string, catalogue []scenario.Scenario, minors []string) (Results, error) {
	var results Results
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.HasSuffix(path, ".jsonl") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return results, err
	}
	if len(files) == 0 {
		return results, fmt.Errorf("%s holds no history (*.jsonl): %w", dir, os.ErrNotExist)
	}
	var errs []error
	seen := map[Key]string{}
	for _, file := range files {
		h, err := history.ReadFile(file)
		if err == nil {
			err = add(&results, dir, file, h, catalogue, minors, seen)
		}
		errs = append(errs, err)
	}
	for _, arm := range verdict.Arms() {
		if slices.ContainsFunc(results.Results, func(r Result) bool { return r.Arm == arm }) {
			results.Arms = append(results.Arms, arm)
		}
	}
	for _, s := range catalogue {
		if slices.ContainsFunc(results.Results, func(r Result) bool { return r.Scenario == s.ID }) {
			results.Scenarios = append(results.Scenarios, s.ID)
		}
	}
	return results, errors.Join(append(errs, HoldAgainstStock(&results, dir, catalogue))...)
}

// add judges one history and adds the result.
func add(results *Results, dir, file string, h history.History, catalogue []scenario.Scenario, minors []string, seen map[Key]string) error {
	arm, err := verdict.ParseArm(h.Arm)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	level, err := scenario.ParseLevel(h.Level)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	picked, err := scenario.Pick(catalogue, level, h.Scenario)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if minors != nil && !slices.Contains(minors, h.Minor) {
		return fmt.Errorf("%s: %w", file, tool.NewUnknown("Kubernetes minor", h.Minor, "", minors))
	}
	k := Key{h.Scenario, arm}
	if other, twice := seen[k]; twice {
		return fmt.Errorf("%s and %s are both histories of %s on %s; judge one level and minor at a time", other, file, k.Scenario, arm)
	}
	seen[k] = file
	results.Minor, results.Level = h.Minor, level
	r := Of(h, picked[0])
	if r.History, err = filepath.Rel(dir, file); err != nil {
		return err
	}
	results.Results = append(results.Results, r)
	return nil
}
