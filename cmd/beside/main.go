// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Beside runs next to a node's kubelet, in the same parent cgroup, and detects stalls of the host (package control).
//
//	beside --kubeconfig FILE --node NAME --record FILE
//
// It records what it sees as JSON lines (package stream). The kubeconfig is the kubelet's own; beside waits until the kubelet
// has one. It runs until it gets TERM. Exit codes: 0 after TERM, 1 if it cannot read the kubeconfig or write the record, 2 for
// bad usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kgrace/kgrace/internal/control"
	"github.com/kgrace/kgrace/internal/history/stream"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

func run(ctx context.Context, args []string, errs io.Writer) int {
	set := flag.NewFlagSet("beside", flag.ContinueOnError)
	set.SetOutput(errs)
	kubeconfig := set.String("kubeconfig", "", "the kubelet's kubeconfig")
	node := set.String("node", "", "node whose pods are watched")
	record := set.String("record", "", "file to append lines to")
	err := set.Parse(args)
	if err == nil && (*kubeconfig == "" || *node == "" || *record == "" || set.NArg() > 0) {
		err = errors.New("want --kubeconfig FILE --node NAME --record FILE, and nothing else")
		fmt.Fprintln(errs, "beside:", err)
	}
	if err != nil {
		return exitUsage
	}
	if err := wait(ctx, *kubeconfig, *node, *record); err != nil {
		fmt.Fprintln(errs, "beside:", err)
		return exitFailed
	}
	return 0
}

const (
	// look is the interval and patience the time limit of waiting for credentials: the kubelet of a new node gets them only after
	// it starts.
	look     = 200 * time.Millisecond
	patience = 10 * time.Minute
)

func wait(ctx context.Context, kubeconfig, node, record string) error {
	out, err := stream.Append(record)
	if err != nil {
		return err
	}
	defer out.Close()
	go control.DetectStalls(ctx, out)
	config, err := credentials(ctx, kubeconfig)
	if ctx.Err() != nil {
		return out.Err()
	}
	var client kubernetes.Interface
	if err == nil {
		config.UserAgent = "kgrace-control"
		client, err = kubernetes.NewForConfig(config)
	}
	if err != nil {
		return errors.Join(err, out.Trouble(err))
	}
	control.Pods(ctx, client, node, out)
	return out.Err()
}

// credentials waits for the kubeconfig and the files that it names, and reads them.
func credentials(ctx context.Context, kubeconfig string) (*rest.Config, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err == nil {
			return config, nil
		}
		timer := time.NewTimer(look)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("the kubelet has no credentials, not within %v: %w", patience, err)
		}
	}
}
