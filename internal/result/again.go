// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Again returns the command that runs a scenario of the run once more on an arm.
func (r Run) Again(s scenario.Scenario, arm verdict.Arm) string {
	words := []string{"kgrace", "regress", "--level", string(r.Level)}
	if r.Level == scenario.LevelKind {
		words = []string{"kgrace", "e2e"}
	}
	if r.Minor != "" {
		words = append(words, "--kubernetes", r.Minor)
	}
	if runtime, ok := strings.CutPrefix(r.Histories[Key{s.ID, arm}].Versions["runtime"], "sim "); ok && r.Level == scenario.LevelSim {
		words = append(words, "--runtime", runtime)
	}
	// A row that is compared with stock, call by call, needs both arms.
	if !s.In(r.Minor).AsStock || r.Level != scenario.LevelSim {
		words = append(words, "--arm", string(arm))
	}
	return strings.Join(append(words, s.ID), " ")
}

// File returns the path of a file that the results name, such as a history.
func (r Run) File(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.Dir, name)
}

// Log returns the path of the kubelet's log of an arm, "" if the artifacts hold none. A simulated kubelet always leaves one;
// a real one does if something was not as expected.
func (r Run) Log(arm verdict.Arm) string {
	level := string(r.Level)
	if r.Dir == "" {
		return "" // histories that were judged again, from anywhere
	}
	for _, pattern := range []string{
		"kubelet-" + level + "-*-" + string(arm) + ".log",
		path.Join("logs", level, string(arm), "kubelet.log"),
		path.Join("logs", level, string(arm), "*worker*", "kubelet.log"),
	} {
		if files, _ := filepath.Glob(filepath.Join(escaped(r.Dir), pattern)); len(files) > 0 {
			return slices.Min(files)
		}
	}
	return ""
}
