// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Run is one run of the catalogue with its histories: one column group of the page.
type Run struct {
	// Name distinguishes the runs of one page: the level, or the part of the file name after "results-".
	Name string
	// Dir is the directory that the paths in the results are relative to; "" is the current one.
	Dir string
	Results
	// Histories are by scenario and arm. A result whose scenario never ran has none.
	Histories map[Key]history.History
}

// Key identifies one scenario on one arm.
type Key struct {
	Scenario string
	Arm      verdict.Arm
}

// ReadArtifacts reads the runs in a directory: results.json, results-*.json, and the histories that they name. A run in
// results.json is dropped if another file has a run of the same level and minor. Runs are sorted by level, then by name.
//
// The error names every malformed file with its line, not only the first. The error for a directory without results satisfies
// errors.Is(err, os.ErrNotExist).
func ReadArtifacts(dir string) ([]Run, error) {
	files, err := resultsFiles(dir)
	if err != nil {
		return nil, err
	}
	var runs []Run
	var errs []error
	for _, file := range files {
		r, err := Read(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		named := func(other Run) bool { return other.Level == r.Level && other.Minor == r.Minor }
		if filepath.Base(file) == "results.json" && slices.ContainsFunc(runs, named) {
			continue
		}
		run, err := NewRun(runName(file, r.Level), r, dir)
		errs = append(errs, err)
		runs = append(runs, run)
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		place := func(r Run) int { return slices.Index(scenario.Levels(), r.Level) }
		// "sim" sorts before "sim-crio".
		return cmp.Or(place(a)-place(b), cmp.Compare(a.Name, b.Name))
	})
	return runs, errors.Join(errs...)
}

// resultsFiles returns the results files in a directory, results.json last.
func resultsFiles(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(escaped(dir), "results-*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	last := filepath.Join(dir, "results.json")
	if _, err := os.Stat(last); err == nil {
		files = append(files, last)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no results.json or results-*.json; `kgrace regress` writes one: %w", dir, os.ErrNotExist)
	}
	return files, nil
}

// escaped escapes the pattern characters in a directory name.
func escaped(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

func runName(file string, level scenario.Level) string {
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	if rest, ok := strings.CutPrefix(name, "results-"); ok {
		return rest
	}
	return string(level)
}

// NewRun combines results with the histories that they name, relative to dir. A history of another scenario, arm or level than
// its result is an error.
func NewRun(name string, r Results, dir string) (Run, error) {
	run := Run{Name: name, Dir: dir, Results: r, Histories: map[Key]history.History{}}
	var errs []error
	for _, one := range r.Results {
		if one.History == "" {
			continue
		}
		file := run.File(one.History)
		h, err := history.ReadFile(file)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s on %s: %w", one.Scenario, one.Arm, err))
			continue
		case h.Scenario != one.Scenario || h.Arm != string(one.Arm) || h.Level != string(r.Level):
			errs = append(errs, fmt.Errorf("%s:1: history of %s on %s at level %s, but the results name it as that of %s on %s at level %s",
				file, h.Scenario, h.Arm, h.Level, one.Scenario, one.Arm, r.Level))
			continue
		}
		run.Histories[Key{one.Scenario, one.Arm}] = h
	}
	return run, errors.Join(errs...)
}
