// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// TestCountsAgreeWithTheMatrix counts the cells of the page by their words and holds the head and the foot of the matrix to it.
func TestCountsAgreeWithTheMatrix(t *testing.T) {
	page := render(t, kept(t))
	head, rest, _ := strings.Cut(page, `<table class="matrix`)
	body, foot, _ := strings.Cut(rest, "<tfoot>")
	foot, _, _ = strings.Cut(foot, "</tfoot>")
	cells := result.Tally{}
	all := regexp.MustCompile(`<a class="cell [^>]+>.*?<span class="word">([a-z-]+)</span>`).FindAllStringSubmatch(body, -1)
	for _, m := range all {
		cells[verdict.Verdict(m[1])]++
	}
	count := func(text, pattern string) result.Tally {
		sum := result.Tally{}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			sum[verdict.Verdict(m[2])] += n
		}
		return sum
	}
	for name, got := range map[string]result.Tally{
		"head": count(head, `<b>(\d+)</b> <span class="chip [a-z-]+"><span class="sign" aria-hidden="true">.</span> ([a-z-]+)</span>`),
		"foot": count(foot, `<span class="sum">(\d+) ([a-z-]+)</span>`),
	} {
		if want := inWords(cells); inWords(got) != want {
			t.Errorf("the %s counts %s; the matrix has %s", name, inWords(got), want)
		}
	}
	if want := "the " + strconv.Itoa(len(all)) + " cells"; !strings.Contains(head, want) {
		t.Errorf("the head does not count %s", want)
	}
}

func TestChipsOfExpectedVerdictsAreCalm(t *testing.T) {
	for v := range signs {
		if loud := newChip(v).Class == "red"; loud != v.Red() {
			t.Errorf("%s is painted as a failure: %t", v, loud)
		}
	}
	if newChip(verdict.Reproduced).Sign == newChip(verdict.Regressed).Sign {
		t.Error("reproduced has the sign of a failure")
	}
}

func TestEachLevelHasItsScale(t *testing.T) {
	seconds := func(s float64) *float64 { return &s }
	run := func(level scenario.Level, stock, fixed float64) result.Run {
		var one, other result.Result
		one.Arm, one.Forced, other.Arm, other.Forced = verdict.Stock, seconds(stock), verdict.Fixed, seconds(fixed)
		return result.Run{Name: string(level), Results: result.Results{Level: level, Arms: verdict.Arms(), Results: []result.Result{one, other}}}
	}
	a, _ := newMedians(run(scenario.LevelSim, 3590, 0), "sim")
	b, _ := newMedians(run(scenario.LevelNode, 20, 5), "node")
	if a.Most != "3590 s" || b.Most != "20.0 s" || b.Bars[1].Width != "25%" || a.About == b.About {
		t.Errorf("%+v, %+v", a, b)
	}
}

func TestOddKeptRowSaysWhy(t *testing.T) {
	page := render(t, kept(t))
	if !strings.Contains(page, "Kept, though the times differ:</b> the row shortens the grace; its rule asks for something else.") {
		t.Error("quiet-cancel does not say why it is kept")
	}
	if n := strings.Count(page, "Kept, though"); n != 1 {
		t.Errorf("%d rows are odd", n)
	}
	dead := func(s float64) result.Result {
		r := result.Result{Scenario: "a", Rules: []result.Rule{{Verdict: verdict.Kept}}}
		r.Dead = &s
		return r
	}
	stock, fixed := dead(.5), dead(6.7)
	stock.Arm, fixed.Arm = verdict.Stock, verdict.Fixed
	run := result.Run{Results: result.Results{Arms: verdict.Arms(), Results: []result.Result{stock, fixed}}}
	if got := newBlock(scenario.Scenario{ID: "a"}, run, "node", site{}).Apart; !strings.Contains(got, "gives no reason") {
		t.Errorf("a row without a reason says %q", got)
	}
}

func TestLinksStartAtThePage(t *testing.T) {
	at := siteOf(filepath.Join("a", "page", "report.html"))
	for file, want := range map[string]string{
		filepath.Join("a", "artifacts", "x.log"): "../artifacts/x.log",
		filepath.Join("a", "page", "b c#d.log"):  "b%20c%23d.log",
		filepath.Join("a", "page", "b:c.log"):    "./b:c.log",
	} {
		if got := at.link(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
