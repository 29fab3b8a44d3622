#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

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
