// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package cifiles

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// issueForm is an issue form of GitHub: the fields that this project uses.
type issueForm struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Title       string      `json:"title"`
	Labels      []string    `json:"labels"`
	Body        []formField `json:"body"`
}

type formField struct {
	Type       string `json:"type"`
	ID         string `json:"id"`
	Attributes struct {
		Label       string   `json:"label"`
		Description string   `json:"description"`
		Placeholder string   `json:"placeholder"`
		Value       string   `json:"value"`
		Render      string   `json:"render"`
		Multiple    bool     `json:"multiple"`
		Options     []string `json:"options"`
	} `json:"attributes"`
	Validations struct {
		Required bool `json:"required"`
	} `json:"validations"`
}

// issueConfig is the configuration of the page on which a reader chooses a form.
type issueConfig struct {
	BlankIssuesEnabled *bool `json:"blank_issues_enabled"`
	ContactLinks       []struct {
		Name  string `json:"name"`
		URL   string `json:"url"`
		About string `json:"about"`
	} `json:"contact_links"`
}

var (
	fieldID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	// inOurTree matches a link to a file of this repository.
	inOurTree = regexp.MustCompile(`github\.com/kgrace/kgrace/blob/main/([A-Za-z0-9_./-]+)`)
)

// checkForm returns the faults for which GitHub does not show an issue form, and links to files that do not exist.
func checkForm(data []byte, known callable) (faults []string) {
	var f issueForm
	if err := yaml.UnmarshalStrict(data, &f); err != nil {
		return []string{err.Error()}
	}
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if f.Name == "" || f.Description == "" || len(f.Description) > 200 {
		refuse("want a name, and a description of at most 200 characters")
	}
	ids, labels := map[string]bool{}, map[string]bool{}
	asks, required := false, false
	for i, field := range f.Body {
		a := field.Attributes
		switch field.Type {
		case "markdown":
			if a.Value == "" || field.ID != "" || a.Label != "" {
				refuse("field %d: markdown has a value, and neither an id nor a label", i+1)
			}
			continue
		case "input", "textarea":
			if len(a.Options) > 0 || field.Type == "input" && a.Render != "" {
				refuse("field %s: options are for dropdowns, render is for textareas", field.ID)
			}
		case "dropdown":
			sorted := slices.Sorted(slices.Values(a.Options))
			if len(sorted) < 2 || len(slices.Compact(sorted)) != len(a.Options) || slices.ContainsFunc(a.Options, func(o string) bool { return o == "" || strings.EqualFold(o, "none") }) {
				refuse("field %s: want options that differ, and no none, which GitHub adds", field.ID)
			}
		default:
			refuse("field %s: type %q: want markdown, input, textarea or dropdown", field.ID, field.Type)
		}
		if !fieldID.MatchString(field.ID) || ids[field.ID] || a.Label == "" || labels[a.Label] {
			refuse("field %d: want an id and a label, both unique", i+1)
		}
		ids[field.ID], labels[a.Label] = true, true
		asks, required = true, required || field.Validations.Required
	}
	if !asks || !required {
		refuse("want a field that must be filled in")
	}
	for _, m := range inOurTree.FindAllStringSubmatch(string(data), -1) {
		if !slices.Contains(known.files, m[1]) {
			refuse("%s does not exist", m[1])
		}
	}
	return faults
}

// checkIssueConfig returns the faults for which GitHub does not read the configuration.
func checkIssueConfig(data []byte, _ callable) (faults []string) {
	var c issueConfig
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return []string{err.Error()}
	}
	if c.BlankIssuesEnabled == nil || len(c.ContactLinks) == 0 {
		faults = append(faults, "want blank_issues_enabled and contact_links")
	}
	for _, link := range c.ContactLinks {
		if u, err := url.Parse(link.URL); err != nil || u.Scheme != "https" || u.Host == "" || link.Name == "" || link.About == "" {
			faults = append(faults, fmt.Sprintf("link %q: want a name, an about and an https address, got %q", link.Name, link.URL))
		}
	}
	return faults
}

func TestIssueForms(t *testing.T) {
	known := inRepo(t)
	forms, names := 0, map[string]bool{}
	for _, file := range known.files {
		if path.Dir(file) != ".github/ISSUE_TEMPLATE" || path.Base(file) == "config.yml" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if faults := checkForm(data, known); len(faults) > 0 {
			t.Errorf("%s:\n  %s", file, strings.Join(faults, "\n  "))
		}
		var f issueForm
		if err := yaml.Unmarshal(data, &f); err != nil || names[f.Name] {
			t.Errorf("%s: name %q: want one that no other form has, %v", file, f.Name, err)
		}
		forms, names[f.Name] = forms+1, true
	}
	if forms < 2 {
		t.Errorf("%d forms", forms)
	}
	checkSpoiled(t, ".github/ISSUE_TEMPLATE/lived-on.yaml", checkForm, []spoiled{
		{"name: A hurried", "nam: A hurried", "nam"},
		{"description: A terminating pod", "description: " + strings.Repeat("x", 200), "at most 200"},
		{"    id: kubelet\n", "", "want an id"},
		{"id: runtime", "id: kubelet", "both unique"},
		{"label: The pod", "label: Kubelet", "both unique"},
		{"type: input", "type: line", `type "line"`},
		{"type: dropdown", "type: input", "options are for dropdowns"},
		{"- node pressure", "- none", "which GitHub adds"},
		{"- node pressure", "- a node shutdown", "that differ"},
		{"      required: true", "      require: true", "require"},
		{"attributes:\n      label: Kubelet", "attributes:\n      lable: Kubelet", "lable"},
		{"docs/contract.md", "docs/contracts.md", "docs/contracts.md does not exist"},
		{"  - type: markdown\n", "  - type: markdown\n    id: text\n", "neither an id"},
		{"id: kubelet", "id: the kubelet", "want an id"},
	})
	checkSpoiled(t, ".github/ISSUE_TEMPLATE/config.yml", checkIssueConfig, []spoiled{
		{"blank_issues_enabled", "blank_issues", "blank_issues"},
		{"blank_issues_enabled: true\n", "", "want blank_issues_enabled"},
		{"https://github.com/kgrace", "github.com/kgrace", "an https address"},
		{"    about: Report", "    abut: Report", "abut"},
	})
	if faults := checkForm([]byte("name: a\ndescription: b\nbody: [{type: markdown, attributes: {value: c}}]\n"), known); len(faults) != 1 || !strings.Contains(faults[0], "must be filled in") {
		t.Errorf("%q", faults)
	}
}
