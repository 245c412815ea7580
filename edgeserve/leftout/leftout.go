// Package leftout holds the rules by which an environment leaves paths of its items out of the index. Items
// keep these paths; searches treat them as paths that no item has.
//
// A rule covers its path and everything below it. Of the rules that cover a value, the one with the longest path
// decides. Paths are the names of fields: the keys that lead to a value, joined by dots.
package leftout

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxRules bounds the rules of an environment. Each one is a member of the manifest, and people write them by hand.
const MaxRules = 1000

// maxPath bounds the path of a rule in bytes: no item has a longer path.
const maxPath = 32 << 10

// Rules say which paths are left out. The zero Rules leave out nothing. New returns them in canonical form:
// both lists ascend, and each rule changes what is left out.
type Rules struct {
	Exclude []string `json:"exclude"` // left out, with everything below
	Include []string `json:"include"` // not left out, though a path above is
}

// RuleError says which rule is wrong.
type RuleError struct {
	Include bool // the rule is in the list of includes, otherwise in the list of excludes
	Index   int  // in its list
	Message string
	Hint    string
}

// Error returns the message and the hint.
func (e *RuleError) Error() string { return e.Message + ": " + e.Hint }

// New returns rules from the lists that a person wrote. defaults are further excludes: an include of the same path
// takes one back. needed are the members of items that the interface needs: they cannot be left out. An error is a
// *RuleError.
func New(exclude, include, defaults, needed []string) (Rules, error) {
	r := Rules{slices.Clone(exclude), slices.Clone(include)}
	for _, path := range defaults {
		if !slices.Contains(include, path) {
			r.Exclude = append(r.Exclude, path)
		}
	}
	for i, path := range exclude {
		if slices.Contains(include, path) {
			return Rules{}, &RuleError{false, i, fmt.Sprintf("%q is in both lists", path), "remove it from one list"}
		}
	}
	if err := checkLists(exclude, include, needed); err != nil {
		return Rules{}, err
	}
	slices.Sort(r.Exclude)
	slices.Sort(r.Include)
	for i, path := range include {
		if !slices.Contains(defaults, path) && !r.above(path) {
			return Rules{}, &RuleError{true, i, fmt.Sprintf("nothing leaves out %q", path), "an include is an exception below an excluded path; remove it, or exclude a path above"}
		}
	}
	return r.canonical(), nil
}

func checkLists(exclude, include, needed []string) error {
	for n, list := range [][]string{exclude, include} {
		for i, path := range list {
			if message, hint := faultOf(path, needed); message != "" {
				return &RuleError{n == 1, i, message, hint}
			}
		}
	}
	if n := len(exclude) + len(include); n > MaxRules {
		return &RuleError{len(exclude) == 0, 0, fmt.Sprintf("%d paths are more than %d", n, MaxRules), "exclude a path above them"}
	}
	return nil
}

// faultOf returns what is wrong with the path of a rule; "" if nothing is.
func faultOf(path string, needed []string) (message, hint string) {
	const example = "write a path such as Data.body"
	name, _, _ := strings.Cut(path, ".")
	switch {
	case path == "":
		return "an empty path", example
	case len(path) > maxPath || !utf8.ValidString(path):
		return fmt.Sprintf("%.40q is not a path", path), example
	case slices.Contains(strings.Split(path, "."), ""):
		return fmt.Sprintf("%q is not a path: a name between its dots is missing", path), example
	case strings.Contains(path, "*"):
		return fmt.Sprintf("%q has a star", path), "write only the path: everything below it is left out too"
	case slices.Contains(needed, name):
		return fmt.Sprintf("%q cannot be left out", path), "lists and searches need " + name + "; paths of Data and members of your own can be left out"
	}
	return "", ""
}

// above reports whether some exclude covers a path from above, whatever else covers it.
func (r Rules) above(path string) bool {
	for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path, '.') {
		path = path[:i]
		if has(r.Exclude, path) {
			return true
		}
	}
	return false
}

// canonical returns the rules, except rules that change nothing. The lists ascend.
func (r Rules) canonical() Rules {
	var out Rules
	for _, path := range slices.Compact(r.Exclude) {
		if !r.Covers(parent(path)) {
			out.Exclude = append(out.Exclude, path)
		}
	}
	for _, path := range slices.Compact(r.Include) {
		if r.Covers(parent(path)) {
			out.Include = append(out.Include, path)
		}
	}
	return out
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '.'))] }

func has(list []string, path string) bool {
	_, ok := slices.BinarySearch(list, path)
	return ok
}

// Covers reports whether the values at a path are left out.
func (r Rules) Covers(path string) bool {
	if len(r.Exclude) == 0 {
		return false
	}
	for path != "" {
		switch {
		case has(r.Include, path):
			return false
		case has(r.Exclude, path):
			return true
		}
		path = parent(path)
	}
	return false
}

// Rule returns the path of the exclude that leaves a path out; "" if the path is not left out.
func (r Rules) Rule(path string) string {
	if !r.Covers(path) {
		return ""
	}
	for !has(r.Exclude, path) {
		path = parent(path)
	}
	return path
}

// Empty reports whether nothing is left out.
func (r Rules) Empty() bool { return len(r.Exclude)+len(r.Include) == 0 }

// MarshalJSON writes both lists, empty ones too.
func (r Rules) MarshalJSON() ([]byte, error) {
	type plain Rules
	return json.Marshal(plain{append([]string{}, r.Exclude...), append([]string{}, r.Include...)})
}

// IsZero reports whether JSON omits the rules.
func (r Rules) IsZero() bool { return r.Empty() }

// Equal reports whether two sets of rules in canonical form leave out the same paths.
func (r Rules) Equal(o Rules) bool {
	return slices.Equal(r.Exclude, o.Exclude) && slices.Equal(r.Include, o.Include)
}

// Check returns what is wrong with rules that a file holds, or nil: they must be as New returns them.
func (r Rules) Check() error {
	if err := checkLists(r.Exclude, r.Include, nil); err != nil {
		return err
	}
	for _, list := range [][]string{r.Exclude, r.Include} {
		if !slices.IsSorted(list) {
			return fmt.Errorf("the paths %.200q are not in order", list)
		}
	}
	if !r.Equal(r.canonical()) {
		return fmt.Errorf("some of the paths %.200q and %.200q change nothing", r.Exclude, r.Include)
	}
	return nil
}

// String lists the rules for people.
func (r Rules) String() string {
	if len(r.Include) == 0 {
		return strings.Join(r.Exclude, ", ")
	}
	return strings.Join(r.Exclude, ", ") + "; except " + strings.Join(r.Include, ", ")
}
