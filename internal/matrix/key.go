// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// cellFormat is part of every key. Raise it when the meaning of a column changes.
const cellFormat = 1

// Inputs are the inputs of a minor's cells besides the series and the pins.
type Inputs struct {
	// Stock is the commit of the stock arm; it covers every file of it.
	Stock string
	// Sources are digests of this project's own sources that determine a column.
	Sources map[Column]string
}

// Key returns the digest of all inputs of a cell: the stock arm, the toolchain, the changes of the patches up to this one (for
// scenarios the whole series, and the patch's trailer), the declared tests, and this project's own sources for the column. It is a lower-case hexadecimal
// SHA-256.
func (p *Plan) Key(number int, column Column, in Inputs) string {
	h := sha256.New()
	write := func(parts ...any) {
		for _, part := range parts {
			text := fmt.Sprint(part)
			fmt.Fprintf(h, "%d:%s\n", len(text), text)
		}
	}
	write(cellFormat, column, number, in.Stock, in.Sources[column])
	if column != Applies {
		write(p.Pins.Go, p.Pins.Staging)
	}
	last := number
	if column == Scenarios {
		last = len(p.Patches)
	}
	for _, patch := range p.Patches[:last] {
		if column == Applies {
			write(patch.Name, string(patch.Data))
		} else {
			write(patch.Name, patch.Diff) // a commit message proves nothing
		}
	}
	if column == Scenarios {
		own := p.Patches[number-1]
		write(strings.Join(own.Scenarios, " "), own.NoScenario)
	}
	if column == Without || column == With {
		// Marshalling plain strings does not fail.
		data, _ := json.Marshal([]any{p.Patches[number-1].Tests, p.OnStock})
		write(string(data))
	}
	return hex.EncodeToString(h.Sum(nil))
}
