// This file implements _source and filter_path: it removes members from fragments and responses. It
// copies spans of text, so order and spelling stay the same. Checksums protect fragments: it does not check values.

package envelope

import (
	"contentedge/edgeserve/wire/jsoncursor"
)

// SourceFilter selects the members of an item. Patterns are dotted paths with * for any bytes,
// including dots. A pattern that matches an object applies to all its members. Excludes take
// precedence over includes. Arrays add nothing to a path: the filter applies to each element, and
// scalars have the path of their array.
//
// An object or array whose own path is included stays, even empty. The filter removes other empty
// objects and arrays, and empty objects and arrays in an array. A nil filter keeps whole items. A
// filter caches results per path and is not safe for concurrent use.
type SourceFilter struct {
	none               bool
	includes, excludes globs
	levels             *levelFilter // nil for patterns that span levels

	root  node
	known int // number of cached nodes
	work  int // steps since the last Work
}

// NoSource returns a filter that removes all members: every item becomes {}.
func NoSource() *SourceFilter { return &SourceFilter{none: true} }

// NewSourceFilter returns a filter that keeps members which an include and no exclude matches.
// Without includes, every member is included.
func NewSourceFilter(includes, excludes []string) *SourceFilter {
	return &SourceFilter{includes: compileGlobs(includes), excludes: compileGlobs(excludes)}
}

// Work returns the cost of appending since the last call, in steps of about ten nanoseconds.
func (f *SourceFilter) Work() int {
	n := f.work
	f.work = 0
	return n
}

// bytesPerStep is how many fragment bytes a step reads or copies.
const bytesPerStep = 8

// maxSourceDepth limits recursion, far beyond real content. Deeper values stay or go whole.
const maxSourceDepth = 500

// Append appends the filtered fragment, or {} if the fragment is not a compact JSON object.
func (f *SourceFilter) Append(dst, fragment []byte) []byte {
	if f == nil || !f.none && f.includes == nil && f.excludes == nil && f.levels == nil {
		return append(dst, fragment...)
	}
	mark := len(dst)
	if !f.none && len(fragment) > 0 && fragment[0] == '{' {
		f.work += 1 + len(fragment)/bytesPerStep
		s := filterRun{f: f, src: fragment, node: &f.root}
		out, end := s.object(dst, 0, f.includes == nil && !f.levels.selects())
		if end == len(fragment) {
			return out
		}
		dst = out[:mark]
	}
	return append(dst, "{}"...)
}

// filterRun filters one fragment. Methods append to dst and return the index after a value, or -1.
type filterRun struct {
	f     *SourceFilter
	src   []byte
	node  *node // path of the value being read
	depth int   // enclosing objects and arrays
}

// object filters the object at i. included reports whether an include matches it or an enclosing
// object.
func (s *filterRun) object(dst []byte, i int, included bool) ([]byte, int) {
	dst = append(dst, '{')
	if i++; i < len(s.src) && s.src[i] == '}' {
		return append(dst, '}'), i + 1
	}
	for n := 0; ; n++ {
		if dst, i = s.member(dst, i, n, included); i < 0 || i >= len(s.src) {
			return dst, -1
		}
		switch s.src[i] {
		case ',':
			i++
		case '}':
			return append(dst, '}'), i + 1
		default:
			return dst, -1
		}
	}
}

func (s *filterRun) member(dst []byte, i, n int, included bool) ([]byte, int) {
	if i >= len(s.src) || s.src[i] != '"' {
		return dst, -1
	}
	value := jsoncursor.StringEnd(s.src, i)
	if value+1 >= len(s.src) || s.src[value] != ':' {
		return dst, -1
	}
	around := s.node
	s.node = s.f.child(around, s.src[i:value], n)
	value++

	mark := len(dst)
	dst = append(separate(dst), s.src[i:value]...)
	dst, end, keep := s.value(dst, value, included)
	if !keep {
		dst = dst[:mark]
	}
	s.node = around
	return dst, end
}

func separate(dst []byte) []byte {
	if c := dst[len(dst)-1]; c == '{' || c == '[' {
		return dst
	}
	return append(dst, ',')
}

// value filters the value of the member s.node and reports whether the member stays.
func (s *filterRun) value(dst []byte, i int, included bool) ([]byte, int, bool) {
	if s.node.excluded {
		return dst, jsoncursor.ValueEnd(s.src, i), false
	}
	included = included || s.node.included
	if s.descends(i, included) {
		dst, end, keep := s.nested(dst, i, included)
		return dst, end, keep || included && s.f.levels == nil
	}
	return s.whole(dst, i, included)
}

func (s *filterRun) whole(dst []byte, i int, included bool) ([]byte, int, bool) {
	end := jsoncursor.ValueEnd(s.src, i)
	if !included {
		return dst, end, false
	}
	return append(dst, s.src[i:end]...), end, true
}

// descends reports whether the parts of the value at i may have different results.
func (s *filterRun) descends(i int, included bool) bool {
	if c := s.src[i]; c != '{' && c != '[' || s.depth >= maxSourceDepth {
		return false
	}
	if included {
		return s.node.excludesBelow
	}
	return s.node.includesBelow
}

// nested filters the object or array at i and reports whether something stays in it.
func (s *filterRun) nested(dst []byte, i int, included bool) ([]byte, int, bool) {
	mark, end := len(dst), 0
	s.depth++
	if s.src[i] == '{' {
		dst, end = s.object(dst, i, included)
	} else {
		dst, end = s.array(dst, i, included)
	}
	s.depth--
	return dst, end, len(dst) > mark+len("{}")
}

func (s *filterRun) array(dst []byte, i int, included bool) ([]byte, int) {
	dst = append(dst, '[')
	if i++; i < len(s.src) && s.src[i] == ']' {
		return append(dst, ']'), i + 1
	}
	for {
		if dst, i = s.element(dst, i, included); i < 0 || i >= len(s.src) {
			return dst, -1
		}
		switch s.src[i] {
		case ',':
			i++
		case ']':
			return append(dst, ']'), i + 1
		default:
			return dst, -1
		}
	}
}

func (s *filterRun) element(dst []byte, i int, included bool) ([]byte, int) {
	if i >= len(s.src) {
		return dst, -1
	}
	mark := len(dst)
	dst = separate(dst)
	var end int
	var keep bool
	if c := s.src[i]; (c == '{' || c == '[') && s.depth < maxSourceDepth {
		dst, end, keep = s.nested(dst, i, included)
	} else {
		dst, end, keep = s.whole(dst, i, included)
	}
	if !keep {
		dst = dst[:mark]
	}
	return dst, end
}
