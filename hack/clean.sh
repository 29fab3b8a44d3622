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

# Removes trees, binaries and artifacts. Fails while a node is up, or if a tree has edits that are not in its series.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

output="${KGRACE_OUTPUT:-_output}"
if compgen -G "${output}/nodes/*" >/dev/null; then
  echo "clean: nodes are left in ${output}/nodes; take them down first (kgrace node down)" >&2
  exit 1
fi
if [[ -e "${output}/docker/engine.json" ]]; then
  echo "clean: kgrace's Docker engine keeps its images in ${output}/docker; take it down first (kgrace image teardown)" >&2
  exit 1
fi
for stamp in "${output}"/trees/*/*/.git/kgrace-tree.json; do
  [[ -f "${stamp}" ]] || continue
  tree="${stamp%/.git/*}"
  laid_out=$(sed -n 's/.*"commit": "\(.*\)".*/\1/p' "${stamp}")
  if [[ "$(git -C "${tree}" rev-parse HEAD)" != "${laid_out}" || -n "$(git -C "${tree}" status --porcelain)" ]]; then
    echo "clean: ${tree} has edits; extract them (CONTRIBUTING.md), or discard them with: kgrace tree --reset" >&2
    exit 1
  fi
done
rm -rf "${output:?}"/{trees,modules,bin,sim,artifacts,nodes,locks,image,docker}
# Other files in the folder stay.
if [[ -d "${output}" ]]; then
  rmdir --ignore-fail-on-non-empty "${output}"
fi
