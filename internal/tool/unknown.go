// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"fmt"
	"slices"
	"strings"
)

// Unknown reports a name that is not one of the known ones, a typing error most likely. The command line adds the nearest name.
type Unknown struct {
	// What is the kind of thing, At where it was looked for, with a preposition ("at level sim"); At may be empty.
	What, Name, At string
	// By is who knows the others, a file for example; it may be empty.
	By    string
	Known []string
}

// shown is how many names a long list shows.
const shown = 24

func (e *Unknown) Error() string {
	at := ""
	if e.At != "" {
		at = " " + e.At
	}
	known := "known:"
	if e.By != "" {
		known = e.By + " knows"
	}
	names := e.Known
	if more := len(names) - shown; more > shown {
		names = append(slices.Clone(names[:shown]), fmt.Sprintf("… and %d more", more))
	}
	return fmt.Sprintf("unknown %s %q%s; %s %s", e.What, e.Name, at, known, strings.Join(names, ", "))
}

// NewUnknown returns an *Unknown for names of any string type.
func NewUnknown[T ~string](what, name, at string, known []T) *Unknown {
	e := &Unknown{What: what, Name: name, At: at}
	for _, k := range known {
		e.Known = append(e.Known, string(k))
	}
	return e
}
