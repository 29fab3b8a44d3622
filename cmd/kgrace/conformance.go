// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/sim"
	"github.com/kgrace/kgrace/internal/sim/conformance"
	"github.com/kgrace/kgrace/internal/simkubelet"
)

// conformanceRun is a command line of kgrace conformance.
type conformanceRun struct {
	endpoint, image, cgroup, against string
	trace, read                      string
	only                             []string
}

func newConformanceCommand(app *app) *cobra.Command {
	q := conformanceRun{}
	out := newOutputFlag()
	cmd := &cobra.Command{
		Use:   "conformance --runtime-endpoint unix:///run/…/x.sock",
		Short: "Hold a container runtime against its simulation",
		Long: `Play the call sequences of internal/sim/conformance on any runtime that serves the CRI (v1) on a unix socket of this machine,
and compare what was seen with what the simulated runtime does. Needs root, or the right to use the socket; some 20 seconds.

Each sequence starts a sandbox in the node's network, without a network plugin, with one container of the image, which needs
only sh and sleep; it is pulled if it is missing. In the end, and on Ctrl-C, nothing of that is left on the runtime. Sequences
that restart the runtime are not played. Stop the kubelet of that runtime meanwhile: it removes pods that it does not know.
The runtime writes the containers' logs to a directory in $TMPDIR, and has to see it.

The trace file has one JSON object a line: the machine and the runtime, then each sequence with its trace, the difference and
all that was recorded. Send it to us with what differs; --read compares such a file again, without a runtime.

Exit codes:
  0  every sequence that was played left the expected trace
  1  a sequence left another one
  2  the command line is wrong
  3  there is no such runtime, or a sequence could not be played`,
		Example: `  kgrace conformance --runtime-endpoint unix:///run/crio/crio.sock
  kgrace conformance --runtime-endpoint unix:///run/cri-dockerd.sock --against containerd \
    --image busybox:1.36
  kgrace conformance --read conformance.jsonl --against crio`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (q.endpoint == "") == (q.read == "") {
				return usage(errors.New("name a runtime's socket with --runtime-endpoint, or a trace file with --read"))
			}
			if q.against != "" {
				if _, err := simkubelet.ParseRuntime(q.against); err != nil {
					return usage(fmt.Errorf("--against: %w", err))
				}
			}
			if q.read != "" {
				report, err := readTrace(q)
				if err != nil {
					return err
				}
				return app.conformance(report, out)
			}
			return app.playConformance(cmd.Context(), q, out)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.endpoint, "runtime-endpoint", "", "socket on which the runtime serves the CRI: unix:///run/crio/crio.sock")
	flags.StringVar(&q.against, "against", "", "simulated runtime to compare with: containerd or crio (default: by the runtime's name)")
	flags.StringVar(&q.image, "image", "busybox:1.37", "image of the containers, with sh and sleep")
	flags.StringVar(&q.cgroup, "cgroup-parent", "", "parent of the sandboxes' cgroups (default: system.slice with systemd, else the runtime's)")
	flags.StringSliceVar(&q.only, "sequence", nil, "play only these sequences")
	flags.StringVar(&q.trace, "trace", "conformance.jsonl", "file to write the traces to")
	flags.StringVar(&q.read, "read", "", "compare a trace file instead of a runtime")
	flags.VarP(&out, "output", "o", "output format")
	return cmd
}

// readTrace reads a trace file and judges it again.
func readTrace(q conformanceRun) (*conformance.Report, error) {
	file, err := os.Open(q.read)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	report, err := conformance.Read(file, q.read)
	if err != nil {
		return nil, err
	}
	return report, report.Judge(cmp.Or(sim.Behaviour(q.against), report.Against))
}

func (a *app) playConformance(ctx context.Context, q conformanceRun, out outputFlag) error {
	socket, err := conformance.Socket(q.endpoint)
	if err != nil {
		return usage(err)
	}
	sequences, err := conformance.Pick(q.only)
	if err != nil {
		return usage(fmt.Errorf("--sequence: %w", err))
	}
	runtime, err := conformance.Connect(ctx, socket)
	if err != nil {
		return err
	}
	defer func() { _ = runtime.Close(context.WithoutCancel(ctx)) }()
	against := cmp.Or(sim.Behaviour(q.against), runtime.Behaviour())
	if against == "" {
		return usage(fmt.Errorf("the runtime calls itself %q: say with --against what it is to behave like: %s", runtime.Name, strings.Join(simkubelet.Runtimes(), " or ")))
	}
	if ids := conformance.Kubelets(); len(ids) > 0 {
		fmt.Fprintf(a.errs, "conformance: a kubelet runs here (process %s): if it uses this runtime, stop it, since it removes pods that it does not know\n", strings.Join(ids, ", "))
	}
	// The file is opened first, so that no run is in vain, and has its name only when it is whole.
	file, err := os.CreateTemp(filepath.Dir(q.trace), ".conformance-*")
	if err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	defer file.Close()
	report, err := runtime.Play(ctx, conformance.Plan{Sequences: sequences, Image: q.image, Cgroup: q.cgroup, Against: against, Log: a.errs})
	if err != nil {
		return err
	}
	if err := errors.Join(report.Write(file), file.Chmod(0o644), file.Close()); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	if err := os.Rename(file.Name(), q.trace); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	fmt.Fprintf(a.errs, "conformance: the traces are in %s\n", q.trace)
	return a.conformance(&report, out)
}

// conformance prints a report and returns its error.
func (a *app) conformance(report *conformance.Report, out outputFlag) error {
	var rows [][]string
	for _, result := range report.Results {
		rows = append(rows, []string{result.Sequence, string(result.Outcome), cmp.Or(result.Reason, result.Why)})
	}
	if err := out.write(a.output, report, []string{"SEQUENCE", "OUTCOME", "WHY"}, rows); err != nil {
		return err
	}
	for _, result := range report.Results {
		if len(result.Diff) > 0 {
			fmt.Fprintf(a.errs, "\n%s (-%s +%s):\n%s\n", result.Sequence, report.Against, report.Runtime, strings.Join(result.Diff, "\n"))
		}
	}
	same, differs, failed := report.Count(conformance.Same), report.Count(conformance.Differs), report.Count(conformance.Failed)
	fmt.Fprintf(a.errs, "\n%s %s against the simulated %s: %d the same, %d differ, %d failed, %d not played%s\n", report.Runtime, report.Version,
		report.Against, same, differs, failed, report.Count(conformance.NotPlayed), map[bool]string{false: "; the runtime sends no events"}[report.Events])
	switch {
	case differs > 0:
		return red(fmt.Errorf("%d sequences differ from the simulated %s: send us the trace file", differs, report.Against))
	case failed > 0:
		return fmt.Errorf("%d sequences could not be played", failed)
	case same == 0:
		return errors.New("no sequence was played")
	}
	return nil
}
