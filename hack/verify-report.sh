#!/usr/bin/env bash

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# Checks the HTML report in a headless Chromium, at desktop and phone size, light and dark: no requests, no console output,
# nothing wider than the screen, no truncated or overlapping labels, everything reachable by keyboard, links that lead to their
# rows, lists that filter.
#
# Usage: hack/verify-report.sh [page]    (default: the golden page of the tests)

set -o errexit -o nounset -o pipefail

tests='Browser'
if (( $# > 0 )); then
  KGRACE_REPORT_PAGE=$(realpath -- "$1")
  export KGRACE_REPORT_PAGE
  tests='PageInABrowser'
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A missing browser fails this check; the unit tests skip it.
export KGRACE_NEED_BROWSER=1
exec go test -count=1 -run "${tests}" ./internal/report
