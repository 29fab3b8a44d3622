// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package actor parses the command line of the program in the scenarios' images, for the program itself (cmd/actor) and for the
// simulated runtime, which imitates the program (internal/sim).
package actor
