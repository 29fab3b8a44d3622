// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Beside runs next to a node's kubelet, in the same parent cgroup, and detects stalls of the host (package control).
//
//	beside --kubeconfig FILE --node NAME --record FILE
//	beside --kubeconfig FILE --node NAME --stop SOCKET --healthz ADDRESS
//
// It records what it sees as JSON lines (package stream). With --stop it takes the place of a kubelet that was killed (control.Stop)
// with the runtime at that socket, and serves /healthz once it watches. The kubeconfig is the kubelet's own; beside waits until the
// kubelet has one. It runs until it gets TERM. Exit codes: 0 after TERM, 1 if it cannot read the kubeconfig or write the record, 2 for
// bad usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

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
	runtime := set.String("stop", "", "socket of the runtime that stops the pods")
	healthz := set.String("healthz", "", "address to serve /healthz at")
	err := set.Parse(args)
	stops := *runtime != "" && *healthz != ""
	if err == nil && (*kubeconfig == "" || *node == "" || stops == (*record != "") || (*runtime == "") != (*healthz == "") || set.NArg() > 0) {
		err = errors.New("want --kubeconfig FILE --node NAME, and --record FILE or --stop SOCKET --healthz ADDRESS, and nothing else")
		fmt.Fprintln(errs, "beside:", err)
	}
	if err != nil {
		return exitUsage
	}
	if stops {
		err = stop(ctx, *kubeconfig, *node, *runtime, *healthz)
	} else {
		err = wait(ctx, *kubeconfig, *node, *record)
	}
	if err != nil {
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
	client, err := connect(ctx, kubeconfig)
	if ctx.Err() != nil {
		return out.Err()
	}
	if err != nil {
		return errors.Join(err, out.Trouble(err))
	}
	control.Pods(ctx, client, node, out)
	return out.Err()
}

// stop ends the node's pods until ctx ends.
func stop(ctx context.Context, kubeconfig, node, runtime, healthz string) error {
	client, err := connect(ctx, kubeconfig)
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient("unix://"+runtime, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	listener, err := net.Listen("tcp", healthz)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: patience}
	defer server.Close()
	return control.Stop(ctx, client, node, runtimeapi.NewRuntimeServiceClient(conn), func() { go server.Serve(listener) })
}

func connect(ctx context.Context, kubeconfig string) (kubernetes.Interface, error) {
	config, err := credentials(ctx, kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent = "kgrace-control"
	return kubernetes.NewForConfig(config)
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
