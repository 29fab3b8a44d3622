// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

// suiteTime bounds a suite, in case a tree makes it hang.
const suiteTime = 5 * time.Minute

// verdicts are the catalogue's verdicts on one tree.
type verdicts struct {
	Tree      string             `json:"tree"`
	Scenarios map[string]finding `json:"scenarios,omitempty"`
	// Missing is the reason why there is no such tree; empty if there is one.
	Missing string `json:"missing,omitempty"`
}

// finding is one scenario on one tree.
type finding struct {
	Broken []scenario.Rule `json:"broken,omitempty"`
	// Invalid is the reason why the scenario has no verdict.
	Invalid string `json:"invalid,omitempty"`
}

func (v finding) held() bool { return len(v.Broken) == 0 && v.Invalid == "" }

// Of returns the verdict on a scenario.
func (v *verdicts) Of(id string) finding {
	if one, ok := v.Scenarios[id]; ok {
		return one
	}
	why := "it has no result"
	if v.Missing != "" {
		why = v.Missing
	}
	return finding{Invalid: why}
}

func (v *verdicts) ids() []string { return slices.Sorted(maps.Keys(v.Scenarios)) }

// verdictsOn returns the stored verdicts on stock with some patches, or runs the catalogue on it.
func (b *bench) verdictsOn(ctx context.Context, applied []int) (*verdicts, error) {
	key, err := b.treeKey(ctx, applied)
	if err != nil {
		return nil, err
	}
	if v := b.known[key]; v != nil {
		return v, nil
	}
	path := filepath.Join(Dir(b.repo), "sim", b.plan.Minor, key+".json")
	v, err := readVerdicts(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.say("%v; ignoring it", err)
	}
	if err != nil {
		if v, err = b.runCatalogue(ctx, applied); err != nil {
			return nil, err
		}
		if err := matrix.WriteJSON(path, v); err != nil {
			return nil, err
		}
	}
	b.known[key] = v
	return v, nil
}

func readVerdicts(path string) (*verdicts, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v := &verdicts{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return nil, fmt.Errorf("%s contains no verdicts on a tree: %w", path, err)
	}
	if len(v.Scenarios) == 0 && v.Missing == "" {
		return nil, fmt.Errorf("%s contains no verdicts on a tree: no scenario, and no reason", path)
	}
	return v, nil
}

// treeKey returns a digest of all inputs of the verdicts on a tree.
func (b *bench) treeKey(ctx context.Context, applied []int) (string, error) {
	sources, err := b.sources(ctx, b.plan, matrix.Scenarios)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, b.stages[0].commit, b.plan.Pins.Go, b.plan.Pins.Staging, sources)
	for _, n := range applied {
		patch := b.plan.Patches[n-1]
		fmt.Fprintln(h, patch.Name, len(patch.Data))
		h.Write(patch.Data)
	}
	return hex.EncodeToString(h.Sum(nil))[:32], nil
}

// treeName returns a tree's name for people.
func (b *bench) treeName(applied []int) string {
	all := b.code(len(b.plan.Patches))
	switch {
	case len(applied) == 0:
		return "stock"
	case slices.Equal(applied, all):
		return "the whole series"
	case len(applied) == len(all)-1 && !slices.Equal(applied, all[:len(applied)]):
		for _, n := range all {
			if !slices.Contains(applied, n) {
				return fmt.Sprintf("the series without patch %d", n)
			}
		}
	}
	return fmt.Sprintf("stock with the patches up to %d", applied[len(applied)-1])
}

