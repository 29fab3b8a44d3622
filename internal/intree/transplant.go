// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package intree

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// transplant is the test files of one package of the fixed tree on their way into the stock tree.
//
// Whatever does not compile there is removed step by step: a new declaration is dropped, a changed one is replaced by
// stock's version, and so are those that depend on them. Each removed declaration keeps the compiler's error. If only an
// assertion in a declaration refers to what stock does not have, only the assertion is removed: the rest of the test still
// has to fail, and for its reason.
type transplant struct {
	stock map[string]*source // by file name
	fixed map[string]*source
	known map[string]decl // declarations of stock and of the forms, by "package key"

	// out maps "package key" to the compiler's errors about a removed declaration.
	out map[string][]string
	// cut maps "package key" to the assertions that were removed from a declaration.
	cut map[string][]string
	// unimported contains "file path" of removed imports.
	unimported map[string]bool
	// back contains declarations of stock that were added to a file because fixed no longer has them.
	back map[string][]string
	// current is the last result of render, by file name.
	current map[string]*source
}

// newTransplant returns the transplant of fixed's tests. forms contains the stock variants of their helpers.
func newTransplant(stock, fixed map[string]*source, forms ...*source) *transplant {
	known := index(stock)
	for _, form := range forms {
		for key, d := range index(map[string]*source{form.file: form}) {
			known[key] = d
		}
	}
	return &transplant{stock: stock, fixed: fixed, known: known, out: map[string][]string{}, cut: map[string][]string{}, back: map[string][]string{}, unimported: map[string]bool{}}
}

// render returns the files that differ from stock's: name to text. A file that only stock has maps to the empty text.
func (t *transplant) render() (map[string]string, error) {
	t.current = map[string]*source{}
	files := map[string]string{}
	for name, s := range t.fixed {
		text := t.renderFile(s)
		parsed, err := parseSource(name, text)
		if err != nil {
			return nil, err
		}
		t.current[name] = parsed
		if old := t.stock[name]; old == nil || old.text != text {
			files[name] = text
		}
	}
	for name := range t.stock {
		if t.fixed[name] == nil {
			files[name] = ""
		}
	}
	return files, nil
}

func (t *transplant) renderFile(s *source) string {
	var b strings.Builder
	pos := 0
	replace := func(start, end int, text string) {
		b.WriteString(s.text[pos:start])
		b.WriteString(text)
		pos = end
	}
	for _, i := range s.imports {
		if t.unimported[s.file+" "+i.path] {
			// Valid wherever an import is, alone or in a group, as often as needed.
			replace(i.start, i.end, `_ "unsafe"`)
		}
	}
	for _, d := range s.decls {
		key := s.pkg + " " + d.key
		if _, out := t.out[key]; out {
			replace(d.start, d.end, t.known[key].text)
		} else if cut := t.cut[key]; len(cut) > 0 {
			text := d.text
			for _, statement := range cut {
				text = strings.ReplaceAll(text, statement, "")
			}
			replace(d.start, d.end, text)
		}
	}
	b.WriteString(s.text[pos:])
	for _, text := range t.back[s.file] {
		b.WriteString("\n" + text + "\n")
	}
	return b.String()
}

// complaint is one compiler error.
type complaint struct {
	file string // base name
	dir  string
	line int
	text string
}

var complaintLine = regexp.MustCompile(`(?m)^(\S+\.go):(\d+)(?::\d+)?: (.+)$`)

func complaints(said string) []complaint {
	var all []complaint
	for _, m := range complaintLine.FindAllStringSubmatch(said, -1) {
		line, _ := strconv.Atoi(m[2])
		all = append(all, complaint{file: path.Base(m[1]), dir: path.Dir(m[1]), line: line, text: m[3]})
	}
	return all
}

// unused matches the error about an import that is no longer used.
var unused = regexp.MustCompile(`imported (?:as \S+ )?and not used`)

// otherMethod matches the error about a type in the tests with a method that differs from an interface of the tree.
var otherMethod = regexp.MustCompile(`(?:\*|[ (])(\w+) does not implement \S+ \(wrong type for method (\w+)\)`)

// otherFunc matches the error about a method of a type in the tests that is used as a function of another type, and lostMethod
// that about a type in the tests that has lost a method.
var (
	otherFunc  = regexp.MustCompile(`^cannot use \w+\.(\w+) \(value of type func`)
	lostMethod = regexp.MustCompile(`(?:\*|[ (])(\w+) does not implement \S+ \(missing method (\w+)\)`)
)

// takeOut removes what the compiler complains about and reports whether that changed anything. An error about code that
// stock has too cannot be resolved: the transplant fails.
func (t *transplant) takeOut(said []complaint) bool {
	changed := false
	for _, c := range said {
		s := t.current[c.file]
		if s == nil {
			continue
		}
		if m := otherMethod.FindStringSubmatch(c.text); m != nil && t.dropKey(s.pkg, m[1]+"."+m[2], c.text) {
			changed = true
			continue
		}
		if m := otherFunc.FindStringSubmatch(c.text); m != nil && t.dropMethods(s.pkg, m[1], c.text) {
			changed = true
			continue
		}
		if m := lostMethod.FindStringSubmatch(c.text); m != nil && t.giveBack(s, m[1]+"."+m[2]) {
			changed = true
			continue
		}
		for _, i := range s.imports {
			if c.line < i.first || c.line > i.last {
				continue
			}
			t.unimported[s.file+" "+i.path] = true
			changed = true
			if unused.MatchString(c.text) {
				continue
			}
			// The package is new: remove every declaration that uses it.
			for _, d := range s.decls {
				if d.names[i.name] {
					changed = t.drop(s.pkg, d, c.text) || changed
				}
			}
		}
		for _, d := range s.decls {
			if c.line < d.first || c.line > d.last {
				continue
			}
			if t.cutAssertion(s.pkg, d, c.line) {
				changed = true
				continue
			}
			for _, said := range t.causes(s.pkg, c.text) {
				changed = t.drop(s.pkg, d, said) || changed
			}
		}
	}
	return t.spread() || changed
}

