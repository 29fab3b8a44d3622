// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simkubelet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// CrowdVar is the environment variable with the path of the CrowdConfig file; `kgrace scale --level sim` writes the file.
const CrowdVar = "KGRACE_CROWD"

// CrowdConfig is the content of that file: one crowd.
type CrowdConfig struct {
	Minor     string        `json:"minor"`
	Arm       verdict.Arm   `json:"arm"`
	Behaviour sim.Behaviour `json:"runtime"`
	Pods      int           `json:"pods"`
	Seed      uint64        `json:"seed"`
	// Results is the file to write the results to, Histories the directory for the histories of the first pods that broke a rule.
	Results   string `json:"results,omitempty"`
	Histories string `json:"histories,omitempty"`
}

// CrowdResult is the result of one crowd.
type CrowdResult struct {
	CrowdConfig
	// Wall is how long the bubble took in real seconds, with the start and the end of the node, CPU what it used of a processor, which
	// other work on the machine changes less. Virtual is the bubble's own time, from the first step to the last end.
	Wall    float64 `json:"wall"`
	CPU     float64 `json:"cpu"`
	Virtual float64 `json:"virtual"`
	// Held and Broken count the pods by rule; Why has the reason of the first broken one.
	Held    map[scenario.Rule]int    `json:"held"`
	Broken  map[scenario.Rule]int    `json:"broken,omitempty"`
	Invalid map[scenario.Rule]int    `json:"invalid,omitempty"`
	Why     map[scenario.Rule]string `json:"why,omitempty"`
	// Kept is how many killed pods the kubelet still had a record of in the end.
	Kept int `json:"kept"`
}

// WriteCrowd writes a CrowdConfig or a CrowdResult.
func WriteCrowd(path string, value any) error {
	return tool.WriteJSON(path, value)
}

// ReadCrowd reads a file of WriteCrowd.
func ReadCrowd(path string, value any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, value)
	}
	if err != nil {
		return fmt.Errorf("crowd %s: %w", filepath.Base(path), err)
	}
	return nil
}
