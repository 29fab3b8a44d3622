#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Asks the Go module proxy for new Kubernetes releases and rebases each series that has no conflict: the nightly job for a CI
# without dynamic matrices. rebase.diff in $ARTIFACTS has the changes; apply it with `git apply`, then run `make update verify`.
# Exit code 1: a series does not apply to its new release, or is red there. Exit code 3: there is no list of releases.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

artifacts="${ARTIFACTS:-_output/artifacts}"
mkdir -p "${artifacts}"
failed=0
# A separate command, so that a proxy that does not answer is an error, not an empty list.
if ! list="$(go run ./cmd/kgrace releases --newer)"; then
  echo "releases: cannot list the releases" >&2
  exit 3
fi
# One line per minor: name, pinned tag, newest tag, state.
while read -r minor _ newest state; do
  [[ "${state}" == newer ]] || continue
  echo "releases: ${minor}: ${newest}" >&2
  if ! go run ./cmd/kgrace patch rebase --kubernetes "${minor}" --to "${newest}"; then
    failed=1
    continue
  fi
  # Before the long steps, so that a time-out leaves it. --intent-to-add is for new files; it stages removals, so the diff is against
  # HEAD.
  git add --intent-to-add -- versions.yaml patches
  git diff HEAD -- versions.yaml patches >"${artifacts}/rebase.diff"
  go run ./cmd/kgrace matrix --kubernetes "${minor}" || failed=1
  go run ./cmd/kgrace regress --level sim --kubernetes "${minor}" --artifacts "${artifacts}/${minor}" || failed=1
done <<<"${list}"
exit "${failed}"
