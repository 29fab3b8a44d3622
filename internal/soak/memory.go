// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"fmt"
	"math"
	"time"
)

// Sample is the state of the kubelet at one time.
type Sample struct {
	At  time.Time `json:"at"`
	PID int       `json:"pid"`
	// Heap is the bytes of live objects right after a garbage collection, Resident the process's memory.
	Heap     int64 `json:"heapBytes"`
	Resident int64 `json:"residentBytes"`
	// Goroutines is the number of goroutines, Ended that of the pods that had ended by then, Alive that of those under way.
	Goroutines int64 `json:"goroutines"`
	Ended      int   `json:"podsEnded"`
	Alive      int   `json:"podsAlive"`
}

// Slope is a straight line through samples by least squares.
type Slope struct {
	// PerHour is the growth in bytes an hour, Error its standard error; PerPod and PodError are the same for each pod that ended.
	PerHour  float64 `json:"bytesPerHour"`
	Error    float64 `json:"bytesPerHourError"`
	PerPod   float64 `json:"bytesPerPod"`
	PodError float64 `json:"bytesPerPodError"`
	Samples  int     `json:"samples"`
	Seconds  float64 `json:"seconds"`
	Pods     int     `json:"pods"`
}

const (
	// warm is how long a kubelet runs before its memory counts: its caches fill.
	warm = time.Minute
	// enough is the least number of samples for a slope.
	enough = 12
	// leak is the least that a termination that was not forgotten would keep: its goroutine's stack of 2 KiB, its channel, its
	// context, and the pod, which is some 4 KiB.
	leak = 6 << 10
)

// LastLife returns the samples of the last kubelet, from when it was warm.
func LastLife(all []Sample) (life []Sample) {
	for _, s := range all {
		if len(life) > 0 && life[0].PID != s.PID {
			life = nil
		}
		life = append(life, s)
	}
	for i, s := range life {
		if s.At.Sub(life[0].At) >= warm {
			return life[i:]
		}
	}
	return nil
}

// SlopeOf lays a line through what of returns for each sample.
func SlopeOf(samples []Sample, of func(Sample) int64) (Slope, error) {
	s := Slope{Samples: len(samples)}
	if s.Samples < enough {
		return s, fmt.Errorf("%d samples of a warm kubelet, a slope needs %d: run longer", s.Samples, enough)
	}
	first, last := samples[0], samples[len(samples)-1]
	s.Seconds, s.Pods = last.At.Sub(first.At).Seconds(), last.Ended-first.Ended
	var hours, pods, y []float64
	for _, one := range samples {
		hours = append(hours, one.At.Sub(first.At).Hours())
		pods = append(pods, float64(one.Ended-first.Ended))
		y = append(y, float64(of(one)))
	}
	s.PerHour, s.Error = line(hours, y)
	s.PerPod, s.PodError = line(pods, y)
	return s, nil
}

// line returns the slope of y over x by least squares, with its standard error; both are 0 if x is the same throughout.
func line(x, y []float64) (slope, se float64) {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	var sxx, sxy float64
	for i := range x {
		sxx, sxy = sxx+(x[i]-mx)*(x[i]-mx), sxy+(x[i]-mx)*(y[i]-my)
	}
	if sxx == 0 {
		return 0, 0
	}
	slope = sxy / sxx
	var rest float64
	for i := range x {
		d := y[i] - my - slope*(x[i]-mx)
		rest += d * d
	}
	return slope, math.Sqrt(rest / (n - 2) / sxx)
}

// Grows reports whether the memory grows with each pod by at least what a termination that was not forgotten would keep, with
// the error taken in its favour twice.
func (s Slope) Grows() bool { return s.PerPod-2*s.PodError > leak }
