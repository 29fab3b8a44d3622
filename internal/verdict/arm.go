// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"slices"

	"github.com/kgrace/kgrace/internal/tool"
)

// Arm is one of the two kubelets of a minor.
type Arm string

const (
	// Stock is Kubernetes as upstream released it.
	Stock Arm = "stock"
	// Fixed is stock with the patch series of its minor.
	Fixed Arm = "fixed"
)

// Arms returns both arms, stock first.
func Arms() []Arm { return []Arm{Stock, Fixed} }

// ParseArm returns the arm with the given name; the error lists the known ones.
func ParseArm(name string) (Arm, error) {
	if slices.Contains(Arms(), Arm(name)) {
		return Arm(name), nil
	}
	return "", tool.NewUnknown("arm", name, "", Arms())
}
