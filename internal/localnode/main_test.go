// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	MaybeInit()
	maybeStarter()
	os.Exit(m.Run())
}
