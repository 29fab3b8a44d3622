// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"time"

	"github.com/kgrace/kgrace/internal/verdict"
)

// Column is what a wave of pods was ended by.
type Column string

const (
	// Stock and Fixed are the two kubelets.
	Stock = Column(verdict.Stock)
	Fixed = Column(verdict.Fixed)
	// Alone is the runtime alone, without a kubelet.
	Alone Column = "runtime alone"
)

// Part is one way to end all pods of a wave.
type Part struct {
	// ID names the part, its pods and its files.
	ID string `json:"id"`
	// About is what is asked, for people.
	About string `json:"about"`
	// Requests are in the order of their times.
	Requests []Request `json:"requests"`
	// Zero is the request from which times are counted: the sending of the first one of any pod.
	Zero int `json:"zero"`
}

// Request is one delete of every pod.
type Request struct {
	After time.Duration `json:"after"`
	Grace int64         `json:"grace"`
}

const (
	// Grace is the grace period, in seconds, of the pods that are hurried later.
	Grace = 120
	// into is how long a pod has been terminating when it is hurried.
	into = 5 * time.Second
	// Shorter is the shorter grace period, in seconds, counted from the first delete.
	Shorter = 15
)

// Identifiers of the parts.
const (
	ForceRunning     = "force-running"
	ForceTerminating = "force-terminating"
	Shorten          = "shorten"
)

// Parts returns the parts with the given first grace period, in seconds.
func Parts(grace int64) []Part {
	return []Part{
		{ID: ForceRunning, About: "force, of running pods", Requests: []Request{{0, 0}}},
		{ID: ForceTerminating, About: fmt.Sprintf("delete(%d), 5 s later force", grace), Requests: []Request{{0, grace}, {into, 0}}, Zero: 1},
		{ID: Shorten, About: fmt.Sprintf("delete(%d), 5 s later delete(%d)", grace, Shorter), Requests: []Request{{0, grace}, {into, Shorter}}},
	}
}

// deciding returns the request that is to end the pods.
func (p Part) deciding() Request { return p.Requests[len(p.Requests)-1] }

// deadline returns when the pods are due, counted from the request Zero. A shorter delete counts from the first one.
func (p Part) deadline() time.Duration {
	last := p.deciding()
	if last.Grace == 0 {
		return last.After - p.Requests[p.Zero].After
	}
	return time.Duration(last.Grace)*time.Second - p.Requests[p.Zero].After
}
