// This file finds the values of variables that texts show, such as the title of their page.

package markdownsite

import (
	"strings"

	"contentedge/generator/jsontree"
)

// maxVariable bounds the value of a variable in a text, in bytes.
const maxVariable = 1000

// Value returns a value that the current text shows: package shortcodes asks it.
func (s *site) Value(variable string) (string, bool) {
	if s.profile.variable == nil {
		return "", false
	}
	v := s.profile.variable(s, strings.Split(variable, "."))
	if v == nil || v.IsObject() || v.IsArray() || len(v.Text()) > maxVariable {
		return "", false
	}
	if v.IsNull() {
		return "", true
	}
	return v.Text(), true
}

// jekyllVariable finds members of page and of site.
func jekyllVariable(s *site, names []string) *jsontree.Value {
	switch names[0] {
	case "page":
		return s.front.Get(names[1:]...)
	case "site":
		return s.settings.value.Get(names[1:]...)
	}
	return nil
}

// hugoVariable finds parameters: of the page by their names or in params, otherwise of the site.
func hugoVariable(s *site, names []string) *jsontree.Value {
	for _, params := range []*jsontree.Value{s.front.Get("params"), s.front, s.settings.value.Get("params")} {
		if v := params.Get(names...); v != nil {
			return v
		}
	}
	return nil
}

// eleventyVariable finds members of the front matter by their names.
func eleventyVariable(s *site, names []string) *jsontree.Value { return s.front.Get(names...) }

// vitepressVariable finds members of $frontmatter.
func vitepressVariable(s *site, names []string) *jsontree.Value {
	if strings.TrimPrefix(names[0], "$") != "frontmatter" {
		return nil
	}
	return s.front.Get(names[1:]...)
}
