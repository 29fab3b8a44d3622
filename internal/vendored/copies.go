// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package vendored

import "path"

// Copy is one file of the tree and its path in this module.
type Copy struct {
	// From is the file in the tree, To the file in this module; both slash-separated.
	From, To string
	// Package is the name for the package clause.
	Package string
	// Own marks a file that this project wrote and the series adds to the tree: the copy has this project's header and no line
	// that marks it as a copy. Other copies keep upstream's header and get the line.
	Own bool
}

// Copies lists all copied files.
var Copies = []Copy{
	{From: "pkg/kubelet/pod_workers.go", To: "pkg/podworkers/pod_workers.go", Package: "podworkers"},
	// pod_workers.go looks for one of its messages.
	{From: "pkg/kubelet/errors.go", To: "pkg/podworkers/errors.go", Package: "podworkers"},
	{From: "pkg/kubelet/graceperiod/graceperiod.go", To: "pkg/graceperiod/graceperiod.go", Package: "graceperiod", Own: true},
}

const (
	upstreamModule = "k8s.io/kubernetes"
	ownModule      = "github.com/kgrace/kgrace"
)

// imports maps the import path in the tree of every Own package to its path in this module.
func imports(copies []Copy) map[string]string {
	m := map[string]string{}
	for _, c := range copies {
		if c.Own {
			m[path.Join(upstreamModule, path.Dir(c.From))] = path.Join(ownModule, path.Dir(c.To))
		}
	}
	return m
}
