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

// Package junit reads the reports of Ginkgo suites, and writes the results of a proof to a folder, as JSON and as JUnit for CI
// systems.
package junit

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
)

// Write writes the results as JSON and the suites as JUnit into files of dir.
func Write(dir, resultsFile string, results any, junitFile string, suites reporters.JUnitTestSuites) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, resultsFile), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if data, err = xml.MarshalIndent(suites, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, junitFile), append([]byte(xml.Header), append(data, '\n')...), 0o644)
}

// ReadGinkgo reads a JSON report of Ginkgo.
func ReadGinkgo(file string) (suites []types.Report, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &suites); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return suites, nil
}
