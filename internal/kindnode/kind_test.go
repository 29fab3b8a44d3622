// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/docker"
)

// Of the containers that concurrent kind builds use, only this build's is removed, even after an interrupt.
func TestOnlyOurBuildContainerIsRemoved(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(`#!/bin/sh
case "$1 $4" in
"ps "*) echo "ours theirs gone" ;;
"inspect ours") echo '["PATH=/bin","NO_PROXY=a.example,kgrace-build-1.invalid"]' ;;
"inspect theirs") echo '["NO_PROXY=kgrace-build-2.invalid"]' ;;
"inspect gone") echo "no such object" >&2; exit 1 ;;
*) echo "$@" >>`+log+` ;;
esac
`), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	removeMarked(ctx, &docker.Engine{}, "kgrace-build-1.invalid")
	data, err := os.ReadFile(log)
	if err != nil || strings.TrimSpace(string(data)) != "rm --force --volumes ours" {
		t.Errorf("%s, %v", data, err)
	}
}
