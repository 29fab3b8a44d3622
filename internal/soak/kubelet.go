// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/kgrace/kgrace/internal/localnode"
)

// kubelet returns a request to the kubelet's own server, by way of the API server.
func (s site) kubelet(path string) *rest.Request {
	return s.Client().CoreV1().RESTClient().Get().Resource("nodes").Name(s.NodeName()).SubResource("proxy").Suffix(path)
}

// Goroutines returns the kubelet's goroutines by their stacks.
func (s site) Goroutines(ctx context.Context) (localnode.Profile, error) {
	return localnode.Goroutines(ctx, s.Client(), s.NodeName())
}

// Heap returns the bytes of the kubelet's live objects after a garbage collection, and a sample of them by where they were
// allocated.
func (s site) Heap(ctx context.Context) (int64, localnode.Profile, error) {
	data, err := s.kubelet("debug/pprof/heap").Param("debug", "1").Param("gc", "1").DoRaw(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("the kubelet's heap: %w", err)
	}
	live, err := localnode.LiveHeap(data)
	if err != nil {
		return 0, nil, err
	}
	p, err := localnode.ParseProfile(data)
	return live, p, err
}

// Sample returns the state of the kubelet.
func (s site) Sample(ctx context.Context) (Sample, error) {
	sample := Sample{At: now()}
	status, err := s.Status(ctx)
	if err != nil {
		return sample, err
	}
	for _, c := range status.Components {
		if c.Name == localnode.ProgramKubelet {
			sample.PID = c.PID
		}
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", sample.PID))
	if err != nil {
		return sample, err
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return sample, fmt.Errorf("statm of the kubelet: %q", data)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return sample, err
	}
	sample.Resident = pages * int64(os.Getpagesize())
	goroutines, err := s.Goroutines(ctx)
	if err != nil {
		return sample, err
	}
	sample.Goroutines = goroutines.Total()
	sample.Heap, _, err = s.Heap(ctx)
	return sample, err
}
