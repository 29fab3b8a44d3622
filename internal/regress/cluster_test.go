// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// stage is a fake place: an API in memory without a node behind it.
type stage struct {
	client  kubernetes.Interface
	drained string
	fails   error
	logs    string
	closed  bool
}

func (s *stage) Client() kubernetes.Interface            { return s.client }
func (*stage) NodeName() string                          { return "node" }
func (*stage) LinesDir() string                          { return "/lines" }
func (*stage) ManifestsDir() string                      { return "/manifests" }
func (*stage) KillKubelet(context.Context) error         { return nil }
func (*stage) StartKubelet(context.Context) error        { return nil }
func (*stage) RestartRuntime(context.Context) error      { return nil }
func (*stage) Recording() error                          { return nil }
func (*stage) Lost() <-chan struct{}                     { return nil }
func (*stage) Err() error                                { return nil }
func (s *stage) Close(context.Context) error             { s.closed = true; return nil }
func (s *stage) Uncordon(context.Context) error          { return nil }
func (s *stage) ExportLogs(dir string) error             { s.logs = dir; return nil }
func (s *stage) Drain(_ context.Context, l string) error { s.drained = l; return s.fails }

// node is the stage's node in the API.
func node() *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}} }

// created calls run, in a goroutine of its own, for each pod that is created, and closes deleted at the pod's first delete.
// The API accepts creates and deletes of pods and stores none.
func created(client *fake.Clientset, run func(pod string, deleted <-chan struct{})) {
	var mu sync.Mutex
	deletes := map[string]func(){}
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		deleted := make(chan struct{})
		mu.Lock()
		deletes[pod.Name] = sync.OnceFunc(func() { close(deleted) })
		mu.Unlock()
		go run(pod.Name, deleted)
		return true, pod, nil
	})
	client.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		deletes[action.(clienttesting.DeleteAction).GetName()]()
		return true, nil, nil
	})
}

