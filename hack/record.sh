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

# Records scenarios on real nodes of both arms for the judges' tests: `make record SCENARIO=id`, which builds kgrace first. Needs root.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

if (( $# == 0 )); then
  echo "record: name the scenarios: make record SCENARIO='force-direct now'" >&2
  exit 2
fi
artifacts=$(mktemp -d)
trap 'rm -rf "${artifacts}"' EXIT
"${KGRACE_OUTPUT:-_output}/bin/kgrace" regress --level node --artifacts "${artifacts}" "$@"
for arm in stock fixed; do
  for scenario in "$@"; do
    cp "${artifacts}/histories/node/${arm}/${scenario}.jsonl" "internal/judge/testdata/histories/${arm}/"
  done
done
echo "record: wrote internal/judge/testdata/histories" >&2
