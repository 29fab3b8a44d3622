// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"time"

	"github.com/kgrace/kgrace/internal/result"
	"github.com/kgrace/kgrace/internal/result/calls"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/verdict"
)

// callsView is the runtime calls of both arms side by side.
type callsView struct {
	Summary string
	Lines   []callLine
}

// callLine is a call of both arms, or of one. Sign and Word say how the sides compare.
type callLine struct {
	Class, Sign, Word string
	Stock, Fixed      *callCell
}

type callCell struct {
	At, Text, Note string
	End            bool
}

// newCalls compares the calls of both arms. It is nil if an arm has no history.
func newCalls(s scenario.Scenario, run result.Run) *callsView {
	stock, ok := run.Histories[result.Key{Scenario: s.ID, Arm: verdict.Stock}]
	fixed, too := run.Histories[result.Key{Scenario: s.ID, Arm: verdict.Fixed}]
	if !ok || !too {
		return nil
	}
	v := &callsView{}
	same := 0
	for _, pair := range calls.SideBySide(calls.Of(stock, s), calls.Of(fixed, s)) {
		line := callLine{Class: "other", Sign: "≠", Word: "another", Stock: newCallCell(pair.Stock), Fixed: newCallCell(pair.Fixed)}
		switch {
		case pair.Same:
			line.Class, line.Sign, line.Word = "same", "=", "the same"
			same++
		case pair.Fixed == nil:
			line.Class, line.Sign, line.Word = "only", "−", "only on stock"
		case pair.Stock == nil:
			line.Class, line.Sign, line.Word = "only", "+", "only on fixed"
		}
		v.Lines = append(v.Lines, line)
	}
	if len(v.Lines) == 0 {
		return nil
	}
	v.Summary = fmt.Sprintf("%d the same, %d not", same, len(v.Lines)-same)
	return v
}

func newCallCell(c *calls.Call) *callCell {
	if c == nil {
		return nil
	}
	cell := &callCell{At: fmt.Sprintf("%.2f s", c.At.Seconds()), Text: c.Text, End: c.End}
	switch {
	case c.End:
	case c.Took == nil:
		cell.Note = "never returned"
	case c.Error != "" && *c.Took < 10*time.Millisecond:
		cell.Note = c.Error + " at once"
	case c.Error != "":
		cell.Note = fmt.Sprintf("%s after %s", c.Error, inSeconds(*c.Took))
	case *c.Took >= 10*time.Millisecond:
		cell.Note = "took " + inSeconds(*c.Took)
	}
	return cell
}
