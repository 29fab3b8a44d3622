// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package iptables stands in for sigs.k8s.io/iptables-wrappers/pkg/iptables, which the kubelet of Kubernetes 1.38 imports
// and which not every module proxy has (versions.yaml, stubs).
//
// What is real: the part of the interface that the kubelet uses, so that it compiles. What is not: anything behind it. It
// is a machine without iptables: NewBestEffort finds none, and the kubelet does as it does on such a machine, it creates
// no hint chain. Nothing about the end of pods depends on it.
package iptables

import (
	"context"
	"time"
)

// Table is a table of iptables.
type Table string

// The tables that the kubelet watches.
const (
	TableNAT    Table = "nat"
	TableFilter Table = "filter"
	TableMangle Table = "mangle"
)

// Chain is a chain in a table.
type Chain string

// The built-in chains that the kubelet hooks its rules into.
const (
	ChainOutput Chain = "OUTPUT"
	ChainInput  Chain = "INPUT"
)

// RulePosition says where in a chain a rule goes.
type RulePosition string

// The two ends of a chain.
const (
	Prepend RulePosition = "-I"
	Append  RulePosition = "-A"
)

// Protocol is a family of addresses.
type Protocol string

// Mode says which of the implementations on a machine is meant.
type Mode string

// UseInstalledMode means the one that the machine uses already.
const UseInstalledMode Mode = "installed"

// Interface is what the kubelet asks of iptables. Nothing here implements it.
type Interface interface {
	EnsureChain(ctx context.Context, table Table, chain Chain) (existed bool, err error)
	EnsureRule(ctx context.Context, position RulePosition, table Table, chain Chain, args ...string) (existed bool, err error)
	IsIPv6() bool
	Protocol() Protocol
	Monitor(ctx context.Context, canary Chain, tables []Table, reload func(), interval time.Duration)
}

// NewBestEffort returns an implementation for each family of addresses that the machine supports, which is none.
func NewBestEffort(context.Context, Mode) map[Protocol]Interface { return nil }
