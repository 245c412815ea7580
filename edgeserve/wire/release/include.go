// This file has what an environment says of references: the items whose responses include the items that they refer to,
// and the items that have a list of the items that refer to them.

package release

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"contentedge/edgeserve/wire/address"
)

// Include says which references the items of a template follow. Responses for such an item include what they lead to.
type Include struct {
	Template string   `json:"template"`
	Levels   int      `json:"levels"`          // 1: the items that the item refers to
	Paths    []string `json:"paths,omitempty"` // of references, in order; empty means all
}

// UsedIn says which items have a list of the items that refer to them.
type UsedIn struct {
	All       bool     `json:"all,omitempty"`
	Templates []string `json:"templates,omitempty"` // by name; empty with All
}

// Of reports whether the items of a template have such a list.
func (u *UsedIn) Of(template string) bool {
	if u.All {
		return true
	}
	_, ok := slices.BinarySearch(u.Templates, template)
	return ok
}

// Any reports whether some items may have such a list.
func (u *UsedIn) Any() bool { return u.All || len(u.Templates) > 0 }

// IncludeOf returns the rule of a template, or nil.
func IncludeOf(rules []Include, template string) *Include {
	i, ok := slices.BinarySearchFunc(rules, template, func(in Include, template string) int { return cmp.Compare(in.Template, template) })
	if !ok {
		return nil
	}
	return &rules[i]
}

// References returns the rules of an environment.
func (m *Manifest) References(env string) ([]Include, UsedIn) {
	e := m.Environment(env)
	if e == nil {
		return nil, UsedIn{}
	}
	return e.Include, e.UsedIn
}

// followsReferences reports whether an environment has members of this file.
func (e *Environment) followsReferences() bool { return len(e.Include) > 0 || e.UsedIn.Any() }

func (e *Environment) checkReferences() error {
	for i, in := range e.Include {
		switch {
		case i > 0 && e.Include[i-1].Template >= in.Template:
			return fmt.Errorf("include: template %q is not after %q", in.Template, e.Include[i-1].Template)
		case in.Levels < 1 || in.Levels > address.MaxInclude:
			return fmt.Errorf("include: template %q: %d levels are not from 1 to %d", in.Template, in.Levels, address.MaxInclude)
		case !ascend(in.Paths):
			return fmt.Errorf("include: template %q: its paths are not in order", in.Template)
		}
	}
	if !ascend(e.UsedIn.Templates) || e.UsedIn.All && len(e.UsedIn.Templates) > 0 {
		return errors.New("usedIn: the templates are not in order")
	}
	return nil
}

// ascend reports whether names are in order, each once.
func ascend(names []string) bool {
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			return false
		}
	}
	return true
}
