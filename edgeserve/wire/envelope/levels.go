// This file implements filter_path, whose patterns match a path level by level.

package envelope

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
)

// levelFilter has the patterns of a filter_path.
type levelFilter struct{ includes, excludes []levelPattern }

// levelPattern is a pattern, or the rest of a pattern below a path: one element per level.
type levelPattern []level

// level is a part of a pattern. any marks **, which matches one or more levels.
type level struct {
	name glob
	any  bool
}

// levelNode has the rests of the patterns that may match below a path.
type levelNode struct{ includes, excludes []levelPattern }

// NewPathFilter returns a filter of responses. A pattern has a part for each level, joined by dots.
// In a part, * matches any bytes of a name and \. a dot; the part ** matches one level or more.
// Unlike a filter of items, it removes every object and array that it empties.
func NewPathFilter(includes, excludes []string) *SourceFilter {
	if len(includes)+len(excludes) == 0 {
		return nil
	}
	f := &SourceFilter{levels: &levelFilter{levelPatterns(includes), levelPatterns(excludes)}}
	f.root.levels = levelNode(*f.levels)
	return f
}

func levelPatterns(texts []string) (list []levelPattern) {
	for _, text := range texts {
		var p levelPattern
		for _, part := range strings.Split(strings.ReplaceAll(text, `\.`, "\x00"), ".") {
			part = strings.ReplaceAll(part, "\x00", ".")
			p = append(p, level{compileGlob(part), part == "**"})
		}
		list = append(list, p)
	}
	return list
}

// selects reports whether the filter has includes: then only members that an include matches stay.
func (f *levelFilter) selects() bool { return f != nil && f.includes != nil }

// match sets the results of all patterns in the node of a path. It returns the work in steps.
func (f *levelFilter) match(n *node) int {
	name := jsoncursor.Unquote([]byte(n.name))
	above := &n.parent.levels
	n.included, n.levels.includes = nextLevel(above.includes, name)
	n.excluded, n.levels.excludes = nextLevel(above.excludes, name)
	n.includesBelow, n.excludesBelow = n.levels.includes != nil, n.levels.excludes != nil
	return (len(above.includes) + len(above.excludes)) * (globSteps + len(name)/globBytesPerStep)
}

// nextLevel compares the first level of each pattern with a name. matched reports whether a pattern
// that ends with this level matches. Otherwise next has the rests of the patterns that match so far,
// each rest once.
func nextLevel(patterns []levelPattern, name []byte) (matched bool, next []levelPattern) {
	add := func(p levelPattern) {
		if !slices.ContainsFunc(next, func(q levelPattern) bool { return &q[0] == &p[0] }) {
			next = append(next, p)
		}
	}
	for _, p := range patterns {
		switch {
		case !p[0].any && !p[0].name.match(name):
		case len(p) == 1:
			return true, nil
		default:
			if p[0].any {
				add(p)
			}
			add(p[1:])
		}
	}
	return false, next
}
