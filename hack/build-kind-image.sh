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

# Builds a kind node image with an arm's kubelet. The arguments are those of kgrace image build; see its --help.

set -o errexit -o nounset -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The toolchain that versions.yaml pins for its default minor.
GOTOOLCHAIN=$("${root}/hack/go-toolchain.sh")
export GOTOOLCHAIN GOFLAGS='-trimpath -buildvcs=false' KGRACE_ROOT="${root}"

# Not go run, which changes the folder: a tarball may be named by a relative path.
kgrace="$(realpath --canonicalize-missing "${KGRACE_OUTPUT:-${root}/_output}")/bin/kgrace"
(cd "${root}" && go build -o "${kgrace}" ./cmd/kgrace)
exec "${kgrace}" image build "$@"
