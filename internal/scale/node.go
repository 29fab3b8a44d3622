// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/control"
	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/apiwatch"
	"github.com/kgrace/kgrace/internal/history/lines"
	"github.com/kgrace/kgrace/internal/history/stream"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/podspec"
	"github.com/kgrace/kgrace/internal/verdict"
)

// downTimeout bounds taking a node down, which continues when the run is interrupted.
const downTimeout = 2 * time.Minute

// node is a node of one arm with its recorders.
type node struct {
	*localnode.Node
	client   kubernetes.Interface
	endpoint string
	recorder *history.Recorder
	versions map[string]string

	proxy  *criproxy.Proxy
	lines  *lines.Server
	beside *stream.Follower
	watch  *apiwatch.Watch
	stop   context.CancelFunc

	mu  sync.Mutex
	log *history.Log // of the wave under way; the controls' delays belong to no pod
	err error        // of the recording
}

// Add implements history.Sink.
func (n *node) Add(e history.Event) {
	if e.Kind != history.ControlLate && e.Kind != history.CRISlow {
		n.recorder.Add(e)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.log != nil {
		n.log.Add(e)
	}
}

// up brings a node of an arm up that admits so many pods, with everything that records it.
func (o Options) up(ctx context.Context, arm verdict.Arm, pods int) (_ *node, err error) {
	ctx, cancel := context.WithCancel(ctx)
	n := &node{recorder: history.NewRecorder(), stop: cancel}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s, %d pods: no node: %w", arm, pods, errors.Join(err, n.close(context.WithoutCancel(ctx))))
		}
	}()
	name := "scale-" + string(arm)
	dir := filepath.Join(o.Nodes, name)
	n.endpoint = filepath.Join(dir, "cri.sock")
	n.Node, err = localnode.Up(ctx, localnode.Config{
		Dir: dir, Name: name, Bin: o.Bin[arm], RuntimeEndpoint: n.endpoint, ParentDeath: true, MaxPods: pods + spare, Log: o.Progress,
		BeforeKubelet: func(_ context.Context, up *localnode.Node) error { return n.record(ctx, up, o) },
	})
	if err != nil {
		return nil, err
	}
	if n.client, err = kubernetes.NewForConfig(n.RESTConfig()); err != nil {
		return nil, err
	}
	if n.beside, err = stream.Follow(ctx, n.BesideRecord(), n); err != nil {
		return nil, err
	}
	if err := n.StartBeside(ctx); err != nil {
		return nil, err
	}
	go control.DetectStalls(ctx, n)
	_, err = n.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: podspec.Namespace}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	if n.watch, err = apiwatch.Pods(ctx, n.client, podspec.Namespace, n); err != nil {
		return nil, err
	}
	object, err := n.client.CoreV1().Nodes().Get(ctx, n.NodeName(), metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	n.versions = map[string]string{"kubelet": object.Status.NodeInfo.KubeletVersion, "runtime": object.Status.NodeInfo.ContainerRuntimeVersion}
	return n, nil
}

// spare is how many pods a node admits beside those of a wave: ended ones that have not left yet.
const spare = 10

func (n *node) record(ctx context.Context, up *localnode.Node, o Options) (err error) {
	n.proxy, err = criproxy.Start(ctx, criproxy.Options{Listen: n.endpoint, Upstream: up.ContainerdSocket(), Record: n, Log: o.Progress})
	if err != nil {
		return err
	}
	n.lines, err = lines.Serve(ctx, filepath.Join(up.LinesDir(), podspec.LinesSocket), n, func(err error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.err = errors.Join(n.err, err)
	})
	return err
}

// recording returns an error if the recording is incomplete, or the node is lost.
func (n *node) recording() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return errors.Join(n.err, n.proxy.ExitsErr(), n.beside.Err(), n.watch.Err(), n.Err())
}

func (n *node) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, downTimeout)
	defer cancel()
	if n.watch != nil {
		n.watch.Stop()
	}
	var errs []error
	if n.Node != nil {
		errs = append(errs, n.Down(ctx))
	}
	n.stop()
	if n.beside != nil {
		_ = n.beside.Close() // recording has already returned its error
	}
	if n.lines != nil {
		errs = append(errs, n.lines.Close())
	}
	if n.proxy != nil {
		errs = append(errs, n.proxy.Close())
	}
	return errors.Join(errs...)
}
