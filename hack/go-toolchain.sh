#!/usr/bin/env bash

# Copyright The kgrace Authors.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

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
