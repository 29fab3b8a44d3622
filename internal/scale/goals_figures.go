// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
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
	hurried, terminating := r.Of(pods, Fixed, Hurried), r.Of(pods, Fixed, Terminating)
	if same := r.Of(pods, Stock, Hurried); len(same) > 0 {
		terminating = same // stock in the same state: one stop call is out for each pod
	}
	if len(hurried) > 0 && len(terminating) > 0 {
		goroutines := figures[0]
		more := (median(values(hurried, goroutines)) - median(values(terminating, goroutines))) / float64(pods)
		add(fmt.Sprintf("at most %.0f goroutines more per container while a shorter stop is out", perContainer),
			fmt.Sprintf("%+.2f per container", more), kept(more <= perContainer))
	}
	if empty, left := r.Of(pods, Fixed, Empty), r.Of(pods, Fixed, Left); len(empty) > 0 && len(left) > 0 {
		allowed := leftAllowed(empty[0].Goroutines, pods)
		add("all goroutines gone afterwards", fmt.Sprintf("%d before the first pod, %d afterwards; at most %d", empty[0].Goroutines, left[0].Goroutines, allowed),
			kept(left[0].Goroutines <= allowed))
	}
	return all
}

// judgeRest judges a figure of kubelets that nobody hurries. Figures spread: above the limit is red only if all samples of fixed
// lie above all of stock by as much.
func (r Results) judgeRest(add func(goal, found string, v verdict.Verdict), f figure, stock, fixed []float64) {
	ratio := median(fixed) / median(stock)
	apart := slices.Min(fixed) > atRest*slices.Max(stock)
	found := fmt.Sprintf("%.3g, stock %.3g: %.2f ×", median(fixed), median(stock), ratio)
	if ratio > atRest && !apart {
		found += fmt.Sprintf(", but the samples overlap (stock up to %.3g, fixed from %.3g)", slices.Max(stock), slices.Min(fixed))
	}
	add(fmt.Sprintf("%s at rest at most %.2f × stock's", f.name, atRest), found, kept(!apart))
}
