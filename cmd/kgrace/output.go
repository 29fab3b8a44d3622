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

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// outputFlag is the value of -o/--output: a table for people, or JSON.
type outputFlag string

var outputFormats = []string{"table", "json"}

func (o *outputFlag) String() string { return string(*o) }
func (o *outputFlag) Type() string   { return "table|json" }

func (o *outputFlag) Set(v string) error {
	if !slices.Contains(outputFormats, v) {
		return fmt.Errorf("there are table and json")
	}
	*o = outputFlag(v)
	return nil
}

// newOutputFlag is the flag with its default.
func newOutputFlag() outputFlag { return "table" }

// write prints v as JSON, or as a table: header and rows.
func (o outputFlag) write(w io.Writer, v any, header []string, rows [][]string) error {
	if o == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, cell)
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}
