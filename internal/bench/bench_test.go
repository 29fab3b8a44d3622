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

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// printed is benchstat's output for ten rounds, in which the second benchmark is 7.7 % slower.
const printed = `goos: linux
cpu: X
,stock,,fixed,,,
,sec/op,CI,sec/op,CI,vs base,P
KgraceUpdatePod/new-2,2.0e-06,3%,2.1e-06,4%,+4.99%,p=0.000 n=10
KgraceUpdatePod/force-2,9.0e-07,2%,9.7e-07,1%,+7.74%,p=0.000 n=10
KgraceUpdatePod/delete-2,9.0e-07,2%,9.1e-07,9%,~,p=0.400 n=10
KgraceUpdatePod/shorter-2,9.0e-07,2%,9.1e-07,1%,~,p=0.400 n=10
KgraceTermination-2,9.0e-07,12%,7.1e-07,1%,-21.00%,p=0.000 n=10
KgraceFew-2,9.0e-07,∞,7.1e-07,∞,~,p=1.000 n=1
geomean,1.3e-06,,1.4e-06,,+6.86%,

,stock,,fixed,,,
,B/op,CI,B/op,CI,vs base,P
KgraceUpdatePod/new-2,1000,0%,1100,0%,+10.00%,p=0.000 n=10
KgraceUpdatePod/force-2,0,0%,8,0%,?,p=0.000 n=10
`

func TestOnlyASignificantSlowdownIsRed(t *testing.T) {
	rows, err := parse(printed, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{
		"UpdatePod/new sec/op": Good, "UpdatePod/force sec/op": Slower, "UpdatePod/delete sec/op": Unclear, "UpdatePod/shorter sec/op": Good,
		"Termination sec/op": Good, "Few sec/op": Unclear, "UpdatePod/new B/op": Told, "UpdatePod/force B/op": Told,
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d: %+v", len(rows), len(want), rows)
	}
	for _, row := range rows {
		v, ok := want[row.Benchmark+" "+row.Unit]
		if !ok || row.Verdict != v {
			t.Errorf("%+v, want %q", row, v)
		}
	}
	if rows[1].Delta != 7.74 || rows[1].Spread != 2 || !rows[1].Found || rows[1].P != "0.000 n=10" {
		t.Errorf("%+v", rows[1])
	}
	if rows, err := parse(printed, 8); err != nil || rows[1].Verdict != Good {
		t.Errorf("with another limit: %+v, %v", rows, err)
	}
}

func TestWhatBenchstatDoesNotSayIsNoResult(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":          "goos: linux\n",
		"one arm only":     ",stock,,fixed,,,\n,sec/op,CI,sec/op,CI,vs base,P\nKgraceA-2,2e-06,3%,,,,\n",
		"no number":        ",stock,,fixed,,,\n,sec/op,CI,sec/op,CI,vs base,P\nKgraceA-2,fast,3%,2e-06,3%,~,p=1\n",
		"an odd interval":  ",stock,,fixed,,,\n,sec/op,CI,sec/op,CI,vs base,P\nKgraceA-2,2e-06,wide,2e-06,3%,~,p=1\n",
		"not CSV":          "a\"b\n",
		"an odd magnitude": ",stock,,fixed,,,\n,sec/op,CI,sec/op,CI,vs base,P\nKgraceA-2,2e-06,3%,2e-06,3%,more,p=1\n",
	} {
		if rows, err := parse(text, 5); err == nil {
			t.Errorf("%s: %+v", name, rows)
		}
	}
}

// arm writes a program that prints one benchmark line and records that it ran.
func arm(t *testing.T, name, line string) string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	script := fmt.Sprintf("#!%s\necho %s >> %q\nprintf '%s'\n", sh, name, filepath.Join(filepath.Dir(filepath.Dir(path)), "turns"), line)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestArmsTakeTurns(t *testing.T) {
	line := `BenchmarkKgraceUpdatePod/new-2\t3000\t%s ns/op\n`
	arms := Arms{arm(t, "stock", strings.Replace(line, "%s", "100", 1)), arm(t, "fixed", strings.Replace(line, "%s", "110", 1))}
	dir := t.TempDir()
	s, err := Run(t.Context(), arms, Plan{Rounds: 3, Times: 5}, dir)
	if err != nil {
		t.Fatal(err)
	}
	turns, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(arms.Stock)), "turns"))
	if err != nil || string(turns) != "stock\nfixed\nfixed\nstock\nstock\nfixed\n" {
		t.Errorf("%q, %v", turns, err)
	}
	for file, want := range map[string]string{s.Stock: "100 ns/op", s.Fixed: "110 ns/op"} {
		if data, err := os.ReadFile(file); err != nil || strings.Count(string(data), want) != 3 {
			t.Errorf("%s: %q, %v", file, data, err)
		}
	}
	if _, err := Run(t.Context(), Arms{arms.Stock, arm(t, "silent", "PASS")}, Plan{Rounds: 1, Times: 5}, dir); err == nil || !strings.Contains(err.Error(), "measured nothing") {
		t.Errorf("an arm that measures nothing: %v", err)
	}
	if _, err := Run(t.Context(), arms, Plan{Times: 5}, dir); err == nil {
		t.Error("zero rounds are accepted")
	}
}

func TestTheSlowedArmIsLaidOverToo(t *testing.T) {
	tree, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(tree, filepath.FromSlash(slowed.File))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("package kubelet\n\nfunc f() {\n"+slowed.Old+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for slow, files := range map[bool]int{false: 1, true: 2} {
		overlay, err := layOver(dir, tree, slow)
		if err != nil {
			t.Fatal(err)
		}
		var o struct{ Replace map[string]string }
		data, err := os.ReadFile(overlay)
		if err == nil {
			err = json.Unmarshal(data, &o)
		}
		if err != nil || len(o.Replace) != files || o.Replace[filepath.Join(tree, filepath.FromSlash(inTree))] == "" {
			t.Errorf("slow %t: %v, %v", slow, o, err)
		}
		if text, err := os.ReadFile(o.Replace[path]); slow && (err != nil || !strings.Contains(string(text), "restartCount(i int)")) {
			t.Errorf("%q, %v", text, err)
		}
	}
}
