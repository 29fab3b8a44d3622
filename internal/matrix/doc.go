// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package matrix tabulates the proof of every patch on every minor, with a cell for each of
//
//	applies    git am applies the patch to the tree before it, without three-way merging and fuzz
//	builds     on the tree up to it cmd/kubelet links and pkg/kubelet/... compiles, and the packages that the series has touched so
//	           far type-check with their tests, for linux and for windows (those under test/ only for linux)
//	upstream   on the tree up to it all tests of the packages that the series has touched so far pass, upstream's and our own
//	without    each test that it adds or changes fails on the tree before it, for the reason that intree.yaml names; if it fails
//	           there with another message, it fails for that reason on stock
//	with       the same tests pass on the tree up to it, and so do those that intree.yaml marks as kept
//	scenarios  each scenario of its Scenarios trailer is broken without it and held by the whole series, at the sim level
//	           against the simulated containerd
//
// The tree before a patch is stock with the preceding patches of the series; the tree up to it includes the patch as well.
// "Broken without it" is checked on the series without that one patch. If the rest of the series then does not apply or
// does not compile, it is checked on the tree before the patch, and the cell says so. That proof is weaker, because on that
// tree a scenario may be broken for want of a later patch. A scenario that stock holds (as the catalogue records: those
// that guard against half a fix) cannot be broken there; if the series without the patch cannot be checked either, the
// scenario proves nothing and does not count.
//
// A cell is one of
//
//	proved     as the column describes
//	red        not so: the patch, its tests or its trailers are wrong
//	drop       upstream has it: stock already contains the patch, its tests pass on stock, or stock holds the scenarios that it should break
//	nothing    there is nothing to prove; the cell gives the reason (a patch of end-to-end tests has no unit test)
//	not-run    no result: not requested, or could not be carried out; never counted as green or red
//
// A row is to be dropped when every cell that could see the patch says drop. If one says drop while another sees stock at
// fault, that is a contradiction, and red: a test no longer fails on the fault, or half of the patch is upstream. A patch
// to drop is not an error of the run: the table highlights it and cites the Drop-When trailer, and the exit code stays 0.
//
// Cells are stored with a digest of all their inputs (Key), so a second run redoes only what changed, and an interrupted
// one loses only the cell in progress. A not-run cell is never stored. A stored file that is not a valid cell is reported
// and computed anew.
//
// This package knows the table: its inputs, digests, cells, and verdicts. Package prove fills the cells.
package matrix
