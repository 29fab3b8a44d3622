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

// Package simbuild compiles the suite of the sim level for an arm: this project's own module, with the arm's tree in the
// place of k8s.io/kubernetes and a few seam files laid into the tree.
//
// Nothing is written into the tree or into this checkout: go.mod comes by -modfile, the seam by -overlay, both generated
// into the output folder. The generated go.mod names no version but those that the tree and this project ask for; a few are
// higher than either names where both together need it. v1.22 is compiled with its tree's modules alone (old.go), and with
// the build tag kgrace_v122. Both arms get the same seam and the same suite; what differs is the tree alone.
//
// Build makes the suite of an arm, laying its tree out; Compile takes any folder that holds a tree (the first patches of a
// series, say) and Run plays some of the catalogue's scenarios with what either made.
package simbuild
