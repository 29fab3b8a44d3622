/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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

// maxLines is where a file has outgrown one idea.
const maxLines = 400

// PackageDocs wants one doc comment a package, no more. A package of test files alone needs none.
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
			faults = append(faults, dir+": no file has a package comment; write doc.go that says what the package does, what is real and what is not")
		case len(with) > 1:
			faults = append(faults, fmt.Sprintf("%s: %s all have a package comment; join them in one", dir, strings.Join(with, ", ")))
		}
	}
	slices.Sort(faults)
	return faults
}

// Sizes wants files that hold one idea.
func Sizes(files []File) []string {
	var faults []string
	for _, f := range files {
		if n := strings.Count(f.Text, "\n"); f.isGo() && !f.isGenerated() && n > maxLines {
			faults = append(faults, fmt.Sprintf("%s: %d lines, at most %d: split it, one idea a file", f.Path, n, maxLines))
		}
	}
	return faults
}

const module = "github.com/kgrace/kgrace/"

// arrow forbids the packages at and under from to import those at and under to.
type arrow struct{ from, to, why string }

var arrows = []arrow{
	{"pkg/", module + "internal/", "arrows run cmd and test → internal → pkg; others import pkg"},
	{"pkg/", module + "cmd/", "arrows run cmd and test → internal → pkg"},
	{"internal/", module + "cmd/", "arrows run cmd and test → internal → pkg"},
	{"internal/", module + "test/", "arrows run cmd and test → internal → pkg"},
	{"pkg/graceperiod/", "k8s.io/", "the same file travels into the kubelet and stands alone"},
	{"internal/judge/", module + "pkg/", "a judge works the deadline out from the history on its own; the fix must not judge itself"},
	{"internal/judge/", "k8s.io/kubernetes/", "a judge reads histories and knows no Kubernetes process"},
	{"internal/history/", "k8s.io/kubernetes/", "a history knows no Kubernetes process"},
	{"internal/scenario/", "k8s.io/kubernetes/", "a scenario knows no Kubernetes process"},
	{"internal/localnode/", module + "internal/scenario", "a node carries out steps and knows no scenario"},
	{"internal/kindcluster/", module + "internal/scenario", "a cluster carries out steps and knows no scenario"},
	{"internal/criproxy/", module + "internal/scenario", "the proxy records calls and knows no scenario"},
}

// floors lists the packages under internal from the ground up. A package imports packages of its own floor and of lower ones.
var floors = [][]string{
	// Words and tools: nothing of this project below them.
	{"actor", "fault", "imagefile", "mutant", "stub/iptables-wrappers/pkg/iptables", "tool", "unixsock", "vendored", "verdict"},
	// What is done and what happened; what is pinned.
	{"docker", "history", "history/apiwatch", "history/lines", "history/stream", "junit", "nodetest", "patchset", "repocheck", "scenario", "versions"},
	// Judged and built; runtimes, simulated and watched.
	{"bench", "check", "check/command", "cifiles", "control", "criproxy", "intree", "judge", "kubetree", "matrix", "podspec", "property", "property/draw", "result", "sim", "sim/conformance", "simapi"},
	// Played.
	{"kindnode", "kindnode/rootfs", "localnode", "player"},
	// Places and suites.
	{"e2enode", "kindcluster", "regress", "simbuild", "simkubelet", "upstreame2e"},
	// Many runs.
	{"matrix/prove", "shard"},
	// The page is drawn last: only cmd calls it.
	{"report"},
}

// floorOf returns the floor of a package under internal, from 0; -1 if it has none.
func floorOf(pkg string) int {
	return slices.IndexFunc(floors, func(all []string) bool { return slices.Contains(all, pkg) })
}

// onFloors says what is wrong with an import between packages under internal; "" for nothing.
func onFloors(from, to string) string {
	switch at, below := floorOf(from), floorOf(to); {
	case at < 0:
		return "internal/" + from + " has no floor; give it one in internal/repocheck"
	case below > at:
		return fmt.Sprintf("internal/%s stands on floor %d, internal/%s on floor %d: arrows run down", from, at, to, below)
	}
	return ""
}

// Imports wants the arrows between packages to run one way. Tests may look up.
func Imports(files []File) []string {
	var faults []string
	for _, f := range files {
		if !f.isGo() {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, f.Path, f.Text, parser.ImportsOnly)
		if err != nil {
			continue // the compiler says it better
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
				if strings.HasPrefix(f.Path, a.from) && strings.HasPrefix(target+"/", a.to) {
					faults = append(faults, fmt.Sprintf("%s:%d: imports %s: %s", f.Path, fset.Position(spec.Pos()).Line, target, a.why))
				}
			}
		}
	}
	return faults
}
