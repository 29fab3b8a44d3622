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

// Package prove fills the cells of a matrix with git am, go build, the type checker, upstream's tests, and the catalogue at the
// sim level.
//
// It works in trees of its own, clones of the stock arm under the output folder that are gone when it is closed; the arms' own
// trees are only read. What the catalogue says of a tree is kept beside the cells, for the cells of several patches ask about
// the same trees.
//
// What is real: the patches, the compiler, the tests, the kubelet code of each tree. What is not: the runtime of the scenarios,
// which is the sim level's. The tests run without the race detector; `kgrace intree` runs them with it on the fixed arm.
package prove
