// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Crirecord proxies the calls between the kubelet and the runtime of a kind node. It runs internal/criproxy inside the node and
// writes its record as JSON lines to a file that the host reads (internal/history/stream).
//
//	crirecord --listen SOCKET --runtime SOCKET --record FILE
//
// It changes no call and makes none fail, and runs until it gets TERM. It also records when it was kept waiting
// (internal/control). Exit codes: 0 after TERM, 1 if it could not listen or write, 2 for bad usage. Linux only; built without
// cgo it is one static file.
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

	"github.com/kgrace/kgrace/internal/control"
	"github.com/kgrace/kgrace/internal/criproxy"
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
	set := flag.NewFlagSet("crirecord", flag.ContinueOnError)
	set.SetOutput(errs)
	listen := set.String("listen", "", "socket for the kubelet")
	runtime := set.String("runtime", "", "the runtime's own socket")
	record := set.String("record", "", "file to append lines to")
	err := set.Parse(args)
	if err == nil && (*listen == "" || *runtime == "" || *record == "" || set.NArg() > 0) {
		err = errors.New("want --listen SOCKET --runtime SOCKET --record FILE, and nothing else")
		fmt.Fprintln(errs, "crirecord:", err)
	}
	if err != nil {
		return exitUsage
	}
	if err := serve(ctx, *listen, *runtime, *record, errs); err != nil {
		fmt.Fprintln(errs, "crirecord:", err)
		return exitFailed
	}
	return 0
}

// look is the interval for checking whether the runtime reports the exits of containers.
const look = time.Second

func serve(ctx context.Context, listen, runtime, record string, errs io.Writer) error {
	out, err := stream.Append(record)
	if err != nil {
		return err
	}
	defer out.Close()
	proxy, err := criproxy.Start(ctx, criproxy.Options{Listen: listen, Upstream: runtime, Record: out, Log: errs})
	if err != nil {
		return errors.Join(err, out.Trouble(err))
	}
	defer proxy.Close()
	go control.DetectStalls(ctx, out)
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			return out.Err()
		case <-ticker.C:
		}
		if err := proxy.ExitsErr(); err != nil && !told {
			told = true
			if err := out.Trouble(err); err != nil {
				return err
			}
		}
		// Lines that cannot be written are lost; a record with a gap is worse than none.
		if err := out.Err(); err != nil {
			return err
		}
	}
}
