// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/matrix"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simbuild"
)

// scenarios fills the column scenarios.
func (b *bench) scenarios(ctx context.Context, patch matrix.Patch) (cell matrix.Cell, err error) {
	if patch.NoScenario != "" {
		return matrix.Cell{Status: matrix.Nothing, Why: patch.NoScenario}, nil
	}
	seams, err := simbuild.Minors(b.repo.Root)
	if err != nil {
		return cell, err
	}
	if !slices.Contains(seams, b.plan.Minor) {
		return matrix.Cell{Status: matrix.NotRun, Why: fmt.Sprintf("the sim level has no seam for %s; there is one for %s",
			b.plan.Minor, strings.Join(seams, ", "))}, nil
	}
	stock, err := b.verdictsOn(ctx, nil)
	if err != nil {
		return cell, err
	}
	breaks, err := brokenOnStock(patch.Scenarios, b.plan.Minor)
	if err != nil {
		return cell, err
	}
	if upstreamHasIt(breaks, stock) {
		for _, id := range breaks {
			cell.Evidence = append(cell.Evidence, matrix.Evidence{Name: id, Status: matrix.Drop, Text: "held on stock, which should break it"})
		}
		cell.Settle("")
		return cell, nil
	}
	for _, r := range b.stages {
		if r.cell.Status == matrix.Red {
			return matrix.Cell{Status: matrix.NotRun, Why: "the whole series is not available: " + r.cell.Why}, nil
		}
	}
	byStage, err := b.verdictsByStage(ctx)
	if err != nil {
		return cell, err
	}
	all := b.code(len(b.plan.Patches))
	without, err := b.verdictsOn(ctx, except(all, patch.Number))
	if err != nil {
		return cell, err
	}
	for _, id := range patch.Scenarios {
		cell.Evidence = append(cell.Evidence, judged(id, patch.Number, byStage, without, slices.Contains(breaks, id)))
	}
	n := 0
	for _, e := range cell.Evidence {
		if e.Status == matrix.Proved {
			n++
		}
	}
	if without.Missing == "" {
		cell.Settle(fmt.Sprintf("%d of %d are broken by the series without it", n, len(patch.Scenarios)))
		if also := besides(patch.Scenarios, byStage[len(byStage)-1], without); len(also) > 0 {
			cell.Notes = append(cell.Notes, "also broken by the series without it, but not in its trailer: "+strings.Join(also, " "))
		}
		return cell, nil
	}
	cell.Settle(fmt.Sprintf("%d of %d are broken on the tree before it", n, len(patch.Scenarios)))
	cell.Notes = append(cell.Notes, "the series without it cannot be checked: "+without.Missing)
	return cell, nil
}

// verdictsByStage returns the verdicts on the tree up to each patch, stock first.
func (b *bench) verdictsByStage(ctx context.Context) (all []*verdicts, err error) {
	for n := 0; n <= len(b.plan.Patches); n++ {
		v, err := b.verdictsOn(ctx, b.code(n))
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// code returns the numbers of the patches up to number that change what the kubelet does. A patch that touches only test/
// is not compiled at the sim level.
func (b *bench) code(number int) []int {
	return slices.DeleteFunc(b.upTo(number), func(n int) bool { return b.plan.Patches[n-1].OnlyTests() })
}

// brokenOnStock returns the scenarios among ids that, according to the catalogue, stock breaks. Stock holds the others, and
// only part of a series could break them.
func brokenOnStock(ids []string, minor string) (breaks []string, err error) {
	all, err := scenario.Catalogue()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		expect := s.At(scenario.LevelSim).In(minor).Expect
		if slices.Contains(ids, s.ID) && slices.ContainsFunc(expect, func(e scenario.Expectation) bool { return e.Stock == scenario.Broken }) {
			breaks = append(breaks, s.ID)
		}
	}
	return breaks, nil
}

// upstreamHasIt reports whether stock holds every scenario that it is expected to break.
func upstreamHasIt(breaks []string, stock *verdicts) bool {
	return len(breaks) > 0 && !slices.ContainsFunc(breaks, func(id string) bool { return !stock.Of(id).held() })
}

// judged judges one scenario of a patch's trailer. byStage has the verdicts up to each patch, the last of the whole series;
// breaks means that stock is expected to break the scenario.
func judged(id string, number int, byStage []*verdicts, without *verdicts, breaks bool) matrix.Evidence {
	e := matrix.Evidence{Name: id, Status: matrix.Proved}
	whole := byStage[len(byStage)-1].Of(id)
	lacking, where := without.Of(id), "the series without the patch"
	if without.Missing != "" {
		lacking, where = byStage[number-1].Of(id), "the tree before the patch"
	}
	switch {
	case whole.Invalid != "":
		e.Status, e.Text = matrix.NotRun, "on the whole series: "+whole.Invalid
	case len(whole.Broken) > 0:
		e.Status, e.Text = matrix.Red, "broken by the whole series: "+rules(whole.Broken)
	case lacking.Invalid != "":
		e.Status, e.Text = matrix.NotRun, "on "+where+": "+lacking.Invalid
	case lacking.held() && without.Missing != "" && !breaks:
		e.Status = matrix.Nothing
		e.Text = "stock holds it, so only the series without the patch could break it, and there is no such tree"
	case lacking.held():
		e.Status, e.Text = matrix.Red, "held by "+where+" as well; it does not belong in the trailer"
	default:
		e.Text = fmt.Sprintf("%s breaks %s; %s", where, rules(lacking.Broken), heldFrom(id, byStage))
	}
	return e
}

// heldFrom names the first patch from which on a scenario is held.
func heldFrom(id string, byStage []*verdicts) string {
	n := len(byStage)
	for n > 0 && byStage[n-1].Of(id).held() {
		n--
	}
	switch n {
	case 0:
		return "held on stock"
	case len(byStage):
		return "never held"
	}
	return fmt.Sprintf("held from patch %d on", n)
}

// besides returns the scenarios that only the whole series holds and that the trailer does not name.
func besides(named []string, whole, without *verdicts) (also []string) {
	for _, id := range without.ids() {
		if !slices.Contains(named, id) && whole.Of(id).held() && len(without.Of(id).Broken) > 0 {
			also = append(also, id)
		}
	}
	return also
}

func rules(broken []scenario.Rule) string {
	var words []string
	for _, r := range broken {
		words = append(words, string(r))
	}
	return strings.Join(words, " ")
}
