// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kgrace/kgrace/internal/history"
	"github.com/kgrace/kgrace/internal/history/lines"
)

// killed is the exit code of a process ended by SIGKILL.
const killed = 137

// process is one process in a container. Its fields and methods need the runtime's lock.
type process struct {
	rt *Runtime
	// as is the owner of the process's lines.
	as      owner
	program Program
	terms   int

	// done is closed when the process has exited with code.
	done  chan struct{}
	ended bool
	code  int32
	// life is the timer of the process's own exit; why is the reason it will report.
	life *time.Timer
	why  string
	// onEnd notifies the container.
	onEnd func()
}

func (rt *Runtime) newProcess(as owner, program Program) *process {
	return &process{rt: rt, as: as, program: program, done: make(chan struct{}), onEnd: func() {}}
}

// say writes one of the process's own lines; a process without an owner writes none.
func (p *process) say(word, message string) {
	if p.as == (owner{}) {
		return
	}
	p.rt.record(history.Event{
		Kind: history.Line, At: time.Now(), Pod: p.as.pod, Container: p.as.container, Reason: word, Message: message,
	})
}

// run starts the process as the main process of a container.
func (p *process) run() {
	p.say(lines.Start, "pid 1")
	if p.program.Brief {
		p.endAfter(p.program.ExitAfter, "by itself")
	}
}

// term delivers a TERM to a main process.
func (p *process) term() {
	if p.ended {
		return
	}
	p.terms++
	p.say("TERM", strconv.Itoa(p.terms))
	if p.terms == 1 && !p.program.Stubborn {
		p.endAfter(p.program.ExitAfterTerm, "on TERM")
	}
}

// endAfter schedules the process's own exit, in place of an earlier schedule.
func (p *process) endAfter(d time.Duration, why string) {
	if p.life != nil {
		p.life.Stop()
	}
	p.why = why
	exit := func() {
		p.say("EXIT", fmt.Sprintf("code %d, %s, signals %d", p.program.ExitCode, why, p.terms))
		p.end(p.program.ExitCode)
	}
	if d <= 0 && p.terms > 0 {
		exit()
		return
	}
	p.after(d, exit)
}

// after calls do after d, if the process is still running and nothing else was scheduled in the meantime.
func (p *process) after(d time.Duration, do func()) {
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		p.rt.mu.Lock()
		defer p.rt.mu.Unlock()
		if !p.ended && p.life == timer {
			do()
		}
	})
	p.life = timer // the timer's function needs the lock, which is held here
}

// kill delivers a KILL.
func (p *process) kill() { p.end(killed) }

// end ends the process, for whatever reason.
func (p *process) end(code int32) {
	if p.ended {
		return
	}
	p.code = code
	p.vanish()
	p.onEnd()
}

// vanish ends the process without a record, at the end of the simulation.
func (p *process) vanish() {
	if p.ended {
		return
	}
	p.ended = true
	if p.life != nil {
		p.life.Stop()
	}
	close(p.done)
}
