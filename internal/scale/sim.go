// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// SimResults is the content of scale-sim.json.
type SimResults struct {
	Date    time.Time                `json:"date"`
	Machine Machine                  `json:"machine"`
	Crowds  []simkubelet.CrowdResult `json:"crowds"`
}

// SimResultsFile is its name in the artifacts directory, SimDocumentFile that of its table for a document.
const (
	SimResultsFile  = "scale-sim.json"
	SimDocumentFile = "scale-sim.md"
)

// NewSimResults returns empty results of now.
func NewSimResults(m Machine) SimResults {
	return SimResults{Date: time.Now().UTC().Truncate(time.Second), Machine: m}
}

// Table returns a row for each crowd: seconds by the clock and of CPU, CPU for each pod, and how that grew since the next smaller crowd of its kind, as
// the power of the number of pods: 1 is in proportion, 2 is quadratic.
func (r SimResults) Table() (header []string, rows [][]string) {
	for i, c := range r.Crowds {
		growth := "–"
		if i > 0 && r.Crowds[i-1].Arm == c.Arm && r.Crowds[i-1].Behaviour == c.Behaviour {
			growth = fmt.Sprintf("%.2f", power(r.Crowds[i-1], c))
		}
		held, broken, invalid := sum(c.Held), sum(c.Broken), sum(c.Invalid)
		rows = append(rows, []string{string(c.Arm), string(c.Behaviour), fmt.Sprint(c.Pods), fmt.Sprintf("%.1f s", c.Wall), fmt.Sprintf("%.1f s", c.CPU),
			fmt.Sprintf("%.0f ms", c.CPU/float64(c.Pods)*1000), growth, fmt.Sprintf("%.0f s", c.Virtual),
			fmt.Sprint(held), fmt.Sprint(broken), fmt.Sprint(invalid)})
	}
	return []string{"ARM", "RUNTIME", "PODS", "WALL", "CPU", "CPU A POD", "POWER", "VIRTUAL", "HELD", "BROKEN", "NOT APPLYING"}, rows
}

// power returns the exponent of the growth of CPU time with the number of pods.
func power(less, more simkubelet.CrowdResult) float64 {
	return math.Log(more.CPU/less.CPU) / math.Log(float64(more.Pods)/float64(less.Pods))
}

func sum(counts map[scenario.Rule]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

// steeper is by how much the fixed arm's power of growth may exceed stock's.
const steeper = 0.3

// Missed returns the goals that are not met: the fixed arm holds every rule for every pod and keeps no record, stock breaks some,
// and the fixed arm's time does not grow faster with the number of pods than stock's.
func (r SimResults) Missed() (all []string) {
	for i, c := range r.Crowds {
		name := fmt.Sprintf("%s with %s's behaviour, %d pods", c.Arm, c.Behaviour, c.Pods)
		if c.Arm == verdict.Stock {
			if sum(c.Broken) == 0 {
				all = append(all, name+": no rule was broken: expected some to be, as on every stock kubelet")
			}
			continue
		}
		for _, rule := range scenario.Rules() {
			if n := c.Broken[rule]; n > 0 {
				all = append(all, fmt.Sprintf("%s: %s broken for %d pods: %s", name, rule, n, c.Why[rule]))
			}
		}
		if c.Kept > 0 {
			all = append(all, fmt.Sprintf("%s: the kubelet still has records of %d killed pods", name, c.Kept))
		}
		if i == 0 || r.Crowds[i-1].Arm != c.Arm || r.Crowds[i-1].Behaviour != c.Behaviour {
			continue
		}
		less := r.Crowds[i-1]
		stockLess, ok := r.find(verdict.Stock, c.Behaviour, less.Pods)
		stock, found := r.find(verdict.Stock, c.Behaviour, c.Pods)
		if !ok || !found {
			continue
		}
		if fixed, stock := power(less, c), power(stockLess, stock); fixed > stock+steeper {
			all = append(all, fmt.Sprintf("%s: the CPU time grows with the power %.2f of the pods since %d, stock's with %.2f", name, fixed, less.Pods, stock))
		}
	}
	return all
}

func (r SimResults) find(arm verdict.Arm, behaviour sim.Behaviour, pods int) (simkubelet.CrowdResult, bool) {
	for _, c := range r.Crowds {
		if c.Arm == arm && c.Behaviour == behaviour && c.Pods == pods {
			return c, true
		}
	}
	return simkubelet.CrowdResult{}, false
}

// Write writes the results and their table.
func (r SimResults) Write(dir string) error {
	if err := tool.WriteJSON(filepath.Join(dir, SimResultsFile), r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, SimDocumentFile), []byte(markdown(r.Table())), 0o644)
}