func onKind(t *testing.T, id string) scenario.Scenario {
	t.Helper()
	all, err := scenario.Pick(catalogue(t), scenario.LevelKind, id)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// onStage returns a scenario ready to run on a stage.
func onStage(t *testing.T, s *stage, id string) *play {
	t.Helper()
	b := newBench(&Run{options: Options{Level: scenario.LevelKind}}, verdict.Fixed)
	b.node, b.client = s, s.client
	p, err := b.newPlay(onKind(t, id), "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestKindCarriesItsRows(t *testing.T) {
	for _, s := range catalogue(t) {
		for _, step := range s.Steps {
			if s.Runs(scenario.LevelKind) && !carries(scenario.LevelKind, step.Do) {
				t.Errorf("%s: %v cannot be carried out", s.ID, step)
			}
		}
		if s.Runs(scenario.LevelKind) && len(s.Faults) > 0 {
			t.Errorf("%s: nothing makes the runtime of a cluster fail", s.ID)
		}
	}
}

// Each owner creates pods that the scheduler puts on the worker and that carry the scenario's label.
func TestOwners(t *testing.T) {
	ctx := t.Context()
	client := fake.NewClientset()
	for _, id := range []string{"statefulset-force", "daemonset-force", "job-failure-policy"} {
		p := onStage(t, &stage{client: client}, id)
		if err := p.Place.Create(ctx, p.Scenario); err != nil {
			t.Fatal(err)
		}
	}
	set, err := client.AppsV1().StatefulSets(namespace).Get(ctx, "statefulset-force", metav1.GetOptions{})
	if err != nil || *set.Spec.Replicas != 1 || set.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		t.Errorf("%+v, %v", set, err)
	}
	daemon, err := client.AppsV1().DaemonSets(namespace).Get(ctx, "daemonset-force", metav1.GetOptions{})
	if err != nil || daemon.Spec.Selector.MatchLabels[scenarioLabel] != "daemonset-force" {
		t.Errorf("%+v, %v", daemon, err)
	}
	job, err := client.BatchV1().Jobs(namespace).Get(ctx, "job-failure-policy", metav1.GetOptions{})
	if err != nil || job.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever || job.Spec.PodFailurePolicy.Rules[0].OnExitCodes.Values[0] != 137 {
		t.Errorf("%+v, %v", job, err)
	}
	for _, template := range []corev1.PodTemplateSpec{set.Spec.Template, daemon.Spec.Template, job.Spec.Template} {
		if template.Spec.NodeName != "" || template.Spec.NodeSelector[corev1.LabelHostname] != "node" || template.Labels[scenarioLabel] == "" {
			t.Errorf("%+v", template)
		}
	}
}

func TestOwnedPodIsFound(t *testing.T) {
	client := fake.NewClientset()
	p := onStage(t, &stage{client: client}, "daemonset-force")
	if _, err := p.owned(t.Context(), p.Scenario); err == nil || !strings.Contains(err.Error(), "created 0 pods") {
		t.Errorf("got %v", err)
	}
	pod := (&apiPlace{p.bench}).pod(p.Scenario)
	pod.Name = "daemonset-force-x7k2p"
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if name, err := p.owned(t.Context(), p.Scenario); err != nil || name != pod.Name {
		t.Errorf("%s, %v", name, err)
	}
	// The scenario's history gets the pod's events, and those of its replacement.
	for _, name := range []string{pod.Name, "daemonset-force-other", "other"} {
		p.recorder.Add(history.Event{Kind: history.APIPod, Pod: name})
	}
	if n := len(p.Log.History().Events); n != 2 {
		t.Errorf("%d events", n)
	}
}

// A drain counts as a request with grace 0 by another client; one that kubectl could not carry out does not count.
func TestDrain(t *testing.T) {
	s := &stage{client: fake.NewClientset()}
	p := onStage(t, s, "drain-force")
	p.Do(t.Context(), scenario.Drain{})
	if s.drained != scenarioLabel+"=drain-force" {
		t.Errorf("drained %q", s.drained)
	}
	events := p.Log.History().Events
	if len(events) != 3 || events[0].Kind != history.APIDelete || *events[0].Grace != 0 || events[1].Error != "" || events[2].Kind != history.Step {
		t.Errorf("%+v", events)
	}
	s.fails = errors.New("kubectl says no")
	p.Do(t.Context(), scenario.Drain{})
	events = p.Log.History().Events[3:]
	if events[1].Error == "" || events[2].Error == "" {
		t.Errorf("%+v", events)
	}
}

// The next pod has the port and the name of the first one.
func TestRecreate(t *testing.T) {
	client := fake.NewClientset()
	p := onStage(t, &stage{client: client}, "hostport-reuse")
	p.Do(t.Context(), scenario.Recreate{})
	pod, err := client.CoreV1().Pods(namespace).Get(t.Context(), "hostport-reuse", metav1.GetOptions{})
	if err != nil || pod.Spec.NodeName != "" || pod.Spec.Containers[0].Ports[0].HostPort != scenario.ReusedPort {
		t.Errorf("%+v, %v", pod, err)
	}
	p.Do(t.Context(), scenario.Recreate{})
	if events := p.Log.History().Events; events[0].Error != "" || !strings.Contains(events[1].Error, "already exists") {
		t.Errorf("%+v", events)
	}
}

// The logs of nodes that vanish with a run are stored unless every result is as expected.
func TestLogsAreKept(t *testing.T) {
	s := &stage{client: fake.NewClientset()}
	b := &bench{run: &Run{options: Options{Level: scenario.LevelKind, Artifacts: "/artifacts"}}, arm: verdict.Fixed, node: s}
	if err := b.close(t.Context()); err != nil || s.logs != "" || !s.closed {
		t.Errorf("%+v, %v", s, err)
	}
	row := onKind(t, "drain-force")
	b.run.options.Scenarios = []scenario.Scenario{row}
	b.run.slots = map[key]*slot{{verdict.Fixed, row.ID}: {ready: make(chan struct{})}}
	if err := b.close(t.Context()); err != nil || s.logs != "/artifacts/logs/kind/fixed" {
		t.Errorf("with a missing result: %q, %v", s.logs, err)
	}
	s.logs = ""
	slot := b.run.slots[key{verdict.Fixed, row.ID}]
	slot.result = result.Result{Rules: []result.Rule{{Verdict: "fixed"}}}
	close(slot.ready)
	if err := b.close(t.Context()); err != nil || s.logs != "" {
		t.Errorf("with every result as expected: %q, %v", s.logs, err)
	}
}

func TestClustersComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "suite.json")
	c := Config{Minor: "v1.37", Level: scenario.LevelKind, Arms: verdict.Arms(), Scenarios: []string{"drain-force"}, Artifacts: t.TempDir(),
		Clusters: &Clusters{Prefix: "p", Images: map[verdict.Arm]string{verdict.Stock: "a", verdict.Fixed: "b"}}}
	c.Clusters.Actor = "actor"
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	options, _, err := ReadConfig(path, os.Stderr)
	if err != nil || options.Level != scenario.LevelKind || options.Scenarios[0].ID != "drain-force" ||
		options.Clusters.Images[verdict.Fixed] != "b" || options.Clusters.Actor != "actor" {
		t.Errorf("%+v, %v", options, err)
	}
	for name, change := range map[string]func(){
		"an image": func() { delete(c.Clusters.Images, verdict.Fixed) },
		"all":      func() { c.Clusters = nil },
	} {
		whole := *c.Clusters
		change()
		if err := c.Write(path); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadConfig(path, os.Stderr); err == nil || !strings.Contains(err.Error(), "no node image given for arm") {
			t.Errorf("%s is missing: %v", name, err)
		}
		c.Clusters = &whole
	}
}
