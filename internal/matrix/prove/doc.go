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

// Package prove fills the cells of a matrix with git am, go build, the type checker, upstream's tests, and the catalogue at
// the sim level.
//
// It works in its own trees, clones of the stock arm under the output folder, and removes them when it is closed; it only
// reads the arms' own trees. The catalogue's verdicts on a tree are stored beside the cells, because the cells of several
// patches need the same trees.
//
// Real are the patches, the compiler, the tests, and the kubelet code of each tree. The scenarios run with the simulated
// runtime of the sim level. The tests run without the race detector; `kgrace intree` runs them with it on the fixed arm.
package prove
