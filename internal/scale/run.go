// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Options of a run.
type Options struct {
	Minor string
	Arms  []verdict.Arm
	// Pods are the numbers of pods, one wave each.
	Pods []int
	// StockGrace is the first grace period on the stock arm, in seconds: it takes that long to end hurried pods.
	StockGrace int64
	// Bin maps each arm to the programs of its node, as in localnode.Config.Bin.
	Bin map[verdict.Arm]map[string]string
	// Nodes is the parent directory of the nodes' directories; Artifacts receives the histories.
	Nodes, Artifacts string
	Progress         io.Writer
}

// Results is the content of scale.json.
type Results struct {
	Date     time.Time         `json:"date"`
	Machine  Machine           `json:"machine"`
	Minor    string            `json:"minor"`
	Versions map[string]string `json:"versions"`
	Pods     []int             `json:"pods"`
	Columns  []Column          `json:"columns"`
	// Refused are the numbers of pods that the machine's memory forbids, with the reason.
	Refused map[int]string `json:"refused,omitempty"`
	Waves   []Wave         `json:"waves"`
	Samples []Sample       `json:"samples"`
	Checks  []Check        `json:"checks"`
	Seconds float64        `json:"seconds"`
	// Notes are what a reader has to know of results that are kept; a run has none.
	Notes []string `json:"notes,omitempty"`
}

// Carrier returns the arm whose node the runtime alone is measured on.
func (o Options) Carrier() verdict.Arm {
	if slices.Contains(o.Arms, verdict.Fixed) {
		return verdict.Fixed
	}
	return o.Arms[0]
}

// Run plays all parts of all columns, number after number, and judges them. It returns what it has, also on an error.
func Run(ctx context.Context, o Options, machine Machine) (Results, error) {
	r := &Results{Date: time.Now().UTC().Truncate(time.Second), Machine: machine, Minor: o.Minor, Versions: map[string]string{}, Refused: map[int]string{}}
	for _, arm := range o.Arms {
		r.Columns = append(r.Columns, Column(arm))
	}
	r.Columns = append(r.Columns, Alone)
	begin := time.Now()
	err := func() error {
		for _, pods := range o.Pods {
			if why := machine.Refuses(pods); why != "" {
				o.logf("%s", why)
				r.Refused[pods] = why
				continue
			}
			if err := r.number(ctx, o, pods); err != nil {
				return err
			}
		}
		return nil
	}()
	r.Seconds = round(time.Since(begin).Seconds())
	r.Checks = Judge(*r)
	return *r, err
}

// number plays all columns of a number of pods, and once more if something could not be judged and nothing is red: the machine was
// late.
func (r *Results) number(ctx context.Context, o Options, pods int) error {
	one, err := r.once(ctx, o, pods)
	if err == nil {
		checks := Judge(one)
		red := slices.ContainsFunc(checks, func(c Check) bool { return c.Verdict.Red() })
		if i := slices.IndexFunc(checks, func(c Check) bool { return c.Verdict == verdict.Invalid }); i >= 0 && !red {
			o.logf("%3d pods, once more: %s: %s: %s", pods, checks[i].Column, checks[i].Goal, checks[i].Found)
			var again Results
			if again, err = r.once(ctx, o, pods); err == nil {
				one = again
			}
		}
	}
	r.Pods, r.Waves, r.Samples = append(r.Pods, one.Pods...), append(r.Waves, one.Waves...), append(r.Samples, one.Samples...)
	return err
}

// once plays all columns of a number of pods. The results have the number if all were played to the end.
func (r *Results) once(ctx context.Context, o Options, pods int) (Results, error) {
	one := Results{Versions: r.Versions}
	for _, arm := range o.Arms {
		if err := one.arm(ctx, o, arm, pods); err != nil {
			return one, err
		}
	}
	one.Pods = []int{pods}
	return one, nil
}

// arm plays all parts on a fresh node of an arm, and there the runtime alone if the arm carries it.
func (r *Results) arm(ctx context.Context, o Options, arm verdict.Arm, pods int) (err error) {
	n, err := o.up(ctx, arm, pods)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close(context.WithoutCancel(ctx))) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-n.Lost():
			cancel(fmt.Errorf("the node was lost: %w", n.Err()))
		case <-ctx.Done():
		}
	}()
	r.Versions[string(arm)], r.Versions["runtime"] = n.versions["kubelet"], n.versions["runtime"]
	empty, err := takeLook(ctx, n.client, n.NodeName())
	if err != nil {
		return err
	}
	s := empty.sample(nil)
	s.Pods, s.Column, s.State = pods, Column(arm), Empty
	r.Samples = append(r.Samples, s)
	grace := int64(Grace)
	if arm == verdict.Stock {
		grace = o.StockGrace
	}
	for _, part := range Parts(grace) {
		h, samples, err := n.kubelet(ctx, o, part, Column(arm), pods)
		if err != nil {
			return fmt.Errorf("%s, %d pods, %s: %w", arm, pods, part.ID, err)
		}
		r.Samples = append(r.Samples, samples...)
		if err := r.took(o, h, Column(arm), part, pods); err != nil {
			return err
		}
	}
	left, err := n.left(ctx, Column(arm), pods, s.Goroutines+settled)
	if err != nil {
		return err
	}
	r.Samples = append(r.Samples, left)
	if arm != o.Carrier() {
		return nil
	}
	for _, part := range Parts(Grace) {
		h, err := n.alone(ctx, o, part, pods)
		if err != nil {
			return fmt.Errorf("%s, %d pods, %s: %w", Alone, pods, part.ID, err)
		}
		if err := r.took(o, h, Alone, part, pods); err != nil {
			return err
		}
	}
	return n.recording()
}

// took keeps a history and reads its wave.
func (r *Results) took(o Options, h history.History, column Column, part Part, pods int) error {
	w := Read(h, column, part)
	if w.Pods != pods {
		return fmt.Errorf("%s, %s: the history has %d pods that started, expected %d", column, part.ID, w.Pods, pods)
	}
	first, _ := w.First()
	last, _ := w.Last()
	o.logf("%3d pods, %s, %s: dead from %.2f to %.2f s, the client's requests took %.2f s", pods, column, part.About, first, last, w.Client())
	r.Waves = append(r.Waves, w)
	return history.WriteFile(filepath.Join(o.Artifacts, "histories", "scale", fmt.Sprint(pods), File(column), part.ID+".jsonl"), h)
}

// File returns a column's name in paths.
func File(c Column) string {
	if c == Alone {
		return "runtime-alone"
	}
	return string(c)
}

func (o Options) logf(format string, args ...any) {
	if o.Progress != nil {
		fmt.Fprintf(o.Progress, "scale: "+format+"\n", args...)
	}
}
