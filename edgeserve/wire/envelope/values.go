// This file reads the values of paths from fragments, as Elasticsearch reads them from a _source.

package envelope

import (
	"bytes"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
)

// ValueReader reads the values of some paths. It reads each fragment in one pass, however many paths
// there are. Elements of arrays, also of nested arrays, give their values one after the other. A name
// with dots counts as the nested members that it spells. If several names of an object begin a path,
// the reader follows the shortest name. A ValueReader is not safe for concurrent use.
type ValueReader struct {
	charge func(bytes int) error

	paths []string // distinct, in the order of comparePaths
	index []int    // in paths, of each path that NewValueReader got

	src     []byte
	name    []byte       // scratch
	found   []foundValue // of all paths, in the order of the fragment
	chains  []chain      // of each path
	looked  int          // bytes read
	charged int          // of the bytes read
	err     error
}

// foundValue is the place of a scalar's JSON in the fragment. next is the index of the path's next value in found; 0
// after the last value.
type foundValue struct{ start, end, next int }

// chain has the indices in found of a path's first and last value, each plus one; 0 without values.
type chain struct{ first, last int }

// NewValueReader returns a reader of the values of paths. It calls charge, if not nil, with the number
// of bytes read, every 32 KiB or after a longer value. An error of charge ends the pass. The caller
// must not change paths afterwards.
func NewValueReader(paths []string, charge func(bytes int) error) *ValueReader {
	v := &ValueReader{charge: charge, paths: paths, index: make([]int, len(paths))}
	if len(paths) > 1 {
		v.paths = slices.Clone(paths)
		slices.SortFunc(v.paths, comparePaths[string, string])
		v.paths = slices.Compact(v.paths)
	}
	for i, path := range paths {
		v.index[i], _ = slices.BinarySearchFunc(v.paths, path, comparePaths[string, string])
	}
	v.chains = make([]chain, len(v.paths))
	return v
}

// comparePaths orders paths. A dot comes before all other bytes, so that a path is followed by the
// paths below it.
func comparePaths[A, B string | []byte](a A, b B) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			switch {
			case a[i] == '.':
				return -1
			case b[i] == '.':
				return 1
			}
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

// Read reads the values of a fragment. The caller must not change the fragment while it uses the
// values.
func (v *ValueReader) Read(fragment []byte) error {
	v.src, v.found, v.err = fragment, v.found[:0], nil
	clear(v.chains)
	v.value(0, pathRange{hi: len(v.paths)})
	v.spend(0)
	return v.err
}

// Append appends the values of a path, which is an index of the list given to NewValueReader. It prints
// numbers as Java does. null is not a value.
func (v *ValueReader) Append(dst []string, path int) []string {
	return v.append(dst, path, javaNumber)
}

// AppendWritten is Append with numbers as they are written in the item.
func (v *ValueReader) AppendWritten(dst []string, path int) []string {
	return v.append(dst, path, func(number string) string { return number })
}

func (v *ValueReader) append(dst []string, path int, number func(string) string) []string {
	for at := v.chains[v.index[path]].first; at > 0; at = v.found[at-1].next {
		f := v.found[at-1]
		dst = append(dst, scalarText(v.src[f.start:f.end], number))
	}
	return dst
}

const spendEvery = 32 << 10 // bytes

// spend counts bytes, and charges them once they are spendEvery or more. spend(0) charges the rest.
func (v *ValueReader) spend(bytes int) {
	v.looked += bytes
	if n := v.looked - v.charged; v.charge != nil && v.err == nil && (n >= spendEvery || bytes == 0) {
		v.charged = v.looked
		v.err = v.charge(n)
	}
}

// pathRange has the paths that lead to a value, or to values in it: paths[lo:hi]. off is the length of the part that
// they share, with a dot after it. So a path that ends at the value has off-1 bytes.
type pathRange struct {
	lo, hi, off, depth int
	more               bool // the reader needs JSON after the value, too
}

// value reads the value at i and returns the index after it. It returns -1 if the JSON is damaged, or if no path needs
// the JSON after the value.
func (v *ValueReader) value(i int, p pathRange) (end int) {
	if i >= len(v.src) || v.err != nil {
		return -1
	}
	if p.depth > maxSourceDepth {
		return v.skip(i)
	}
	switch v.src[i] {
	case '{':
		return v.object(i, p)
	case '[':
		return v.array(i, p)
	}
	end = v.skip(i)
	if end < 0 || v.src[i] == 'n' {
		return end
	}
	if v.ends(p) {
		v.found = append(v.found, foundValue{start: i, end: end})
		if c := &v.chains[p.lo]; c.first == 0 {
			*c = chain{len(v.found), len(v.found)}
		} else {
			v.found[c.last-1].next = len(v.found)
			c.last = len(v.found)
		}
	}
	return end
}

// ends reports whether a path of the range ends at its value. It can only be the first path, as the paths
// below a path follow it.
func (v *ValueReader) ends(p pathRange) bool { return p.lo < p.hi && len(v.paths[p.lo]) < p.off }

func (v *ValueReader) skip(i int) (end int) {
	if end = jsoncursor.ValueEnd(v.src, i); end == len(v.src) {
		return -1 // the object around the value does not end
	}
	v.spend(end - i)
	return end
}