// cutAssertion removes the innermost assertion on a line from a new or changed declaration.
func (t *transplant) cutAssertion(pkg string, d decl, line int) bool {
	key := pkg + " " + d.key
	if t.known[key].text == d.text {
		return false
	}
	for _, a := range slices.Backward(d.assertions) {
		if line >= a.first && line <= a.last {
			// Another error about the same statement finds it listed.
			if !slices.Contains(t.cut[key], a.text) {
				t.cut[key] = append(t.cut[key], a.text)
			}
			return true
		}
	}
	return false
}

var missing = regexp.MustCompile(`^undefined: (\w+)$|\(type \*?(\w+) has no field or method (\w+)`)

// causes returns the compiler's errors about a removed helper if said reports that the helper is missing, and otherwise
// said itself.
func (t *transplant) causes(pkg, said string) []string {
	if m := missing.FindStringSubmatch(said); m != nil {
		key := pkg + " " + m[1]
		if m[1] == "" {
			key = pkg + " " + m[2] + "." + m[3]
		}
		if why := t.out[key]; len(why) > 0 {
			return why
		}
	}
	return []string{said}
}

// drop removes a new or changed declaration; an unchanged one stays.
func (t *transplant) drop(pkg string, d decl, said string) bool {
	key := pkg + " " + d.key
	if t.known[key].text == d.text {
		return false
	}
	if slices.Contains(t.out[key], said) {
		return false
	}
	t.out[key] = append(t.out[key], said)
	return true
}

// dropKey does the same for the declaration with that key, in any file.
func (t *transplant) dropKey(pkg, key, said string) bool {
	for _, s := range t.current {
		for _, d := range s.decls {
			if s.pkg == pkg && d.key == key {
				return t.drop(pkg, d, said)
			}
		}
	}
	return false
}

// dropMethods does the same for all changed methods of that name.
func (t *transplant) dropMethods(pkg, method, said string) bool {
	changed := false
	for _, s := range t.current {
		for _, d := range s.decls {
			if s.pkg == pkg && strings.HasSuffix(d.key, "."+method) {
				changed = t.drop(pkg, d, said) || changed
			}
		}
	}
	return changed
}

// giveBack adds a declaration of stock that fixed's files do not have to the end of a file.
func (t *transplant) giveBack(s *source, key string) bool {
	d, ok := t.known[s.pkg+" "+key]
	if !ok || slices.Contains(t.back[s.file], d.text) {
		return false
	}
	for _, other := range t.current {
		if slices.ContainsFunc(other.decls, func(d decl) bool { return other.pkg == s.pkg && d.key == key }) {
			return false
		}
	}
	t.back[s.file] = append(t.back[s.file], d.text)
	return true
}

// spread removes the declarations that use a removed new one: the compiler would only report the missing name, and the
// cause would be lost.
func (t *transplant) spread() bool {
	changed, again := false, true
	for again {
		again = false
		for _, s := range t.fixed {
			for _, gone := range s.decls {
				key := s.pkg + " " + gone.key
				said, out := t.out[key]
				if _, inStock := t.known[key]; !out || inStock {
					continue
				}
				if t.spreadTo(s.pkg, gone, said) {
					changed, again = true, true
				}
			}
		}
	}
	return changed
}

func (t *transplant) spreadTo(pkg string, gone decl, said []string) bool {
	changed := false
	for _, s := range t.fixed {
		for _, d := range s.decls {
			if s.pkg != pkg || d.key == gone.key || !namesAny(d, gone) {
				continue
			}
			for _, text := range said {
				changed = t.drop(pkg, d, text) || changed
			}
		}
	}
	return changed
}

// namesAny reports whether d uses a name that gone declares; for a method, d must also use its receiver's type.
func namesAny(d, gone decl) bool {
	if recv, method, ok := strings.Cut(gone.key, "."); ok {
		return d.names[recv] && d.names[method]
	}
	for _, name := range strings.Fields(gone.key) {
		if name != "_" && d.names[name] {
			return true
		}
	}
	return false
}

// complaintsAbout returns the compiler's errors about a test function that was removed.
func (t *transplant) complaintsAbout(name string) (said []string, out bool) {
	for _, s := range t.fixed {
		if text, ok := t.out[s.pkg+" "+name]; ok {
			return text, true
		}
	}
	return nil, false
}

// stocksForm reports whether stock has a test function of that name.
func (t *transplant) stocksForm(name string) bool {
	for _, s := range t.stock {
		if _, ok := t.known[s.pkg+" "+name]; ok {
			return true
		}
	}
	return false
}
