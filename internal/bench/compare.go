// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// Verdict is the result of a comparison.
type Verdict string

// The verdicts. Only time is judged; figures about memory are only shown.
const (
	Good    Verdict = "ok"      // not slower by more than the limit
	Slower  Verdict = "SLOWER"  // red
	Unclear Verdict = "unclear" // no difference found, but one of that size could not be detected
	Told    Verdict = ""        // not judged
)

// work is what the fix does in a benchmark and stock does not, with the slowdown in percent that it may cost. Nobody waits for it: a pod
// ends once, and these are microseconds.
var work = map[string]float64{
	// The deadline moves: a channel is closed and another one made. Stock computes a grace period that nothing reads.
	"UpdatePod/shorter": 50,
	"UpdatePod/force":   50,
	// The kill runs in a goroutine of its own, which outlives the attempt.
	"Termination": 10,
}

// Row is one benchmark in one unit.
type Row struct {
	Benchmark string  `json:"benchmark"`
	Unit      string  `json:"unit"` // sec/op, B/op or allocs/op
	Stock     float64 `json:"stock"`
	Fixed     float64 `json:"fixed"`
	// Spread is the wider of the two confidence intervals, in percent of its median.
	Spread float64 `json:"spread"`
	// Delta is how much more fixed takes, in percent; 0 if no difference was found.
	Delta float64 `json:"delta"`
	// Found means that the difference is significant; P is the probability that it is due to chance.
	Found bool `json:"found"`
	// Limit is the slowdown in percent above which the benchmark is red.
	Limit   float64 `json:"limit,omitempty"`
	P       string  `json:"p"`
	Verdict Verdict `json:"verdict,omitempty"`
}

// Compare judges every benchmark of the samples: slower by more than limit percent is red, or by more than its own limit if that is
// higher.
func Compare(s Samples, limit float64) ([]Row, error) {
	measured, err := read(s)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, m := range measured {
		if len(m.values[0]) == 0 || len(m.values[1]) == 0 {
			return nil, fmt.Errorf("%s, %s: one of the arms has no samples of it, see %s and %s", m.benchmark, m.unit, s.Stock, s.Fixed)
		}
		rows = append(rows, m.row(limit))
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s and %s have no benchmark to compare", s.Stock, s.Fixed)
	}
	return rows, nil
}

// series contains the values of one benchmark in one unit, of stock and of fixed.
type series struct {
	benchmark, unit string
	values          [2][]float64
}

var procs = regexp.MustCompile(`-\d+$`) // the suffix that go test adds to a name

// read reads the samples of both arms, ordered by unit: time first.
func read(s Samples) ([]*series, error) {
	var all []*series
	for arm, file := range []string{s.Stock, s.Fixed} {
		files := benchfmt.Files{Paths: []string{file}}
		for files.Scan() {
			result, ok := files.Result().(*benchfmt.Result)
			if !ok {
				return nil, fmt.Errorf("%v, which is not a line of a benchmark", files.Result())
			}
			name := strings.TrimPrefix(procs.ReplaceAllString(result.Name.String(), ""), "Kgrace")
			for _, v := range result.Values {
				i := slices.IndexFunc(all, func(s *series) bool { return s.benchmark == name && s.unit == v.Unit })
				if i < 0 {
					i, all = len(all), append(all, &series{benchmark: name, unit: v.Unit})
				}
				all[i].values[arm] = append(all[i].values[arm], v.Value)
			}
		}
		if err := files.Err(); err != nil {
			return nil, err
		}
	}
	units := []string{"sec/op", "B/op", "allocs/op"}
	slices.SortStableFunc(all, func(a, b *series) int { return cmp.Compare(slices.Index(units, a.unit), slices.Index(units, b.unit)) })
	return all, nil
}

// row compares the arms as benchstat does: medians, their 95 % confidence intervals, and Mann-Whitney's U test.
func (s *series) row(limit float64) Row {
	const confidence = 0.95
	compared, thresholds := benchmath.AssumeNothing, &benchmath.DefaultThresholds
	stock, fixed := benchmath.NewSample(s.values[0], thresholds), benchmath.NewSample(s.values[1], thresholds)
	a, b, c := compared.Summary(stock, confidence), compared.Summary(fixed, confidence), compared.Compare(stock, fixed)
	row := Row{Benchmark: s.benchmark, Unit: s.unit, Stock: a.Center, Fixed: b.Center, Spread: max(spread(a), spread(b)),
		Found: c.P <= c.Alpha, P: strings.TrimPrefix(c.String(), "p=")}
	if row.Found && row.Stock != 0 { // an increase from zero has no percentage
		row.Delta = (row.Fixed/row.Stock - 1) * 100
	}
	if s.unit != "sec/op" {
		return row
	}
	row.Limit = max(limit, work[s.benchmark])
	switch {
	case row.Found && row.Delta > row.Limit:
		row.Verdict = Slower
	case !row.Found && row.Spread > row.Limit:
		row.Verdict = Unclear
	default:
		row.Verdict = Good
	}
	return row
}

// spread returns the width of the interval in percent of the median; 100 if there are too few samples for an interval.
func spread(s benchmath.Summary) float64 {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(s.PctRangeString(), "%"), 64)
	if err != nil {
		return 100
	}
	return percent
}
