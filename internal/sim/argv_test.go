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

package sim

import (
	"bytes"
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// buildActor builds the real program.
func buildActor(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "actor")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/actor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestActorsCommandLines runs the real actor and asks the simulator about the same command lines.
func TestActorsCommandLines(t *testing.T) {
	actor := buildActor(t)
	as := func(args ...string) []string {
		return append(args, "--pod", "p", "--container", "c", "--socket", filepath.Join(t.TempDir(), "none"))
	}
	for _, argv := range [][]string{
		{}, {"walk"}, {"pause", "now"}, {"run", "--exit-after", "0s"},
		as("run", "--exit-after", "0s"),
		as("run", "--exit-after", "0s", "--exit-code", "7"),
		as("run", "--exit-after", "0s", "--exit-code", "256"),
		as("run", "--exit-after", "0s", "--stubborn", "--exit-on-term"),
		as("run", "--exit-after", "0s", "--stubborn", "--exit-after-term", "1s"),
		as("run", "--exit-after", "0s", "--exit-after-term=1s", "--exit-code=3"),
		as("run", "--exit-after", "soon"),
		as("run", "--exit-after", "0s", "--http-port", "70000"),
		as("run", "--nonsense"),
		as("hook"), as("hook", "--for", "0s", "--exit-code", "9"), as("hook", "--for", "-1s"), as("hook", "--for", "ever"),
		as("hook", "--for", "0s", "--word", "POSTSTART"), as("hook", "--word", ""), as("hook", "--end-main", "soon"),
		as("mark", "--word", ""), append(as("mark"), "rest"),
	} {
		cmd := exec.CommandContext(t.Context(), actor, argv...)
		cmd.Env = []string{"PATH=/"}
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		want := cmd.ProcessState.ExitCode()
		parsed, err := parseCommand(append([]string{"/actor"}, argv...), nil)
		got := int(parsed.program.ExitCode)
		if err != nil {
			got = exitUsage
		}
		if got != want {
			t.Errorf("actor %v: the simulator ends with %d (%v), the actor with %d", argv, got, err, want)
		}
	}
}

// TestNoFlagOfTheActorIsUnknown reads the actor's own usage.
func TestNoFlagOfTheActorIsUnknown(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), buildActor(t), "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	// A verb's flags go to the next verb.
	parts := regexp.MustCompile(`actor (run|hook|mark|pause)`).Split(string(bytes.SplitN(out, []byte("D is a duration"), 2)[0]), -1)
	verbs := regexp.MustCompile(`actor (run|hook|mark|pause)`).FindAllStringSubmatch(string(out), -1)
	if len(verbs) != 4 || len(parts) != 5 {
		t.Fatalf("the usage has another shape than this test knows:\n%s", out)
	}
	for i, verb := range verbs {
		for _, name := range regexp.MustCompile(`--[a-z-]+`).FindAllString(parts[i+1], -1) {
			_, err := parseCommand([]string{"/actor", verb[1], name + "=x"}, nil)
			if err == nil || strings.Contains(err.Error(), "not defined") || errors.Is(err, flag.ErrHelp) {
				t.Errorf("actor %s %s: the simulator does not know it (%v)", verb[1], name, err)
			}
		}
	}
}

func TestEnvironmentNamesTheProcess(t *testing.T) {
	env := []*runtimev1.KeyValue{
		{Key: "KGRACE_POD", Value: []byte("p")}, {Key: "KGRACE_CONTAINER", Value: []byte("c")}, {Key: "KGRACE_SOCKET", Value: []byte("s")},
	}
	c, err := parseCommand([]string{"/bin/actor", "hook", "--for", "forever", "--container", "d"}, env)
	if err != nil || c.as != (owner{"p", "d"}) || c.takes >= 0 {
		t.Errorf("%+v, %v", c, err)
	}
	var missing *missingError
	if _, err := parseCommand([]string{"/bin/sh", "-c", "true"}, env); !errors.As(err, &missing) {
		t.Errorf("another program: %v", err)
	}
}
