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

package kubetree

import (
	"fmt"
	"io"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
)

// progress logs the start and the end of a step. The zero value is silent.
type progress struct {
	w    io.Writer
	what string // "tree v1.37/stock"
}

// step announces a step; the caller calls done when the step is over.
func (p progress) step(format string, args ...any) (done func(err error)) {
	if p.w == nil {
		return func(error) {}
	}
	name := fmt.Sprintf(format, args...)
	p.say("%s", name)
	start := time.Now()
	stop := tool.Heartbeat(start, func(running time.Duration) { p.say("%s: running for %s", name, running) })
	return func(err error) {
		stop()
		result := "done"
		if err != nil {
			result = "failed"
		}
		p.say("%s: %s in %.1fs", name, result, time.Since(start).Seconds())
	}
}

// say writes one line with a single Write, so that lines of several writers do not mix.
func (p progress) say(format string, args ...any) {
	if p.w != nil {
		_, _ = io.WriteString(p.w, p.what+": "+fmt.Sprintf(format, args...)+"\n")
	}
}
