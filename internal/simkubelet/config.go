// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// ConfigVar is the environment variable with the path of the Config file; `kgrace regress` writes the file.
const ConfigVar = "KGRACE_SIM"

// Config is the content of that file. A suite runs one arm with one behaviour of the runtime.
type Config struct {
	Minor     string        `json:"minor"`
	Arm       verdict.Arm   `json:"arm"`
	Behaviour sim.Behaviour `json:"personality"`
	Scenarios []string      `json:"scenarios"`
	Artifacts string        `json:"artifacts"`
}

// File returns the name of a file of this suite in the artifacts directory: kind-sim-containerd-stock.ext.
func (c Config) File(kind, ext string) string {
	return fmt.Sprintf("%s-%s-%s-%s.%s", kind, scenario.LevelSim, c.Behaviour, c.Arm, ext)
}

// History returns the path of a scenario's history below the artifacts directory.
func (c Config) History(id string) string {
	return filepath.Join("histories", string(scenario.LevelSim), string(c.Arm), id+".jsonl")
}

// Write writes the file.
func (c Config) Write(path string) error {
	return tool.WriteJSON(path, c)
}

// ReadConfig reads the file. Every name in it must be known.
func ReadConfig(path string) (c Config, rows []scenario.Scenario, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, nil, fmt.Errorf("%s=%s: %w", ConfigVar, path, err)
	}
	if _, err := verdict.ParseArm(string(c.Arm)); err != nil {
		return c, nil, err
	}
	if _, err := ParseRuntime(string(c.Behaviour)); err != nil {
		return c, nil, err
	}
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return c, nil, err
	}
	if len(c.Scenarios) == 0 {
		return c, nil, fmt.Errorf("%s=%s names no scenario", ConfigVar, path)
	}
	rows, err = scenario.Pick(catalogue, scenario.LevelSim, c.Scenarios...)
	return c, rows, err
}

// Runtimes returns the names of the behaviours.
func Runtimes() []string {
	var names []string
	for _, one := range sim.Behaviours() {
		names = append(names, string(one))
	}
	return names
}

// ParseRuntime returns the behaviour with the given name; the error lists the known ones.
func ParseRuntime(name string) (sim.Behaviour, error) {
	if slices.Contains(sim.Behaviours(), sim.Behaviour(name)) {
		return sim.Behaviour(name), nil
	}
	return "", tool.NewUnknown("runtime", name, "", Runtimes())
}
