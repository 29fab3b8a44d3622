// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/localnode"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newNodeCommand(app *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "node",
		Short: "Run a real node on this machine",
		Long: `Run a real node on this machine: etcd, kube-apiserver, containerd and one arm's kubelet, in namespaces of their own.

Needs root, no Docker and no network. Nodes are independent of each other; both arms can be up at once. Pods name their node
(spec.nodeName), use hostNetwork and the images ` + actor.Image + ` and ` + actor.PauseImage + `: there is no scheduler, no CNI and no registry.`,
		Example: "  kgrace node up --arm stock\n  kgrace node status\n  kgrace node down",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newNodeUpCommand(app), newNodeDownCommand(app), newNodeStatusCommand(app))
	return cmd
}

// nodesDir returns the directory that holds one directory per node.
func nodesDir(r *kubetree.Repo) string { return filepath.Join(r.Output, "nodes") }

func newNodeUpCommand(app *app) *cobra.Command {
	var (
		minor, arm, name string
		out              = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Bring a node up, building what is missing",
		Long: `Bring a node up and print how to reach it; it stays up until ` + "`kgrace node down`" + `. Missing programs are built first. Missing
rights and Debian packages are reported before anything is built or started. If the command fails or is interrupted, it leaves
only the logs.`,
		Example: "  kgrace node up --arm fixed\n  kubectl --kubeconfig $(kgrace node up --arm stock -o json | jq -r .kubeconfig) get nodes",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := verdict.ParseArm(arm)
			if err != nil {
				return usage(err)
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			if name == "" {
				name = string(a)
			}
			if err := localnode.CheckName(name); err != nil {
				return usage(err)
			}
			n, err := nodeUp(cmd.Context(), r, app, minor, a, name)
			if err != nil {
				return err
			}
			status, err := n.Status(cmd.Context())
			if err != nil {
				return err
			}
			return out.write(app.output, status, []string{"NODE", status.Name}, [][]string{
				{"phase", string(status.Phase)},
				{"kubelet", status.Kubelet},
				{"kubeconfig", status.Kubeconfig},
				{"API server", status.APIServer},
				{"CRI socket", status.ContainerdSocket},
				{"logs", status.Logs},
			})
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringVar(&arm, "arm", string(verdict.Fixed), "arm of the kubelet: stock or fixed")
	cmd.Flags().StringVar(&name, "name", "", "the node's name (default: that of the arm)")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

func nodeUp(ctx context.Context, r *kubetree.Repo, app *app, minor string, arm verdict.Arm, name string) (*localnode.Node, error) {
	config := localnode.Config{Dir: filepath.Join(nodesDir(r), name), Name: name, Log: app.errs}
	// Building takes minutes on a fresh machine, so check first that the node can start.
	if err := localnode.Check(ctx, config); err != nil {
		return nil, err
	}
	bin, err := kubebuild.New(r).Binaries(ctx, minor, arm)
	if err != nil {
		return nil, err
	}
	actor := filepath.Join(r.Output, "bin", "actor")
	if err := localnode.BuildActor(ctx, r.Root, actor); err != nil {
		return nil, err
	}
	bin[localnode.ProgramActor] = actor
	config.Bin = bin
	return localnode.Up(ctx, config)
}

// nodesNamed attaches to the named nodes, or to all nodes if there are no names.
func nodesNamed(r *kubetree.Repo, names []string) ([]*localnode.Node, error) {
	all := len(names) == 0
	if all {
		entries, err := os.ReadDir(nodesDir(r))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	var nodes []*localnode.Node
	var known []string
	var unknown error
	for _, name := range names {
		switch n, err := localnode.Attach(filepath.Join(nodesDir(r), name)); {
		case localnode.IsNoNode(err) && all:
		case localnode.IsNoNode(err):
			unknown = fmt.Errorf("there is no node %q", name)
		case err != nil:
			return nil, err
		default:
			nodes = append(nodes, n)
			known = append(known, n.NodeName())
		}
	}
	if unknown != nil {
		others, err := nodesNamed(r, nil)
		if err != nil {
			return nil, err
		}
		known = known[:0]
		for _, n := range others {
			known = append(known, n.NodeName())
		}
		if len(known) == 0 {
			return nil, usage(fmt.Errorf("%w; none is up", unknown))
		}
		return nil, usage(fmt.Errorf("%w; there are %s", unknown, strings.Join(known, ", ")))
	}
	return nodes, nil
}

func newNodeDownCommand(app *app) *cobra.Command {
	return &cobra.Command{
		Use:   "down [name...]",
		Short: "Take nodes down, including crashed ones",
		Long: `Take down the named nodes, or all nodes of this checkout. Only a node's logs are left: no process, mount, cgroup, interface
or directory. A node that crashed, or whose start was killed, is cleaned up the same way. Without names, a node that belongs to a
running process (kgrace regress) is left alone.`,
		Example: "  kgrace node down\n  kgrace node down stock",
		RunE: func(cmd *cobra.Command, names []string) error {
			r, err := app.repo()
			if err != nil {
				return err
			}
			nodes, err := nodesNamed(r, names)
			if err != nil {
				return err
			}
			var failed error
			for _, n := range nodes {
				if owner := n.Owner(); owner != 0 && len(names) == 0 {
					fmt.Fprintf(app.errs, "node %s: belongs to the running process %d and ends with it; left alone (kgrace node down %[1]s takes it down)\n", n.NodeName(), owner)
					continue
				}
				if err := n.Down(cmd.Context()); err != nil {
					failed = errors.Join(failed, fmt.Errorf("node %s: %w", n.NodeName(), err))
					continue
				}
				fmt.Fprintf(app.errs, "node %s: down\n", n.NodeName())
			}
			return failed
		},
	}
}

func newNodeStatusCommand(app *app) *cobra.Command {
	out := newOutputFlag()
	cmd := &cobra.Command{
		Use:   "status [name...]",
		Short: "Show nodes and their programs",
		Long: `Show the named nodes, or all nodes of this checkout: ready, starting, degraded (a program ended, or the API reports it NotReady or not at all) or crashed.

Exit code 1 if one of them is not ready.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			r, err := app.repo()
			if err != nil {
				return err
			}
			nodes, err := nodesNamed(r, names)
			if err != nil {
				return err
			}
			all := []localnode.Status{}
			var rows [][]string
			var unwell []string
			for _, n := range nodes {
				status, err := n.Status(cmd.Context())
				if err != nil {
					return err
				}
				all = append(all, status)
				if status.Phase != localnode.Ready {
					unwell = append(unwell, fmt.Sprintf("node %s is %s: %s", status.Name, status.Phase, status.Message))
				}
				rows = append(rows, []string{status.Name, string(status.Phase), programsOf(status), status.APIServer, status.Kubeconfig})
			}
			if err := out.write(app.output, all, []string{"NODE", "PHASE", "PROGRAMS", "API SERVER", "KUBECONFIG"}, rows); err != nil {
				return err
			}
			if len(unwell) > 0 {
				return red(errors.New(strings.Join(unwell, "; ")))
			}
			return nil
		},
	}
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

// programsOf lists a node's programs with the host's pids.
func programsOf(s localnode.Status) string {
	var all []string
	for _, c := range s.Components {
		state := fmt.Sprint(c.PID)
		if !c.Running {
			state = c.Exit
		}
		all = append(all, c.Name+" ("+state+")")
	}
	return strings.Join(all, ", ")
}
