// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"bytes"
	"context"
	"fmt"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/localnode"
)

// State is what a kubelet was doing while its figures were taken.
type State string

const (
	// Empty: no pod has run yet.
	Empty State = "empty"
	// Running: all pods run, and nothing is asked.
	Running State = "running"
	// Terminating: all pods terminate, and nobody has hurried them.
	Terminating State = "terminating"
	// Hurried: a shorter stop call is out for every pod.
	Hurried State = "shorter stop out"
	// Ended: from the first delete to the last pod's sandbox stopped.
	Ended State = "whole part"
	// Left: all pods are gone.
	Left State = "after all"
)

// Sample holds figures of a kubelet in one state.
type Sample struct {
	Pods   int    `json:"pods"`
	Column Column `json:"column"`
	Part   string `json:"part,omitempty"`
	State  State  `json:"state"`
	// Seconds is the length of the state, or of the part of it that CPU covers; both are 0 if only one look was taken.
	Seconds float64 `json:"seconds,omitempty"`
	CPU     float64 `json:"cpu,omitempty"`
	// MemoryMB and Goroutines are from the end of that time.
	MemoryMB   float64 `json:"memoryMB"`
	Goroutines int     `json:"goroutines"`
	// Ending is how many of the goroutines sync or end a pod.
	Ending int `json:"ending,omitempty"`
}

// look is one reading of a kubelet's metrics.
type look struct {
	at         time.Time
	cpu        float64 // seconds since the process began
	memory     float64 // bytes
	goroutines float64
	ending     int64
}

// takeLook reads the kubelet's own metrics through the API server.
func takeLook(ctx context.Context, client kubernetes.Interface, node string) (look, error) {
	data, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("metrics").DoRaw(ctx)
	if err != nil {
		return look{}, fmt.Errorf("the kubelet's metrics: %w", err)
	}
	l, err := parseLook(data, time.Now())
	if err != nil {
		return look{}, err
	}
	goroutines, err := localnode.Goroutines(ctx, client, node)
	l.ending = goroutines.Of(localnode.Terminations, nil).Total()
	return l, err
}

func parseLook(data []byte, at time.Time) (look, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(data))
	if err != nil {
		return look{}, fmt.Errorf("the kubelet's metrics: %w", err)
	}
	l := look{at: at}
	for name, to := range map[string]*float64{
		"process_cpu_seconds_total": &l.cpu, "process_resident_memory_bytes": &l.memory, "go_goroutines": &l.goroutines,
	} {
		family := families[name]
		if family == nil || len(family.Metric) != 1 {
			return look{}, fmt.Errorf("the kubelet's metrics: expected one %s, found %d", name, len(family.GetMetric()))
		}
		*to = valueOf(family.Metric[0])
	}
	return l, nil
}

func valueOf(m *dto.Metric) float64 {
	if m.Counter != nil {
		return m.Counter.GetValue()
	}
	return m.Gauge.GetValue()
}

// sample returns the figures of a state that began with one look and ended with the next.
func (l look) sample(before *look) Sample {
	s := Sample{MemoryMB: l.memory / (1 << 20), Goroutines: int(l.goroutines), Ending: int(l.ending)}
	s.MemoryMB = round(s.MemoryMB)
	if before != nil {
		s.Seconds, s.CPU = round(l.at.Sub(before.at).Seconds()), round(l.cpu-before.cpu)
	}
	return s
}
