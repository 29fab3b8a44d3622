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

// Package matrix tables the proof of every patch on every minor, with a cell for each of
//
//	applies    git am puts the patch on the tree before it, three-way merging and fuzz off
//	builds     on the tree up to it cmd/kubelet links and pkg/kubelet/... compiles, and the packages that the series touched so
//	           far type-check with their tests, for linux and for windows (those under test/ for linux alone)
//	upstream   on the tree up to it all tests of the packages that the series touched so far pass, upstream's and our own
//	without    each test that it brings or changes fails on the tree before it, for the reason that intree.yaml names; where
//	           it fails there with other words, it fails for that reason on stock
//	with       the same tests pass on the tree up to it, and so do those that intree.yaml calls kept
//	scenarios  each scenario of its Scenarios trailer is broken without it and held by the whole series, at the sim level
//	           against the simulated containerd
//
// The tree before a patch is stock with the patches that stand before it in the series; the tree up to it has the patch as
// well. "Broken without it" is asked of the series without that one patch. Where the rest of the series does not apply to that,
// or does not compile, it is asked of the tree before the patch, and the cell says so: on that tree a scenario may be broken
// for want of a later patch, so this is the weaker proof. A scenario that stock holds (the catalogue says which: the ones that
// guard against half a fix) cannot be broken there; where it cannot be asked of the series without the patch either, it proves
// nothing and counts for nothing.
//
// A cell is one of
//
//	proved     as the column says
//	red        not so: the patch, its tests or its trailers are wrong
//	drop       upstream has it: the patch is in stock already, or its tests pass on stock, or the scenarios that stock is to break are held there
//	nothing    there is nothing to prove; the cell says why (a patch of end-to-end tests brings no unit test)
//	not-run    nothing is known: it was not asked for, or could not be carried out. Never taken for green or red
//
// A row is to be dropped when every cell that could see the patch says so. One that says drop while another sees stock at fault
// is a contradiction, and red: a test lost its teeth, or half of the patch is upstream. A patch to drop is no error of the run:
// the table is loud about it and cites the Drop-When trailer, and the exit code stays 0.
//
// Cells are kept with a digest of all that went into them (Key), so a second run redoes only what changed, and an interrupted
// one loses the cell in progress alone. What is not-run is never kept. A kept file that is not a cell is named and computed
// anew.
//
// This package knows the table: its inputs, digests, cells, and what they come to. Package prove fills a cell for real.
package matrix
