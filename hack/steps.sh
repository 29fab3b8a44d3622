#!/usr/bin/env bash
# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Makes targets one after the other, stops at the first failure, and prints the seconds and CPU seconds of each.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

table=()
begin=${SECONDS}
finish() {
  printf 'steps: %-16s %8s %8s\n' target seconds cpu >&2
  if (( ${#table[@]} > 0 )); then
    printf 'steps: %s\n' "${table[@]}" >&2
  fi
  printf 'steps: %-16s %8d\n' all $(( SECONDS - begin )) >&2
}
trap finish EXIT

used=0
for target in "$@"; do
  started=${SECONDS}
  failed=0
  "${MAKE:-make}" --no-print-directory "${target}" || failed=$?
  # The CPU time of all ended children, in hundredths of a second: fields 16 and 17 of proc_pid_stat(5). The name in field 2 may
  # contain anything.
  read -r -a stat < <(sed 's/.*) //' "/proc/$$/stat")
  now=$(( (stat[13] + stat[14]) / 100 ))
  table+=("$(printf '%-16s %8d %8d%s' "${target}" $(( SECONDS - started )) $(( now - used )) "$( (( failed )) && echo ' FAILED')")")
  used=${now}
  if (( failed )); then
    exit "${failed}"
  fi
done
