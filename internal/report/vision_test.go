// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// deficiencies are how the colour-blind see linear red, green and blue: the matrices of Machado, Oliveira and Fernandes (2009)
// for full severity.
var deficiencies = map[string][3][3]float64{
	"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
	"deuteranopia": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
	"tritanopia":   {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
}

// leastApart is the least distance in CIELAB of colours with different meanings; 2.3 is just noticeable.
const leastApart = 12

// TestColoursOfVerdictsStayApart holds the colours of verdicts apart for every kind of colour blindness, and the fill of a red
// verdict apart from everything that is expected. (Signs, words and hatches tell them apart, too.)
func TestColoursOfVerdictsStayApart(t *testing.T) {
	for scheme, colours := range palettes(t) {
		for name, matrix := range deficiencies {
			for _, pair := range [][2]string{
				{"fault", "good"}, {"fault", "kept"}, {"good", "kept"}, {"loud-ground", "fault-ground"}, {"loud-ground", "good-ground"},
				{"loud-ground", "kept-ground"}, {"loud-ground", "fault-stripe"}, {"fault-stripe", "life"}, {"loud-ground", "life"},
			} {
				a, b := colours[pair[0]], colours[pair[1]]
				if got := distance(seen(a, matrix), seen(b, matrix)); got < leastApart {
					t.Errorf("%s, %s: %s (%s) and %s (%s) are %.1f apart, want %d", scheme, name, pair[0], a, pair[1], b, got, leastApart)
				}
			}
		}
	}
	// The measure sees what it is for: red and green of one lightness.
	if red, green := "b35a00", "6b7f00"; distance(seen(red, deficiencies["deuteranopia"]), seen(green, deficiencies["deuteranopia"])) >= leastApart ||
		distance(seen(red, deficiencies["none"]), seen(green, deficiencies["none"])) < 2*leastApart {
		t.Error("the simulation does not confuse red and green")
	}
}

// palettes returns the colours of each scheme by name.
func palettes(t *testing.T) map[string]map[string]string {
	t.Helper()
	light, dark, found := strings.Cut(palette, "@media screen and (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("no dark palette")
	}
	all := map[string]map[string]string{}
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		all[scheme] = map[string]string{}
		for _, m := range colour.FindAllStringSubmatch(text, -1) {
			all[scheme][m[1]] = m[2]
		}
		if len(all[scheme]) != strings.Count(text, "--") {
			t.Errorf("%s: %d colours of %d could be read", scheme, len(all[scheme]), strings.Count(text, "--"))
		}
	}
	return all
}

// linear returns a colour as linear red, green and blue.
func linear(hex string) (rgb [3]float64) {
	for i := range rgb {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			panic(fmt.Sprintf("%s is no colour", hex))
		}
		c := float64(n) / 255
		if rgb[i] = c / 12.92; c > .04045 {
			rgb[i] = math.Pow((c+.055)/1.055, 2.4)
		}
	}
	return rgb
}

// seen returns a colour in CIELAB as someone with a deficiency sees it.
func seen(hex string, matrix [3][3]float64) (lab [3]float64) {
	from := linear(hex)
	times := func(m [3][3]float64, v [3]float64) (out [3]float64) {
		for i := range m {
			for j := range v {
				out[i] += m[i][j] * v[j]
			}
		}
		return out
	}
	rgb := times(matrix, from)
	for i := range rgb {
		rgb[i] = min(max(rgb[i], 0), 1)
	}
	xyz := times([3][3]float64{{.4124564, .3575761, .1804375}, {.2126729, .7151522, .0721750}, {.0193339, .1191920, .9503041}}, rgb)
	for i, white := range []float64{.95047, 1, 1.08883} {
		if xyz[i] /= white; xyz[i] > 216./24389 {
			xyz[i] = math.Cbrt(xyz[i])
		} else {
			xyz[i] = (24389./27*xyz[i] + 16) / 116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
