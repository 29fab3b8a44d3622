// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/tool"
)

// PropertiesFile is the file that Merge writes for random scenarios.
const PropertiesFile = "properties.json"

// Merged is the combined result of the parts.
type Merged struct {
	// Runtimes in the order in which they were requested, with the results of each.
	Runtimes []sim.Behaviour
	Results  map[sim.Behaviour]result.Results
	// Properties has one entry for each kind and arm.
	Properties []property.Results
	// Parts maps each kind to its number of parts.
	Parts map[Kind]int
}

// Merge reads the parts of a run in dirs, which are directories of artifacts or directories of such directories, and writes into out what a
// single machine would have left. The directory out is not emptied and must not be one of the parts.
//
// It returns an error for parts of different runs or, if run is not empty, of another run than that, a duplicate part, missing parts (each is named), and results that do not
// belong to their part.
func Merge(out, run string, dirs ...string) (*Merged, error) {
	all, err := directories(dirs)
	if err != nil {
		return nil, err
	}
	for _, dir := range all {
		if a, b := clean(dir), clean(out); a == b {
			return nil, fmt.Errorf("%s is a part itself; merge into another directory", out)
		}
	}
	merged := &Merged{Results: map[sim.Behaviour]result.Results{}, Parts: map[Kind]int{}}
	for _, k := range Kinds() {
		var found []*Manifest
		for _, dir := range all {
			m, err := read(dir, k)
			if err != nil {
				return nil, err
			}
			if m == nil {
				continue
			}
			if run != "" && m.Run != run {
				return nil, fmt.Errorf("%s is part %s of run %q, want run %q: it was left by another run; remove it, or name only the directories of this one",
					filepath.Join(dir, ManifestFile(k)), m.Part, m.Run, run)
			}
			found = append(found, m)
		}
		if len(found) == 0 {
			continue
		}
		parts, err := whole(k, found)
		if err != nil {
			return nil, err
		}
		merged.Parts[k] = len(parts)
		if err := os.MkdirAll(out, 0o755); err != nil {
			return nil, err
		}
		if k == Properties {
			err = merged.properties(out, parts)
		} else {
			err = merged.catalogue(out, parts)
		}
		if err != nil {
			return nil, err
		}
	}
	return merged, nil
}

func clean(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// Below returns the directory of a runtime's artifacts below a directory of artifacts: the artifacts of the first runtime are in
// the directory itself.
func Below(p sim.Behaviour) string {
	if p == sim.Containerd {
		return "."
	}
	return string(p)
}

func (merged *Merged) catalogue(out string, parts []*Manifest) error {
	run := parts[0]
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return err
	}
	rows, err := scenario.Pick(catalogue, scenario.LevelSim, run.Scenarios...)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(run.dir, ManifestFile(Catalogue)), err)
	}
	for _, name := range run.Runtimes {
		p, err := simkubelet.ParseRuntime(name)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(run.dir, ManifestFile(Catalogue)), err)
		}
		results, err := together(out, p, rows, parts)
		if err != nil {
			return err
		}
		merged.Runtimes, merged.Results[p] = append(merged.Runtimes, p), results
	}
	return nil
}

