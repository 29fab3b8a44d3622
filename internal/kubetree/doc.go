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

// Package kubetree lays out a Kubernetes version as two source trees, the arms stock and fixed, and builds the programs of a
// node from them and from pinned modules.
//
// The stock arm holds the files of the module k8s.io/kubernetes with two edits: go.mod takes the staging modules at their
// published versions in place of the staging folders that the module does not bring, and go.sum has their checksums. vendor and
// go.work are left out. The same files, and so the same commit, come out of a git checkout named by KUBE_SRC. The fixed arm is
// the stock commit with the series patches/<minor> applied.
//
// Each tree is a git repository of its own with fixed names and dates, so equal inputs give equal commits, versions and
// binaries. A tree is built beside its place and renamed into it with a stamp inside; whatever has no stamp for the present
// inputs is laid out again, except that somebody's edits are never thrown away unasked.
//
// What upstream's makefiles generate before they build, and its repository does not hold (the OpenAPI definitions, up to
// v1.22), is generated with upstream's own generator and laid over the tree for that build.
//
// A minor may take programs of its node from Debian packages instead: what is not installed is an error before anything is
// built.
//
// What is real: everything; modules and sums come from the go command, commits from git, binaries from go build. What is not:
// releases. The binaries carry a version and a reproducible build date, but nobody's signature.
package kubetree
