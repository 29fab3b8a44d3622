#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Builds a kind node image with an arm's kubelet. The arguments are those of kgrace image build; see its --help.

set -o errexit -o nounset -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The toolchain that versions.yaml pins for its default minor.
GOTOOLCHAIN=$("${root}/hack/go-toolchain.sh")
export GOTOOLCHAIN GOFLAGS='-trimpath -buildvcs=false' KGRACE_ROOT="${root}"

# Not go run, which changes the directory: a tarball may be named by a relative path.
kgrace="$(realpath --canonicalize-missing "${KGRACE_OUTPUT:-${root}/_output}")/bin/kgrace"
(cd "${root}" && go build -o "${kgrace}" ./cmd/kgrace)
exec "${kgrace}" image build "$@"
