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

# Looks at the HTML report in a headless Chromium, on a desk and on a phone, light and dark: no request, nothing on the console,
# nothing wider than the screen, no label cut off or written over another, everything within the keyboard's reach.
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

# Without a browser this check is worth nothing, so a missing one is a failure here; in the unit tests it is a skip.
export KGRACE_NEED_BROWSER=1
exec go test -count=1 -run "${tests}" ./internal/report
