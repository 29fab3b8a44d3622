#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Removes trees, binaries and artifacts. Fails while a node is up, or if a tree has edits that are not in its series.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

output="${KGRACE_OUTPUT:-_output}"
# A node that is down leaves only its logs; its state file goes last.
nodes=""
if [[ -d "${output}/nodes" ]]; then
  nodes=$(find "${output}/nodes" -name state.json -printf '%h\n')
fi
if [[ -n "${nodes}" ]]; then
  echo "clean: nodes are up, or crashed, in ${nodes//$'\n'/, }; take them down first (kgrace node down)" >&2
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
for state in "${output}"/rebase/*/rebase.json; do
  [[ -f "${state}" ]] || continue
  echo "clean: a rebase is under way in ${state%/*}; end it with kgrace patch rebase --continue or --abort" >&2
  exit 1
done
for directory in artifacts bench bin check docker generated image locks matrix modules mutants nodes rebase release scale sim soak trees typecheck upstream-e2e; do
  [[ -e "${output:?}/${directory}" ]] || continue
  # The module cache has directories that even their owner cannot write to. For files of others chmod fails; rm then tells.
  chmod -R u+rwX "${output}/${directory}" 2>/dev/null || :
  if ! rm -rf "${output:?}/${directory}"; then
    echo "clean: ${output}/${directory} could not be removed, $(stat -c %U "${output}/${directory}") owns it: run make clean as its owner" >&2
    exit 1
  fi
done
rm -f "${output}/e2e-node-images.tar"
# Other files in the directory stay.
if [[ -d "${output}" ]]; then
  rmdir --ignore-fail-on-non-empty "${output}"
fi
