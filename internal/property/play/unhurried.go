// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/judge"
	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Unhurried plays random unhurried scenarios on two arms concurrently and compares them: c.Arm with first or, if both are one
// arm, that arm with itself. Then nothing may differ, which shows that the comparison is stable.
func (r Run) Unhurried(ctx context.Context, first verdict.Arm, suites map[verdict.Arm]string, c property.Config) (property.Results, error) {
	c.Kind = property.Unhurried
	var compared atomic.Int64
	progress := tool.Progress{To: r.Progress, What: fmt.Sprintf("properties: %s: %s", c.Kind, c.Arm)}
	defer tool.Heartbeat(time.Now(), func(running time.Duration) {
		progress.Say("%d of %d compared in %s", compared.Load(), r.Part.Of(c.Count), running)
	})()
	return r.share(max(r.Processes/2, 1), c, func(c property.Config) (property.Results, error) {
		return (&pairing{c: c, first: first, suites: suites, compared: &compared, enough: r.Enough}).play(ctx)
	})
}

// pairing compares one process of c.Arm with one of first.
type pairing struct {
	c      property.Config
	first  verdict.Arm
	suites map[verdict.Arm]string
	// compared counts the scenarios of all processes.
	compared *atomic.Int64
	enough   int

	may     []judge.Exception
	results property.Results
	list    *os.File
}

func (p *pairing) play(ctx context.Context) (property.Results, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.results = property.Results{Kind: p.c.Kind, Minor: p.c.Minor, Arm: p.c.Arm, Seed: p.c.Seed, Rules: map[scenario.Rule]property.Tally{}}
	if p.first != p.c.Arm {
		p.may, p.results.May = judge.May(), map[string]int{}
	}
	if err := os.MkdirAll(p.dir(), 0o755); err != nil {
		return p.results, err
	}
	var err error
	if p.list, err = os.Create(filepath.Join(p.dir(), fmt.Sprintf("differences-%d.txt", p.c.Shard))); err != nil {
		return p.results, err
	}
	defer p.list.Close()
	begin := time.Now()
	one := p.c
	one.Arm = p.first
	a, err := startStream(ctx, p.suites[one.Arm], one, "a")
	if err != nil {
		return p.results, err
	}
	defer a.end()
	b, err := startStream(ctx, p.suites[p.c.Arm], p.c, "b")
	if err != nil {
		return p.results, err
	}
	defer b.end()
	for range p.c.Seeds() {
		stock, err := a.next()
		if err != nil {
			return p.results, err
		}
		fixed, err := b.next()
		if err != nil {
			return p.results, err
		}
		if err := p.compare(ctx, stock, fixed); err != nil {
			return p.results, err
		}
		p.compared.Add(1)
		if p.enough > 0 && p.results.Rules[scenario.Kept].Broken >= p.enough {
			p.results.Seconds = time.Since(begin).Seconds()
			return p.results, nil
		}
	}
	p.results.Seconds = time.Since(begin).Seconds()
	return p.results, errors.Join(a.wait(), b.wait())
}

func (p *pairing) dir() string {
	return filepath.Join(p.c.Artifacts, "properties", string(property.Unhurried))
}

// compare adds the result of comparing one scenario and, where the arms may differ, the judges' findings.
func (p *pairing) compare(ctx context.Context, stock, fixed property.Played) error {
	r := &p.results
	r.Histories++
	found := property.Found{Rule: scenario.Kept, Seed: stock.Seed, Scenario: stock.Scenario}
	if found.Why = stock.Why; found.Why == "" {
		found.Why = fixed.Why
	}
	if found.Why != "" {
		r.Unplayed = append(r.Unplayed, found)
		return nil
	}
	difference, by, err := property.Same(stock, fixed, p.may)
	if err != nil {
		return err
	}
	if difference != nil {
		if difference, err = p.again(ctx, difference, stock); err != nil {
			return err
		}
	}
	findings := []judge.Finding{{Rule: scenario.Kept, Outcome: scenario.Held}}
	if difference != nil {
		findings[0].Outcome, findings[0].Why = scenario.Broken, difference.String()
	}
	if by != nil {
		r.May[by.Name]++
		findings = append(findings, fixed.Findings...)
	}
	for _, one := range findings {
		t := r.Rules[one.Rule]
		switch one.Outcome {
		case scenario.Held:
			t.Held++
		case scenario.Broken:
			t.Broken++
			found.Rule, found.Why = one.Rule, one.Why
			if err := p.keep(found, stock, fixed); err != nil {
				return err
			}
		default:
			t.Invalid++
		}
		r.Rules[one.Rule] = t
	}
	return nil
}

