// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"io"
	"time"
)

// Progress logs the start and the end of steps. The zero value is silent.
type Progress struct {
	To   io.Writer // nil discards the lines
	What string    // what every line begins with: "tree v1.37/stock"
}

// Step announces a step; the caller calls done when the step is over.
func (p Progress) Step(format string, args ...any) (done func(err error)) {
	if p.To == nil {
		return func(error) {}
	}
	name := fmt.Sprintf(format, args...)
	p.Say("%s", name)
	start := time.Now()
	stop := Heartbeat(start, func(running time.Duration) { p.Say("%s: running for %s", name, running) })
	return func(err error) {
		stop()
		result := "done"
		if err != nil {
			result = "failed"
		}
		p.Say("%s: %s in %.1fs", name, result, time.Since(start).Seconds())
	}
}

// Say writes one line with a single Write, so that lines of several writers do not mix.
func (p Progress) Say(format string, args ...any) {
	if p.To != nil {
		_, _ = io.WriteString(p.To, p.What+": "+fmt.Sprintf(format, args...)+"\n")
	}
}
