// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/scenario"
	"github.com/kgrace/kgrace/internal/simkubelet"
	"github.com/kgrace/kgrace/internal/verdict"
)

// addCompletion completes, for the shells that `kgrace completion` serves, the values of flags that several commands have, and
// the arguments that are names.
func addCompletion(app *app, root *cobra.Command) {
	byFlag := map[string]cobra.CompletionFunc{
		"arm":        among(func() []string { return texts(verdict.Arms()) }),
		"kubernetes": app.completeMinors,
		"runtime":    among(simkubelet.Runtimes),
		"level":      among(func() []string { return texts([]scenario.Level{scenario.LevelSim, scenario.LevelNode}) }),
		"output":     completeOutput,
	}
	byCommand := map[string]cobra.CompletionFunc{
		"kgrace regress": completeScenarios,
		"kgrace e2e":     completeScenarios,
		"kgrace mutants": among(func() []string { return mutant.Names(mutant.All()) }),
		"kgrace build": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			r, err := app.repo()
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			all, _ := kubebuild.New(r).Programs()
			return all, cobra.ShellCompDirectiveNoFileComp
		},
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for flag, complete := range byFlag {
			if cmd.LocalNonPersistentFlags().Lookup(flag) != nil {
				// It fails only for a flag that is missing, or completed already.
				_ = cmd.RegisterFlagCompletionFunc(flag, complete)
			}
		}
		if complete := byCommand[cmd.CommandPath()]; complete != nil {
			cmd.ValidArgsFunction = complete
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
}

func among(all func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return all(), cobra.ShellCompDirectiveNoFileComp
	}
}

func texts[T ~string](all []T) (words []string) {
	for _, one := range all {
		words = append(words, string(one))
	}
	return words
}

func (a *app) completeMinors(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	root, err := a.findRoot()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	r, err := kubetree.Open(root)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	minors := r.Versions.MinorNames()
	switch cmd.Name() {
	case "regress":
		minors = append(minors, everyMinor)
	case "matrix":
		minors = append(minors, defaultMinor)
	}
	return minors, cobra.ShellCompDirectiveNoFileComp
}

func completeOutput(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	formats := slices.Clone(outputFormats)
	switch cmd.Name() {
	case "matrix":
		formats = matrixFormats
	case "check":
		formats = append(formats, "junit")
	}
	return formats, cobra.ShellCompDirectiveNoFileComp
}

// completeScenarios completes the scenarios of the command's level.
func completeScenarios(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	level := scenario.LevelKind
	if flag := cmd.Flags().Lookup("level"); flag != nil {
		level = scenario.Level(flag.Value.String())
	}
	all, err := scenario.Catalogue()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	rows, _ := scenario.Pick(all, level)
	var ids []string
	for _, s := range rows {
		ids = append(ids, cobra.CompletionWithDesc(s.ID, s.Fixed))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
