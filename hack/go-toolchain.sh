#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Prints the Go toolchain that versions.yaml pins for its default minor, in the form that GOTOOLCHAIN takes. Uses awk, since the
# Makefile needs it before any Go program is built.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

awk '
  $1 == "default:" { minor = $2 ":" }
  $1 == minor      { inside = 1 }
  inside && $1 == "go:" { print $2; found = 1; exit }
  END {
    if (found) exit
    sub(/:$/, "", minor)
    print "versions.yaml: default: \"" minor "\" is not one of the minors below it that has a go:" > "/dev/stderr"
    exit 1
  }
' versions.yaml
