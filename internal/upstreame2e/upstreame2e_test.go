// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestTheListsLoad(t *testing.T) {
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Run) < 10 || s.Minor != "v1.37" {
		t.Errorf("%d groups of %s", len(s.Run), s.Minor)
	}
	for _, bad := range []struct{ text, want string }{
		{"minor: v1.37\nconcerns: '('\n", "concerns"},
		{"minor: v1.37\nconcerns: x\n", "no specs"},
		{"minor: v1.37\nconcerns: x\nrun: [{specs: [a]}]\n", "a reason (why)"},
		{"minor: v1.37\nconcerns: x\nrun: [{why: b, specs: ['']}]\n", "want specs"},
		{"minor: v1.37\nconcerns: x\nrun: [{why: b, specs: [a]}]\nimages: {pause: ''}\n", "image pause"},
		{"minor: v1.37\nfocus: x\n", "focus"},
	} {
		if _, err := parse([]byte(bad.text)); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: got %v, want %q", bad.text, err, bad.want)
		}
	}
}

func selection(t *testing.T) Selection {
	t.Helper()
	s, err := parse([]byte(`
minor: v1.37
concerns: '\[sig-node\].*(delet|grace)'
run:
- {why: hooks, specs: ['[sig-node] Hook '], seconds: 50}
- {why: deletion, specs: ['should be deleted'], seconds: 10}
not:
- {why: it wants another cloud, specs: ['deleted on a cloud']}
images: {agnhost: its own source, busybox: "Debian's", pause: a program, nginx: a stub}
`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func specs(texts ...string) (all []Spec) {
	for _, text := range texts {
		all = append(all, Spec{Text: text, Serial: strings.Contains(text, "[Serial]")})
	}
	return all
}

func texts(specs []Spec) (all []string) {
	for _, s := range specs {
		all = append(all, s.Text)
	}
	return all
}

func TestChoose(t *testing.T) {
	release := []string{"[sig-node] Hook exec", "[sig-node] pods should be deleted", "[sig-node] pods should be deleted on a cloud", "[sig-storage] volumes delete",
		"[sig-storage] volumes are deleted on a cloud"}
	run, not, err := selection(t).choose("v1.37", specs(release...), "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(release[:2], texts(run)); diff != "" {
		t.Error(diff)
	}
	if len(not) != 1 || not[0].Why != "it wants another cloud" || run[0].Why != "hooks" {
		t.Errorf("not run: %+v; run: %+v", not, run)
	}
	if run, _, err := selection(t).choose("v1.37", specs(release...), "exec"); err != nil || len(run) != 1 {
		t.Errorf("with text: %v, %v", texts(run), err)
	}
	for _, c := range []struct {
		name, minor, only, want string
		specs                   []string
	}{
		{"a new spec", "v1.37", "", `in neither list: "[sig-node] a graceful surprise"`, append(release, "[sig-node] a graceful surprise")},
		{"a renamed spec", "v1.37", "", `no spec contains "[sig-node] Hook "`, release[1:]},
		{"a reason without a spec", "v1.37", "", `no spec contains "deleted on a cloud"`, []string{release[0], release[1]}},
		{"no spec at all", "v1.36", "", "no spec to run", release[3:]},
		{"a text that none has", "v1.37", "nonsense", `none of 5 contains "nonsense"`, release},
	} {
		if _, _, err := selection(t).choose(c.minor, specs(c.specs...), c.only); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	// The lists are those of one minor; another minor may lack some specs.
	if run, _, err := selection(t).choose("v1.36", specs(release[1]), ""); err != nil || len(run) != 1 {
		t.Errorf("another minor: %v, %v", texts(run), err)
	}
}

func TestBatches(t *testing.T) {
	all := []Spec{{Text: "a", seconds: 60}, {Text: "b [Serial]", Serial: true}, {Text: "c", seconds: 20}, {Text: "d", seconds: 20}, {Text: "e", seconds: 20}}
	parallel, serial := batches(all, 2)
	if diff := cmp.Diff([][]string{{"a"}, {"c", "d", "e"}}, [][]string{texts(parallel[0]), texts(parallel[1])}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b [Serial]"}, texts(serial)); diff != "" {
		t.Error(diff)
	}
	if parallel, _ := batches(all[:1], 6); len(parallel) != 1 {
		t.Errorf("%d processes for one spec", len(parallel))
	}
}

// TestCompare: a spec that passes on stock and fails on fixed is this project's fault, and nothing else is.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		stock, fixed string
		want         verdict.Verdict
	}{
		{"passed", "passed", verdict.Kept},
		{"passed", "failed", verdict.Regressed},
		{"passed", "timedout", verdict.Regressed},
		{"passed", "panicked", verdict.Regressed},
		{"failed", "passed", verdict.Repaired},
		{"failed", "failed", verdict.Alike},
		{"passed", "skipped", verdict.Invalid},
		{"skipped", "skipped", verdict.Invalid},
		{"passed", "", verdict.Invalid},
		{"passed", "interrupted", verdict.Invalid},
		{"", "failed", verdict.Invalid},
	} {
		r := Results{Kubernetes: "v1.37.2", Arms: verdict.Arms(), Specs: Compare(specs("a"), map[verdict.Arm]map[string]Outcome{
			verdict.Stock: {"a": {State: c.stock, Message: "said on stock"}}, verdict.Fixed: {"a": {State: c.fixed, Message: "said on fixed"}}})}
		if got := r.Specs[0].Verdict; got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.stock, c.fixed, got, c.want)
		}
		if got := len(r.Red()); got != map[bool]int{true: 1}[c.want == verdict.Regressed] {
			t.Errorf("%s and %s: %d red", c.stock, c.fixed, got)
		}
		if got := len(r.Unsaid()); got != map[bool]int{true: 1}[c.want == verdict.Alike || c.want == verdict.Invalid] {
			t.Errorf("%s and %s: %d say nothing", c.stock, c.fixed, got)
		}
		junit := r.suites()
		if failed := junit.Failures == 1; failed != (c.want == verdict.Regressed) {
			t.Errorf("%s and %s: JUnit has %d failures", c.stock, c.fixed, junit.Failures)
		}
		if erred := junit.Errors == 1; erred != (c.want == verdict.Alike || c.want == verdict.Invalid) {
			t.Errorf("%s and %s: JUnit has %d errors", c.stock, c.fixed, junit.Errors)
		}
	}
	if (Results{}).Unsaid() == nil {
		t.Error("a run without any spec is not reported")
	}
	one := Compare(specs("a"), map[verdict.Arm]map[string]Outcome{verdict.Fixed: {"a": {State: "failed"}}})
	if one[0].Verdict != verdict.Invalid {
		t.Errorf("failed on the only arm: %s", one[0].Verdict)
	}
}

