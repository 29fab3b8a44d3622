#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Installs missing Debian packages for building and running a node. Go is not among them: any Go from 1.21 on fetches the
# toolchain that versions.yaml pins.

set -o errexit -o nounset -o pipefail

# Purposes:
#   gcc libc6-dev libseccomp-dev pkg-config   runc (cgo), race detector
#   git make                                  trees; targets
#   iproute2 mount procps util-linux          the node's network and mounts, and their inspection
#   ca-certificates                           the module proxy
#   for lint: shellcheck
packages=(ca-certificates gcc git iproute2 libc6-dev libseccomp-dev make mount pkg-config procps shellcheck util-linux)
# Targets name further packages: setup.sh chromium; a node of v1.22 needs setup.sh containerd runc
packages+=("$@")

if ! command -v go >/dev/null; then
  echo "setup: Go is missing: install Go 1.21 or newer and put it on PATH" >&2
  exit 1
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: not a Debian system; install the contents of these Debian packages by hand: ${packages[*]}" >&2
  exit 1
fi

missing=()
for p in "${packages[@]}"; do
  if [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "${p}" 2>/dev/null)" != installed ]]; then
    missing+=("${p}")
  fi
done
if (( ${#missing[@]} == 0 )); then
  echo "setup: nothing is missing" >&2
  exit 0
fi
if (( EUID != 0 )); then
  echo "setup: missing: ${missing[*]}" >&2
  echo "setup: not root; run: sudo apt-get install ${missing[*]}" >&2
  exit 1
fi

echo "setup: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
if ! apt-get install --yes --no-install-recommends "${missing[@]}"; then
  # The usual cause is a missing or old package list.
  apt-get update
  apt-get install --yes --no-install-recommends "${missing[@]}"
fi
