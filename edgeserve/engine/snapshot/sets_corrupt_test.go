// These tests damage the sets of values and their description in a field's entry. Open or
// Check must find all damage.

package snapshot

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// ref returns the byte of a set with the given values and column.
func ref(values, column int) byte { return byte(1 + setCount*values + column) }

// setsAt is the offset of x's sets in its entry. Each has its byte and four bytes of a
// column description.
const setsAt = len("\x01x") + 3 + 4

// entryOf rewrites the pocket snapshot with another entry of a field.
func entryOf(path string, change func(e []byte) []byte) damage {
	return func(t testing.TB, _ []byte) []byte {
		return rewrite(t, pocket(), func(e *EncodedField) {
			if e.path == path {
				e.entry = change(slices.Clone(e.entry))
			}
		})
	}
}

// refer replaces the byte of a set of x. The set keeps its column.
func refer(set int, b byte) damage {
	return entryOf("x", func(e []byte) []byte { e[setsAt+5*(set-1)] = b; return e })
}

// borrow replaces the byte of a set of x and removes its column.
func borrow(set int, b byte) damage {
	return entryOf("x", func(e []byte) []byte {
		at := setsAt + 5*(set-1)
		return slices.Replace(e, at, at+5, b)
	})
}

// withField is the small snapshot with an additional field y, whose entry is changed.
func withField(typ Type, fill func(f *twinField), change func(e []byte) []byte) damage {
	return func(t testing.TB, _ []byte) []byte {
		tw := small()
		f := newTwinField("y", typ)
		fill(f)
		tw.fields = append(tw.fields, f)
		return rewrite(t, tw, func(e *EncodedField) {
			if e.path == "y" {
				e.entry = change(slices.Clone(e.entry))
			}
		})
	}
}

// lastSets replaces the last bytes of an entry.
func lastSets(b ...byte) func(e []byte) []byte {
	return func(e []byte) []byte { return append(e[:len(e)-len(b)], b...) }
}

// doubledIntegers gives long and double the same integers.
func doubledIntegers(f *twinField) {
	f.twinNumbers, f.subs[SubLong], f.subs[SubDouble] = shared[int64](7, 8), shared[int64](7, 8), shared[float64](7, 8)
}

