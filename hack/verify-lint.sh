#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Runs gofmt, go vet, shellcheck, and actionlint on the workflows of ci/ with shellcheck for their scripts. Prints all faults, then
# fails.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=0

# Files that git tracks or would add: not _output or other ignored files.
mapfile -t gofiles < <(git ls-files --cached --others --exclude-standard -- '*.go' | while read -r f; do [[ -f "${f}" ]] && echo "${f}"; done)
mapfile -t shfiles < <(git ls-files --cached --others --exclude-standard -- '*.sh' '.ci/run' | while read -r f; do [[ -f "${f}" ]] && echo "${f}"; done)
if (( ${#gofiles[@]} == 0 || ${#shfiles[@]} == 0 )); then
  echo "lint: no files to check; want a git checkout" >&2
  exit 1
fi

unformatted=$(gofmt -l "${gofiles[@]}")
if [[ -n "${unformatted}" ]]; then
  echo "lint: not gofmt'ed (run gofmt -w on them):" >&2
  echo "${unformatted}" >&2
  failed=1
fi

# The cluster check is a module of its own.
if ! go vet ./... github.com/kgrace/kgrace/cmd/kubectl-kgrace/...; then
  echo "lint: go vet failed" >&2
  failed=1
fi

if ! command -v shellcheck >/dev/null; then
  echo "lint: shellcheck is missing: run hack/setup.sh, or apt-get install shellcheck" >&2
  failed=1
else
  if ! shellcheck "${shfiles[@]}"; then
    echo "lint: shellcheck failed" >&2
    failed=1
  fi
  # By its path: actionlint skips the scripts without a word if it does not find a shellcheck.
  if ! go tool actionlint -shellcheck "$(command -v shellcheck)" ci/github/*.yaml; then
    echo "lint: actionlint failed" >&2
    failed=1
  fi
fi

exit "${failed}"
