// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

// run keeps the node's network up to date until ctx ends. The API may be unreachable for a while, especially at first:
// kube-proxy sets up its service address.
func run(ctx context.Context) error {
	self, subnets := os.Getenv("HOST_IP"), strings.Split(os.Getenv("POD_SUBNET"), ",")
	if self == "" || subnets[0] == "" {
		return fmt.Errorf("HOST_IP or POD_SUBNET is not set: want this node's address and the pods' subnets")
	}
	api, err := inCluster()
	if err != nil {
		return err
	}
	k := &keeper{self: self, subnets: subnets, confDir: "/etc/cni/net.d", run: command, routes: map[string]string{}}
	for ctx.Err() == nil {
		if err := api.watchNodes(ctx, func(nodes map[string]node) error { return k.keep(ctx, nodes) }); err != nil && ctx.Err() == nil {
			log.Print(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}
