// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package verdict defines the terms of every comparison of the two arms: the arms, the verdicts on them, the status of a run,
// and its exit code.
//
// Only a judge makes a result red. A result that cannot be judged is invalid, neither red nor good. The package imports nothing
// from this project.
package verdict
