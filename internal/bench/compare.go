/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
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
	Found   bool    `json:"found"`
	P       string  `json:"p"`
	Verdict Verdict `json:"verdict,omitempty"`
}

// Compare runs the benchstat at that path and judges every benchmark: slower by more than limit percent is red.
func Compare(ctx context.Context, benchstat string, s Samples, limit float64) ([]Row, error) {
	out, err := tool.Run(ctx, tool.Cmd{Dir: filepath.Dir(s.Stock), Env: os.Environ(),
		Args: []string{benchstat, "-format", "csv", "stock=" + s.Stock, "fixed=" + s.Fixed}})
	if err != nil {
		return nil, err
	}
	return parse(out, limit)
}

// Text returns benchstat's own table of the same samples.
func Text(ctx context.Context, benchstat string, s Samples) (string, error) {
	return tool.Run(ctx, tool.Cmd{Dir: filepath.Dir(s.Stock), Env: os.Environ(), Args: []string{benchstat, "stock=" + s.Stock, "fixed=" + s.Fixed}})
}

var procs = regexp.MustCompile(`-\d+$`) // the suffix that go test adds to a name

// parse parses benchstat's CSV: for each unit a line of files, a line of units, and a line per benchmark with both medians,
// their intervals, the difference and its probability.
func parse(text string, limit float64) ([]Row, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = -1
	var rows []Row
	unit := ""
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("benchstat's output: %w\n%s", err, text)
		}
		switch {
		case len(fields) < 6:
			continue // a line about the machine, or the mean
		case fields[0] == "" && strings.Contains(fields[1], "/op"):
			unit = fields[1]
			continue
		case fields[0] == "" || fields[0] == "geomean":
			continue
		}
		row, err := rowOf(fields, unit, limit)
		if err != nil {
			return nil, fmt.Errorf("benchstat's output: %q: %w", strings.Join(fields, ","), err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("benchstat compared nothing; it printed:\n%s", text)
	}
	return rows, nil
}

func rowOf(fields []string, unit string, limit float64) (Row, error) {
	row := Row{Benchmark: strings.TrimPrefix(procs.ReplaceAllString(fields[0], ""), "Kgrace"), Unit: unit}
	if len(fields) < 7 || fields[1] == "" || fields[3] == "" {
		return row, errors.New("one of the arms has no samples of it")
	}
	percent := func(text string) (float64, error) {
		if text == "∞" || text == "" {
			return 100, nil // too few samples for an interval
		}
		return strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(text, "+"), "%"), 64)
	}
	stock, err1 := strconv.ParseFloat(fields[1], 64)
	fixed, err2 := strconv.ParseFloat(fields[3], 64)
	a, err3 := percent(fields[2])
	b, err4 := percent(fields[4])
	row.Stock, row.Fixed, row.Spread = stock, fixed, max(a, b)
	row.P = strings.TrimPrefix(fields[6], "p=")
	var err5 error
	if row.Found = fields[5] != "~"; row.Found {
		if row.Delta, err5 = percent(fields[5]); fields[5] == "?" {
			row.Delta, err5 = 0, nil // an increase from zero has no percentage
		}
	}
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil || unit != "sec/op" {
		return row, err
	}
	switch {
	case row.Found && row.Delta > limit:
		row.Verdict = Slower
	case !row.Found && row.Spread > limit:
		row.Verdict = Unclear
	default:
		row.Verdict = Good
	}
	return row, nil
}