// together merges the results of one runtime, with the histories that they name and the suites' own reports.
func together(out string, p sim.Behaviour, rows []scenario.Scenario, parts []*Manifest) (result.Results, error) {
	run := parts[0]
	all := result.Results{Minor: run.Minor, Level: scenario.LevelSim, Arms: run.Arms, Scenarios: scenario.IDs(rows)}
	to := filepath.Join(out, Below(p))
	for _, old := range []string{result.ResultsFile(scenario.LevelSim), result.PageFile, filepath.Join("histories", string(scenario.LevelSim))} {
		if err := os.RemoveAll(filepath.Join(to, old)); err != nil {
			return all, err
		}
	}
	byKey := map[result.Key]result.Result{}
	for _, m := range parts {
		want := scenario.IDs(Take(m.Part, rows))
		if len(want) == 0 {
			continue
		}
		from := filepath.Join(m.dir, Below(p))
		file := filepath.Join(from, result.ResultsFile(scenario.LevelSim))
		part, err := result.Read(file)
		if err != nil {
			return all, fmt.Errorf("part %s: %w", m.Part, err)
		}
		if !slices.Equal(part.Scenarios, want) || part.Minor != all.Minor || !slices.Equal(part.Arms, all.Arms) {
			return all, fmt.Errorf("%s: not the results of part %s: %s on %v of %s; want %s on %v of %s",
				file, m.Part, short(fmt.Sprint(part.Scenarios)), part.Arms, part.Minor, short(fmt.Sprint(want)), all.Arms, all.Minor)
		}
		all.Seconds, all.Skipped = max(all.Seconds, part.Seconds), part.Skipped
		all.Origin = result.Joined(all.Origin, part.Origin)
		for _, one := range part.Results {
			key := result.Key{Scenario: one.Scenario, Arm: one.Arm}
			if _, twice := byKey[key]; twice || !slices.Contains(want, one.Scenario) {
				return all, fmt.Errorf("%s: %s on %s belongs to another part, or occurs twice", file, one.Scenario, one.Arm)
			}
			byKey[key] = one
			if one.History != "" {
				if err := tool.CopyFile(filepath.Join(to, one.History), filepath.Join(from, one.History)); err != nil {
					return all, fmt.Errorf("part %s: %w", m.Part, err)
				}
			}
		}
	}
	for _, id := range all.Scenarios {
		for _, arm := range all.Arms {
			if one, ok := byKey[result.Key{Scenario: id, Arm: arm}]; ok {
				all.Results = append(all.Results, one)
			}
		}
	}
	if err := all.Write(filepath.Join(to, result.ResultsFile(scenario.LevelSim))); err != nil {
		return all, err
	}
	return all, mergeSuites(to, p, parts)
}

// mergeSuites merges Ginkgo's reports of each arm: JUnit and JSON.
func mergeSuites(to string, p sim.Behaviour, parts []*Manifest) error {
	tmp, err := os.MkdirTemp("", "kgrace-merge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, arm := range parts[0].Arms {
		c := simkubelet.Config{Arm: arm, Behaviour: p}
		for name, merge := range map[string]func([]string, string) ([]string, error){
			c.File("junit", "xml"):   reporters.MergeAndCleanupJUnitReports,
			c.File("ginkgo", "json"): reporters.MergeAndCleanupJSONReports,
		} {
			// Ginkgo removes the files that it has merged, so it gets copies.
			var copies []string
			for i, m := range parts {
				file := filepath.Join(tmp, fmt.Sprintf("%d-%s", i, name))
				err := tool.CopyFile(file, filepath.Join(m.dir, Below(p), name))
				if errors.Is(err, fs.ErrNotExist) {
					continue // the part had no scenario for this runtime; its results were checked
				}
				if err != nil {
					return err
				}
				copies = append(copies, file)
			}
			if len(copies) == 0 {
				continue
			}
			if said, err := merge(copies, filepath.Join(to, name)); err != nil {
				return fmt.Errorf("merge %s: %w %v", name, err, said)
			}
		}
	}
	return nil
}

func (merged *Merged) properties(out string, parts []*Manifest) error {
	if err := os.RemoveAll(filepath.Join(out, "properties")); err != nil {
		return err
	}
	for _, one := range parts[0].Found {
		kind, arm := one.Kind, one.Arm
		var found []property.Results
		histories := 0
		of := map[string]string{} // maps a file to its directory
		for _, m := range parts {
			i := slices.IndexFunc(m.Found, func(r property.Results) bool { return r.Kind == kind && r.Arm == arm })
			if i < 0 {
				return fmt.Errorf("%s: part %s has no results of kind %s on %s", m.dir, m.Part, kind, arm)
			}
			found, histories = append(found, m.Found[i]), histories+m.Found[i].Histories
			for _, f := range slices.Concat(m.Found[i].Broken, m.Found[i].Unplayed) {
				for _, name := range f.Files() {
					of[name] = m.dir
				}
			}
		}
		// Scenarios that could not be played are reported separately.
		if want := parts[0].Histories; histories != want && !slices.ContainsFunc(found, func(r property.Results) bool { return len(r.Unplayed) > 0 }) {
			return fmt.Errorf("%s: the parts played %d histories in all, requested were %d", arm, histories, want)
		}
		sum := property.Merge(found...)
		sum.Seed = parts[0].Seed
		for _, f := range slices.Concat(sum.Broken, sum.Unplayed) {
			for _, name := range f.Files() {
				if err := tool.CopyFile(filepath.Join(out, name), filepath.Join(of[name], name)); err != nil {
					return err
				}
			}
		}
		merged.Properties = append(merged.Properties, sum)
	}
	return tool.WriteJSON(filepath.Join(out, PropertiesFile), merged.Properties)
}
