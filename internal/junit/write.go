// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package junit reads the reports of Ginkgo suites, and writes the results of a proof to a directory, as JSON and as JUnit for CI
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
