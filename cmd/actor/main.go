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

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// Exit codes that are not the caller's choice.
const (
	exitFailed = 1
	exitUsage  = 2
	exitTerm   = 128 + 15
)

// commands by name. Each parses its own arguments and returns the process's exit code.
var commands = map[string]func(args []string, errs io.Writer) int{
	"run":   run,
	"hook":  hook,
	"mark":  mark,
	"pause": pause,
}

const usage = `usage:
  actor run   --pod P --container C --socket S [--stubborn | --exit-on-term | --exit-after-term D]
              [--exit-after D] [--exit-code N] [--http-port N]
  actor hook  --pod P --container C --socket S [--for D|forever] [--word W] [--end-main D] [--exit-code N]
  actor mark  --pod P --container C --socket S [--word W] [--message M] [--exit-code N]
  actor pause
D is a duration such as 2s. --pod, --container and --socket may come from KGRACE_POD, KGRACE_CONTAINER, KGRACE_SOCKET.
`

func main() {
	os.Exit(dispatch(os.Args[1:], os.Stderr))
}

func dispatch(args []string, errs io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(errs, "actor: no command\n", usage)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "--help":
		fmt.Fprint(os.Stdout, usage)
		return 0
	}
	command, ok := commands[args[0]]
	if !ok {
		fmt.Fprintf(errs, "actor: unknown command %q, expected run, hook, mark or pause\n%s", args[0], usage)
		return exitUsage
	}
	return command(args[1:], errs)
}

// identity is what every command that reports must be told.
type identity struct {
	pod, container, socket string
}

func (id *identity) flags(set *flag.FlagSet) {
	set.StringVar(&id.pod, "pod", os.Getenv("KGRACE_POD"), "")
	set.StringVar(&id.container, "container", os.Getenv("KGRACE_CONTAINER"), "")
	set.StringVar(&id.socket, "socket", os.Getenv("KGRACE_SOCKET"), "")
}

func (id *identity) check() error {
	var missing []string
	for name, value := range map[string]string{"--pod": id.pod, "--container": id.container, "--socket": id.socket} {
		if value == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing %s", strings.Join(missing, ", "))
	}
	return nil
}

// parse reads the flags of one command and checks them; false means that the error was told.
func parse(set *flag.FlagSet, args []string, errs io.Writer, check func() error) bool {
	set.SetOutput(io.Discard)
	err := set.Parse(args)
	if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	if err == nil {
		err = check()
	}
	if err == nil {
		return true
	}
	if errors.Is(err, flag.ErrHelp) {
		err = errors.New("help")
	}
	fmt.Fprintf(errs, "actor %s: %v\n%s", set.Name(), err, usage)
	return false
}

func checkCode(code int) error {
	if code < 0 || code > 255 {
		return fmt.Errorf("--exit-code %d: expected 0 to 255", code)
	}
	return nil
}
