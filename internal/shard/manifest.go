// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Kind is the kind of a split run.
type Kind string

// The kinds.
const (
	Catalogue  Kind = "sim"        // scenarios of the catalogue at the sim level
	Properties Kind = "properties" // random scenarios
)

// Kinds returns all kinds, in the order in which they are shown.
func Kinds() []Kind { return []Kind{Catalogue, Properties} }

// ManifestFile returns the name of a kind's manifest in the artifacts directory of a part.
func ManifestFile(k Kind) string { return "shard-" + string(k) + ".json" }

// Manifest describes the run that a part belongs to. Everything but Part and Found is equal in all parts of one run.
type Manifest struct {
	Kind Kind `json:"kind"`
	Part Part `json:"part"`
	// Run identifies the run, the UID of an Indexed Job for example: parts of two equal runs must not be mixed. Parts that were
	// started by hand may have none.
	Run   string        `json:"run,omitempty"`
	Minor string        `json:"minor"`
	Arms  []verdict.Arm `json:"arms"`
	// Runtimes are the simulated runtimes.
	Runtimes []string `json:"runtimes"`
	// Suites are the digests of the arms' test binaries.
	Suites map[verdict.Arm]string `json:"suites"`
	// Scenarios are those of the whole run of the catalogue, in its order.
	Scenarios []string `json:"scenarios,omitempty"`
	// Seed and Histories determine the random scenarios of the whole run.
	Seed      int `json:"seed,omitempty"`
	Histories int `json:"histories,omitempty"`
	// Found is the result of the part's random scenarios.
	Found []property.Results `json:"found,omitempty"`

	// dir is the directory that it was read from.
	dir string
}

// Write writes the manifest to the artifacts directory of the part. It must be the last step: a directory without a manifest is a
// part that did not finish.
func (m Manifest) Write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, ManifestFile(m.Kind)), append(data, '\n'), 0o644)
}

// Remove removes an earlier manifest before a part begins.
func Remove(dir string, k Kind) error {
	if err := os.Remove(filepath.Join(dir, ManifestFile(k))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// read reads a directory's manifest of a kind; nil, nil if it has none.
func read(dir string, k Kind) (*Manifest, error) {
	file := filepath.Join(dir, ManifestFile(k))
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := &Manifest{dir: dir}
	if err == nil {
		err = json.Unmarshal(data, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if m.Kind != k || m.Part.Set(m.Part.String()) != nil || len(m.Arms) == 0 {
		return nil, fmt.Errorf("%s: not the manifest of a part: kind %q, part %d of %d, arms %v", file, m.Kind, m.Part.Index, m.Part.Total, m.Arms)
	}
	return m, nil
}

// run returns the parts of the manifest that must be equal in all parts, as text to compare.
func (m Manifest) run() map[string]string {
	text := func(v any) string {
		data, _ := json.Marshal(v) // maps are sorted
		return string(data)
	}
	return map[string]string{
		"run": text(m.Run), "number of parts": text(m.Part.Total), "minor": m.Minor, "arms": text(m.Arms), "runtimes": text(m.Runtimes),
		"suites": text(m.Suites), "scenarios": text(m.Scenarios), "seed": text(m.Seed), "number of histories": text(m.Histories),
	}
}

// whole checks that the manifests of one kind belong together and returns them in the order of their parts. It reports all
// faults, not only the first.
func whole(k Kind, found []*Manifest) ([]*Manifest, error) {
	first := found[0]
	var faults []string
	for _, m := range found[1:] {
		want, got := first.run(), m.run()
		for _, what := range []string{"run", "number of parts", "minor", "arms", "runtimes", "suites", "scenarios", "seed", "number of histories"} {
			if want[what] != got[what] {
				faults = append(faults, fmt.Sprintf("%s and %s belong to different runs: %s %s and %s", first.dir, m.dir, what, short(want[what]), short(got[what])))
			}
		}
	}
	if len(faults) > 0 {
		return nil, errors.New(strings.Join(faults, "\n  "))
	}
	parts := make([]*Manifest, first.Part.Total)
	for _, m := range found {
		if twice := parts[m.Part.Index]; twice != nil {
			faults = append(faults, fmt.Sprintf("%s occurs twice, in %s and %s: omit one", m.Part, twice.dir, m.dir))
		}
		parts[m.Part.Index] = m
	}
	for i, m := range parts {
		if m == nil {
			faults = append(faults, fmt.Sprintf("%s is missing: no directory has its %s; it did not finish, or its directory was not named", Part{i, len(parts)}, ManifestFile(k)))
		}
	}
	if len(faults) > 0 {
		return nil, errors.New(string(k) + ": " + strings.Join(faults, "\n  "))
	}
	return parts, nil
}

// directories returns the given directories; one without a manifest is replaced by its subdirectories that have one.
func directories(dirs []string) (all []string, err error) {
	has := func(dir string) bool {
		return slices.ContainsFunc(Kinds(), func(k Kind) bool {
			_, err := os.Stat(filepath.Join(dir, ManifestFile(k)))
			return err == nil
		})
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		if has(dir) {
			all = append(all, dir)
			continue
		}
		before := len(all)
		for _, e := range entries {
			if below := filepath.Join(dir, e.Name()); e.IsDir() && has(below) {
				all = append(all, below)
			}
		}
		if len(all) == before {
			return nil, fmt.Errorf("%s holds no part of a run: neither it nor a directory in it has a %s or %s", dir, ManifestFile(Catalogue), ManifestFile(Properties))
		}
	}
	return all, nil
}

func short(s string) string {
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}
