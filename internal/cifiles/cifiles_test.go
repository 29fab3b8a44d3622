/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package cifiles

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/tool"
)

const root = "../.."

// known accepts every command of kgrace except one, and the targets of the real Makefile.
func known(t *testing.T) Known {
	t.Helper()
	targets, err := Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	tracked, err := tool.Git(t.Context(), root, nil, "ls-files", "-z")
	if err != nil {
		t.Fatal(err)
	}
	return Known{Root: root, Files: strings.Split(strings.TrimRight(tracked, "\x00"), "\x00"), Targets: targets, Kgrace: func(args []string) error {
		if len(args) == 0 || args[0] == "nonsense" {
			return errors.New("unknown command")
		}
		return nil
	}}
}

// spoiled is a change to a file and the expected fault.
type spoiled struct{ old, new, want string }

func TestWorkflowFaults(t *testing.T) {
	checkSpoiled(t, "ci/github/kgrace.yaml", CheckWorkflow, []spoiled{
		{"actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1", "actions/checkout@v7", "not pinned"},
		{"actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1", "actions/checkout@3d3c42e", "not pinned"},
		{"actions/cache/save@27d5ce7f107fe9357f9df03efb73ab90386fccae", "actions/cache/save@main", "actions/cache/save@main is not pinned"},
		{" # v7.0.1", "", "add after actions/checkout@"},
		{"contents: read", "contents: write", "want contents: read"},
		{"contents: read", "contents: read\n  id-token: write", "and nothing else"},
		{"{persist-credentials: false}", "{fetch-depth: 0}", "the checkout keeps its token"},
		{"hashFiles('versions.yaml')", "hashFiles('go.mod')", "does not depend on versions.yaml"},
		{"make lint verify unit", "make lint verify unity", "make unity: no such target"},
		{"make lint verify unit", "cd x && make", "only prints help"},
		{"./cmd/kgrace matrix", "./cmd/kgrace nonsense", "kgrace nonsense --kubernetes $MINOR: unknown command"},
		{`--kubernetes "$MINOR"`, "--kubernetes ${{ matrix.minor }}", "text that the shell runs"},
		{"make lint verify unit", "hack/no-such.sh", "hack/no-such.sh: no such script"},
		{"timeout-minutes: 45", "timeout-minutes: 0", "timeout-minutes"},
		{"pull_request: {}", "pull_request_target: {}", "trigger pull_request_target"},
		{"pull_request: {}", "pull_request: {}\n  foo: bar", "foo"},
		{"    runs-on: ubuntu-24.04\n", "    runs-on: ubuntu-24.04\n    permissions: {packages: write}\n", "those of the workflow are enough"},
		{"    runs-on: ubuntu-24.04\n", "    runs-on: ubuntu-24.04\n    continue-on-error: true\n", "hides failures"},
		{"- run: make lint", "- continue-on-error: true\n        run: make lint", "hides failures"},
		{"- run: make lint", "- run: echo ${{ secrets.TOKEN }}\n      - run: make lint", "reads a credential"},
		{"group: kgrace-${{ github.ref }}", "group: ''", "no concurrency group"},
		{"if: ${{ always() }}", "if: ${{ !cancelled() }}", "without always() a time-out"},
		{"make lint verify unit", "make image", "for which Ubuntu has no keyring"},
		{` --image-stock "$STOCK" --image-fixed "$FIXED"`, "", "for which Ubuntu has no keyring"},
		{`--from image "$NODE"`, "--from modules", "for which Ubuntu has no keyring"},
		{"NODE: kindest/node:v1.37.0", "NODE: kindest/node:v1.36.0", "that of the kind release in go.mod"},
		{`      - run: sudo env "PATH=$PATH" make setup` + "\n", "", "want make setup before it"},
		{"github.ref == 'refs/heads/main' && ", "", "saves a cache for each branch"},
		{"actions/cache/save@", "actions/cache@", "saves a cache for each pull request"},
		{"'true' }}\n        with:\n          path: _output/matrix", "'true' }}\n        with:\n          path: ~/.cache/go-build", "jobs minors, minors again"},
		// Of actionlint.
		{"runs-on: ubuntu-24.04", "runs-on: ubuntu-25.13", "ubuntu-25.13"},
		{"matrix.minor", "matrix.miner", "miner"},
		{"'refs/heads/main' &&", "refs/heads/main &&", "refs"},
		{"fail-fast: false", "failfast: false", "failfast"},
	})
	checkSpoiled(t, "ci/github/kubernetes-releases.yaml", CheckWorkflow, []spoiled{
		{"needs: [ask]", "needs: [asked]", `needs job "asked"`},
		{"17 4 * * *", "17 25 * * *", "25"},
		{"actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f", "actions/upload-artifact@v7", "not pinned"},
	})
}

