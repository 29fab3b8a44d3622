// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

// Verdict is the verdict on a probe, a node or a cluster.
type Verdict string

// The verdicts. A node that was left out has none.
const (
	Fixed    Verdict = "fixed"
	Affected Verdict = "affected"
	Unknown  Verdict = "could not tell"
)

// Probes in the order in which they are shown.
const (
	Shortened = "shortened"
	Forced    = "forced"
	Zero      = "zero"
	// hookPrefix begins the names of the same probes with a preStop hook.
	hookPrefix = "hook-"
)

// Result is what one probe found on one node.
type Result struct {
	Probe   string  `json:"probe"`
	Verdict Verdict `json:"verdict"`
	// Seconds that the process lived after it was first asked to end; without its log, until its object was gone. Negative if
	// not known.
	Seconds float64 `json:"seconds"`
	// Why is the reason for the verdict.
	Why string `json:"why,omitempty"`
}

// Cause is the component that makes a node affected.
type Cause string

// The causes. The runtime is the cause if the kubelet carries zero, which only a fixed one does, and a second, shorter stop has
// no effect.
const (
	CauseKubelet Cause = "kubelet"
	CauseRuntime Cause = "runtime"
)

// NodeReport is the report on one node.
type NodeReport struct {
	Node    string   `json:"node"`
	Kubelet string   `json:"kubelet,omitempty"`
	Runtime string   `json:"runtime,omitempty"`
	Verdict Verdict  `json:"verdict"`
	Cause   Cause    `json:"cause,omitempty"`
	Why     string   `json:"why,omitempty"`
	Hint    string   `json:"hint,omitempty"`
	Results []Result `json:"probes"`
	// OverheadSeconds is the time that the control pod took beyond its grace period; negative if not known.
	OverheadSeconds float64 `json:"overheadSeconds"`
	// OrphanSeconds is for how long the kubelet itself counted orphaned terminating pods; absent if its metrics cannot be read.
	OrphanSeconds *float64 `json:"orphanSeconds,omitempty"`
	// TookSeconds is from the first pod's creation to the verdict.
	TookSeconds float64 `json:"tookSeconds"`
}

// Report is the report on a cluster.
type Report struct {
	Nodes []NodeReport `json:"nodes"`
	// LeftOut names nodes that were not checked, each with the reason.
	LeftOut []string `json:"leftOut,omitempty"`
	// Missing rights, each with what is lost without it.
	Missing []string `json:"missing,omitempty"`
}

// Verdict is affected if any node is, fixed if all are.
func (r *Report) Verdict() Verdict {
	all := Fixed
	if len(r.Nodes) == 0 {
		all = Unknown
	}
	for _, n := range r.Nodes {
		switch n.Verdict {
		case Affected:
			return Affected
		case Unknown:
			all = Unknown
		}
	}
	return all
}

// conclude sums up a node's probes.
func (n *NodeReport) conclude() {
	n.Verdict = Fixed
	if len(n.Results) == 0 {
		n.Verdict = Unknown
	}
	by := map[string]Verdict{}
	for _, r := range n.Results {
		by[r.Probe] = r.Verdict
		switch {
		case r.Verdict == Affected:
			n.Verdict = Affected
		case r.Verdict == Unknown && n.Verdict == Fixed:
			n.Verdict = Unknown
		}
	}
	hurried := by[Shortened] == Affected || by[Forced] == Affected
	if n.Verdict == Affected {
		n.Cause = CauseKubelet
		if by[Zero] == Fixed && hurried {
			n.Cause = CauseRuntime
			n.Why = "the kubelet sends zero at once, so it is fixed; the runtime delays a second, shorter stop"
		}
	}
	n.Hint = runtimeHint(n.Runtime)
}
