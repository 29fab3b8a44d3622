// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// valued lists runc's global options that take a value.
var valued = []string{"log", "log-format", "root", "rootless", "criu"}

// configOf returns the file with the capabilities that a runc command line asks for: config.json of the bundle, the process
// file of an exec, or "" for a command line that asks for none (exec with the program on the command line, which uses the
// container's own).
func configOf(args []string) (string, error) {
	command := -1
	for i := 0; i < len(args) && command < 0; i++ {
		name, isOption := strings.CutPrefix(args[i], "-")
		switch {
		case !isOption:
			command = i
		case takesValue(strings.TrimPrefix(name, "-")):
			i++
		}
	}
	if command < 0 {
		return "", nil
	}
	rest := args[command+1:]
	switch args[command] {
	case "create", "run", "restore":
		bundle := option(rest, "bundle", "b")
		if bundle == "" {
			bundle = "."
		}
		return filepath.Join(bundle, "config.json"), nil
	case "exec":
		for _, a := range rest {
			if strings.HasPrefix(a, "--cap") {
				return "", fmt.Errorf("exec with %s is not supported; want a process file, as Docker passes it", a)
			}
		}
		return option(rest, "process", "p"), nil
	}
	return "", nil
}

func takesValue(option string) bool {
	for _, v := range valued {
		if option == v {
			return true
		}
	}
	return false
}

// option returns the value of --long V, --long=V, -short V, or "".
func option(args []string, long, short string) string {
	for i, a := range args {
		name, value, joined := strings.Cut(a, "=")
		if name != "--"+long && name != "-"+long && name != "-"+short {
			continue
		}
		if joined {
			return value
		}
		if i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
