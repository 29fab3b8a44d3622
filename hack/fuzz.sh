#!/usr/bin/env bash
# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Runs every fuzz target for FUZZTIME each (default 1m), one after the other, and prints what each found. The arguments name targets
# to run instead of all. Go writes an input that fails to testdata/fuzz of the package, from where every later `go test` runs it.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

time="${FUZZTIME:-1m}"
failed=()
ran=0
while IFS=: read -r file line; do
  target="${line#func }"
  target="${target%%(*}"
  if (( $# > 0 )) && [[ " $* " != *" ${target} "* ]]; then
    continue
  fi
  ran=$(( ran + 1 ))
  printf 'fuzz: %s in %s for %s\n' "${target}" "$(dirname "${file}")" "${time}" >&2
  if ! go test -run='^$' -fuzz="^${target}\$" -fuzztime="${time}" -fuzzminimizetime=5s "./$(dirname "${file}")"; then
    failed+=("${target}")
  fi
done < <(grep -rE --include='*_test.go' '^func Fuzz[A-Z]' cmd internal pkg | sort)
if (( ran == 0 )); then
  printf 'fuzz: no target named %s; known: %s\n' "$*" "$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z]+' cmd internal pkg | sed 's/^func //' | sort | tr '\n' ' ')" >&2
  exit 2
fi
if (( ${#failed[@]} > 0 )); then
  printf 'fuzz: failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
printf 'fuzz: %d targets, nothing found\n' "${ran}" >&2
