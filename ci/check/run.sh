#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Runs ci/check/job on the current cluster of kubectl and writes its JUnit to a file:
#
#   ci/check/run.sh check.xml [directory with a kustomization]     (default: job)
#
# The exit code is that of `kgrace check`: 0 fixed, 1 affected, 2 usage, 3 no verdict. KUBECTL names another kubectl.

set -o errexit -o nounset -o pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
junit="${1:-}"
directory="${2:-${here}/job}"
kubectl="${KUBECTL:-kubectl}"
namespace=kgrace-check

if (( $# < 1 || $# > 2 )) || [[ ! -f "${directory}/kustomization.yaml" ]]; then
  echo "run.sh: want a file for the JUnit and optionally a directory with a kustomization.yaml; got: $*" >&2
  exit 2
fi
# cannot exits with the code for "could not be decided"; the 1 of a failed command would mean "affected".
cannot() {
  echo "run.sh: $1" >&2
  exit 3
}

# A Job cannot be changed, and the results of an earlier one must not be taken for this one's.
"${kubectl}" delete job --ignore-not-found --namespace "${namespace}" kgrace-check || cannot "cannot delete the job of an earlier run"
"${kubectl}" apply --kustomize "${directory}" || cannot "cannot apply ${directory}"

# Two conditions end a Job; kubectl waits for one at a time. The exit code of the container decides, not those of the waits;
# without one the result is 3.
"${kubectl}" wait --namespace "${namespace}" --for=condition=Complete --timeout=1900s job/kgrace-check >/dev/null &
complete=$!
"${kubectl}" wait --namespace "${namespace}" --for=condition=Failed --timeout=1900s job/kgrace-check >/dev/null &
failed=$!
wait -n "${complete}" "${failed}" || :
# One of the two has ended, so kill fails for it.
kill "${complete}" "${failed}" 2>/dev/null || :
wait "${complete}" "${failed}" 2>/dev/null || :

# The newest pod: an earlier one was disrupted.
newest='{.items[-1:].metadata.name} {.items[-1:].status.containerStatuses[0].state.terminated.exitCode}'
got="$("${kubectl}" get pods --namespace "${namespace}" --selector app=kgrace-check --sort-by=.metadata.creationTimestamp --output "jsonpath=${newest}")" ||
  cannot "cannot get the pod of the job"
read -r pod code <<<"${got}" || :
if [[ -z "${code:-}" ]]; then
  "${kubectl}" describe pods --namespace "${namespace}" --selector app=kgrace-check >&2 || echo "run.sh: cannot describe the pod" >&2
  cannot "the job did not end by itself"
fi
"${kubectl}" logs --namespace "${namespace}" "${pod}" --container check >"${junit}" || cannot "cannot read the JUnit of the job"
exit "${code}"
