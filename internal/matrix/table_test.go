// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"strings"
	"testing"
)

// rowOf returns a row whose cells are proved except for the given ones.
func rowOf(change map[Column]Status) Row {
	r := Row{Number: 2, Patch: "0002-two.patch", Subject: "kubelet: thought 2", DropWhen: "upstream has thought 2"}
	for _, c := range Columns() {
		cell := Cell{Column: c, Status: Proved, Why: "because of " + string(c)}
		if s, ok := change[c]; ok {
			cell.Status = s
		}
		r.Cells = append(r.Cells, cell)
	}
	return r
}

func TestRowVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		change map[Column]Status
		want   Status
		why    string
	}{
		"all proved":               {nil, Proved, ""},
		"nothing to prove":         {map[Column]Status{Without: Nothing, With: Nothing, Scenarios: Nothing}, Proved, ""},
		"one red":                  {map[Column]Status{Builds: Red, With: NotRun}, Red, "builds: because of builds"},
		"one not run":              {map[Column]Status{Scenarios: NotRun}, NotRun, ""},
		"upstream has it":          {map[Column]Status{Without: Drop, Scenarios: Drop}, Drop, "upstream has thought 2 (its tests fail without it: because of without)"},
		"it is in stock":           {map[Column]Status{Applies: Drop, Without: Drop, Scenarios: Drop}, Drop, "upstream has thought 2 (applies"},
		"no scenario sees it":      {map[Column]Status{Without: Drop, Scenarios: Nothing}, Drop, "upstream has thought 2"},
		"drop, but unknown yet":    {map[Column]Status{Without: Drop, Scenarios: NotRun}, NotRun, ""},
		"tests detect nothing":     {map[Column]Status{Without: Drop}, Red, "contradiction: upstream has it (its tests fail without it"},
		"scenarios detect nothing": {map[Column]Status{Scenarios: Drop}, Red, "contradiction"},
		"in stock, yet it breaks":  {map[Column]Status{Applies: Drop}, Red, "contradiction"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := rowOf(c.change).Verdict()
			if got != c.want || !strings.Contains(why, c.why) || c.why == "" && why != "" {
				t.Errorf("got %s, %q; want %s, %q", got, why, c.want, c.why)
			}
		})
	}
}

func TestSettle(t *testing.T) {
	e := func(s Status) Evidence { return Evidence{Name: string(s), Status: s, Text: "text"} }
	for name, c := range map[string]struct {
		evidence []Evidence
		want     Status
		why      string
	}{
		"proved":         {[]Evidence{e(Nothing), e(Proved)}, Proved, "as said"},
		"red":            {[]Evidence{e(Proved), e(NotRun), e(Red), e(Red)}, Red, "red: text (and 1 more)"},
		"not run":        {[]Evidence{e(Drop), e(NotRun)}, NotRun, "not-run: text"},
		"drop":           {[]Evidence{e(Drop), e(Drop), e(Nothing)}, Drop, "drop: text"},
		"half of it":     {[]Evidence{e(Drop), e(Proved)}, Red, "half of the patch is upstream"},
		"nothing but ok": {[]Evidence{e(Nothing)}, Nothing, "text"},
	} {
		t.Run(name, func(t *testing.T) {
			cell := Cell{Evidence: c.evidence}
			if cell.Settle("as said"); cell.Status != c.want || !strings.Contains(cell.Why, c.why) {
				t.Errorf("got %s, %q", cell.Status, cell.Why)
			}
		})
	}
	empty := Cell{Status: NotRun, Why: "no"}
	if empty.Settle("as said"); empty.Status != NotRun {
		t.Error("without evidence nothing is settled")
	}
}

func TestDropIsLoudAndNoError(t *testing.T) {
	table := Table{Minors: []Minor{{Minor: "v1.38", Kubernetes: "v1.38.0", Go: "go1.27.3", Rows: []Row{rowOf(map[Column]Status{Without: Drop, Scenarios: Drop})}}}}
	o := table.Outcome(nil)
	if table.Status() != Drop || len(o.Drop) != 1 || len(o.Red)+len(o.NotRun) != 0 {
		t.Fatalf("%s: %+v", table.Status(), o)
	}
	if !strings.Contains(o.Drop[0], "v1.38 patch 2, kubelet: thought 2: upstream has thought 2") {
		t.Errorf("got %q", o.Drop[0])
	}
	text := table.Markdown()
	for _, want := range []string{"**Patches to drop: 1**", "| kubelet: thought 2 | ↧ **DROP THE PATCH** |", "- **Drop the patch**: upstream has thought 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	table.Minors[0].Rows[0] = rowOf(map[Column]Status{Without: Drop})
	if o = table.Outcome(nil); len(o.Red) != 1 || !strings.Contains(o.Red[0], "contradiction") {
		t.Errorf("a contradiction is %+v", o)
	}
}

func TestMarkdown(t *testing.T) {
	short := rowOf(nil)
	other := rowOf(map[Column]Status{Scenarios: NotRun})
	other.Subject, other.Cells[5].Why = "test: a | pipe", "no seam\nfor it"
	other.Cells[3].Evidence = []Evidence{{"pkg/kubelet.TestX", Proved, "got 2"}}
	other.Cells[5].Notes = []string{"also broken: b"}
	table := Table{Minors: []Minor{{Minor: "v1.22", Kubernetes: "v1.22.17", Go: "go1", Rows: []Row{short}}, {Minor: "v1.37", Kubernetes: "v1.37.2", Go: "go1", Rows: []Row{short, other}}}}
	text := table.Markdown()
	for _, want := range []string{
		"| patch | v1.22.17 | v1.37.2 |\n",
		"| test: a \\| pipe | not in this series | ? not run |\n",
		"Of 18 cells 17 are proved, 0 have nothing to prove, 1 were not run.",
		"- scenarios: not run, no seam for it\n",
		"- its tests fail without it: ✓ `pkg/kubelet.TestX`: got 2\n",
		"- scenarios: also broken: b\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if _, err := ParseColumn("build"); err == nil || !strings.Contains(err.Error(), "applies, builds, upstream") {
		t.Errorf("got %v", err)
	}
}
