// This file matches dotted paths against the patterns of a source filter.

package envelope

import (
	"bytes"
	"strings"
)

type globs []glob

// glob is a pattern split at its stars, which match any bytes, including dots: a path begins with
// head, has the middle parts in order and ends with tail. Without stars it equals the path.
type glob struct {
	head, tail []byte
	middle     [][]byte
	star       bool
}

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

// match reports whether the glob matches a whole path. Each middle part takes its first occurrence.
// This is correct, and the work per part is at most the path's length.
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

// mayMatchBelow reports whether the glob may match a longer path that begins with prefix.
func (g *glob) mayMatchBelow(prefix []byte) bool {
	return bytes.HasPrefix(g.head, prefix) || g.star && bytes.HasPrefix(prefix, g.head)
}

// match reports whether a glob matches path or a prefix that ends before a dot: names may contain
// dots. Prefixes up to parent were tested for the enclosing object.
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

func (gs globs) mayMatchBelow(prefix []byte) bool {
	for i := range gs {
		if gs[i].mayMatchBelow(prefix) {
			return true
		}
	}
	return false
}
