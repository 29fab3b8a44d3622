// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"os"
	"testing"

	"github.com/kgrace/kgrace/internal/localnode"
)

var specs *suite

func TestMain(m *testing.M) {
	localnode.MaybeInit()
	specs = load()
	os.Exit(m.Run())
}

func TestRegression(t *testing.T) { specs.test(t) }
