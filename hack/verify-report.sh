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
