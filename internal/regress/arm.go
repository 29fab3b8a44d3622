// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/control"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/apiwatch"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// downTimeout bounds taking a node down, which continues when the run is interrupted.
const downTimeout = 60 * time.Second

// bench is the place of one arm, with everything that records it.
type bench struct {
	run      *Run
	arm      verdict.Arm
	node     Place
	client   kubernetes.Interface
	recorder *history.Recorder
	waits    *Waits // records into recorder
	watches  []*apiwatch.Watch
	versions map[string]string

	mu    sync.Mutex
	plays []*play // under way or not yet started
}

func newBench(r *Run, arm verdict.Arm) *bench {
	recorder := history.NewRecorder()
	return &bench{run: r, arm: arm, recorder: recorder, waits: NewWaits(recorder)}
}

// runArm brings the arm's node up, runs the scenarios, and always takes the node down.
func (r *Run) runArm(ctx context.Context, arm verdict.Arm) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := newBench(r, arm)
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	err = b.open(ctx)
	r.pace.placeUp()
	if err != nil {
		return fmt.Errorf("%s: no node: %w", arm, err)
	}
	// If the node dies, its scenarios end at once, with the node's error as the reason.
	go func() {
		select {
		case <-b.node.Lost():
			// The error includes the end of a program's log; its first line is enough for twenty histories.
			r.logf("%s the node was lost: %v", arm, b.node.Err())
			why, _, _ := strings.Cut(b.node.Err().Error(), "\n")
			cancel(errors.New("the node was lost: " + why))
		case <-ctx.Done():
		}
	}()
	// At every level the watches of the API, and at some levels the recorder, run in this process.
	go control.DetectStalls(ctx, b.waits)
	defer b.tell(ctx)()
	return b.runAll(ctx)
}

// open brings the node up and starts watching its API.
func (b *bench) open(ctx context.Context) error {
	open := b.run.options.Open
	switch {
	case open != nil:
	case b.run.options.Level == scenario.LevelKind:
		open = b.run.openCluster
	default:
		open = b.run.openNode
	}
	var err error
	if b.node, err = open(ctx, b.arm, b.waits); err != nil {
		b.node = nil
		return err
	}
	b.client = b.node.Client()
	_, err = b.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	watches := []func(context.Context, kubernetes.Interface, string, history.Sink) (*apiwatch.Watch, error){apiwatch.Pods, apiwatch.Events}
	if _, ok := b.node.(clustered); ok {
		if err := admits(ctx, b.client); err != nil {
			return err
		}
		watches = append(watches, apiwatch.Jobs)
	}
	for _, watch := range watches {
		w, err := watch(ctx, b.client, namespace, b.recorder)
		if err != nil {
			return err
		}
		b.watches = append(b.watches, w)
	}
	node, err := b.client.CoreV1().Nodes().Get(ctx, b.node.NodeName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	b.versions = map[string]string{
		"kubelet": node.Status.NodeInfo.KubeletVersion, "runtime": node.Status.NodeInfo.ContainerRuntimeVersion,
	}
	return nil
}

// recording returns an error if the recording is incomplete.
func (b *bench) recording() error {
	errs := []error{b.node.Recording()}
	for _, w := range b.watches {
		errs = append(errs, w.Err())
	}
	return errors.Join(errs...)
}

func (b *bench) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, downTimeout)
	defer cancel()
	for _, w := range b.watches {
		w.Stop()
	}
	if b.node == nil {
		return nil
	}
	errs := []error{b.keepLogs()}
	if err := b.node.Close(ctx); err != nil {
		errs = append(errs, fmt.Errorf("%s: taking the node down: %w", b.arm, err))
	}
	return errors.Join(errs...)
}

// LogsPath returns the path below the artifacts directory of the logs that a place leaves when something went wrong.
func LogsPath(level scenario.Level, arm verdict.Arm) string {
	return filepath.Join("logs", string(level), string(arm))
}

// keepLogs stores the logs that would vanish with the place, unless every result is as expected.
func (b *bench) keepLogs() error {
	place, ok := b.node.(logging)
	if !ok || b.run.good(b.arm) {
		return nil
	}
	dir := filepath.Join(b.run.options.Artifacts, LogsPath(b.run.options.Level, b.arm))
	b.run.logf("%s some results are not as expected; the nodes' logs go to %s", b.arm, dir)
	if err := place.ExportLogs(dir); err != nil {
		return fmt.Errorf("%s: keep the nodes' logs: %w", b.arm, err)
	}
	return nil
}

// progress turns lines of other packages into lines of progress.
type progress struct{ run *Run }

func (p progress) Write(text []byte) (int, error) {
	p.run.logf("%s", trimmed(text))
	return len(text), nil
}

var _ io.Writer = progress{}
