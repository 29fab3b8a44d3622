// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Since is the Kubernetes minor that introduced something. The zero value is before every minor.
type Since struct {
	// Minor is the first one, such as "v1.29".
	Minor string
	// Why names what that minor introduced.
	Why string
}

// before reports whether a minor is older than s. An empty minor is not.
func (s Since) before(minor string) bool {
	return s.Minor != "" && minor != "" && semver.Compare(minor, s.Minor) < 0
}

func (s Since) check() error {
	switch {
	case s == Since{}:
		return nil
	case !semver.IsValid(s.Minor) || semver.MajorMinor(s.Minor) != s.Minor:
		return fmt.Errorf("%q is not a Kubernetes minor; want a form like v1.29", s.Minor)
	case s.Why == "":
		return fmt.Errorf("say what came with %s", s.Minor)
	}
	return nil
}

// Earlier is the outcome on stock in older minors, where it differs from the current one.
type Earlier struct {
	Since
	// Stock is the outcome on stock in every older minor.
	Stock Outcome
}

// SkipReason returns the reason why a minor cannot run the scenario at any level; "" if it can.
func (s Scenario) SkipReason(minor string) string {
	if s.Since.before(minor) {
		return fmt.Sprintf("since %s: %s", s.Since.Minor, s.Since.Why)
	}
	if why := s.BrokenIn[minor]; why != "" {
		return "broken in this minor: " + why
	}
	return ""
}

// checkBrokenIn checks the reasons of the minors in BrokenIn and Unlike, and that Since does not exclude the former already.
func (s Scenario) checkBrokenIn() error {
	for minor, why := range s.Unlike {
		if err := (Since{minor, why}).check(); err != nil {
			return err
		}
		if !s.AsStock {
			return fmt.Errorf("Unlike %s needs AsStock", minor)
		}
	}
	for minor, why := range s.BrokenIn {
		if err := (Since{minor, why}).check(); err != nil {
			return err
		}
		if s.Since.before(minor) {
			return fmt.Errorf("%s is older than %s, so Since already excludes it", minor, s.Since.Minor)
		}
	}
	return nil
}

// In returns the scenario as it runs in a minor, with the outcome expected on stock of that minor.
func (s Scenario) In(minor string) Scenario {
	if s.Unlike[minor] != "" {
		s.AsStock = false
	}
	s.Expect = slices.Clone(s.Expect)
	for i, e := range s.Expect {
		if e.Earlier.before(minor) {
			s.Expect[i].Stock = e.Earlier.Stock
		}
	}
	return s
}

// PickIn is Pick for one minor: it returns the scenarios that the minor can run and those that it must skip. It returns an
// error with the reason if a given id must be skipped; a pattern skips it.
func PickIn(all []Scenario, minor string, level Level, ids ...string) (picked, skipped []Scenario, err error) {
	rows, err := Pick(all, level, ids...)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range rows {
		why := s.SkipReason(minor)
		switch {
		case why == "":
			picked = append(picked, s)
		case slices.Contains(ids, s.ID):
			return nil, nil, fmt.Errorf("%s cannot run scenario %q: %s", minor, s.ID, why)
		default:
			skipped = append(skipped, s)
		}
	}
	if len(picked) == 0 {
		return nil, nil, fmt.Errorf("%s can run none of %s", minor, strings.Join(ids, ", "))
	}
	return picked, skipped, nil
}