// runCatalogue lays out a tree, compiles the suite with it and runs every scenario that the minor supports.
func (b *bench) runCatalogue(ctx context.Context, applied []int) (*verdicts, error) {
	v := &verdicts{Tree: b.treeName(applied)}
	var missing *missingError
	if err := b.lay(ctx, applied); errors.As(err, &missing) {
		v.Missing = missing.why
		return v, nil
	} else if err != nil {
		return nil, err
	}
	b.say("%s: the catalogue on %s", b.plan.Minor, v.Tree)
	// Below the trees, so that the leftovers of a killed run are removed with them.
	dir := filepath.Join(b.treesDir(), b.plan.Minor, "sim")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	before, err := b.sources(ctx, b.plan, matrix.Scenarios)
	if err != nil {
		return nil, err
	}
	suite, faults, err := b.compileSuite(ctx, dir)
	if err != nil {
		return nil, err
	}
	if now, err := b.sources(ctx, b.plan, matrix.Scenarios); err != nil {
		return nil, err
	} else if now != before {
		return nil, errors.New("the sources of the sim level changed while it was compiled; run it again")
	}
	if faults != "" {
		v.Missing = "it does not compile: " + faults
		return v, nil
	}
	results, err := b.runSuite(ctx, suite, dir)
	if err != nil {
		return nil, fmt.Errorf("the catalogue on %s of %s: %w", v.Tree, b.plan.Minor, err)
	}
	v.Scenarios = verdictsOf(results)
	return v, nil
}

func (b *bench) compileSuite(ctx context.Context, dir string) (suite, faults string, err error) {
	unlock, err := b.repo.LockBuild(ctx)
	if err != nil {
		return "", "", err
	}
	defer unlock()
	suite, err = simbuild.Compile(ctx, simbuild.Options{Root: b.repo.Root, Tree: b.after, Minor: b.plan.Minor,
		Staging: b.plan.Pins.Staging, Toolchain: b.plan.Pins.Go, Dir: dir})
	faults, err = compilerSays(ctx, err)
	return suite, faults, err
}

// runSuite runs the suite as on the fixed arm, whatever the tree, because there a broken rule is red.
func (b *bench) runSuite(ctx context.Context, suite, dir string) (result.Results, error) {
	catalogue, err := scenario.Catalogue()
	if err != nil {
		return result.Results{}, err
	}
	rows, _, err := scenario.PickIn(catalogue, b.plan.Minor, scenario.LevelSim)
	if err != nil {
		return result.Results{}, err
	}
	c := simkubelet.Config{Minor: b.plan.Minor, Arm: verdict.Fixed, Behaviour: sim.Containerd, Scenarios: scenario.IDs(rows), Artifacts: dir}
	limited, cancel := context.WithTimeoutCause(ctx, suiteTime, fmt.Errorf("the suite did not end in %v", suiteTime))
	defer cancel()
	// Only its results count, not whether it passes: most of these trees are broken on purpose.
	results, _, err := simbuild.Run(limited, suite, c)
	if limited.Err() != nil {
		return result.Results{}, context.Cause(limited)
	}
	return results, err
}

// verdictsOf returns the rules that a judge found broken; if goroutines remained, the rule that forbids that.
func verdictsOf(results result.Results) map[string]finding {
	all := map[string]finding{}
	for _, one := range results.Results {
		var v finding
		for _, rule := range one.Rules {
			switch {
			case rule.Verdict.Red():
				v.Broken = append(v.Broken, rule.Rule)
			case strings.Contains(rule.Why, result.Leftover):
				if !slices.Contains(v.Broken, scenario.NoLeftovers) {
					v.Broken = append(v.Broken, scenario.NoLeftovers)
				}
			case !rule.Verdict.Good():
				v.Invalid = fmt.Sprintf("%s: %s", rule.Rule, rule.Why)
			}
		}
		if len(one.Rules) == 0 {
			v.Invalid = "no rule was judged"
		}
		if len(v.Broken) > 0 {
			v.Invalid = "" // one broken rule is enough
		}
		all[one.Scenario] = v
	}
	return all
}

func (p *Prover) say(format string, args ...any) {
	if p.repo.Progress != nil {
		fmt.Fprintf(p.repo.Progress, "matrix: "+format+"\n", args...)
	}
}
