// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"maps"
	"testing"
)

func TestBase(t *testing.T) {
	links := map[string]string{}
	for _, f := range *(Tools{Busybox: "/b", Fetch: "/f", Applets: []string{"sh", "nmeter", "wget", "busybox"}}).Base() {
		if f.Link != "" {
			links[f.Path] = f.Link
		}
	}
	want := map[string]string{"/bin/sh": "busybox", "/bin/curl": "fetch", "/bin/wget": "fetch", "/bin/nmeter": "fetch"}
	if !maps.Equal(links, want) {
		t.Errorf("got %v, want %v", links, want)
	}
}
