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

# Installs the Debian packages that building and running a node takes, those that are missing only. Go itself is not among
# them: any Go from 1.21 on fetches the toolchain that versions.yaml pins.

set -o errexit -o nounset -o pipefail

# What each is for:
#   gcc libc6-dev libseccomp-dev pkg-config   runc (cgo), race detector
#   git make                                  trees; the face
#   iproute2 mount procps util-linux          the node's network and mounts, and looking at them
#   ca-certificates                           the module proxy
#   for lint: shellcheck
packages=(ca-certificates gcc git iproute2 libc6-dev libseccomp-dev make mount pkg-config procps shellcheck util-linux)
# What a target needs beside these it names: setup.sh chromium; a node of v1.22: setup.sh containerd runc
packages+=("$@")

if ! command -v go >/dev/null; then
  echo "setup: Go is missing: install Go 1.21 or newer and put it on PATH" >&2
  exit 1
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this is no Debian; install what these Debian packages hold by hand: ${packages[*]}" >&2
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
  # The usual reason is a package list that is missing or old.
  apt-get update
  apt-get install --yes --no-install-recommends "${missing[@]}"
fi
