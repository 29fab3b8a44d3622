// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stream passes events from one process to another through a file: one appends JSON lines, another follows them. Both
// run on one machine with one clock, but may be in different namespaces.
//
// A writer writes a line when it starts, so that a reader notices when another writer takes over: the events in between are
// lost, and so is the state of the first writer. The reader waits for the rest of an incomplete line.
package stream
