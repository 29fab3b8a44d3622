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

# Runs the split catalogue on the current cluster of kubectl, waits for the parts, merges them and prints the table:
#
#   ci/indexed-job/run.sh [folder with a kustomization]     (default: base)
#
# The exit code is that of `kgrace report merge`: 0 good, 1 red, 2 bad usage, 3 a part is missing or something could not be
# judged. KUBECTL names another kubectl.

set -o errexit -o nounset -o pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
shards="${1:-${here}/base}"
kubectl="${KUBECTL:-kubectl}"
namespace=kgrace

if (( $# > 1 )) || [[ ! -f "${shards}/kustomization.yaml" ]]; then
  echo "run.sh: want a folder with a kustomization.yaml, got: $*" >&2
  exit 2
fi
# Jobs cannot be changed, and the results of an earlier run must not be taken for this one's.
"${kubectl}" delete job --ignore-not-found --namespace "${namespace}" kgrace-shards kgrace-merge
"${kubectl}" apply --kustomize "${shards}"

# Waits until a Job has one of the two conditions that end it; kubectl waits for one at a time.
ended() {
  local job="$1" timeout="$2"
  "${kubectl}" wait --namespace "${namespace}" --for=condition=Complete --timeout="${timeout}" "job/${job}" &
  local complete=$!
  "${kubectl}" wait --namespace "${namespace}" --for=condition=Failed --timeout="${timeout}" "job/${job}" &
  local failed=$!
  local code=0
  wait -n "${complete}" "${failed}" || code=3
  kill "${complete}" "${failed}" 2>/dev/null || true
  wait "${complete}" "${failed}" 2>/dev/null || true
  if (( code != 0 )); then
    echo "run.sh: job ${job} did not end within ${timeout}" >&2
    "${kubectl}" describe pods --namespace "${namespace}" --selector app=kgrace >&2
    exit "${code}"
  fi
}

ended kgrace-shards 3600s
"${kubectl}" get pods --namespace "${namespace}" --selector app=kgrace,part=shards --output wide
"${kubectl}" apply --kustomize "${MERGE:-${here}/merge}"
ended kgrace-merge 600s
"${kubectl}" logs --namespace "${namespace}" job/kgrace-merge
exit "$("${kubectl}" get pods --namespace "${namespace}" --selector app=kgrace,part=merge \
  --output jsonpath='{.items[0].status.containerStatuses[0].state.terminated.exitCode}')"
