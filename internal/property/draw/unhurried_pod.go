// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/scenario"
)

func (u *unhurried) pod() scenario.Pod {
	p := scenario.Pod{Grace: u.seconds("spec grace", 1, longest)}
	if u.rarely("spec zero", 30) {
		p.Grace = 0
	}
	names := []string{"main", "second", "third", "fourth"}[:u.oneOf("containers", 1, 1, 1, 2, 2, 3, 4)]
	sidecars := []string{"sidecar-1", "sidecar-2"}[:u.oneOf("sidecars", 0, 0, 0, 1, 2)]
	for i, name := range names {
		c := u.container(name, p.Grace)
		// A pod that completes while some of its containers still run is then stopped, with the spec's grace, and a later
		// request could hurry it.
		if i > 0 || len(names)+len(sidecars) == 1 {
			u.ends(&c)
		}
		p.Containers = append(p.Containers, c)
	}
	for _, name := range sidecars {
		c := u.container(name, p.Grace)
		c.PostStart = nil // it is over before the first container starts
		p.Sidecars = append(p.Sidecars, c)
	}
	p.Restarts = u.rarely("restarts", 8)
	return p
}

func (u *unhurried) container(name string, grace int64) scenario.Container {
	c := scenario.Container{Name: name}
	if u.oneOf("ends by itself", 0, 0, 1, 1, 1) == 0 {
		c.Stubborn = true
	} else {
		c.ExitAfter = u.quarters("quarters after TERM", 0, 4*int(grace)+8)
	}
	switch u.oneOf("hook", 0, 0, 0, 1, 1, 2, 3, 4) {
	case 1:
		c.Hook = &scenario.Hook{Kind: scenario.HookExec, Takes: u.quarters("quarters", 1, 4*int(grace)+8)}
		c.Hook.Fails = u.rarely("hook fails", 3)
		if u.rarely("hook ends main", 6) {
			c.Hook.EndsMain = u.quarters("quarters of main", 1, 4*int(grace))
		}
	case 2:
		c.Hook = &scenario.Hook{Kind: scenario.HookExec}
	case 3:
		if grace == 0 {
			break // the API allows no sleep then
		}
		// In half of the cases as long as the grace, which is the maximum that the API allows.
		takes := grace
		if u.oneOf("sleeps for the whole grace", 0, 1) == 0 {
			takes = u.seconds("sleep", 1, grace)
		}
		c.Hook = &scenario.Hook{Kind: scenario.HookSleep, Takes: time.Duration(takes) * time.Second}
	case 4:
		if !u.http { // servers of HTTP hooks share a port
			u.http = true
			c.Hook = &scenario.Hook{Kind: scenario.HookHTTP}
		}
	}
	if u.rarely("probe", 4) {
		c.Probe = time.Duration(u.seconds("period", 1, 3)) * time.Second
	}
	if u.rarely("postStart", 8) {
		c.PostStart = &scenario.Hook{Kind: scenario.HookExec, Takes: u.quarters("quarters of postStart", 1, 12)}
	}
	return c
}

// ends draws whether a container exits by itself or fails its liveness probe.
func (u *unhurried) ends(c *scenario.Container) {
	switch u.oneOf("fate", 0, 0, 0, 0, 0, 0, 1, 2) {
	case 1:
		c.Stubborn, c.ExitAfter = false, 0
		c.Ends = u.quarters("quarters of life", 20, 120)
	case 2:
		if u.sick {
			break
		}
		u.sick = true
		c.Sick = time.Duration(u.seconds("health", 5, 30)) * time.Second
	}
}

// faults draws the faults of the runtime, and possibly a pull that takes long and then fails.
func (u *unhurried) faults(s *scenario.Scenario) (all []scenario.Fault) {
	if u.rarely("pull", 5) && len(s.Pod.Containers) > 1 {
		last := &s.Pod.Containers[len(s.Pod.Containers)-1]
		last.Pull, last.Ends, last.Sick, last.PostStart = true, 0, 0, nil
		// If the first sync ends late, probes would start just when the pod is to end.
		for _, containers := range [][]scenario.Container{s.Pod.Containers, s.Pod.Sidecars} {
			for i := range containers {
				containers[i].Probe, containers[i].Sick = 0, 0
			}
		}
		all = append(all, scenario.Fault{Call: "PullImage", Delay: u.quarters("quarters of pull", 1, 4*longest)})
	}
	calls := []string{"StopContainer", "StopPodSandbox", "ExecSync", "ContainerStatus", "PodSandboxStatus"}
	if slices.ContainsFunc(s.Pod.All(), func(c scenario.Container) bool { return c.Probe > 0 || c.Sick > 0 || c.PostStart != nil }) {
		calls = slices.Delete(calls, 2, 3) // these execs would be affected too, and the pod never armed
	}
	for _, call := range calls {
		f := scenario.Fault{Call: call}
		if call == "StopContainer" && u.rarely("never stops", 25) {
			f.Fails = true
			all = append(all, f)
			continue
		}
		status := call == "ContainerStatus" || call == "PodSandboxStatus"
		odds := []int{0, 0, 0, 0, 0, 1, 2, 3, 4}
		if status { // active only from the first request on, because the pod must start
			odds = append(odds, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			f.From = u.quarters("quarters until then", 0, 80)
		}
		if call == "ContainerStatus" {
			// A slow call holds one of the kubelet's locks, which a bubble cannot wait for.
			odds = slices.DeleteFunc(odds, func(n int) bool { return n > 2 })
		}
		switch u.oneOf(call, odds...) {
		case 0:
			continue
		case 1:
			f.Fails, f.Times = true, u.oneOf("times", 1, 1, 2, 3)
		case 2:
			f.Fails, f.For = true, f.From+u.quarters("quarters of refusal", 1, 80)
		case 3:
			f.Delay, f.Times = u.quarters("quarters of delay", 1, 40), u.oneOf("times", 1, 2, 3)
		case 4:
			f.Hangs, f.Times = true, 1
		}
		if containers := s.Pod.All(); !strings.Contains(call, "Sandbox") && f.Times > 0 && len(containers) > 1 {
			// Which of several calls at one time is the first is undefined.
			f.Container = containers[u.oneOf("whose", upTo(len(containers))...)].Name
		}
		all = append(all, f)
	}
	return all
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}
