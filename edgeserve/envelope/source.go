// This file leaves members out of fragments, as a search's _source option asks. It
// copies spans of the fragment's text: order, numbers and strings stay as written.

package envelope

// SourceFilter says which members of an item come out. Patterns are dotted paths with
// * for any bytes, dots included. A pattern that matches an object speaks for
// everything in it; excludes win over includes. Arrays are no step of a path: the
// filter is applied to each of their elements.
//
// An object or array that an include matches by its own path stays even when nothing
// is left in it, another one is dropped then. Of an array that stays, the objects keep
// their places: those of which nothing is left become {}. Scalars in an array belong
// to the array's path.
//
// What the patterns say of a path is found out once: the filter remembers the paths that
// it has met. A nil filter leaves items whole. A filter belongs to one goroutine.
type SourceFilter struct {
	none               bool
	includes, excludes globs

	root  node
	known int // nodes that are remembered
	work  int // steps, not yet told
}

// NoSource is the filter that leaves nothing: every item becomes {}.
func NoSource() *SourceFilter { return &SourceFilter{none: true} }

// NewSourceFilter makes the filter that keeps what an include matches (everything when
// there are none) and no exclude does.
func NewSourceFilter(includes, excludes []string) *SourceFilter {
	return &SourceFilter{includes: compileGlobs(includes), excludes: compileGlobs(excludes)}
}

// Work is what appending took since the last call, in steps of some ten nanoseconds.
func (f *SourceFilter) Work() int {
	n := f.work
	f.work = 0
	return n
}

// bytesPerStep is how many bytes of a fragment are read, or copied, in a step.
const bytesPerStep = 8

// maxSourceDepth bounds the recursion. It is far beyond what people nest; values that
// lie deeper are kept or dropped whole.
const maxSourceDepth = 500

// Append appends what the filter leaves of a fragment, which has to be the compact JSON
// text of an object; on any other text it appends {}.
func (f *SourceFilter) Append(dst, fragment []byte) []byte {
	if f == nil || !f.none && f.includes == nil && f.excludes == nil {
		return append(dst, fragment...)
	}
	mark := len(dst)
	if !f.none && len(fragment) > 0 && fragment[0] == '{' {
		f.work += 1 + len(fragment)/bytesPerStep
		s := sieve{f: f, src: fragment, at: &f.root}
		out, end := s.object(dst, 0, f.includes == nil)
		if end == len(fragment) {
			return out
		}
		dst = out[:mark]
	}
	return append(dst, "{}"...)
}

// sieve is one run of a filter over one fragment. Its methods append what they leave to
// dst and return the index after what they read, -1 on text that is no JSON.
type sieve struct {
	f     *SourceFilter
	src   []byte
	at    *node // of the value being read
	depth int   // of objects and arrays around it
	kept  int   // values that stayed on their own account
}

// object reads the object at i. included: an include matches it or something around it.
func (s *sieve) object(dst []byte, i int, included bool) ([]byte, int) {
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

// member reads the name and the value of a member, the nth of its object.
func (s *sieve) member(dst []byte, i, n int, included bool) ([]byte, int) {
	if i >= len(s.src) || s.src[i] != '"' {
		return dst, -1
	}
	value := skipString(s.src, i)
	if value < 0 || value+1 >= len(s.src) || s.src[value] != ':' {
		return dst, -1
	}
	around := s.at
	s.at = s.f.below(around, s.src[i:value], n)
	value++

	mark := len(dst)
	dst = append(separate(dst), s.src[i:value]...)
	dst, end, keep := s.value(dst, value, included)
	if !keep {
		dst = dst[:mark]
	}
	s.at = around
	return dst, end
}

// separate writes a comma unless dst ends where an object or array begins.
func separate(dst []byte) []byte {
	if c := dst[len(dst)-1]; c == '{' || c == '[' {
		return dst
	}
	return append(dst, ',')
}

// value reads the value of the member at s.at and tells whether the member stays.
func (s *sieve) value(dst []byte, i int, included bool) ([]byte, int, bool) {
	if s.at.excluded {
		return dst, skipValue(s.src, i), false
	}
	included = included || s.at.included
	if s.enters(i, included) {
		return s.nested(dst, i, included)
	}
	return s.whole(dst, i, included)
}

// whole copies the value at i if it stays.
func (s *sieve) whole(dst []byte, i int, included bool) ([]byte, int, bool) {
	end := skipValue(s.src, i)
	if end < 0 || !included {
		return dst, end, false
	}
	s.kept++
	return append(dst, s.src[i:end]...), end, true
}

// enters reports whether the parts of the value at i can fare differently.
func (s *sieve) enters(i int, included bool) bool {
	if c := s.src[i]; c != '{' && c != '[' || s.depth >= maxSourceDepth {
		return false
	}
	if included {
		return s.at.excludesBelow
	}
	return s.at.includesBelow
}

// nested reads the object or array at i and tells whether it stays.
func (s *sieve) nested(dst []byte, i int, included bool) ([]byte, int, bool) {
	kept, end := s.kept, 0
	s.depth++
	if s.src[i] == '{' {
		dst, end = s.object(dst, i, included)
	} else {
		dst, end = s.array(dst, i, included)
	}
	s.depth--
	if included {
		s.kept++
	}
	return dst, end, s.kept > kept
}

// array reads the array at i.
func (s *sieve) array(dst []byte, i int, included bool) ([]byte, int) {
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

// element reads a value of the array at s.at.
func (s *sieve) element(dst []byte, i int, included bool) ([]byte, int) {
	if i >= len(s.src) {
		return dst, -1
	}
	mark := len(dst)
	dst = separate(dst)
	var end int
	var keep bool
	if c := s.src[i]; (c == '{' || c == '[') && s.depth < maxSourceDepth {
		dst, end, keep = s.nested(dst, i, included)
		keep = keep || c == '{'
	} else {
		dst, end, keep = s.whole(dst, i, included)
	}
	if !keep {
		dst = dst[:mark]
	}
	return dst, end
}
