// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// ConfigVar is the environment variable that names the Ginkgo suite's configuration file; `kgrace regress` writes the file.
const ConfigVar = "KGRACE_REGRESSION"

// Config is the content of that file.
type Config struct {
	Minor     string                            `json:"minor"`
	Level     scenario.Level                    `json:"level,omitempty"` // "" is the node level
	Arms      []verdict.Arm                     `json:"arms"`
	Scenarios []string                          `json:"scenarios"`
	Bin       map[verdict.Arm]map[string]string `json:"bin"`
	Nodes     string                            `json:"nodes"`
	Artifacts string                            `json:"artifacts"`
	OneByOne  bool                              `json:"oneByOne"`
	Jobs      int                               `json:"jobs,omitempty"`
	// Clusters describes the clusters of the kind level.
	Clusters *Clusters `json:"clusters,omitempty"`
	// Lifeline reports that standard input is a pipe; the suite ends when that pipe ends.
	Lifeline bool `json:"lifeline"`
}

// Write writes the configuration to path.
func (c Config) Write(path string) error {
	return tool.WriteJSON(path, c)
}

// ReadConfig reads the file and returns its options. It rejects unknown names.
func ReadConfig(path string, progress io.Writer) (options Options, lifeline bool, err error) {
	var c Config
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return Options{}, false, fmt.Errorf("%s=%s: %w", ConfigVar, path, err)
	}
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return Options{}, false, err
	}
	if len(c.Scenarios) == 0 {
		return Options{}, false, fmt.Errorf("%s=%s lists no scenario", ConfigVar, path)
	}
	options = Options{Minor: c.Minor, Level: cmp.Or(c.Level, scenario.LevelNode), Arms: c.Arms, Bin: c.Bin, Nodes: c.Nodes, Artifacts: c.Artifacts,
		OneByOne: c.OneByOne, Jobs: c.Jobs, Clusters: c.Clusters, Progress: progress}
	for _, arm := range c.Arms {
		if _, err := verdict.ParseArm(string(arm)); err != nil {
			return Options{}, false, err
		}
	}
	if options.Scenarios, err = scenario.Pick(catalogue, cmp.Or(c.Level, scenario.LevelNode), c.Scenarios...); err != nil {
		return Options{}, false, err
	}
	return options, c.Lifeline, options.check()
}
