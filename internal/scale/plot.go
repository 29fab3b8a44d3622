// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Measures of the plot in pixels.
const (
	plotWidth = 760
	left      = 46
	right     = 130
	top       = 34
	panel     = 150
	bottom    = 34
	height    = top + panel + bottom
)

// style draws each column in a colour and a dash of its own, in a light and in a dark scheme.
const style = `
  text { font: 12px system-ui, sans-serif; fill: #1d2329 }
  .title { font-weight: 600 }
  .soft { fill: #56606a }
  .grid { stroke: #dcd9d0 }
  .step { fill: none; stroke-width: 2 }
  .stock { stroke: #a63219; stroke-dasharray: 7 3 }
  .fixed { stroke: #17663f }
  .alone { stroke: #2b55b0; stroke-dasharray: 2 3 }
  .ground { fill: #faf9f5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e7e9eb } .soft { fill: #a3adb7 } .grid { stroke: #31373d } .ground { fill: #131619 }
    .stock { stroke: #ffa48c } .fixed { stroke: #82d8a9 } .alone { stroke: #92b2f7 }
  }`

// Plot draws the dead pods over time as SVG: a panel for each number of pods and part, a line for each column.
func (r Results) Plot() string {
	var panels strings.Builder
	n := 0
	for _, pods := range r.Pods {
		for _, part := range Parts(Grace) {
			var waves []Wave
			for _, column := range []Column{Stock, Fixed, Alone} {
				if w, ok := r.Wave(pods, column, part.ID); ok {
					waves = append(waves, w)
				}
			}
			if len(waves) == 0 {
				continue
			}
			fmt.Fprintf(&panels, "<g transform=\"translate(0 %d)\">\n%s</g>\n", n*height, drawPanel(part, waves))
			n++
		}
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"dead pods over time: stock, fixed, runtime alone\">\n<style>%s\n</style>\n<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
		plotWidth, n*height, style, panels.String())
}

func drawPanel(part Part, waves []Wave) string {
	var out strings.Builder
	end := 1.0
	for _, w := range waves {
		last, _ := w.Last()
		end = max(end, last)
	}
	pods := waves[0].Pods
	x := func(at float64) float64 { return left + (plotWidth-left-right)*min(max(at, 0), end)/end }
	y := func(dead int) float64 { return top + panel - panel*float64(dead)/float64(pods) }
	fmt.Fprintf(&out, "<text class=\"title\" x=\"%d\" y=\"18\">%d pods: %s</text>\n", left, pods, html.EscapeString(part.About))
	for _, at := range ticks(end) {
		fmt.Fprintf(&out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text class=\"soft\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g s</text>\n",
			x(at), x(at), top, top+panel, x(at), top+panel+18, at)
	}
	for _, dead := range []int{0, pods} {
		fmt.Fprintf(&out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
			left, plotWidth-right, y(dead), y(dead), left-6, y(dead)+4, dead)
	}
	for i, w := range waves {
		last, _ := w.Last()
		fmt.Fprintf(&out, "<path class=\"step %s\" d=\"%s\"><title>%s: last dead after %.2f s</title></path>\n", classOf(w.Column), steps(w, x, y), w.Column, last)
		at := top + 14 + 20*i
		fmt.Fprintf(&out, "<path class=\"step %s\" d=\"M%d %dh18\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
			classOf(w.Column), plotWidth-right+10, at-4, plotWidth-right+34, at, labelOf(w, part))
	}
	return out.String()
}

// steps returns the path of a column: one step up for each dead pod.
func steps(w Wave, x func(float64) float64, y func(int) float64) string {
	var path strings.Builder
	fmt.Fprintf(&path, "M%.1f %.1f", x(0), y(0))
	for i, at := range w.dead() {
		fmt.Fprintf(&path, "H%.1fV%.1f", x(at), y(i+1))
	}
	return path.String()
}

// labelOf returns a column's label, with its grace period if that is not the part's.
func labelOf(w Wave, part Part) string {
	if w.Grace != part.Requests[0].Grace {
		return fmt.Sprintf("%s (%d)", w.Column, w.Grace)
	}
	return string(w.Column)
}

func classOf(c Column) string {
	if c == Alone {
		return "alone"
	}
	return string(c)
}

// ticks returns round times, at most eight.
func ticks(end float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(end)))
	for _, part := range []float64{.1, .2, .5, 1, 2} {
		if end/(step*part) <= 8 {
			step *= part
			break
		}
	}
	var all []float64
	for i := 0; float64(i)*step <= end; i++ {
		all = append(all, float64(i)*step)
	}
	return all
}
