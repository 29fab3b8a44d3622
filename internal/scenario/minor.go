/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package scenario

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Since is the Kubernetes minor in which something begins. The zero value is before every minor.
type Since struct {
	// Minor is the first one, "v1.29".
	Minor string
	// Why says what came with it.
	Why string
}

// before reports whether a minor is older. One without a name is none of the old ones.
func (s Since) before(minor string) bool {
	return s.Minor != "" && minor != "" && semver.Compare(minor, s.Minor) < 0
}

func (s Since) check() error {
	switch {
	case s == Since{}:
		return nil
	case !semver.IsValid(s.Minor) || semver.MajorMinor(s.Minor) != s.Minor:
		return fmt.Errorf("%q is no Kubernetes minor; write v1.29", s.Minor)
	case s.Why == "":
		return fmt.Errorf("say what came with %s", s.Minor)
	}
	return nil
}

// Earlier is what stock showed up to a minor, where that is not what it shows today.
type Earlier struct {
	Since
	// Stock is what the judge found on stock in every older minor.
	Stock Outcome
}

// SkipReason says why a minor cannot carry the scenario at any level; "" if it can.
func (s Scenario) SkipReason(minor string) string {
	if s.Since.before(minor) {
		return fmt.Sprintf("since %s: %s", s.Since.Minor, s.Since.Why)
	}
	if why := s.BrokenIn[minor]; why != "" {
		return "broken there: " + why
	}
	return ""
}

// checkBrokenIn finds what is wrong with the minors that cannot carry the scenario though they are not too old.
func (s Scenario) checkBrokenIn() error {
	for minor, why := range s.BrokenIn {
		if err := (Since{minor, why}).check(); err != nil {
			return err
		}
		if s.Since.before(minor) {
			return fmt.Errorf("%s is older than %s, which is reason enough", minor, s.Since.Minor)
		}
	}
	return nil
}

// In returns the scenario as a minor shows it: with what stock of that minor is expected to do.
func (s Scenario) In(minor string) Scenario {
	s.Expect = slices.Clone(s.Expect)
	for i, e := range s.Expect {
		if e.Earlier.before(minor) {
			s.Expect[i].Stock = e.Earlier.Stock
		}
	}
	return s
}

// PickIn is Pick for one minor: the scenarios that it can carry, and those that it lacks. An id that the minor lacks is an
// error with the reason.
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
		case len(ids) > 0:
			return nil, nil, fmt.Errorf("%s cannot carry scenario %q, which is %s", minor, s.ID, why)
		default:
			skipped = append(skipped, s)
		}
	}
	if len(picked) == 0 {
		return nil, nil, fmt.Errorf("%s can carry none of %s", minor, strings.Join(ids, ", "))
	}
	return picked, skipped, nil
}
