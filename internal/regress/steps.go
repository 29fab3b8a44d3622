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

package regress

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/kgrace/kgrace/internal/cast"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/scenario"
)

// disturbance bounds a step that ends a program of the node and waits for it to serve again.
const disturbance = 60 * time.Second

// carries says whether a level can carry a step out.
func carries(level scenario.Level, do scenario.Action) bool {
	switch do.(type) {
	case scenario.Delete, scenario.DeletePlainly, scenario.Touch, scenario.RemoveFinalizer, scenario.Force, scenario.Taint, scenario.RemoveManifest, scenario.ChangeManifest, scenario.AddManifest,
		scenario.ForceMirror, scenario.KillKubelet, scenario.StartKubelet, scenario.RestartRuntime, scenario.Burst:
		return true
	case scenario.CutWatch, scenario.Relist:
		return level == scenario.LevelNode
	case scenario.Drain, scenario.Recreate:
		return level == scenario.LevelKind
	}
	return false
}

// do carries one step out. A delete and its answer are events of their own; what else is done, and whether it could be, is one
// event when it is done.
func (p *play) do(ctx context.Context, do scenario.Action) {
	ctx, cancel := context.WithTimeoutCause(ctx, disturbance, fmt.Errorf("not within %v", disturbance))
	defer cancel()
	switch do := do.(type) {
	case scenario.Delete:
		p.delete(ctx, p.target, &do.Grace)
		return
	case scenario.DeletePlainly:
		p.delete(ctx, p.target, nil)
		return
	case scenario.Force:
		p.delete(ctx, p.target, new(int64))
		return
	case scenario.Burst:
		p.burst(ctx, do)
		return
	}
	step := history.Event{Kind: history.Step, Reason: do.String()}
	if err := p.disturb(ctx, do); err != nil {
		step.Error = err.Error()
	}
	p.log.Add(step)
}

func (p *play) disturb(ctx context.Context, do scenario.Action) error {
	switch do.(type) {
	case scenario.Taint:
		if _, ok := p.node.(clustered); ok {
			return p.evictedByTaint(ctx)
		}
		if err := p.taint(ctx, true); err != nil {
			return err
		}
		// A cluster has a taint manager. Elsewhere the harness sends what that would send.
		p.delete(ctx, p.target, nil)
		return nil
	case scenario.RemoveManifest:
		p.log.Add(history.Event{Kind: history.Manifest, Reason: "REMOVED"})
		return os.Remove(p.manifest())
	case scenario.ChangeManifest:
		p.log.Add(history.Event{Kind: history.Manifest, Reason: "CHANGED"})
		return p.writeManifest(true)
	case scenario.AddManifest:
		p.log.Add(history.Event{Kind: history.Manifest, Reason: "ADDED"})
		return p.writeManifest(false)
	case scenario.ForceMirror:
		p.delete(ctx, p.target, new(int64))
		return nil
	case scenario.Touch:
		return p.patch(ctx, fmt.Sprintf(`{"metadata":{"annotations":{%q:"once"}}}`, cast.Touched))
	case scenario.RemoveFinalizer:
		return p.removeFinalizers(ctx)
	case scenario.Drain:
		return p.drain(ctx)
	case scenario.Recreate:
		return p.create(ctx)
	case scenario.KillKubelet:
		return p.node.KillKubelet(ctx)
	case scenario.StartKubelet:
		return p.node.StartKubelet(ctx)
	case scenario.RestartRuntime:
		return p.node.RestartRuntime(ctx)
	case scenario.CutWatch, scenario.Relist:
		place, ok := p.node.(severable)
		if !ok {
			break
		}
		if do == (scenario.CutWatch{}) {
			return place.CutKubeletOff(ctx)
		}
		if err := place.LetKubeletList(ctx); err != nil {
			return err
		}
		return p.forgotten(ctx)
	}
	return fmt.Errorf("level %s cannot carry this out", p.run.options.Level)
}

// delete sends one delete; nil asks for no grace. What the API server refuses is part of the history, not of this run's errors.
func (p *play) delete(ctx context.Context, pod string, grace *int64) {
	ctx, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	p.log.Add(history.Event{Kind: history.APIDelete, Pod: pod, Grace: grace})
	err := p.client.CoreV1().Pods(namespace).Delete(ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: grace})
	answer := history.Event{Kind: history.APIDeleted, Pod: pod, Grace: grace}
	if err != nil {
		answer.Error = err.Error()
	}
	p.log.Add(answer)
}

