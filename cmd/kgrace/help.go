// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/tool"
)

// helpWidth is the widest line of help: it fits beside an editor.
const helpWidth = 100

// usageTemplate is cobra's, with flags wrapped.
const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{wrapFlags .LocalFlags}}{{end}}{{if .HasAvailableInheritedFlags}}

Global Flags:
{{wrapFlags .InheritedFlags}}{{end}}{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} [command] --help" for more about a command.{{end}}
`

const helpTemplate = `{{with (or .Long .Short)}}{{wrap .}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

// flagUsages are the flags of a command (*pflag.FlagSet).
type flagUsages interface{ FlagUsagesWrapped(cols int) string }

func addHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("wrap", wrapText)
	cobra.AddTemplateFunc("wrapFlags", func(f flagUsages) string { return strings.TrimRight(f.FlagUsagesWrapped(helpWidth), "\n") })
	root.SetUsageTemplate(usageTemplate)
	root.SetHelpTemplate(helpTemplate)
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command",
		Long:  "Print the help of a command, as --help does.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			of, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return subcommands(of), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			of := root
			for _, name := range args {
				next, _, err := of.Find([]string{name})
				if err != nil || next == of {
					return usage(tool.NewUnknown("command", name, fmt.Sprintf("for %q", of.CommandPath()), subcommands(of)))
				}
				of = next
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	})
}

// subcommands returns the names of a command's visible commands.
func subcommands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// onlyCommands is the Args of a command that only has others below it.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return tool.NewUnknown("command", args[0], fmt.Sprintf("for %q", cmd.CommandPath()), subcommands(cmd))
}

// wrapText wraps the lines that are wider than helpWidth, with the lines that continue them. Others stay as they are written.
func wrapText(text string) string {
	var out []string
	lines := strings.Split(strings.TrimRight(text, "\n "), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if len([]rune(line)) <= helpWidth {
			out = append(out, line)
			continue
		}
		indent, hang := indents(line)
		words := strings.Fields(line[len(indent):])
		if hang > len(indent) {
			words = append([]string{line[len(indent):hang] + words[len(strings.Fields(line[len(indent):hang]))]}, words[len(strings.Fields(line[len(indent):hang]))+1:]...)
		}
		// A line that has no room for the next word was wrapped there by whoever wrote it.
		for i+1 < len(lines) && continues(lines[i], lines[i+1], hang) {
			i++
			words = append(words, strings.Fields(lines[i])...)
		}
		out = append(out, fill(words, indent, strings.Repeat(" ", hang))...)
	}
	return strings.Join(out, "\n")
}

// indents returns the indentation of a line, and the column at which its continuation begins: after the name of a list's entry,
// "  applies    git am applies", or at the indentation itself.
func indents(line string) (indent string, hang int) {
	rest := strings.TrimLeft(line, " ")
	indent = line[:len(line)-len(rest)]
	if indent == "" {
		return indent, 0
	}
	if name := strings.Index(rest, "  "); name > 0 {
		return indent, len(line) - len(strings.TrimLeft(rest[name:], " "))
	}
	return indent, len(indent)
}

func continues(line, next string, hang int) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(next, " "), " ")
	begins := len(next) - len(strings.TrimLeft(next, " "))
	return first != "" && begins == hang && len([]rune(line))+1+len([]rune(first)) > helpWidth
}

// fill distributes words over lines.
func fill(words []string, first, hang string) (lines []string) {
	line := first
	for i, w := range words {
		switch {
		case i == 0:
			line += w
		case len([]rune(line))+1+len([]rune(w)) > helpWidth:
			lines = append(lines, line)
			line = hang + w
		default:
			line += " " + w
		}
	}
	return append(lines, line)
}
