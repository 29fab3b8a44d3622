#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Runs the split catalogue on the current cluster of kubectl, waits for the parts, merges them and prints the table:
#
#   ci/indexed-job/run.sh [directory with a kustomization]     (default: base)
#
# The exit code is that of `kgrace report merge`: 0 good, 1 red, 2 bad usage, 3 a part is missing or something could not be
# judged, or a pod failed without one. KUBECTL names another kubectl.

set -o errexit -o nounset -o pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
shards="${1:-${here}/base}"
kubectl="${KUBECTL:-kubectl}"
namespace=kgrace

if (( $# > 1 )) || [[ ! -f "${shards}/kustomization.yaml" ]]; then
  echo "run.sh: want a directory with a kustomization.yaml, got: $*" >&2
  exit 2
fi
# cannot exits with the code for "could not be decided"; the 1 of a failed command would mean "red".
cannot() {
  echo "run.sh: $1" >&2
  exit 3
}

# Jobs cannot be changed.
"${kubectl}" delete job --ignore-not-found --namespace "${namespace}" kgrace-shards kgrace-merge || cannot "cannot delete the jobs of an earlier run"
"${kubectl}" apply --kustomize "${shards}" || cannot "cannot apply ${shards}"
# The parts of this run are in a directory of this name.
run="$("${kubectl}" get job --namespace "${namespace}" kgrace-shards --output jsonpath='{.metadata.uid}')" || cannot "cannot get job kgrace-shards"
[[ -n "${run}" ]] || cannot "job kgrace-shards has no UID"

# Waits until a Job has one of the two conditions that end it; kubectl waits for one at a time.
ended() {
  local job="$1" timeout="$2"
  "${kubectl}" wait --namespace "${namespace}" --for=condition=Complete --timeout="${timeout}" "job/${job}" &
  local complete=$!
  "${kubectl}" wait --namespace "${namespace}" --for=condition=Failed --timeout="${timeout}" "job/${job}" &
  local failed=$!
  local code=0
  wait -n "${complete}" "${failed}" || code=3
  # One of the two has ended, so kill fails for it.
  kill "${complete}" "${failed}" 2>/dev/null || :
  wait "${complete}" "${failed}" 2>/dev/null || :
  if (( code != 0 )); then
    "${kubectl}" describe pods --namespace "${namespace}" --selector app=kgrace >&2 || echo "run.sh: cannot describe the pods" >&2
    cannot "job ${job} did not end within ${timeout}"
  fi
}

# A little longer than activeDeadlineSeconds, so that the Job has a condition.
ended kgrace-shards 3700s
failed="$("${kubectl}" get job --namespace "${namespace}" kgrace-shards --output jsonpath='{.status.conditions[?(@.type=="Failed")].status}')" ||
  cannot "cannot get job kgrace-shards"
"${kubectl}" get pods --namespace "${namespace}" --selector app=kgrace,part=shards --output wide || cannot "cannot list the pods of the parts"
"${kubectl}" patch job --namespace "${namespace}" kgrace-merge --type=merge --patch \
  "{\"spec\": {\"suspend\": false, \"template\": {\"metadata\": {\"annotations\": {\"kgrace.test/run-id\": \"${run}\"}}}}}" || cannot "cannot resume job kgrace-merge"
ended kgrace-merge 700s

# The newest pod: an earlier one was disrupted.
newest='{.items[-1:].metadata.name} {.items[-1:].status.containerStatuses[0].state.terminated.exitCode}'
got="$("${kubectl}" get pods --namespace "${namespace}" --selector app=kgrace,part=merge --sort-by=.metadata.creationTimestamp --output "jsonpath=${newest}")" ||
  cannot "cannot get the pod of job kgrace-merge"
read -r pod code <<<"${got}" || :
[[ -n "${code:-}" ]] || cannot "job kgrace-merge has no pod that ended by itself"
"${kubectl}" logs --namespace "${namespace}" "${pod}" || cannot "cannot read the log of pod ${pod}"
# The merge sees what the parts left, and so not that none of them carried out a step.
[[ "${code}" != 0 || "${failed}" != True ]] || cannot "a pod of job kgrace-shards failed, though nothing that the parts left is red: read its log"
exit "${code}"
