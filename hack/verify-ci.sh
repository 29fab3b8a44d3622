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

# Lints ci/github with actionlint, built from the pinned module, and the scripts in it with shellcheck. The unit tests check the
# same files against this project's rules and commands.

set -o errexit -o nounset -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

go run ./cmd/kgrace build actionlint
# The version follows the module in versions.yaml.
version="$(awk '/^  actionlint:/ {found = 1} found && $1 == "version:" {print $2; exit}' versions.yaml)"
"${KGRACE_OUTPUT:-_output}/bin/programs/actionlint@${version}/actionlint" -shellcheck "$(command -v shellcheck)" ci/github/*.yaml
echo "verify-ci: no faults in the workflows" >&2