func TestProwFaults(t *testing.T) {
	checkSpoiled(t, "ci/prow/kgrace.yaml", CheckProw, []spoiled{
		{"image: ${KGRACE_CI_IMAGE}", "image: debian:12", "which the adopter sets"},
		{"decorate: true", "decorate: false", "want decorate: true"},
		{"timeout: 45m", "timeout: 45", "missing unit"},
		{"interval: 24h", "interval: daily", "interval"},
		{"args: [setup, lint, verify, unit]", "args: [setup, lint, verify, unity]", "make unity: no such target"},
		{"args: [setup, lint, verify, unit]", "args: [lint, verify, unit]", "want make setup before it"},
		{"make setup\n              ci/releases.sh", "ci/releases.sh", "want make setup before it"},
		{", grace_period: 2m", "", "want a minute or more"},
		{"[A-Za-z_-]+\\.md$", "go\\.mod$", "a change of only go.mod skips it"},
		{"'^(docs/|", "'^(docs/|pkg/|test/|hack/|", "a change of only hack/build-kind-image.sh skips it"},
		{"'^(docs/", "'^((docs/", "missing closing )"},
		{"make setup image-setup", "make setup && go run ./cmd/kgrace nonsense", "kgrace nonsense: unknown command"},
		{"- -ec", "- -c", "continues after an error"},
		{"ci/releases.sh", "ci/release.sh", "no such script"},
		{"name: pull-kgrace-regression", "name: pull-kgrace-verify", "two jobs are named"},
		{"name: pull-kgrace-verify", "name: pull-kgrace-verify-" + strings.Repeat("x", 60), "at most 63"},
		{"kgrace/kgrace:", "kgrace:", "owner/repository"},
		{"always_run: true", "always_run: true\n      skip_if_only_changed: x", "want always_run or skip_if_only_changed"},
		{"extra_refs: [{org: kgrace, repo: kgrace, base_ref: main}]", "extra_refs: []", "no checkout"},
		{"always_run: true", "always_runs: true", "always_runs"},
		{"resources:", "env: [{name: TOKEN, value: x}]\n            resources:", "no job needs a credential"},
		{"command: [make]", "command: []", "want a command"},
		{"requests: {cpu: \"2\", memory: 6Gi}", "requests: {cpu: \"2\"}", "want a memory request"},
	})
}

func TestCalledWorkflowFaults(t *testing.T) {
	checkSpoiled(t, "ci/github/check.yaml", CheckWorkflow, []spoiled{
		{"secrets.kubeconfig", "secrets.other", "reads a credential"},
		{"      kubeconfig: {required", "      other: {required", "reads a credential"},
		{"\"$RUNNER_TEMP/kubectl-kgrace\" check", "\"$RUNNER_TEMP/kubectl-kgrace\" nonsense", "unknown command"},
		{"--image \"$IMAGE\"", "--image ${{ inputs.image }}", "text that the shell runs"},
		{"type: string", "typ: string", "typ"},
		{"inputs.selector", "inputs.selectors", "selectors"},
	})
}

// checkSpoiled checks that the file has no faults and that each change causes the named fault.
func checkSpoiled(t *testing.T, file string, check func([]byte, Known) []string, cases []spoiled) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if faults := check(data, known(t)); len(faults) > 0 {
		t.Errorf("%s:\n  %s", file, strings.Join(faults, "\n  "))
	}
	for _, c := range cases {
		if !strings.Contains(string(data), c.old) {
			t.Errorf("%s has no %q", file, c.old)
			continue
		}
		faults := check([]byte(strings.Replace(string(data), c.old, c.new, 1)), known(t))
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%s with %q: got %q, want %q", file, c.new, faults, c.want)
		}
	}
}

func TestMinors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "ci/github/kgrace.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := Minors(data)
	if err != nil || len(found["minors"]) < 2 || len(found["node"]) < 2 {
		t.Errorf("%v, %v", found, err)
	}
}
