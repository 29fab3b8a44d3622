// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// prowImage is the placeholder for the image of Prow's jobs, which the adopter sets.
const prowImage = "${KGRACE_CI_IMAGE}"

// prowConfig is a file of Prow jobs: the fields that this project uses, under Prow's names.
type prowConfig struct {
	Presubmits map[string][]prowJob `json:"presubmits,omitempty"`
	Periodics  []prowJob            `json:"periodics,omitempty"`
}

// prowJob is a presubmit or a periodic.
type prowJob struct {
	Name             string            `json:"name"`
	Labels           map[string]string `json:"labels,omitempty"`
	Decorate         bool              `json:"decorate"`
	DecorationConfig *struct {
		Timeout     string `json:"timeout"`
		GracePeriod string `json:"grace_period"`
	} `json:"decoration_config,omitempty"`
	Spec *corev1.PodSpec `json:"spec"`
	// of presubmits
	AlwaysRun         bool   `json:"always_run,omitempty"`
	SkipIfOnlyChanged string `json:"skip_if_only_changed,omitempty"`
	Optional          bool   `json:"optional,omitempty"`
	// of periodics
	Interval  string `json:"interval,omitempty"`
	ExtraRefs []struct {
		Org     string `json:"org"`
		Repo    string `json:"repo"`
		BaseRef string `json:"base_ref"`
	} `json:"extra_refs,omitempty"`
}

// prowName matches a valid name of a Prow job, which becomes a label.
var prowName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

// document matches files that no node and no cluster runs or reads.
var document = regexp.MustCompile(`^(docs|ci|\.github)/|\.md$|^(LICENSE|NOTICE)$`)

// checkProw returns the faults of a file of Prow jobs.
func checkProw(data []byte, known callable) (faults []string) {
	var c prowConfig
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return []string{err.Error()}
	}
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	var names []string
	for repo, jobs := range c.Presubmits {
		if strings.Count(repo, "/") != 1 {
			refuse("presubmits of %q: want owner/repository", repo)
		}
		for _, j := range jobs {
			names = append(names, j.Name)
			if j.AlwaysRun == (j.SkipIfOnlyChanged != "") {
				refuse("presubmit %s: want always_run or skip_if_only_changed", j.Name)
			}
			skips, err := regexp.Compile(j.SkipIfOnlyChanged)
			if err != nil {
				refuse("presubmit %s: %v", j.Name, err)
				continue
			}
			for _, file := range known.files {
				if j.SkipIfOnlyChanged != "" && skips.MatchString(file) && !document.MatchString(file) {
					refuse("presubmit %s: a change of only %s skips it", j.Name, file)
					break
				}
			}
			if j.Interval != "" || len(j.ExtraRefs) > 0 {
				refuse("presubmit %s: interval and extra_refs are for periodics", j.Name)
			}
			faults = append(faults, j.check(known)...)
		}
	}
	for _, j := range c.Periodics {
		names = append(names, j.Name)
		if _, err := time.ParseDuration(j.Interval); err != nil {
			refuse("periodic %s: interval: %v", j.Name, err)
		}
		if len(j.ExtraRefs) != 1 {
			refuse("periodic %s: want one of extra_refs, otherwise it has no checkout", j.Name)
		}
		if j.AlwaysRun || j.SkipIfOnlyChanged != "" || j.Optional {
			refuse("periodic %s: always_run, skip_if_only_changed and optional are for presubmits", j.Name)
		}
		faults = append(faults, j.check(known)...)
	}
	if len(names) == 0 {
		refuse("no jobs")
	}
	slices.Sort(names)
	for i := range names {
		if i > 0 && names[i] == names[i-1] {
			refuse("two jobs are named %s", names[i])
		}
	}
	return faults
}

func (j prowJob) check(known callable) (faults []string) {
	refuse := func(format string, args ...any) {
		faults = append(faults, "job "+j.Name+": "+fmt.Sprintf(format, args...))
	}
	if !prowName.MatchString(j.Name) {
		refuse("Prow uses the name as a label: want at most 63 letters, digits and -._")
	}
	if !j.Decorate || j.DecorationConfig == nil {
		refuse("want decorate: true and a timeout: decoration provides the checkout and uploads the artifacts")
	} else if _, err := time.ParseDuration(j.DecorationConfig.Timeout); err != nil {
		refuse("timeout: %v", err)
	} else if grace, err := time.ParseDuration(j.DecorationConfig.GracePeriod); err != nil || grace < time.Minute {
		refuse("grace_period %q: want a minute or more after a time-out, to delete nodes and clusters and to write the artifacts", j.DecorationConfig.GracePeriod)
	}
	if j.Spec == nil || len(j.Spec.Containers) != 1 {
		refuse("want a pod of one container")
		return faults
	}
	if len(j.Spec.Volumes) > 0 || j.Spec.ServiceAccountName != "" {
		refuse("want no volumes and no service account: no job needs a credential")
	}
	con := j.Spec.Containers[0]
	if con.Image != prowImage {
		refuse("image %q: want %s, which the adopter sets", con.Image, prowImage)
	}
	if len(con.Env) > 0 || len(con.EnvFrom) > 0 {
		refuse("want no environment: no job needs a credential")
	}
	if con.Resources.Requests.Memory().IsZero() || con.Resources.Limits.Memory().IsZero() {
		refuse("want a memory request")
	}
	if len(con.Command) == 0 {
		refuse("want a command: the image's default command is unknown")
		return faults
	}
	script := strings.Join(slices.Concat(con.Command, con.Args), " ")
	if con.Command[0] == "bash" && len(con.Args) == 2 {
		if con.Args[0] != "-ec" {
			refuse("the script continues after an error: want bash -ec")
		}
		script = con.Args[1]
	}
	for _, f := range slices.Concat(known.script(script), unprepared([]string{script})) {
		refuse("%s", f)
	}
	return faults
}

func TestProwFaults(t *testing.T) {
	checkSpoiled(t, "ci/prow/kgrace.yaml", checkProw, []spoiled{
		{"image: ${KGRACE_CI_IMAGE}", "image: debian:12", "which the adopter sets"},
		{"decorate: true", "decorate: false", "want decorate: true"},
		{"timeout: 45m", "timeout: 45", "missing unit"},
		{"interval: 24h", "interval: daily", "interval"},
		{"args: [setup, lint, verify, unit]", "args: [setup, lint, verify, unity]", "make unity: no such target"},
		{"args: [setup, lint, verify, unit]", "args: [lint, verify, unit]", "want make setup before it"},
		{"make setup\n              ci/releases.sh", "ci/releases.sh", "want make setup before it"},
		{", grace_period: 2m", "", "want a minute or more"},
		{"[A-Za-z_-]+\\.md$", "go\\.mod$", "go.mod skips it"},
		{"'^(docs/|", "'^(docs/|pkg/|test/|hack/|", "a change of only hack/build-kind-image.sh skips it"},
		{"'^(docs/", "'^((docs/", "missing closing )"},
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
