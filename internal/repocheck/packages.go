// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxLines is the maximum length of a file.
const maxLines = 400

// PackageDocs requires exactly one doc comment per package. A package of only test files needs none.
func PackageDocs(files []File) []string {
	docs := map[string][]string{}
	for _, f := range files {
		if !f.isGo() || f.isTest() {
			continue
		}
		dir := path.Dir(f.Path)
		if _, ok := docs[dir]; !ok {
			docs[dir] = nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Text, parser.PackageClauseOnly|parser.ParseComments)
		if err == nil && parsed.Doc != nil {
			docs[dir] = append(docs[dir], f.Path)
		}
	}
	var faults []string
	for dir, with := range docs {
		switch {
		case len(with) == 0:
			faults = append(faults, dir+": no file has a package comment; write a doc.go that describes what the package does, what is real and what is not")
		case len(with) > 1:
			faults = append(faults, fmt.Sprintf("%s: %s all have a package comment; merge them into one", dir, strings.Join(with, ", ")))
		}
	}
	slices.Sort(faults)
	return faults
}

// Sizes limits the length of files, so that each has one topic.
func Sizes(files []File) []string {
	var faults []string
	for _, f := range files {
		if n := strings.Count(f.Text, "\n"); f.isGo() && !f.isGenerated() && n > maxLines {
			faults = append(faults, fmt.Sprintf("%s: %d lines, at most %d: split it by topic", f.Path, n, maxLines))
		}
	}
	return faults
}

const module = "github.com/kgrace/kgrace/"

// checkLibrary is the library of the cluster check, which is a module of its own.
const checkLibrary = module + "cmd/kubectl-kgrace/check"

// arrow forbids the packages at and under from to import those at and under to.
type arrow struct{ from, to, why string }

var arrows = []arrow{
	{"pkg/", module + "internal/", "imports go from cmd and test to internal to pkg; other modules import pkg"},
	{"pkg/", module + "cmd/", "imports go from cmd and test to internal to pkg"},
	{"internal/", module + "cmd/", "imports go from cmd and test to internal to pkg"},
	{"cmd/kubectl-kgrace/", module + "internal/", "the cluster check is a module of its own"},
	{"internal/", module + "test/", "imports go from cmd and test to internal to pkg"},
	{"pkg/graceperiod/", "k8s.io/", "the same file is copied into the kubelet and must not depend on anything"},
	{"internal/judge/", module + "pkg/", "a judge computes the deadline from the history independently; the fix must not judge itself"},
	{"internal/judge/", "k8s.io/kubernetes/", "a judge only reads histories, independent of Kubernetes code"},
	{"internal/history/", "k8s.io/kubernetes/", "a history is independent of Kubernetes code"},
	{"internal/scenario/", "k8s.io/kubernetes/", "a scenario is independent of Kubernetes code"},
	{"internal/localnode/", module + "internal/scenario", "a node carries out steps, independent of scenarios"},
	{"internal/kindcluster/", module + "internal/scenario", "a cluster carries out steps, independent of scenarios"},
	{"internal/criproxy/", module + "internal/scenario", "the proxy records calls, independent of scenarios"},
}

// floors lists the packages under internal from the bottom up. A package may import packages of its own floor and of lower
// ones.
var floors = [][]string{
	// Basic terms and tools, without dependencies in this project.
	{"actor", "bare/kindcni", "bare/rootfs", "bare/runcless", "fault", "imagefile", "mutant", "sbom", "stub/iptables-wrappers/pkg/iptables", "tool", "unixsock", "vendored", "verdict"},
	// Scenarios and histories; pins.
	{"bare", "docker", "history", "history/apiwatch", "history/lines", "history/stream", "junit", "nodetest", "patchset", "repocheck", "scenario", "versions"},
	// Judges and builds; runtimes, simulated and observed.
	{"bench", "cifiles", "control", "criproxy", "intree", "judge", "kubebuild", "kubetree", "kubetree/kubetest", "kubetree/verify", "matrix", "podspec", "property", "property/draw", "result", "result/calls", "sim", "sim/conformance", "simapi"},
	// Players and nodes.
	{"kindnode", "localnode", "player", "release"},
	// Clusters and suites.
	{"e2enode", "kindcluster", "regress", "scale", "simbuild", "simkubelet", "upstreame2e"},
	// Many runs.
	{"matrix/prove", "mutant/try", "property/play", "shard", "soak"},
	// The report comes last: only cmd imports it.
	{"report"},
}

// floorOf returns the floor of a package under internal, from 0; -1 if it has none.
func floorOf(pkg string) int {
	return slices.IndexFunc(floors, func(all []string) bool { return slices.Contains(all, pkg) })
}

// onFloors returns the fault of an import between packages under internal, or "".
func onFloors(from, to string) string {
	switch at, below := floorOf(from), floorOf(to); {
	case at < 0:
		return "internal/" + from + " has no floor; add it to the floors in internal/repocheck"
	case below > at:
		return fmt.Sprintf("internal/%s is on floor %d, internal/%s on floor %d: imports only go down", from, at, to, below)
	}
	return ""
}

// Imports requires imports between packages to go one way. Tests are exempt.
func Imports(files []File) []string {
	var faults []string
	for _, f := range files {
		if !f.isGo() {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, f.Path, f.Text, parser.ImportsOnly)
		if err != nil {
			continue // the compiler reports it better
		}
		for _, spec := range parsed.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			from, inside := strings.CutPrefix(path.Dir(f.Path), "internal/")
			if to, ours := strings.CutPrefix(target, module+"internal/"); inside && ours && !f.isTest() {
				if why := onFloors(from, to); why != "" {
					faults = append(faults, fmt.Sprintf("%s:%d: imports %s: %s", f.Path, fset.Position(spec.Pos()).Line, target, why))
				}
			}
			for _, a := range arrows {
				if f.isTest() && target == checkLibrary {
					continue // a test may hold its files against what the check reports
				}
				if strings.HasPrefix(f.Path, a.from) && strings.HasPrefix(target+"/", a.to) {
					faults = append(faults, fmt.Sprintf("%s:%d: imports %s: %s", f.Path, fset.Position(spec.Pos()).Line, target, a.why))
				}
			}
		}
	}
	return faults
}
