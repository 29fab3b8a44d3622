// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rhysd/actionlint"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/kgrace/kgrace/internal/versions"
)

// triggers are the events that may start a workflow. pull_request_target is not among them: it runs foreign code with privileges.
var triggers = []string{"push", "pull_request", "workflow_dispatch", "schedule", "workflow_call"}

var (
	pinned     = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+@[0-9a-f]{40}$`)
	versionC   = regexp.MustCompile(`uses: (\S+)( # v\d+\.\d+\.\d+)?\s*$`)
	credential = regexp.MustCompile(`(?m)^[^#\n]*(secrets\.[A-Za-z0-9_-]*|github\.token)`)
	nodeImage  = regexp.MustCompile(`kindest/node:\S+`)
)

// checkWorkflow returns the faults of a workflow: actionlint's, and those against this project's rules.
func checkWorkflow(data []byte, known callable) (faults []string) {
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	// The name keeps actionlint from looking for a project and its configuration.
	errs, err := linter.Lint("<stdin>", data, nil)
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range errs {
		refuse("line %d: %s", e.Line, e.Message)
	}
	w, _ := actionlint.Parse(data)
	if w == nil {
		return faults
	}
	takes := map[string]bool{}
	for _, e := range w.On {
		if !slices.Contains(triggers, e.EventName()) {
			refuse("trigger %s: want one of %v", e.EventName(), triggers)
		}
		if call, ok := e.(*actionlint.WorkflowCallEvent); ok {
			for secret := range call.Secrets {
				takes["secrets."+secret] = true
			}
		}
	}
	if text(w.Name) == "" {
		refuse("want a name")
	}
	if p := w.Permissions; p == nil || p.All != nil || len(p.Scopes) != 1 || p.Scopes["contents"] == nil || text(p.Scopes["contents"].Value) != "read" {
		refuse("permissions: want contents: read and nothing else")
	}
	if w.Concurrency == nil || text(w.Concurrency.Group) == "" {
		refuse("no concurrency group: runs of one branch would pile up")
	}
	for _, m := range credential.FindAllStringSubmatch(string(data), -1) {
		if !takes[strings.ToLower(m[1])] {
			refuse("it reads a credential; the only credentials that a job of this project may read are those that its callers pass")
		}
	}
	for i, line := range strings.Split(string(data), "\n") {
		if m := versionC.FindStringSubmatch(line); m != nil && m[2] == "" {
			refuse("line %d: add after %s the version of the hash: # v1.2.3", i+1, m[1])
		}
	}
	for _, image := range nodeImage.FindAllString(string(data), -1) {
		if image != defaults.Image {
			refuse("node image %s: want %s, that of the kind release in go.mod", image, defaults.Image)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		for _, f := range checkWorkflowJob(w.Jobs[name], known) {
			refuse("job %s: %s", name, f)
		}
	}
	return append(faults, checkCaches(w)...)
}

// checkWorkflowJob returns the faults of one job.
func checkWorkflowJob(j *actionlint.Job, known callable) (faults []string) {
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if text(j.Name) == "" || j.RunsOn == nil || j.TimeoutMinutes == nil || j.TimeoutMinutes.Value < 1 {
		refuse("want a name, a runner and timeout-minutes")
	}
	if j.Permissions != nil {
		refuse("permissions: those of the workflow are enough")
	}
	if j.ContinueOnError != nil {
		refuse("continue-on-error hides failures")
	}
	uploads := false
	var scripts []string
	for i, s := range j.Steps {
		if s.ContinueOnError != nil {
			refuse("step %d: continue-on-error hides failures", i+1)
		}
		switch e := s.Exec.(type) {
		case *actionlint.ExecAction:
			uses := text(e.Uses)
			switch {
			case !pinned.MatchString(uses):
				refuse("step %d: %s is not pinned: want owner/action@ and the 40 hex digits of a commit", i+1, uses)
			case strings.HasPrefix(uses, "actions/checkout@") && input(e, "persist-credentials") != "false":
				refuse("step %d: the checkout keeps its token: want persist-credentials: false", i+1)
			case strings.HasPrefix(uses, "actions/upload-artifact@"):
				uploads = true
				if !strings.Contains(text(s.If), "always()") {
					refuse("step %d: without always() a time-out, which cancels the job, leaves no artifacts", i+1)
				}
			}
		case *actionlint.ExecRun:
			run := text(e.Run)
			if strings.Contains(run, "${{") {
				refuse("step %d: an expression in a script is text that the shell runs; pass it in env", i+1)
			}
			for _, f := range known.script(run) {
				refuse("step %d: %s", i+1, f)
			}
			scripts = append(scripts, run)
		}
	}
	if !uploads {
		refuse("it uploads no artifacts")
	}
	for _, f := range slices.Concat(unprepared(scripts), bootstraps(scripts)) {
		refuse("%s", f)
	}
	return faults
}

// bootstraps returns the faults of scripts that build a node image from Debian packages. The runners have Ubuntu, without Debian's
// keyring.
func bootstraps(scripts []string) (faults []string) {
	for _, command := range commands(strings.Join(scripts, "\n")) {
		line := strings.Join(command, " ")
		makes := slices.Contains(command, "make") && slices.ContainsFunc(command, func(w string) bool {
			return slices.Contains([]string{"check-test", "clusters", "e2e", "e2e-smoke", "image", "image-test", "upstream-e2e"}, w)
		})
		args, kgrace := kgraceArgs(command)
		runs := kgrace && len(args) > 0 && (args[0] == "e2e" || args[0] == "upstream-e2e") && !(slices.Contains(args, "--image-stock") && slices.Contains(args, "--image-fixed"))
		builds := kgrace && len(args) > 1 && args[0] == "image" && args[1] == "build" && !strings.Contains(line, "--from image")
		if makes || runs || builds {
			faults = append(faults, line+": it builds a node image from Debian packages, for which Ubuntu has no keyring: want kgrace image build --from image, and its image in --image-stock and --image-fixed")
		}
	}
	return faults
}

// TestMinors compares the minors in the workflow's matrices with versions.yaml: the job minors has all of them.
func TestMinors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "ci/github/kgrace.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w, _ := actionlint.Parse(data)
	pins, err := versions.LoadRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	minors := func(job string) (all []string) {
		for _, one := range w.Jobs[job].Strategy.Matrix.Rows["minor"].Values {
			all = append(all, one.(*actionlint.RawYAMLString).Value)
		}
		return all
	}
	if diff := cmp.Diff(pins.MinorNames(), slices.Sorted(slices.Values(minors("minors")))); diff != "" {
		t.Errorf("the minors of ci/github/kgrace.yaml are not those of versions.yaml (-versions.yaml +workflow)\n%s", diff)
	}
	for _, minor := range minors("node") {
		if _, err := pins.Minor(minor); err != nil {
			t.Error(err)
		}
	}
}

// text returns the value of an optional string.
func text(s *actionlint.String) string {
	if s == nil {
		return ""
	}
	return s.Value
}

// input returns an input of an action.
func input(e *actionlint.ExecAction, name string) string {
	if e.Inputs[name] == nil {
		return ""
	}
	return text(e.Inputs[name].Value)
}

func TestWorkflowFaults(t *testing.T) {
	checkSpoiled(t, "ci/github/kgrace.yaml", checkWorkflow, []spoiled{
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
	checkSpoiled(t, "ci/github/kubernetes-releases.yaml", checkWorkflow, []spoiled{
		{"needs: [ask]", "needs: [asked]", `needs job "asked"`},
		{"17 4 * * *", "17 25 * * *", "25"},
		{"actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f", "actions/upload-artifact@v7", "not pinned"},
	})
}

func TestCalledWorkflowFaults(t *testing.T) {
	checkSpoiled(t, "ci/github/check.yaml", checkWorkflow, []spoiled{
		{"secrets.kubeconfig", "secrets.other", "reads a credential"},
		{"      kubeconfig: {required", "      other: {required", "reads a credential"},
		{"--image \"$IMAGE\"", "--image ${{ inputs.image }}", "text that the shell runs"},
		{"type: string", "typ: string", "typ"},
		{"inputs.selector", "inputs.selectors", "selectors"},
	})
}
