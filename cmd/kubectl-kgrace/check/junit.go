// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"encoding/xml"
	"io"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Time       float64         `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Time      float64       `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure,omitempty"`
	Error     *junitProblem `xml:"error,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
}

// WriteJUnit writes a suite for each node and a case for each probe. Affected is a failure, "could not tell" an error.
func (r *Report) WriteJUnit(out io.Writer) error {
	all := junitSuites{Name: "kgrace check"}
	for _, n := range r.Nodes {
		s := junitSuite{Name: n.Node, Time: n.TookSeconds, Properties: []junitProperty{{"kubelet", n.Kubelet}, {"runtime", n.Runtime}, {"verdict", string(n.Verdict)}}}
		for _, p := range n.Results {
			c := junitCase{Name: p.Probe, Classname: "kgrace check " + n.Node, Time: max(0, p.Seconds)}
			problem := &junitProblem{Message: p.figure() + ": " + p.Why, Type: string(p.Verdict)}
			switch p.Verdict {
			case Affected:
				c.Failure = problem
				s.Failures++
			case Unknown:
				c.Error = problem
				s.Errors++
			}
			s.Tests++
			s.Cases = append(s.Cases, c)
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}