// TestNothingIsHidden: specs that are not run, images that are not supplied, and replacements are in the table and the
// files.
func TestNothingIsHidden(t *testing.T) {
	r := Results{Minor: "v1.37", Kubernetes: "v1.37.2", Arms: verdict.Arms(), Kubelets: map[verdict.Arm]string{verdict.Stock: "v1.37.2", verdict.Fixed: "v1.37.2+grace.1"},
		Specs: Compare(specs("[sig-node] a"), map[verdict.Arm]map[string]Outcome{verdict.Stock: {"[sig-node] a": {State: "passed", Seconds: 3}},
			verdict.Fixed: {"[sig-node] a": {State: "failed", Seconds: 4, Message: "Gomega says no", Log: "upstream-e2e/fixed-0/e2e.log"}}}),
		Not:    []Spec{{Text: "[sig-node] b", Why: "it wants two clouds"}},
		Images: []Image{{Name: "example.org/nginx:1", Made: "a stub", Pods: 2}, {Name: "example.org/perl:5", Pods: 1}, {Name: "example.org/kitten:1"}}}
	var b bytes.Buffer
	if err := r.Table(&b); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"passed 3 s", "failed 4 s", "regressed", "Gomega says no", "upstream-e2e/fixed-0/e2e.log", "[sig-node] b", "it wants two clouds",
		"example.org/nginx:1 (2 pods)", "a stub", "example.org/perl:5 (1 pods)", "NOT SUPPLIED", "1 more that upstream's specs know",
		"1 specs of v1.37.2 on stock (kubelet v1.37.2) and fixed (kubelet v1.37.2+grace.1)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table does not contain %q:\n%s", want, b.String())
		}
	}
	for file, wants := range map[string][]string{ResultsFile: {"it wants two clouds", "a stub", "regressed"}, JUnitFile: {"it wants two clouds", "Gomega says no", `failures="1"`}} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s does not contain %q", file, want)
			}
		}
	}
}

func runner(t *testing.T, binary string) (suite, *bytes.Buffer) {
	var said bytes.Buffer
	return suite{Options: Options{Repo: &kubetree.Repo{Progress: &said}, Processes: 2, Timeout: time.Minute, Artifacts: t.TempDir()},
		binary: binary, kubectl: "kubectl", kubeconfig: "none", arm: verdict.Fixed}, &said
}

