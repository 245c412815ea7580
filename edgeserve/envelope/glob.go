// This file matches dotted paths against the patterns of a source filter.

package envelope

import (
	"bytes"
	"strings"
)

// globs are the patterns of one list.
type globs []glob

// glob is a pattern cut at its stars, each of which stands for any bytes, dots
// included: a path must begin with head, hold the middle parts in order and end with
// tail. Without a star the path must be head.
type glob struct {
	head, tail []byte
	middle     [][]byte
	star       bool
}

// compileGlobs drops repeated patterns, so that a long list of one costs as one.
func compileGlobs(patterns []string) globs {
	seen := make(map[string]bool, len(patterns))
	var gs globs
	for _, p := range patterns {
		if !seen[p] {
			seen[p] = true
			gs = append(gs, compileGlob(p))
		}
	}
	return gs
}

func compileGlob(pattern string) glob {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	g := glob{head: []byte(parts[0]), star: last > 0}
	if !g.star {
		return g
	}
	g.tail = []byte(parts[last])
	for _, p := range parts[1:last] {
		if p != "" {
			g.middle = append(g.middle, []byte(p))
		}
	}
	return g
}

// match reports whether the glob matches the whole path. Taking each middle part where
// it occurs first is right, and bounds the work by the path's length for each part.
func (g *glob) match(path []byte) bool {
	if !g.star {
		return bytes.Equal(path, g.head)
	}
	rest, ok := bytes.CutPrefix(path, g.head)
	if !ok {
		return false
	}
	for _, m := range g.middle {
		i := bytes.Index(rest, m)
		if i < 0 {
			return false
		}
		rest = rest[i+len(m):]
	}
	return bytes.HasSuffix(rest, g.tail)
}

// reaches reports whether the glob may match a longer path that begins with prefix.
func (g *glob) reaches(prefix []byte) bool {
	return bytes.HasPrefix(g.head, prefix) || g.star && bytes.HasPrefix(prefix, g.head)
}

// match reports whether a glob matches path or, as a name may hold dots, a part of it
// that ends at a dot after the path's first parent bytes. Those lead to the object
// around, which was asked about before.
func (gs globs) match(path []byte, parent int) bool {
	for end := parent + 1; end < len(path); end++ {
		if path[end] == '.' && gs.matchWhole(path[:end]) {
			return true
		}
	}
	return gs.matchWhole(path)
}

func (gs globs) matchWhole(path []byte) bool {
	for i := range gs {
		if gs[i].match(path) {
			return true
		}
	}
	return false
}

// reaches reports whether a glob may match a longer path that begins with prefix.
func (gs globs) reaches(prefix []byte) bool {
	for i := range gs {
		if gs[i].reaches(prefix) {
			return true
		}
	}
	return false
}
