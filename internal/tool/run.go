// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// stopWait is the time for a child to end after SIGTERM before its group is killed. In that time git removes its lock files
// and go its work directory.
const stopWait = 5 * time.Second

// Cmd is one run of a program.
type Cmd struct {
	Dir   string
	Env   []string
	Args  []string // the program's name first
	Stdin io.Reader
	// Stdout, if set, receives the output, and Run returns "".
	Stdout io.Writer
	// Stderr, if set, receives a copy of stderr.
	Stderr io.Writer
}

// Error reports a program that could not be run or that failed.
type Error struct {
	Args   []string
	Dir    string
	Stdout string // output, for programs that print errors there
	Stderr string
	Err    error
}

func (e *Error) Error() string {
	said := strings.TrimSpace(e.Stderr)
	if said == "" {
		said = strings.TrimSpace(e.Stdout)
	}
	if errors.Is(e.Err, exec.ErrNotFound) {
		said = "install it and put it on PATH"
	}
	return fmt.Sprintf("%s%s: %v: %s", e.command(), e.where(), e.Err, tail(said, 40))
}

// command returns the command line without the settings that every run of git gets: they hide what it was to do.
func (e *Error) command() string {
	args := e.Args
	if len(args) > 0 && args[0] == "git" {
		args = []string{"git"}
		for rest := e.Args[1:]; len(rest) > 0; rest = rest[1:] {
			if rest[0] == "-c" && len(rest) > 1 {
				rest = rest[1:]
				continue
			}
			args = append(args, rest...)
			break
		}
	}
	return strings.Join(args, " ")
}

// where names the directory, unless it is a temporary one, which is gone by the time anybody reads this.
func (e *Error) where() string {
	if e.Dir == "" || strings.HasPrefix(e.Dir, os.TempDir()+"/kgrace-") || strings.Contains(e.Dir, "/.tmp-") {
		return ""
	}
	return " (in " + e.Dir + ")"
}

func (e *Error) Unwrap() error { return e.Err }

// Run runs c and returns its standard output. The error is an *Error; if the context ended, it also satisfies errors.Is
// with the context's error.
func Run(ctx context.Context, c Cmd) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = io.MultiWriter(&stderr, c.Stderr)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = stopWait
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		// Kill whatever in the group ignored the SIGTERM.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err == nil {
		return stdout.String(), nil
	}
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w (%v)", cause, err)
	}
	return stdout.String(), &Error{Args: c.Args, Dir: c.Dir, Stdout: stdout.String(), Stderr: stderr.String(), Err: err}
}

// tail returns the last n lines: compilers print the important ones at the end.
func tail(s string, n int) string {
	lines := strings.Split(s, "\n")
	if len(lines) <= n {
		return s
	}
	return "...\n" + strings.Join(lines[len(lines)-n:], "\n")
}
