// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kgrace/kgrace/internal/control"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/apiwatch"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/player"
	"github.com/kgrace/kgrace/internal/regress"
	"github.com/kgrace/kgrace/internal/scenario"
)

// run is a run under way.
type run struct {
	options Options
	begin   time.Time
	site    site
	place   *place
	lanes   *lanes
	watches []*apiwatch.Watch

	// before is the state of the node, and the kubelet's goroutines in its first minute, before the first pod.
	before State
	first  localnode.Profile

	mu      sync.Mutex
	samples []Sample

	saying sync.Mutex
}

// disk is the size of the disk of the kubelet's directory.
const disk = 64 << 20

// Run runs the soak and always takes the node down, also when ctx ends early. The results are in the artifacts directory, too. An error
// means that the run is not complete.
func Run(ctx context.Context, options Options) (_ Results, err error) {
	if err := options.check(); err != nil {
		return Results{}, fmt.Errorf("soak: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, options.For+beyond, fmt.Errorf("the soak was not over %v after its last pod began", beyond))
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &run{options: options, begin: time.Now()}
	r.logf("seed %d", options.Seed)
	defer func() { err = errors.Join(err, r.close(context.WithoutCancel(ctx))) }()
	if err := r.open(ctx); err != nil {
		return Results{}, fmt.Errorf("no node: %w", err)
	}
	go func() {
		select {
		case <-r.site.Lost():
			fail(fmt.Errorf("the node was lost: %w", r.site.Err()))
		case <-ctx.Done():
		}
	}()
	go control.DetectStalls(ctx, r.lanes.waits)
	if err := r.quiet(ctx); err != nil {
		return Results{}, err
	}
	if err := r.busy(ctx); err != nil {
		return Results{}, err
	}
	results := r.judge(ctx)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return results, errors.Join(err, results.Write(options.Artifacts))
}

// open brings the node up and records it.
func (r *run) open(ctx context.Context) error {
	recorder := history.NewRecorder()
	waits := regress.NewWaits(recorder)
	name := "soak-" + string(r.options.Arm)
	node, err := regress.OpenRealNode(ctx, localnode.Config{Dir: filepath.Join(r.options.Nodes, name), Name: name, Bin: r.options.Bin, Log: progress{r},
		KubeletDisk: disk}, waits)
	if err != nil {
		return err
	}
	r.site = site{node}
	client := node.Client()
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, watch := range []func(context.Context, kubernetes.Interface, string, history.Sink) (*apiwatch.Watch, error){apiwatch.Pods, apiwatch.Events} {
		w, err := watch(ctx, client, namespace, recorder)
		if err != nil {
			return err
		}
		r.watches = append(r.watches, w)
	}
	about, err := client.CoreV1().Nodes().Get(ctx, node.NodeName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	versions := map[string]string{"kubelet": about.Status.NodeInfo.KubeletVersion, "runtime": about.Status.NodeInfo.ContainerRuntimeVersion}
	r.place = &place{client: client, node: node.NodeName(), linesDir: node.LinesDir()}
	r.lanes = &lanes{options: r.options, place: r.place, recorder: recorder, waits: waits, ledger: &Ledger{}, recording: r.recording, logf: r.logf,
		starts: make(chan struct{}, runtime.NumCPU()),
		header: history.Header{Arm: string(r.options.Arm), Level: string(scenario.LevelNode), Minor: r.options.Minor, Versions: versions},
		results: Results{Minor: r.options.Minor, Arm: r.options.Arm, Versions: versions, Date: time.Now().UTC(), Seed: r.options.Seed,
			Cores: runtime.NumCPU(), Rules: map[scenario.Rule]Tally{}}}
	return nil
}

func (r *run) recording() error {
	errs := []error{r.site.Recording()}
	for _, w := range r.watches {
		errs = append(errs, w.Err())
	}
	return errors.Join(errs...)
}

// quiet plays a first pod, which tells how fast this machine is, and takes the state of the node without pods.
func (r *run) quiet(ctx context.Context) error {
	var err error
	if r.before, err = r.site.Inspect(ctx); err != nil {
		return err
	}
	if err := r.lanes.one(ctx, warming, 0); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if r.lanes.results.NotBegun > 0 {
		return fmt.Errorf("the first pod never ran: %s", strings.Join(r.lanes.results.Why, "; "))
	}
	started := r.lanes.firstStart
	if r.options.Lanes == 0 {
		r.options.Lanes = regress.Jobs(runtime.NumCPU(), started)
	}
	r.lanes.results.Lanes = r.options.Lanes
	if r.first, err = r.site.Goroutines(ctx); err != nil {
		return err
	}
	r.logf("the first pod took %.1f s to start, with %d cores: %d pods at once; the kubelet has %d goroutines", started.Seconds(), runtime.NumCPU(),
		r.options.Lanes, r.first.Total())
	return nil
}

// warming is the lane of the first pod.
const warming = 1 << 20

// busy lets the pods come and go, disturbs the node, and returns when the last pod has ended.
func (r *run) busy(ctx context.Context) error {
	begin := time.Now()
	until := begin.Add(r.options.For)
	told, stop := context.WithCancel(ctx)
	var telling, working sync.WaitGroup
	telling.Go(func() { r.tell(told) })
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	working.Go(func() {
		// Without its kubelet, say, the node would keep every pod until the end.
		if err := r.disturb(ctx, r.site, begin, until); err != nil {
			fail(err)
		}
	})
	for lane := range r.options.Lanes {
		working.Go(func() { r.lanes.run(ctx, lane, until) })
	}
	working.Wait()
	stop()
	telling.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(r.lanes.errs...)
}

// disturb disturbs the node until the given time.
func (r *run) disturb(ctx context.Context, node Node, begin, until time.Time) error {
	random := rand.New(rand.NewPCG(r.options.Seed, 1<<63))
	var bag []Kind
	for ctx.Err() == nil {
		var without []Kind
		if spent := time.Since(begin); spent > time.Duration(calm*float64(r.options.For)) {
			without = []Kind{KubeletKilled}
		}
		p := Draw(random, &bag, without...)
		if time.Now().Add(p.Gap + p.For).After(until) {
			return nil
		}
		if player.Until(ctx, time.Now().Add(p.Gap)) != nil {
			return nil
		}
		if p.Kind == APIRestarted {
			r.place.up.Lock()
		}
		over := r.lanes.ledger.begin(p)
		err := p.carryOut(ctx, node)
		over(err)
		if p.Kind == APIRestarted {
			r.place.up.Unlock()
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("disturbance %q: %w", p, err)
		}
		r.logf("disturbed: %v", p)
	}
	return nil
}

// tell logs how the run goes, and samples the kubelet.
func (r *run) tell(ctx context.Context) {
	for player.Until(ctx, time.Now().Add(tells)) == nil {
		sample, err := r.site.Sample(ctx)
		l := r.lanes
		l.mu.Lock()
		sample.Ended, sample.Alive = l.results.Pods, l.alive
		excused, broken := 0, len(l.results.Broken)
		for _, t := range l.results.Rules {
			excused += t.Excused
		}
		text := fmt.Sprintf("%d pods ended, %d under way, %d not begun; %d shortenings, %d disturbances; %d rules broken, %d excused", l.results.Pods, l.alive,
			l.results.NotBegun, l.results.Shortenings, len(l.ledger.All()), broken, excused)
		l.mu.Unlock()
		r.mu.Lock()
		if err == nil { // a kubelet that is disturbed may not answer
			r.samples = append(r.samples, sample)
			text += fmt.Sprintf("; kubelet: %.1f MiB live, %d goroutines", float64(sample.Heap)/(1<<20), sample.Goroutines)
		}
		r.mu.Unlock()
		r.logf("%s", text)
	}
}

func (r *run) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, downTimeout)
	defer cancel()
	for _, w := range r.watches {
		w.Stop()
	}
	if r.site.RealNode == nil {
		return nil
	}
	if err := r.site.Close(ctx); err != nil {
		return fmt.Errorf("taking the node down: %w", err)
	}
	return nil
}

func (r *run) logf(format string, args ...any) {
	if r.options.Progress == nil {
		return
	}
	r.saying.Lock()
	defer r.saying.Unlock()
	fmt.Fprintf(r.options.Progress, "soak %6.1fs %s\n", time.Since(r.begin).Seconds(), fmt.Sprintf(format, args...))
}

// progress turns lines of other packages into lines of progress.
type progress struct{ run *run }

func (p progress) Write(text []byte) (int, error) {
	p.run.logf("%s", strings.TrimSpace(string(text)))
	return len(text), nil
}
