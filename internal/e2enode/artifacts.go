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

package e2enode

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2/reporters"
)

// Files that Write leaves.
const (
	ResultsFile = "results-e2e-node.json"
	JUnitFile   = "junit-e2e-node.xml"
)

// Write writes the results as JSON and as JUnit into dir.
func Write(dir string, results []Result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, ResultsFile), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if data, err = xml.MarshalIndent(junit(results), "", "  "); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, JUnitFile), append([]byte(xml.Header), append(data, '\n')...), 0o644)
}

// junit has one suite an arm. A red verdict is a failure; what says neither yes nor no is an error.
func junit(results []Result) reporters.JUnitTestSuites {
	var all reporters.JUnitTestSuites
	for _, arm := range []string{armStock, armFixed} {
		s := reporters.JUnitTestSuite{Name: "e2e-node " + arm}
		for _, r := range results {
			if r.Arm != arm {
				continue
			}
			c := reporters.JUnitTestCase{Name: r.Spec, Classname: s.Name, Status: string(r.Verdict), Time: r.Seconds, SystemOut: r.Why}
			switch {
			case r.Verdict.Red():
				c.Failure = &reporters.JUnitFailure{Message: r.Why, Type: string(r.Verdict), Description: r.Message}
				s.Failures++
			case !r.Good():
				c.Error = &reporters.JUnitError{Message: r.Why, Type: string(r.Verdict), Description: r.Message}
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
	own := 0
	for _, r := range results {
		if r.Own {
			own++
		}
	}
	return fmt.Sprintf("%d verdicts on specs of the series, %d on upstream's; %d as expected, %d red, %d invalid", own, len(results)-own, good, red, invalid)
}