func TestRunner(t *testing.T) {
	binary := fake(t, "passed a.b", "failed a+b", "skipped c", "passed d [Serial]", "passed axb", "passed e a.b")
	all, err := list(t.Context(), binary)
	if err != nil || len(all) != 6 || !all[3].Serial || all[0].Serial {
		t.Fatalf("listed %+v, %v", all, err)
	}
	names, err := listImages(t.Context(), binary)
	if err != nil || len(names) != 6 || names[0] != "example.org/e2e/agnhost:1" {
		t.Fatalf("images %v, %v", names, err)
	}
	r, said := runner(t, binary)
	found, err := r.run(t.Context(), all[:4])
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for text, o := range found {
		got[text] = o.State
	}
	// Only the requested specs, not similar ones.
	if diff := cmp.Diff(map[string]string{"a.b": "passed", "a+b": "failed", "c": "skipped", "d [Serial]": "passed"}, got); diff != "" {
		t.Error(diff)
	}
	if o := found["a+b"]; o.Message != "because of a+b" || o.Seconds != 1 {
		t.Errorf("outcome %+v", o)
	} else if _, err := os.Stat(filepath.Join(r.Artifacts, o.Log)); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"fixed: 1 of 4", "passed a.b", "failed a+b", "passed d [Serial]"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the progress does not contain %q:\n%s", want, said)
		}
	}
}

// TestDone counts the finished specs in the logs of one arm only.
func TestDone(t *testing.T) {
	r, _ := runner(t, "")
	for file, text := range map[string]string{"fixed-0": "Will run 3 of 9 specs\n" + dot + dot, "fixed-serial": dot, "stock-0": dot + dot, "fixed-nodes": ""} {
		if err := os.MkdirAll(filepath.Join(r.logs(), file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.logs(), file, logFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.done(); got != 3 {
		t.Errorf("%d specs are done, want 3", got)
	}
}

// TestWhatCannotBeSaid: a suite that crashes or is not ready is not a failure of a spec.
func TestWhatCannotBeSaid(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"passed a CRASHES", "left no report"},
		{"passed a NOT READY", "nodes are not ready"},
	} {
		r, _ := runner(t, fake(t, c.spec))
		if _, err := r.run(t.Context(), specs(c.spec[len("passed "):])); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.spec, err, c.want)
		}
	}
	binary := fake(t)
	if _, err := list(t.Context(), binary); err == nil || !strings.Contains(err.Error(), "no specs") {
		t.Errorf("a binary without specs: %v", err)
	}
}

func TestAnInterruptEndsTheSuite(t *testing.T) {
	r, _ := runner(t, fake(t, "passed a HANGS"))
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := r.run(ctx, specs("a HANGS")); err == nil {
		t.Error("the suite continued")
	}
}

func TestWriteImages(t *testing.T) {
	p := programs(t)
	names, err := listImages(t.Context(), fake(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "images.tar")
	images, err := selection(t).writeImages(file, names, p)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range images {
		if supplied := strings.Contains(string(data), `"`+i.Name+`"`); supplied != (i.Made != "") || supplied == (lastPart(i.Name) == "perl") {
			t.Errorf("%+v: in the file: %v", i, supplied)
		}
	}
	for name, spoil := range map[string]func(*imagefile.Tools, *Selection){
		"is not static": func(p *imagefile.Tools, _ *Selection) {
			p.Fetch = filepath.Join(t.TempDir(), "dynamic")
			if err := os.WriteFile(p.Fetch, elf64(1, 3), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"agnhost's certificate": func(p *imagefile.Tools, _ *Selection) { p.Certs = t.TempDir() },
		"cannot be built":       func(_ *imagefile.Tools, s *Selection) { s.Images["perl"] = "magic" },
		"none of the images":    func(_ *imagefile.Tools, s *Selection) { s.Images = nil },
	} {
		p, s := programs(t), selection(t)
		spoil(&p, &s)
		if _, err := s.writeImages(file, slices.Clone(names), p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

// TestAsked: every container of a pod counts, each pod once, and the cluster's own pods do not.
func TestAsked(t *testing.T) {
	a := &asked{pods: map[string]map[types.UID]bool{}, stop: func() {}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "1"}, Spec: corev1.PodSpec{InitContainers: []corev1.Container{{Image: "i"}},
		Containers:          []corev1.Container{{Image: "c"}, {Image: "c"}},
		EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Image: "e"}}}}}
	a.see(pod)
	a.see(pod)
	a.see(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "2", Namespace: "kube-system"}, Spec: pod.Spec})
	images := a.end([]Image{{Name: "c", Made: "a stub", Pods: 1}})
	slices.SortFunc(images, func(a, b Image) int { return strings.Compare(a.Name, b.Name) })
	if diff := cmp.Diff([]Image{{Name: "c", Made: "a stub", Pods: 2}, {Name: "e", Pods: 1}, {Name: "i", Pods: 1}}, images); diff != "" {
		t.Error(diff)
	}
}
