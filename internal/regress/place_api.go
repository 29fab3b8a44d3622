// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/scenario"
)

// disturbance bounds a step that kills a program of the node and waits until it serves again.
const disturbance = 60 * time.Second

// carries reports whether a level can carry out a step.
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

// apiPlace implements player.Place for a node behind a real API server.
type apiPlace struct{ *bench }

var _ player.Place = (*apiPlace)(nil)

// Create implements player.Place.
func (p *apiPlace) Create(ctx context.Context, s scenario.Scenario) error {
	if s.Pod.Owner != "" {
		return p.createOwner(ctx, s)
	}
	_, err := p.client.CoreV1().Pods(namespace).Create(ctx, p.pod(s), metav1.CreateOptions{})
	return err
}

// Delete implements player.Place.
func (p *apiPlace) Delete(ctx context.Context, pod string, grace *int64) error {
	ctx, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	return p.client.CoreV1().Pods(namespace).Delete(ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: grace})
}

// Annotate implements player.Place.
func (p *apiPlace) Annotate(ctx context.Context, pod, key, value string) error {
	return p.patch(ctx, pod, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, key, value))
}

// RemoveFinalizers implements player.Place.
func (p *apiPlace) RemoveFinalizers(ctx context.Context, pod string) error {
	return p.patch(ctx, pod, `{"metadata":{"finalizers":null}}`)
}

func (p *apiPlace) patch(ctx context.Context, pod, change string) error {
	_, err := p.client.CoreV1().Pods(namespace).Patch(ctx, pod, types.MergePatchType, []byte(change), metav1.PatchOptions{})
	return err
}

// manifest returns the path of a static pod's manifest.
func (p *apiPlace) manifest(s scenario.Scenario) string {
	return filepath.Join(p.node.ManifestsDir(), s.ID+".json")
}

// WriteManifest implements player.Place. It renames the finished file into place; the kubelet ignores names that begin with
// a dot.
func (p *apiPlace) WriteManifest(_ context.Context, s scenario.Scenario, changed bool) error {
	data, err := podspec.Manifest(s, p.node.LinesDir(), changed)
	if err != nil {
		return err
	}
	file := filepath.Join(p.node.ManifestsDir(), "."+s.ID)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	return os.Rename(file, p.manifest(s))
}

// RemoveManifest implements player.Place.
func (p *apiPlace) RemoveManifest(_ context.Context, s scenario.Scenario) error {
	return os.Remove(p.manifest(s))
}

// Inject implements player.Place.
func (p *apiPlace) Inject(f criproxy.Fault) (remove func(), err error) {
	place, ok := p.node.(faulty)
	if !ok {
		return nil, fmt.Errorf("level %s cannot inject runtime faults", p.run.options.Level)
	}
	return place.Inject(f)
}

// KillKubelet implements player.Place.
func (p *apiPlace) KillKubelet(ctx context.Context) error { return p.node.KillKubelet(ctx) }

// StartKubelet implements player.Place.
func (p *apiPlace) StartKubelet(ctx context.Context) error { return p.node.StartKubelet(ctx) }

// RestartRuntime implements player.Place.
func (p *apiPlace) RestartRuntime(ctx context.Context) error { return p.node.RestartRuntime(ctx) }

// Carry implements player.Place.
func (p *apiPlace) Carry(ctx context.Context, play *player.Play, do scenario.Action) error {
	switch do.(type) {
	case scenario.Taint:
		if _, ok := p.node.(clustered); ok {
			return p.evictedByTaint(ctx, play)
		}
		if err := p.taint(ctx, true); err != nil {
			return err
		}
		// A cluster has a taint manager. Elsewhere the harness sends the delete that it would send.
		play.Delete(ctx, play.Target, nil)
		return nil
	case scenario.Drain:
		return p.drain(ctx, play)
	case scenario.Recreate:
		return p.Create(ctx, play.Scenario)
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
		return p.forgotten(ctx, play.Target)
	}
	return play.CannotCarry()
}

// forgotten waits until the kubelet's own pod list no longer contains a pod.
func (p *apiPlace) forgotten(ctx context.Context, name string) error {
	for {
		var list corev1.PodList
		err := p.client.CoreV1().RESTClient().Get().Resource("nodes").Name(p.node.NodeName()).SubResource("proxy").Suffix("pods").
			Do(ctx).Into(&list)
		there := false
		for _, pod := range list.Items {
			there = there || pod.Name == name
		}
		if err == nil && !there {
			return nil
		}
		if waited := player.Until(ctx, time.Now().Add(100*time.Millisecond)); waited != nil {
			return fmt.Errorf("the kubelet still has the pod, or does not answer (%v): %w", err, waited)
		}
	}
}

// taint adds the scenario's taint to the node, or removes it.
func (p *apiPlace) taint(ctx context.Context, on bool) error {
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

// tidy undoes what the scenario left on the node.
func (p *play) tidy(ctx context.Context) {
	p.err = errors.Join(p.err, p.End())
	if p.Scenario.Pod.Static {
		if err := p.Place.RemoveManifest(ctx, p.Scenario); err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.err = errors.Join(p.err, err)
		}
	}
	if p.Scenario.Pod.Finalizer && ctx.Err() == nil {
		// A scenario that was cut short has not removed its finalizers.
		if err := p.Place.RemoveFinalizers(ctx, p.Target); !apierrors.IsNotFound(err) {
			p.err = errors.Join(p.err, err)
		}
	}
	for _, step := range p.Scenario.Steps {
		if _, ok := step.Do.(scenario.Taint); ok && ctx.Err() == nil {
			p.err = errors.Join(p.err, (&apiPlace{p.bench}).taint(ctx, false))
		}
		if place, ok := p.node.(clustered); ok && step.Do == (scenario.Drain{}) && ctx.Err() == nil {
			p.err = errors.Join(p.err, place.Uncordon(ctx))
		}
	}
}
