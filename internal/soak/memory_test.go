// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// lives returns samples of kubelets, each for that many times 10 s: heap grows by so many bytes a pod, with noise.
func lives(perPod int64, counts ...int) (all []Sample) {
	r := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ended := 0
	for pid, n := range counts {
		for i := range n {
			at, ended = at.Add(10*time.Second), ended+4
			heap := int64(30<<20) + perPod*int64(ended) + r.Int64N(200<<10)
			if i < 6 {
				heap -= int64(6-i) << 20 // it has just started
			}
			all = append(all, Sample{At: at, PID: pid + 1, Heap: heap, Ended: ended})
		}
	}
	return all
}

func heap(s Sample) int64 { return s.Heap }

func TestSlope(t *testing.T) {
	for name, c := range map[string]struct {
		perPod int64
		counts []int
		grows  bool
	}{
		"no growth":                       {0, []int{60}, false},
		"a record of each pod":            {8 << 10, []int{60}, true},
		"a little, less than any leak":    {512, []int{60}, false},
		"no growth after a restart":       {0, []int{30, 40}, false},
		"a record of each after restarts": {8 << 10, []int{20, 30, 60}, true},
	} {
		s, err := SlopeOf(LastLife(lives(c.perPod, c.counts...)), heap)
		if err != nil {
			t.Fatal(err)
		}
		if s.Grows() != c.grows {
			t.Errorf("%s: %.0f ± %.0f bytes a pod, grows: %t", name, s.PerPod, s.PodError, s.Grows())
		}
		if d := math.Abs(s.PerPod - float64(c.perPod)); d > 4*s.PodError {
			t.Errorf("%s: %.0f ± %.0f bytes a pod, want %d", name, s.PerPod, s.PodError, c.perPod)
		}
		if ratio := s.PerHour / s.PerPod; s.PerPod > 1000 && math.Abs(ratio-4*360) > 1 {
			t.Errorf("%s: %.0f an hour, %.0f a pod", name, s.PerHour, s.PerPod)
		}
	}
}

// A kubelet that has just started is not warm, so a run that is too short has no slope.
func TestSlopeNeedsSamples(t *testing.T) {
	if s, err := SlopeOf(LastLife(lives(0, 60, 15)), heap); err == nil {
		t.Errorf("a slope from %d samples", s.Samples)
	}
	if life := LastLife(lives(0, 60, 3)); len(life) > 0 {
		t.Errorf("%d samples of a kubelet that is not warm", len(life))
	}
	if life := LastLife(lives(0, 60, 20)); len(life) != 14 || life[0].PID != 2 {
		t.Errorf("%d samples, the first of kubelet %d", len(life), life[0].PID)
	}
}

// The line and its error are those of a textbook: y = 2 x + 1 with residuals +1, -2, +1.
func TestLine(t *testing.T) {
	slope, se := line([]float64{0, 1, 2}, []float64{2, 1, 6})
	if slope != 2 || math.Abs(se-math.Sqrt(3)) > 1e-9 {
		t.Errorf("%v ± %v", slope, se)
	}
	if slope, se := line([]float64{1, 1, 1}, []float64{1, 2, 3}); slope != 0 || se != 0 {
		t.Errorf("%v ± %v without an x", slope, se)
	}
}
