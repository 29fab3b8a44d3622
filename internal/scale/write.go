// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Names of the files of a run in the artifacts directory.
const (
	ResultsFile  = "scale.json"
	DocumentFile = "scale.md"
	PlotFile     = "scale.svg"
	JUnitFile    = "junit-scale.xml"
)

// ReadResults reads scale.json.
func ReadResults(path string) (r Results, err error) {
	err = read(path, &r)
	return r, err
}

// ReadSim reads scale-sim.json.
func ReadSim(path string) (r SimResults, err error) {
	err = read(path, &r)
	return r, err
}

func read(path string, to any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		return fmt.Errorf("results of scale in %s: %w", path, err)
	}
	return nil
}

// Write writes the results, their document, plot and JUnit into a directory. The document has the sim level's results if the directory
// does.
func (r Results) Write(dir string) error {
	if err := junit.Write(dir, ResultsFile, r, JUnitFile, junit.Suites("scale", verdict.Arms(), r.Cases())); err != nil {
		return err
	}
	var sim *SimResults
	if found, err := ReadSim(filepath.Join(dir, SimResultsFile)); err == nil {
		sim = &found
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	document, err := r.Document(PlotFile, sim)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{DocumentFile: document, PlotFile: r.Plot()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Cases returns the checks as test cases. A check of the runtime alone counts as the fixed arm's: it is the measure for it.
func (r Results) Cases() []junit.Case {
	var all []junit.Case
	for _, c := range r.Checks {
		arm := verdict.Arm(c.Column)
		if c.Column == Alone {
			arm = verdict.Fixed
		}
		name := fmt.Sprintf("%d pods: %s: %s", c.Pods, c.Part, c.Goal)
		if c.Part == "" {
			name = fmt.Sprintf("%d pods: %s", c.Pods, c.Goal)
		}
		all = append(all, junit.Case{Arm: arm, Name: name, Verdict: c.Verdict, Why: c.Found, Message: c.Found})
	}
	return all
}
