// This file describes what the items of each template hold, for types of clients, OpenAPI and people. Nodes do not
// need it.

package release

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Template describes the items of an environment that have a template.
type Template struct {
	Name  string `json:"name"`
	Items int    `json:"items"`
	// Paths are what the items hold in Data, and in members that are not fields of the interface, by keys. Parents come
	// before their members.
	Paths []Path `json:"paths"`
}

// Path describes all values at one place of the items of a template.
type Path struct {
	Keys []string `json:"keys"` // from the item on: Data, title
	// Always says that every object that may have the path has it. Data may have Data.title: an item without
	// Data.seo says nothing about Data.seo.title.
	Always bool `json:"always,omitempty"`
	// Kinds counts the values of each kind. Members of objects in arrays have the path of the array and their key.
	Kinds Kinds `json:"kinds"`
	// Elements counts the values in arrays: first in the arrays at the path itself, then in arrays in these, and so on.
	// The last of MaxNesting has the values of all deeper arrays too.
	Elements []Kinds `json:"elements,omitempty"`
	// Targets are the templates of the items that references lead to, by name.
	Targets []string `json:"targets,omitempty"`
	// Any says that the last key represents any key: the object has so many different keys that it is a table.
	Any bool `json:"any,omitempty"`
	// Cut says that the object has members that are not listed, because the environment has too many paths.
	Cut bool `json:"cut,omitempty"`
}

// Kinds counts values by kind.
type Kinds map[Kind]int

// Kind is what a value is. Readers must accept words that they do not know.
type Kind string

// The kinds of values.
const (
	KindString    Kind = "string"
	KindDate      Kind = "date" // a string; all strings at the path are dates
	KindHTML      Kind = "html" // a string; all strings at the path begin and end with a tag
	KindInteger   Kind = "integer"
	KindFloat     Kind = "float" // some number at the path has a fraction, or more than 64 bits
	KindBoolean   Kind = "boolean"
	KindNull      Kind = "null"
	KindArray     Kind = "array"
	KindObject    Kind = "object"
	KindReference Kind = "reference" // an object with Type "Reference", ReferenceType "Content" and ContentIDs
	KindMedia     Kind = "media"     // an object with Type "Reference" and ReferenceType "Media"
	KindRichText  Kind = "richText"  // an object: a document of structured text; its members are not listed
	KindBlock     Kind = "block"     // an object in an array: a block of structured text; its members are not listed
)

// MaxNesting bounds the Elements of a path. Arrays in arrays are rare: coordinates have three levels.
const MaxNesting = 4

// Has reports whether some value has one of the kinds.
func (k Kinds) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(kinds, func(kind Kind) bool { return k[kind] > 0 })
}

// Objects counts the values that are objects, of whatever kind.
func (k Kinds) Objects() int {
	return k[KindObject] + k[KindReference] + k[KindMedia] + k[KindRichText] + k[KindBlock]
}

func (e *Environment) checkTemplates() error {
	items := 0
	for i := range e.Templates {
		t := &e.Templates[i]
		if i > 0 && e.Templates[i-1].Name >= t.Name {
			return fmt.Errorf("template %q is not after %q", t.Name, e.Templates[i-1].Name)
		}
		if t.Items < 1 || t.Items > e.Items-items {
			return fmt.Errorf("template %q: %d items cannot be", t.Name, t.Items)
		}
		items += t.Items
		for j := range t.Paths {
			if err := t.Paths[j].check(); err != nil {
				return fmt.Errorf("template %q: path %q: %w", t.Name, t.Paths[j].Keys, err)
			}
			if j > 0 && slices.Compare(t.Paths[j-1].Keys, t.Paths[j].Keys) >= 0 {
				return fmt.Errorf("template %q: path %q is not after %q", t.Name, t.Paths[j].Keys, t.Paths[j-1].Keys)
			}
		}
	}
	if e.TemplatesLeftOut && len(e.Templates) > 0 {
		return errors.New("templates are left out, but there are some")
	}
	return nil
}

func (p *Path) check() error {
	if len(p.Keys) == 0 {
		return errors.New("no keys")
	}
	if len(p.Elements) > MaxNesting {
		return fmt.Errorf("%d levels of arrays", len(p.Elements))
	}
	for i, kinds := range append([]Kinds{p.Kinds}, p.Elements...) {
		if len(kinds) == 0 && i == 0 {
			return errors.New("no values")
		}
		for kind, n := range kinds {
			if n < 1 || kind == "" || strings.Trim(string(kind), letters) != "" {
				return fmt.Errorf("%d values of the kind %q cannot be", n, kind)
			}
		}
	}
	for i := 1; i < len(p.Targets); i++ {
		if p.Targets[i-1] >= p.Targets[i] {
			return fmt.Errorf("target %q is not after %q", p.Targets[i], p.Targets[i-1])
		}
	}
	return nil
}
