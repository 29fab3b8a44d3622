// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"fmt"
	"slices"
	"strings"
)

// State is what is on a node because of pods.
type State struct {
	// Pods are in the kubelet's own list, Workers are series of its metrics about pods that it works on.
	Pods, Workers []string
	Sandboxes     []string
	Containers    []string
	// Processes are those of the node that are none of its programs: shims, and what runs in containers.
	Processes []string
	Cgroups   []string
	Mounts    []string
	// Directories are those of pods, of volumes and of logs.
	Directories []string
}

func (s State) kinds() []struct {
	name string
	all  []string
} {
	return []struct {
		name string
		all  []string
	}{{"pods in the kubelet's list", s.Pods}, {"pods that the kubelet works on", s.Workers}, {"sandboxes", s.Sandboxes}, {"containers", s.Containers},
		{"processes", s.Processes}, {"cgroups", s.Cgroups}, {"mounts", s.Mounts}, {"directories", s.Directories}}
}

// Since returns what a state has that an earlier one had not, one line for each kind.
func (s State) Since(before State) (left []string) {
	old := before.kinds()
	for i, kind := range s.kinds() {
		more := slices.DeleteFunc(slices.Clone(kind.all), func(one string) bool { return slices.Contains(old[i].all, one) })
		if len(more) > 0 {
			shown := more[:min(len(more), 3)]
			left = append(left, fmt.Sprintf("%d %s: %s", len(more), kind.name, strings.Join(shown, ", ")))
		}
	}
	return left
}
