// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// criO lists the releases of CRI-O that do not follow a fixed kubelet, from docs/upstream/risks.md: from (inclusive) to before
// (exclusive).
var criO = []struct{ from, before, what string }{
	{"1.21.7", "1.21.8", stopsEarly},
	{"1.22.4", "1.22.6", stopsEarly},
	{"1.23.3", "1.25.5", stopsEarly},
	{"1.25.5", "1.25.6", waitsForFirst},
	{"1.25.6", "1.27.2", stopsEarly},
	{"1.27.2", "1.28.9", waitsForFirst},
	{"1.28.9", "1.29.0", mayPanic},
	{"1.29.0", "1.29.7", waitsForFirst},
	{"1.29.7", "1.30.0", mayPanic},
	{"1.30.0", "1.30.4", waitsForFirst},
	{"1.30.4", "1.34.9", mayPanic},
	{"1.35.0", "1.35.3", mayPanic},
}

const (
	waitsForFirst = "lets a second, shorter stop wait for the first (cri-o#8030), so that no kubelet can hurry a terminating pod"
	stopsEarly    = "says that a second stop is done while the container runs; do not combine it with a fixed kubelet"
	mayPanic      = "can panic when a second stop meets the end of the first (cri-o#9799)"
)

// runtimeHint returns known problems of a runtime as the node names it, for example cri-o://1.30.2, or "".
func runtimeHint(runtime string) string {
	release, ok := strings.CutPrefix(runtime, "cri-o://")
	if !ok {
		return ""
	}
	v, err := version.ParseGeneric(release)
	if err != nil {
		return ""
	}
	for _, c := range criO {
		if v.AtLeast(version.MustParseGeneric(c.from)) && v.LessThan(version.MustParseGeneric(c.before)) {
			return fmt.Sprintf("CRI-O %s %s; upgrade the runtime too", release, c.what)
		}
	}
	return ""
}
