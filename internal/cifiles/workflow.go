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
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"
)

// triggers are the events that may start a workflow. pull_request_target is not among them: it runs foreign code with privileges.
var triggers = []string{"push", "pull_request", "workflow_dispatch", "schedule", "workflow_call"}

var (
	pinned     = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+@[0-9a-f]{40}$`)
	versionC   = regexp.MustCompile(`uses: (\S+)( # v\d+\.\d+\.\d+)?\s*$`)
	credential = regexp.MustCompile(`(?m)^[^#\n]*(secrets\.[A-Za-z0-9_-]*|github\.token)`)
	nodeImage  = regexp.MustCompile(`kindest/node:\S+`)
)

// CheckWorkflow returns the faults of a workflow: actionlint's, and those against this project's rules.
func CheckWorkflow(data []byte, known Known) (faults []string) {
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
func checkWorkflowJob(j *actionlint.Job, known Known) (faults []string) {
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
			for _, f := range known.Script(run) {
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

// Minors returns the minors in a workflow's matrices, by job.
func Minors(data []byte) (map[string][]string, error) {
	w, errs := actionlint.Parse(data)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	found := map[string][]string{}
	for name, j := range w.Jobs {
		if j.Strategy == nil || j.Strategy.Matrix == nil || j.Strategy.Matrix.Rows["minor"] == nil {
			continue
		}
		for _, one := range j.Strategy.Matrix.Rows["minor"].Values {
			if s, ok := one.(*actionlint.RawYAMLString); ok {
				found[name] = append(found[name], s.Value)
			}
		}
	}
	return found, nil
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
