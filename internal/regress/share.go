// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import "github.com/kgrace/kgrace/internal/podspec"

// Names that are the same at every level, from internal/podspec.
const (
	// Namespace is the namespace of the scenarios' pods.
	Namespace = podspec.Namespace

	namespace   = podspec.Namespace
	linesSocket = podspec.LinesSocket
)
