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

// Package kubetree lays out a Kubernetes version as two source trees, the arms stock and fixed. Package kubebuild builds from
// them.
//
// The stock arm contains the files of the module k8s.io/kubernetes with two edits: go.mod requires the staging modules at
// their published versions instead of the staging folders, which the module does not include, and go.sum has their
// checksums. vendor and go.work are left out. A git checkout named by KUBE_SRC yields the same files, and so the same
// commit. The fixed arm is the stock commit with the series patches/<minor> applied.
//
// Each tree is a git repository of its own with fixed names and dates, so equal inputs give equal commits. A tree is laid
// out in a temporary folder and renamed into place with a stamp inside; a tree without a stamp for the current inputs is laid
// out again, except that edits are only discarded on request.
//
// Everything is real: modules and sums come from the go command, commits from git.
package kubetree