// replays is how often a scenario in which the arms differed is replayed on both.
const replays = 4

// again replays on both arms a scenario in which they differed. If they agree the first time, or stock, the control, differs from
// itself, the scenario is listed and counts as unsteady. Fixed has no such excuse: a race of its own is a difference.
func (p *pairing) again(ctx context.Context, difference *judge.Difference, stock property.Played) (*judge.Difference, error) {
	for i := range replays {
		a, err := p.replay(ctx, p.first, stock.Seed)
		if err != nil {
			return nil, err
		}
		b, err := p.replay(ctx, p.c.Arm, stock.Seed)
		if err != nil {
			return nil, err
		}
		between, _, err := property.Same(a, b, p.may)
		if err != nil {
			return nil, err
		}
		itself, _, err := property.Same(stock, a, nil)
		if err != nil {
			return nil, err
		}
		if i == 0 && between == nil || itself != nil {
			p.results.Unsteady++
			_, err = fmt.Fprintf(p.list, "unsteady seed %d: %s\n\t%s\n", stock.Seed, stock.Scenario, difference)
			return nil, err
		}
	}
	return difference, nil
}

// replay plays one scenario again on an arm.
func (p *pairing) replay(ctx context.Context, arm verdict.Arm, seed int) (property.Played, error) {
	c := p.c
	c.Arm, c.Seed, c.Count, c.Shard, c.Shards = arm, seed, 1, 0, 1
	c.Artifacts = filepath.Join(p.dir(), fmt.Sprintf("again-%d", p.c.Shard))
	if err := os.MkdirAll(c.Artifacts, 0o755); err != nil {
		return property.Played{}, err
	}
	defer os.RemoveAll(c.Artifacts)
	s, err := startStream(ctx, p.suites[arm], c, "again")
	if err != nil {
		return property.Played{}, err
	}
	defer s.end()
	return s.next()
}

// keep lists a finding, and keeps both histories of the shortest scenario of each rule.
func (p *pairing) keep(found property.Found, stock, fixed property.Played) error {
	if _, err := fmt.Fprintf(p.list, "%s seed %d: %s\n\t%s\n", found.Rule, found.Seed, found.Scenario, found.Why); err != nil {
		return err
	}
	r := &p.results
	i := slices.IndexFunc(r.Broken, func(f property.Found) bool { return f.Rule == found.Rule })
	switch {
	case i < 0:
		i, r.Broken = len(r.Broken), append(r.Broken, found)
	case len(r.Broken[i].Scenario) <= len(found.Scenario):
		return nil
	}
	for _, name := range r.Broken[i].Files() {
		if err := os.Remove(filepath.Join(p.c.Artifacts, name)); err != nil {
			return err
		}
	}
	name := filepath.Join("properties", string(property.Unhurried), fmt.Sprintf("%s-%d", found.Rule, found.Seed))
	found.Row, found.Against, found.History = name+".go.txt", name+"-against.jsonl", name+".jsonl"
	r.Broken[i] = found
	for file, h := range map[string]history.History{found.Against: stock.History, found.History: fixed.History} {
		if err := history.WriteFile(filepath.Join(p.c.Artifacts, file), h); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(p.c.Artifacts, found.Row), []byte(stock.Row), 0o644)
}