func (v *ValueReader) array(i int, p pathRange) int {
	p.depth++
	p.more = true
	for i++; i < len(v.src) && v.src[i] != ']'; i++ {
		if i = v.value(i, p); i < 0 || i >= len(v.src) || v.src[i] != ',' {
			break
		}
	}
	if i < 0 || i >= len(v.src) {
		return -1
	}
	return i + 1
}

// dotted is a member whose name has dots. Its value counts unless the object has a shorter name that
// begins the same path.
type dotted struct {
	name  string
	value int
	paths pathRange
}

// object reads the members of an object whose names begin the rest of a path.
func (v *ValueReader) object(i int, p pathRange) (end int) {
	left, hint := p.hi-p.lo, p.lo
	if v.ends(p) {
		left-- // the path that ends here has no value, as an object is not a value
	}
	var later []dotted
	begin := i
	for i++; i < len(v.src) && v.src[i] == '"'; i++ {
		value := jsoncursor.StringEnd(v.src, i)
		if value+1 >= len(v.src) || v.src[value] != ':' {
			return -1
		}
		v.spend(value + 1 - i)
		name := v.src[i+1 : value-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			v.name = jsoncursor.AppendUnquoted(v.name[:0], name)
			name = v.name
		}
		value++
		lo, hi := p.lo, p.lo
		if v.src[value] != 'n' {
			lo, hi = v.pathsWith(name, p, hint)
		}
		inner := pathRange{lo, hi, p.off + len(name) + 1, p.depth + 1, true}
		switch {
		case lo == hi:
			end = v.skip(value)
		case bytes.IndexByte(name, '.') >= 0:
			later = append(later, dotted{string(name), value, inner})
			end = v.skip(value)
		default:
			hint = hi
			left -= hi - lo
			inner.more = p.more || left > 0 || later != nil
			if end = v.value(value, inner); !inner.more {
				return -1
			}
		}
		if i = end; i < 0 || i >= len(v.src) || v.src[i] != ',' {
			break
		}
	}
	if i < 0 || i >= len(v.src) || v.err != nil {
		return -1
	}
	if later != nil {
		v.dotted(later, v.names(begin))
	}
	return i + 1
}

// names returns the names of the members of an object that are not null.
func (v *ValueReader) names(i int) map[string]bool {
	set := map[string]bool{}
	for i++; i < len(v.src) && v.src[i] == '"'; i++ {
		value := jsoncursor.StringEnd(v.src, i) + 1
		if v.src[value] != 'n' {
			set[string(jsoncursor.Unquote(v.src[i:value-1]))] = true
		}
		v.spend(value - i)
		if i = v.skip(value); v.src[i] != ',' {
			break
		}
	}
	return set
}

// dotted reads the members in list for which the object has no shorter name that begins the same path.
func (v *ValueReader) dotted(list []dotted, names map[string]bool) {
	for _, d := range list {
		shorter := false
		for n := range len(d.name) {
			shorter = shorter || d.name[n] == '.' && names[d.name[:n]]
		}
		if !shorter {
			v.value(d.value, d.paths)
		}
	}
}

// pathsWith returns the paths of a range whose rest begins with the members that name spells. It first looks
// at hint, where they are if the object has its members in the order of the paths.
func (v *ValueReader) pathsWith(name []byte, p pathRange, hint int) (lo, hi int) {
	if p.hi-p.lo == 1 {
		if v.comparePrefix(name, p.lo, p.off) == 0 {
			return p.lo, p.hi
		}
		return p.lo, p.lo
	}
	if lo = hint; lo == p.hi || v.comparePrefix(name, lo, p.off) != 0 || lo > p.lo && v.comparePrefix(name, lo-1, p.off) == 0 {
		lo = p.lo + sort.Search(p.hi-p.lo, func(k int) bool { return v.comparePrefix(name, p.lo+k, p.off) <= 0 })
	}
	if hi = lo; hi == p.hi || v.comparePrefix(name, hi, p.off) != 0 {
		return lo, lo
	}
	if hi++; hi == p.hi || v.comparePrefix(name, hi, p.off) != 0 {
		return lo, hi
	}
	return lo, hi + sort.Search(p.hi-hi, func(k int) bool { return v.comparePrefix(name, hi+k, p.off) < 0 })
}

// comparePrefix is zero if the rest of a path, from off, begins with name. It is negative if the path comes
// after all such paths, and positive if it comes before them.
func (v *ValueReader) comparePrefix(name []byte, path, off int) int {
	text := v.paths[path]
	if len(text) < off {
		return 1
	}
	text = text[off:]
	n := min(len(text), len(name))
	switch {
	case text[:n] != string(name[:n]):
		return comparePaths(name, text)
	case len(text) < len(name):
		return 1
	case len(text) == len(name) || text[n] == '.':
		return 0
	}
	return -1
}

// scalarText returns a scalar as text.
func scalarText(text []byte, number func(string) string) string {
	if text[0] != '"' {
		return number(string(text))
	}
	return string(jsoncursor.Unquote(text))
}

// javaNumber parses a JSON number and prints it as Java does. true and false stay.
func javaNumber(text string) string {
	if text == "true" || text == "false" {
		return text
	}
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		return string(AppendFloat(nil, f, 64))
	}
	if n, ok := new(big.Int).SetString(text, 10); ok && len(text) < maxInteger {
		return n.String()
	}
	return text
}

// maxInteger limits the digits of integers that javaNumber parses: parsing takes quadratic time.
const maxInteger = 1000
