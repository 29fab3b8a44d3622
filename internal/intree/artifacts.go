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

package intree

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2/reporters"
)

// Write writes the results as JSON and as JUnit into dir: intree.json and junit-intree.xml.
func Write(dir string, results []Result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "intree.json"), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if data, err = xml.MarshalIndent(junit(results), "", "  "); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "junit-intree.xml"), append([]byte(xml.Header), append(data, '\n')...), 0o644)
}

// junit has one suite an arm. A verdict that is not as it should be is a failure, a test that never got to say something
// an error.
func junit(results []Result) reporters.JUnitTestSuites {
	var all reporters.JUnitTestSuites
	for _, arm := range []string{"stock", "fixed", "each"} {
		s := reporters.JUnitTestSuite{Name: "intree " + arm}
		for _, r := range results {
			if r.Arm != arm {
				continue
			}
			c := reporters.JUnitTestCase{Name: r.Name(), Classname: s.Name, Status: string(r.Verdict), Time: r.Seconds, SystemOut: r.Output}
			switch {
			case r.Verdict.Red():
				c.Failure = &reporters.JUnitFailure{Message: r.Why, Type: string(r.Verdict)}
				s.Failures++
			case !r.Good():
				c.Error = &reporters.JUnitError{Message: r.Why, Type: string(r.Verdict)}
				s.Errors++
			}
			s.Tests++
			s.Time += r.Seconds
			s.TestCases = append(s.TestCases, c)
		}
		if s.Tests == 0 {
			continue
		}
		all.TestSuites = append(all.TestSuites, s)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Time += s.Time
	}
	return all
}

// Counts says how many results are good, red, and neither.
func Counts(results []Result) (good, red, invalid int) {
	for _, r := range results {
		switch {
		case r.Good():
			good++
		case r.Verdict.Red():
			red++
		default:
			invalid++
		}
	}
	return good, red, invalid
}

// Summary in one line.
func Summary(results []Result) string {
	good, red, invalid := Counts(results)
	passed := 0
	for _, r := range results {
		if r.Arm == "fixed" {
			passed += r.Passed
		}
	}
	return fmt.Sprintf("%d as expected, %d red, %d invalid; %d upstream tests pass on fixed", good, red, invalid, passed)
}
