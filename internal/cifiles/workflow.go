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
	"maps"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Workflow is a file of GitHub Actions.
type Workflow struct {
	Name string `json:"name"`
	// On is quoted in the files: a bare on is a boolean in YAML.
	On          Triggers          `json:"on"`
	Permissions map[string]string `json:"permissions"`
	Concurrency struct {
		Group            string `json:"group"`
		CancelInProgress any    `json:"cancel-in-progress,omitempty"`
	} `json:"concurrency"`
	Jobs map[string]WorkflowJob `json:"jobs"`
}

// Triggers define when a workflow runs. pull_request_target is not among them: it runs foreign code with privileges.
type Triggers struct {
	Push *struct {
		Branches []string `json:"branches"`
	} `json:"push,omitempty"`
	PullRequest      *struct{} `json:"pull_request,omitempty"`
	WorkflowDispatch *struct{} `json:"workflow_dispatch,omitempty"`
	Schedule         []struct {
		Cron string `json:"cron"`
	} `json:"schedule,omitempty"`
	WorkflowCall *WorkflowCall `json:"workflow_call,omitempty"`
}

// WorkflowCall describes the inputs of a workflow that others call.
type WorkflowCall struct {
	Inputs map[string]struct {
		Type        string `json:"type"`
		Default     string `json:"default"`
		Description string `json:"description"`
	} `json:"inputs,omitempty"`
	Secrets map[string]struct {
		Required    bool   `json:"required"`
		Description string `json:"description"`
	} `json:"secrets,omitempty"`
}

// WorkflowJob is one job.
type WorkflowJob struct {
	Name           string   `json:"name"`
	Needs          []string `json:"needs,omitempty"`
	If             string   `json:"if,omitempty"`
	RunsOn         string   `json:"runs-on"`
	TimeoutMinutes int      `json:"timeout-minutes"`
	Strategy       *struct {
		FailFast bool           `json:"fail-fast"`
		Matrix   map[string]any `json:"matrix"`
	} `json:"strategy,omitempty"`
	Outputs map[string]string `json:"outputs,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Steps   []Step            `json:"steps"`
}

// Step is one step.
type Step struct {
	ID   string            `json:"id,omitempty"`
	If   string            `json:"if,omitempty"`
	Uses string            `json:"uses,omitempty"`
	With map[string]any    `json:"with,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	Run  string            `json:"run,omitempty"`
}

var (
	pinned   = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+@[0-9a-f]{40}$`)
	versionC = regexp.MustCompile(`uses: (\S+)( # v\d+\.\d+\.\d+)?\s*$`)
	// expression matches script expressions, which are inserted as text that a shell would run.
	expression = regexp.MustCompile(`\$\{\{`)
	credential = regexp.MustCompile(`(?m)^[^#\n]*(secrets\.[A-Za-z0-9_-]*|github\.token)`)
)

// CheckWorkflow returns the faults of a workflow.
func CheckWorkflow(data []byte, known Known) (faults []string) {
	var w Workflow
	if err := yaml.UnmarshalStrict(data, &w); err != nil {
		return []string{err.Error()}
	}
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if w.Name == "" || w.On.none() {
		refuse("want a name and a trigger")
	}
	if !maps.Equal(w.Permissions, map[string]string{"contents": "read"}) {
		refuse("permissions %v: want contents: read and nothing else", w.Permissions)
	}
	if w.Concurrency.Group == "" {
		refuse("no concurrency group: runs of one branch would pile up")
	}
	for _, m := range credential.FindAllStringSubmatch(string(data), -1) {
		if !w.On.takes(strings.TrimPrefix(m[1], "secrets.")) {
			refuse("it reads a credential; the only credentials that a job of this project may read are those that its callers pass")
		}
	}
	for i, line := range strings.Split(string(data), "\n") {
		if m := versionC.FindStringSubmatch(line); m != nil && m[2] == "" {
			refuse("line %d: add after %s the version of the hash: # v1.2.3", i+1, m[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		for _, f := range w.Jobs[name].check(known) {
			refuse("job %s: %s", name, f)
		}
		for _, n := range w.Jobs[name].Needs {
			if _, ok := w.Jobs[n]; !ok {
				refuse("job %s needs %s, which does not exist", name, n)
			}
		}
	}
	if len(w.Jobs) == 0 {
		refuse("no jobs")
	}
	return faults
}

// none reports whether there are no triggers.
func (t Triggers) none() bool {
	return t.Push == nil && t.PullRequest == nil && t.WorkflowDispatch == nil && len(t.Schedule) == 0 && t.WorkflowCall == nil
}

// takes reports whether callers pass a secret.
func (t Triggers) takes(secret string) bool {
	if t.WorkflowCall == nil {
		return false
	}
	_, ok := t.WorkflowCall.Secrets[secret]
	return ok
}

func (j WorkflowJob) check(known Known) (faults []string) {
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if j.Name == "" || j.RunsOn == "" || j.TimeoutMinutes < 1 {
		refuse("want a name, a runner and timeout-minutes")
	}
	uploads := false
	for i, s := range j.Steps {
		switch {
		case (s.Uses == "") == (s.Run == ""):
			refuse("step %d: want either uses or run", i+1)
		case s.Uses != "" && !pinned.MatchString(s.Uses):
			refuse("step %d: %s is not pinned: want owner/action@ and the 40 hex digits of a commit", i+1, s.Uses)
		case strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false:
			refuse("step %d: the checkout keeps its token: want persist-credentials: false", i+1)
		case strings.HasPrefix(s.Uses, "actions/cache@") && !strings.Contains(fmt.Sprint(s.With["key"]), "hashFiles('versions.yaml')"):
			refuse("step %d: the cache's key does not depend on versions.yaml", i+1)
		}
		uploads = uploads || strings.HasPrefix(s.Uses, "actions/upload-artifact@")
		if s.Run == "" {
			continue
		}
		if expression.MatchString(s.Run) {
			refuse("step %d: an expression in a script is text that the shell runs; pass it in env", i+1)
		}
		for _, f := range known.Script(s.Run) {
			refuse("step %d: %s", i+1, f)
		}
	}
	if !uploads {
		refuse("it uploads no artifacts")
	}
	return faults
}

// Minors returns the minors in a workflow's matrices, by job.
func Minors(data []byte) (map[string][]string, error) {
	var w Workflow
	if err := yaml.UnmarshalStrict(data, &w); err != nil {
		return nil, err
	}
	found := map[string][]string{}
	for name, j := range w.Jobs {
		if j.Strategy == nil {
			continue
		}
		list, _ := j.Strategy.Matrix["minor"].([]any)
		for _, one := range list {
			found[name] = append(found[name], fmt.Sprint(one))
		}
	}
	return found, nil
}
