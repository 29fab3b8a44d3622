// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kgrace/kgrace/internal/criproxy"
	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/sim"
)

// Plan is what to play on a runtime.
type Plan struct {
	Sequences []Sequence
	// Image has sh and sleep.
	Image string
	// Cgroup is the parent of the sandboxes' cgroups; "" for the default.
	Cgroup string
	// Against is the behaviour that is expected.
	Against sim.Behaviour
	// Log receives progress.
	Log io.Writer
}

// Play plays the sequences through a recording proxy, with the kubelet's own client. Whatever happens, nothing of it is left on
// the runtime. The error is that of a run without a report.
func (r *Remote) Play(ctx context.Context, plan Plan) (report Report, err error) {
	ctx = quiet(ctx)
	logs, err := os.MkdirTemp("", "kgrace-")
	if err != nil {
		return report, err
	}
	defer func() { _ = os.RemoveAll(logs) }()
	switch old, err := r.sweep(ctx); {
	case err != nil:
		return report, fmt.Errorf("remove what an earlier run left: %w", err)
	case old > 0:
		fmt.Fprintf(plan.Log, "conformance: removed %d sandboxes of an earlier run\n", old)
	}
	removeImage, err := r.provide(ctx, plan.Image)
	if err != nil {
		return report, err
	}
	defer func() {
		_, failed := r.sweep(ctx)
		err = errors.Join(err, failed, removeImage(ctx))
	}()
	recorder := history.NewRecorder()
	proxy, err := criproxy.Start(context.WithoutCancel(ctx), criproxy.Options{Listen: filepath.Join(logs, "cri.sock"), Upstream: r.socket, Record: recorder, Log: plan.Log})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, proxy.Close()) }()
	proxied, err := client(ctx, filepath.Join(logs, "cri.sock"))
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, proxied.Close(ctx)) }()

	var played, skipped []Sequence
	for _, sequence := range plan.Sequences {
		if sequence.Restarts() {
			skipped = append(skipped, sequence)
			continue
		}
		played = append(played, sequence)
		if err := os.MkdirAll(filepath.Join(logs, sequence.Name), 0o755); err != nil {
			return report, err
		}
	}
	theatre := Theatre{
		Stage: Stage{
			Runtime: proxied, Image: plan.Image, Logs: logs, Cgroup: cmp.Or(plan.Cgroup, r.cgroup(ctx)),
			Run: strconv.FormatInt(time.Now().UnixNano(), 36),
		},
		Recorder: recorder, Level: "runtime",
		Progress: func(name string, err error) {
			if err != nil && ctx.Err() == nil {
				fmt.Fprintf(plan.Log, "conformance: %v\n", err)
			}
		},
	}
	fmt.Fprintf(plan.Log, "conformance: %d sequences on %s %s\n", len(played), r.Name, r.Version)
	found := theatre.Play(ctx, played)
	if ctx.Err() != nil {
		return report, context.Cause(ctx)
	}
	report.Header = r.header(plan)
	for _, sequence := range played {
		p := found[sequence.Name]
		result := Result{Sequence: sequence.Name, Why: sequence.Why, Trace: p.Trace.Lines, History: p.History.Events}
		if p.Err != nil {
			result.Outcome, result.Reason = Failed, p.Err.Error()
		}
		report.Results = append(report.Results, result)
		report.Events = report.Events || slices.ContainsFunc(p.Trace.Lines, isEvent)
	}
	for _, sequence := range skipped {
		report.Results = append(report.Results, Result{Sequence: sequence.Name, Why: sequence.Why, Outcome: NotPlayed, Reason: "it restarts the runtime"})
	}
	return report, report.Judge(plan.Against)
}

func (r *Remote) header(plan Plan) Header {
	h := Header{
		Format: format, Runtime: r.Name, Version: r.Version, Image: plan.Image, Date: time.Now().UTC().Truncate(time.Second),
		CPUs: runtime.NumCPU(), Arch: runtime.GOARCH,
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		h.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	return h
}

// Kubelets returns the ids of the kubelets that run on this machine. One that uses the same runtime removes pods that it does
// not know; one that is stopped (SIGSTOP) does not.
func Kubelets() []string {
	var ids []string
	entries, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range entries {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		id, rest, _ := strings.Cut(string(data), " ")
		if state, ok := strings.CutPrefix(rest, "(kubelet) "); ok && !strings.HasPrefix(state, "T") {
			ids = append(ids, id)
		}
	}
	return ids
}
