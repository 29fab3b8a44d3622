// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

// Status summarizes a run.
type Status string

const (
	// StatusGood means that every verdict is the expected one.
	StatusGood Status = "good"
	// StatusRed means that at least one verdict is red, whatever else failed.
	StatusRed Status = "red"
	// StatusInvalid means that nothing is red, but something was not judged or is missing.
	StatusInvalid Status = "invalid"
)

// Exit codes of the commands that end with a status. An invalid command line has its own code.
const (
	ExitGood    = 0
	ExitRed     = 1
	ExitUsage   = 2
	ExitInvalid = 3
)