// setLies are found by Open, or by Check if no Open error is given.
var setLies = []struct {
	name        string
	damage      damage
	open, check string
}{
	{"good", refer(1, ref(1, 1)), "", ""},
	{"column of a later set", refer(1, ref(1, 2)), `fields: set 1 of "x" refers to a set that does not exist`, ""},
	{"column of the last set", refer(4, ref(4, 6)), `fields: set 4 of "x" refers to a set that does not exist`, ""},
	{"values of a later set", refer(2, ref(3, 2)), `fields: set 2 of "x" refers to a set that does not exist`, ""},
	{"values of no set", refer(2, 255), `fields: set 2 of "x" refers to a set that does not exist`, ""},
	{"column of an empty set", entryOf("f", lastSets(0, 0, ref(3, 2), 0, 0, ref(0, 0))), `fields: set 3 of "f" refers to a set that does not exist`, ""},
	{"values of an empty set", entryOf("f", lastSets(0, 0, ref(2, 0), 0, 0, ref(0, 0))), `fields: set 3 of "f" refers to a set that does not exist`, ""},
	{"REST order of an empty set", entryOf("f", lastSets(0, 0, 0, 0, 0, ref(0, 4))), `fields: set 6 of "f" refers to a set that does not exist`, ""},
	{"REST order with values", refer(6, ref(6, 6)), `fields: set 6 of "x" refers to a set that does not exist`, ""},

	{"texts for numbers", refer(2, ref(1, 2)), `fields: set 2 of "x" has not one value of its type an ordinal`, ""},
	{"fractions for integers", refer(2, ref(0, 2)), `fields: set 2 of "x" has not one value of its type an ordinal`, ""},
	{"fractions for booleans", refer(4, ref(3, 4)), `fields: set 4 of "x" has not one value of its type an ordinal`, ""},
	{"integers for dates", refer(5, ref(2, 5)), "", ""},
	{"integers for fractions", refer(3, ref(2, 3)), "", ""},
	{"more numbers than the column has", withField(Text, func(f *twinField) {
		texts(f, "1", "x")
		f.subs[SubLong] = shared[int64](1)
	}, func(e []byte) []byte { return lastSets(ref(2, 0), 0, 0, 0, 0)(e[:len(e)-4]) }), "long numbers: not one value of its type an ordinal", ""},
	{"fewer numbers than the column has", withField(Text, func(f *twinField) {
		texts(f, "1", "x")
		f.subs[SubLong] = shared[int64](1)
	}, lastSets(ref(2, 0), 0, 0, 0)), `fields: set 3 of "y" has not one value of its type an ordinal`, ""},
	{"own fractions for integers", in(subKind(SubLong), "x", set(0, 1)), "long numbers: not one value of its type an ordinal", ""},
	{"own integers for fractions", in(subKind(SubDouble), "x", set(0, 0)), "double numbers: not one value of its type an ordinal", ""},
	{"numbers that are not there", row(subKind(SubDate), "x", set(16, 0)), "date numbers: cut short", ""},
	{"column that is not there", refer(2, ref(2, 2)), "", ""},

	{"keyword of numbers", refer(1, ref(0, 1)), `fields: the keyword of "x" is of a path without texts`, ""},
	{"keyword with a value more", withField(Long, func(f *twinField) {
		f.twinNumbers = shared[int64](1, 2)
		f.strings = map[string]docSet{"1": {0: true}, "2": {1: true}, "2.0": {1: true}}
	}, func(e []byte) []byte { return lastSets(ref(1, 0), 0, 0, 0, 0, ref(0, 0))(e[:len(e)-4]) }), "value index: not one value an ordinal", ""},
	{"text without a keyword", entryOf("s", lastSets(0, 0, 0, 0, 0, 0)), `fields: the keyword of "s" is not its texts`, ""},
	{"keyword of texts, opened again", entryOf("s", lastSets(ref(1, 0), 0, 0, 0, 0, 0)), `fields: the keyword of "s" is not its texts`, ""},
	{"entry cut short", entryOf("x", func(e []byte) []byte { return e[:len(e)-1] }), "fields: bad varint", ""},
	{"entry without REST order", entryOf("x", func(e []byte) []byte { return e[:len(e)-5] }), "fields: cut short", ""},
	{"entry with a byte more", entryOf("x", func(e []byte) []byte { return append(e, 0) }), "fields: bytes after the last one", ""},
	{"column claims a value more", entryOf("x", func(e []byte) []byte { e[setsAt+2] = 3; return e }), "keyword least: document map of the wrong shape", ""},
	{"column claims a pair more", entryOf("x", func(e []byte) []byte { e[setsAt+3] = 4; return e }), "fields: column tables of different lengths", ""},
	{"column without its sections", entryOf("f", func(e []byte) []byte { return append(e[:len(e)-6], 0, ref(2, 2), 1, 1, 1, 1, 0, 0, 0, 0) }), "long starts: cut short", ""},

	{"documents of a column", entryOf("x", func(e []byte) []byte { e[setsAt+4] = 9; return e }), "", "field x: sub-field keyword: snapshot is damaged: column least: 2 documents with a value, expected 9"},
	{"integers out of order", in(subKind(SubLong), "x", u64(1, 1<<63-1)), "", "field x: sub-field long: snapshot is damaged: numbers: value 1 is not in order"},
	{"fraction that is not a number", in(subKind(SubDouble), "x", u64(17, 1<<64-9)), "", "field x: sub-field double: snapshot is damaged: numbers: value 0 is not a number"},
	{"dates equal", in(subKind(SubDate), "x", set(9+8, 0, 0, 0)), "", "field x: sub-field date: snapshot is damaged: numbers: value 1 is not in order"},
	{"document of a boolean", rewriteSection("x", subKind(SubBoolean)+2, func([]byte) []byte { return appendPacked(nil, []uint32{4, 4, 200}) }), "", "field x: sub-field boolean: snapshot is damaged: column documents: document 200 of 129"},
	{"order of REST", rewriteSection("x", kindSort+1, swappedPairs), "", "field x: REST order: snapshot is damaged: column "},
	{"texts out of order", in(kindValues, "x", swap("2.0", "0.0")), "", "field x: sub-field keyword: snapshot is damaged: values: value 1 is not in order"},
	{"integers that are no doubles", func(t testing.TB, b []byte) []byte {
		b = withField(Long, doubledIntegers, slices.Clone[[]byte])(t, b)
		return in(kindNumbers, "y", u64(1, 1<<53))(t, b)
	}, "", "field y: sub-field double: snapshot is damaged: numbers: integers above 9007199254740992 serve as doubles"},
	{"integers below all doubles", func(t testing.TB, b []byte) []byte {
		b = withField(Long, doubledIntegers, slices.Clone[[]byte])(t, b)
		return in(kindNumbers, "y", u64(1, 1<<64-1<<53-1))(t, b)
	}, "", "field y: sub-field double: snapshot is damaged: numbers: integers above 9007199254740992 serve as doubles"},
}

func TestSetLies(t *testing.T) {
	good := pocket().write(t)
	for _, tt := range setLies {
		t.Run(tt.name, func(t *testing.T) {
			r, err := OpenBytes(repair(tt.damage(t, slices.Clone(good))))
			damaged(t, "Open", err, tt.open)
			if err == nil {
				damaged(t, "Check", r.Check(), tt.check)
			}
		})
	}
}

// damaged compares an error with a required part of its text. An empty part means no error.
func damaged(t *testing.T, phase string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: error %v, want none", phase, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, new(*CorruptError))):
		t.Errorf("%s: error %v, want %q", phase, err, want)
	}
}

// TestEverySetByte checks that any byte of a set gives a valid snapshot or an error, not a
// panic.
func TestEverySetByte(t *testing.T) {
	for set := 1; set < setCount; set++ {
		for v := range ref(setRest, setRest) + 9 {
			for _, d := range []damage{refer(set, v), borrow(set, v)} {
				b := d(t, nil)
				withinLimits(t, b, func() {
					if r, err := OpenBytes(b); err == nil {
						walk(t, r)
					} else if !errors.As(err, new(*CorruptError)) {
						t.Errorf("byte %d of set %d: %v", v, set, err)
					}
				})
			}
		}
	}
}
