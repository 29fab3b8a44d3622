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
