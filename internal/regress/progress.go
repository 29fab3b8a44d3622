// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package regress

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/player"
)

// tells is the interval between progress lines that report what a run is waiting for.
const tells = 15 * time.Second

// at records what a play is waiting for.
func (p *play) at(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = fmt.Sprintf(format, args...)
}

// waitsFor returns what a play is waiting for; "" before its start and after its end.
func (p *play) waitsFor() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stage
}

// tell logs repeatedly what the arm is waiting for, until ctx ends or stop is called.
func (b *bench) tell(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for player.Until(ctx, time.Now().Add(tells)) == nil {
			if text := b.waitsFor(); text != "" {
				b.run.logf("%s waits: %s", b.arm, text)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// named is the number of scenarios listed in one progress line.
const named = 3

func (b *bench) waitsFor() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, p := range b.plays {
		if stage := p.waitsFor(); stage != "" {
			all = append(all, p.Scenario.ID+" for "+stage)
		}
	}
	if more := len(all) - named; more > 0 {
		all = append(all[:named], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}
