// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	if err := run(os.Args, bounding); err != nil {
		// Docker shows the last line of its runtime's output.
		fmt.Fprintf(os.Stderr, "runcless: %v\n", err)
		os.Exit(1)
	}
}

// run edits the file that the arguments name and executes runc; it returns only on error.
func run(args []string, bounding func() (map[string]bool, error)) error {
	file, err := configOf(args[1:])
	if err != nil {
		return err
	}
	if file != "" {
		have, err := bounding()
		if err != nil {
			return fmt.Errorf("capabilities of this process: %w", err)
		}
		if err := editFile(file, have); err != nil {
			return err
		}
	}
	runc, err := exec.LookPath("runc")
	if err != nil {
		return fmt.Errorf("%w: install runc and put it on PATH", err)
	}
	return fmt.Errorf("%s: %w", runc, syscall.Exec(runc, append([]string{"runc"}, args[1:]...), os.Environ()))
}