// removeFinalizers takes the pod's finalizers away.
func (p *play) removeFinalizers(ctx context.Context) error {
	return p.patch(ctx, `{"metadata":{"finalizers":null}}`)
}

// patch changes the pod's object.
func (p *play) patch(ctx context.Context, change string) error {
	_, err := p.client.CoreV1().Pods(namespace).Patch(ctx, p.target, types.MergePatchType, []byte(change), metav1.PatchOptions{})
	return err
}

// burst creates the pods of a burst and deletes each in its time.
func (p *play) burst(ctx context.Context, burst scenario.Burst) {
	p.log.Add(history.Event{Kind: history.Step, Reason: burst.String()})
	var wait sync.WaitGroup
	for n := range burst.Pods {
		wait.Go(func() {
			one := p.scenario
			one.ID = burst.Name(p.scenario.ID, n)
			_, err := p.client.CoreV1().Pods(namespace).Create(ctx, cast.Pod(one, p.node.NodeName(), p.node.LinesDir()), metav1.CreateOptions{})
			if err == nil {
				err = until(ctx, time.Now().Add(burst.Delay(n)))
			}
			if err != nil {
				p.log.Add(history.Event{Kind: history.Step, Reason: "create pod " + one.ID, Error: err.Error()})
				return
			}
			p.delete(ctx, one.ID, &burst.Grace)
		})
	}
	wait.Wait()
}

// forgotten waits until the kubelet's own list of pods no longer has the scenario's.
func (p *play) forgotten(ctx context.Context) error {
	for {
		var list corev1.PodList
		err := p.client.CoreV1().RESTClient().Get().Resource("nodes").Name(p.node.NodeName()).SubResource("proxy").Suffix("pods").
			Do(ctx).Into(&list)
		there := false
		for _, pod := range list.Items {
			there = there || pod.Name == p.target
		}
		if err == nil && !there {
			return nil
		}
		if waited := until(ctx, time.Now().Add(100*time.Millisecond)); waited != nil {
			return fmt.Errorf("the kubelet still has the pod, or does not answer (%v): %w", err, waited)
		}
	}
}

// taint puts the scenario's taint on the node, or takes it away.
func (p *play) taint(ctx context.Context, on bool) error {
	nodes := p.client.CoreV1().Nodes()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := nodes.Get(ctx, p.node.NodeName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		var kept []corev1.Taint
		for _, t := range node.Spec.Taints {
			if t.Key != taintKey {
				kept = append(kept, t)
			}
		}
		if on {
			kept = append(kept, corev1.Taint{Key: taintKey, Effect: corev1.TaintEffectNoExecute})
		}
		node.Spec.Taints = kept
		_, err = nodes.Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

const taintKey = "kgrace.test/taint-evict"

// manifest is the file of a static pod.
func (p *play) manifest() string { return filepath.Join(p.node.ManifestsDir(), p.scenario.ID+".json") }

// writeManifest puts a static pod's manifest in place as a whole: the kubelet passes over names that begin with a dot.
func (p *play) writeManifest(changed bool) error {
	data, err := cast.Manifest(p.scenario, p.node.LinesDir(), changed)
	if err != nil {
		return err
	}
	file := filepath.Join(p.node.ManifestsDir(), "."+p.scenario.ID)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	return os.Rename(file, p.manifest())
}

// tidy takes back what the scenario left on the node.
func (p *play) tidy(ctx context.Context) {
	if p.faults != nil {
		p.err = errors.Join(p.err, p.faults.End())
	}
	if p.scenario.Pod.Static {
		if err := os.Remove(p.manifest()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.err = errors.Join(p.err, err)
		}
	}
	if p.scenario.Pod.Finalizer && ctx.Err() == nil {
		// A scenario that was cut short has not done it.
		if err := p.removeFinalizers(ctx); !apierrors.IsNotFound(err) {
			p.err = errors.Join(p.err, err)
		}
	}
	for _, step := range p.scenario.Steps {
		if _, ok := step.Do.(scenario.Taint); ok && ctx.Err() == nil {
			p.err = errors.Join(p.err, p.taint(ctx, false))
		}
		if place, ok := p.node.(clustered); ok && step.Do == (scenario.Drain{}) && ctx.Err() == nil {
			p.err = errors.Join(p.err, place.Uncordon(ctx))
		}
	}
}
