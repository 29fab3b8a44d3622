// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// keeper keeps the node's network up to date with the cluster's nodes.
type keeper struct {
	self    string   // this node's address
	subnets []string // of all pods
	confDir string
	run     func(ctx context.Context, args ...string) error

	conf   []byte            // as written last
	masked bool              // the masquerading rules are in place
	routes map[string]string // range of pod addresses to the node's address
}

// keep is called with all nodes whenever one has changed, and does what has not been done yet.
func (k *keeper) keep(ctx context.Context, nodes map[string]node) error {
	routes := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		n := nodes[name]
		if slices.Contains(n.addresses(), k.self) {
			if err := k.writeConf(n.Spec.PodCIDRs); err != nil {
				return err
			}
			continue
		}
		for _, cidr := range n.Spec.PodCIDRs {
			if via := sameFamily(cidr, n.addresses()); via != "" {
				routes[cidr] = via
			}
		}
	}
	if err := k.masquerade(ctx); err != nil {
		return err
	}
	return k.route(ctx, routes)
}

// route sets new routes and removes those of nodes that are gone.
func (k *keeper) route(ctx context.Context, routes map[string]string) error {
	var errs []error
	for _, cidr := range slices.Sorted(maps.Keys(routes)) {
		if via := routes[cidr]; k.routes[cidr] != via {
			if err := k.run(ctx, "ip", "route", "replace", cidr, "via", via); err != nil {
				errs = append(errs, err)
				continue
			}
			k.routes[cidr] = via
			log.Printf("pods of %s are behind %s", cidr, via)
		}
	}
	for cidr := range maps.Clone(k.routes) {
		if _, still := routes[cidr]; !still {
			// It may have gone with the node.
			_ = k.run(ctx, "ip", "route", "delete", cidr)
			delete(k.routes, cidr)
		}
	}
	return errors.Join(errs...)
}

// masquerade gives traffic of pods that leaves the cluster the node's address, since pod addresses are unknown outside.
func (k *keeper) masquerade(ctx context.Context) error {
	if k.masked {
		return nil
	}
	for _, subnet := range k.subnets {
		program := "iptables"
		if is6(subnet) {
			program = "ip6tables"
		}
		rule := []string{"POSTROUTING", "-s", subnet, "!", "-d", subnet, "-m", "addrtype", "!", "--dst-type", "LOCAL", "-j", "MASQUERADE"}
		if k.run(ctx, append([]string{program, "-w", "-t", "nat", "-C"}, rule...)...) == nil {
			continue // from an earlier run
		}
		if err := k.run(ctx, append([]string{program, "-w", "-t", "nat", "-A"}, rule...)...); err != nil {
			return err
		}
	}
	k.masked = true
	return nil
}

// writeConf writes the CNI configuration, which makes the node ready. It renames the file into place, since a partial one would
// be read.
func (k *keeper) writeConf(cidrs []string) error {
	if len(cidrs) == 0 {
		return nil // not assigned yet
	}
	conf, err := confFor(cidrs)
	if err != nil || bytes.Equal(conf, k.conf) {
		return err
	}
	tmp := filepath.Join(k.confDir, ".10-kgrace")
	if err := os.WriteFile(tmp, conf, 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, filepath.Join(k.confDir, "10-kgrace.conflist")); err != nil {
		return err
	}
	k.conf = conf
	log.Printf("pods of this node are in %s", strings.Join(cidrs, ", "))
	return nil
}

func confFor(cidrs []string) ([]byte, error) {
	type m = map[string]any
	var ranges [][]m
	var routes []m
	for _, cidr := range cidrs {
		ranges = append(ranges, []m{{"subnet": cidr}})
		all := "0.0.0.0/0"
		if is6(cidr) {
			all = "::/0"
		}
		routes = append(routes, m{"dst": all})
	}
	return json.MarshalIndent(m{"cniVersion": "1.0.0", "name": "kgrace", "plugins": []m{
		{"type": "ptp", "ipMasq": false, "ipam": m{"type": "host-local", "dataDir": "/run/cni-ipam-state", "ranges": ranges, "routes": routes}},
		{"type": "portmap", "capabilities": m{"portMappings": true}},
	}}, "", "  ")
}

func is6(cidr string) bool {
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Addr().Is6()
}

func sameFamily(cidr string, addresses []string) string {
	for _, a := range addresses {
		if ip, err := netip.ParseAddr(a); err == nil && ip.Is6() == is6(cidr) {
			return a
		}
	}
	return ""
}

func command(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}
