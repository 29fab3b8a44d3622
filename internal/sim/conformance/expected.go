// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/sim"
)

// traces holds the expected trace of each sequence for each behaviour. TestSimulator holds the simulator to them.
//
//go:embed testdata
var traces embed.FS

// Expected returns the trace that a sequence leaves on a runtime with the given behaviour.
func Expected(behaviour sim.Behaviour, name string) (Trace, error) {
	data, err := traces.ReadFile(path.Join("testdata", string(behaviour), name+".txt"))
	if err != nil {
		return Trace{}, fmt.Errorf("no expected trace of sequence %q on %s: %w", name, behaviour, err)
	}
	return Trace{Lines: strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")}, nil
}

// seen returns the lines of a trace that an observer without a line server sees: not the end of a main process's connection.
// Without events it also lacks the runtime's.
func seen(lines []string, events bool) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return strings.HasSuffix(line, ": "+eof) || !events && isEvent(line)
	})
}

// isEvent reports whether a line of a trace is an event of the runtime's.
func isEvent(line string) bool { return strings.Contains(line, "  "+eventOf) }
