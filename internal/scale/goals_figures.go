// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgrace/kgrace/internal/verdict"
)

// Of returns the samples of a kubelet in a state.
func (r Results) Of(pods int, column Column, state State) []Sample {
	return slices.DeleteFunc(slices.Clone(r.Samples), func(s Sample) bool { return s.Pods != pods || s.Column != column || s.State != state })
}

// figure is one figure of a sample.
type figure struct {
	name string
	of   func(Sample) float64
}

var figures = []figure{
	{"goroutines", func(s Sample) float64 { return float64(s.Goroutines) }},
	{"memory in MB", func(s Sample) float64 { return s.MemoryMB }},
	{"CPU seconds in a second", func(s Sample) float64 { return s.CPU / s.Seconds }},
}

func values(all []Sample, f figure) []float64 {
	var found []float64
	for _, s := range all {
		found = append(found, f.of(s))
	}
	return found
}

// judgeFigures judges the kubelets' figures.
func (r Results) judgeFigures(pods int) []Check {
	var all []Check
	add := func(goal, found string, v verdict.Verdict) {
		all = append(all, Check{pods, "", Fixed, goal, found, v})
	}
	stock, fixed := r.Of(pods, Stock, Running), r.Of(pods, Fixed, Running)
	if len(stock) > 0 && len(fixed) > 0 {
		for _, f := range figures {
			r.judgeRest(add, f, values(stock, f), values(fixed, f))
		}
	}
	// Each pod has one container here.
	goal, control, allowed := fmt.Sprintf("at most %d goroutines more per container than stock, and %d per pod, while a shorter stop is out", perContainer, perKill),
		r.grown(pods, Stock, Hurried), perContainer+perKill
	if len(control) == 0 {
		// The same kubelet before the shorter stops.
		goal, control, allowed = "at most 1 goroutine more per container for its shorter stop", r.grown(pods, Fixed, Terminating), 1
	}
	if hurried := r.grown(pods, Fixed, Hurried); len(hurried) > 0 && len(control) > 0 {
		more := median(hurried) - median(control)
		add(goal, fmt.Sprintf("%+.2f per pod of one container", more/float64(pods)), kept(more <= float64(allowed*pods+passing)))
	}
	if empty, left := r.Of(pods, Fixed, Empty), r.Of(pods, Fixed, Left); len(empty) > 0 && len(left) > 0 {
		allowed := leftAllowed(empty[0].Goroutines, pods)
		add("all goroutines gone afterwards", fmt.Sprintf("%d before the first pod, %d afterwards; at most %d", empty[0].Goroutines, left[0].Goroutines, allowed),
			kept(left[0].Goroutines <= allowed))
	}
	return all
}

// grown returns how many goroutines that sync or end a pod a kubelet had more in a state than at rest, by part. All goroutines would not
// do: of each earlier pod a stock kubelet keeps one, a timer of a watch, for up to a minute.
func (r Results) grown(pods int, column Column, state State) (all []float64) {
	rest := r.Of(pods, column, Running)
	for _, s := range r.Of(pods, column, state) {
		if i := slices.IndexFunc(rest, func(at Sample) bool { return at.Part == s.Part }); i >= 0 && s.Ending > 0 {
			all = append(all, float64(s.Ending-rest[i].Ending))
		}
	}
	return all
}

// judgeRest judges a figure of kubelets that nobody hurries. Figures spread: above the limit is red only if all samples of fixed
// lie above all of stock by as much.
func (r Results) judgeRest(add func(goal, found string, v verdict.Verdict), f figure, stock, fixed []float64) {
	ratio := median(fixed) / median(stock)
	apart := slices.Min(fixed) > atRest*slices.Max(stock)
	found := fmt.Sprintf("%s, stock %s: %.2f ×", digits(median(fixed)), digits(median(stock)), ratio)
	if ratio > atRest && !apart {
		found += fmt.Sprintf(", but the samples overlap (stock up to %s, fixed from %s)", digits(slices.Max(stock)), digits(slices.Min(fixed)))
	}
	add(fmt.Sprintf("%s at rest at most %.2f × stock's", f.name, atRest), found, kept(!apart))
}

// digits prints a figure with three digits, or with all before the point if there are more.
func digits(v float64) string {
	if math.Abs(v) < 999.5 {
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.0f", v)
}
