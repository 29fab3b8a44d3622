// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"os"
	"strings"
	"testing"
)

func TestMissingPackages(t *testing.T) {
	look := func(program string) (string, error) {
		if program == "runc" || program == "ip" {
			return "/usr/bin/" + program, nil
		}
		return "", os.ErrNotExist
	}
	if got := strings.Join(missing(engineNeeds, look), " "); got != "docker.io iptables" {
		t.Errorf("%s", got)
	}
}
