// This file holds the twin's view of an environment: every item taken apart into
// leaves by a JSON decoder, with maps and slices instead of an index.

package searchtest

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/engine/analysis"
)

// fieldType is the type of a path, decided by all its values, or of a sub-field.
type fieldType int

const (
	textType fieldType = iota
	keywordType
	dateType
	longType
	floatType
	doubleType
	boolType
)

// subNames are the sub-fields of every path.
var subNames = []string{"keyword", "long", "double", "boolean", "date"}

var subTypes = map[string]fieldType{"keyword": keywordType, "long": longType, "double": doubleType, "boolean": boolType, "date": dateType}

// twinLeaf is a scalar of an item: a string, a json.Number or a bool.
type twinLeaf struct {
	path  string
	value any
}

// word is a token and its position.
type word struct {
	term string
	pos  int
}

// cell is what one item has at one path, or at a sub-field.
type cell struct {
	leaves  []any     // as written, in order
	texts   []string  // the distinct whole values
	words   []word    // text: all tokens
	numbers []float64 // numbers, dates, booleans: the distinct values that fit
	longs   []int64   // long, date, boolean: the same, exactly
}

// twinField is a path, or a sub-field of one, over all items.
type twinField struct {
	path    string
	typ     fieldType
	keyword *twinField // the sub-field of the path that has its whole values
	cells   []*cell    // by item; nil where the item has no value
	df      map[string]int
	docs    int // items with a token
	tokens  int
	terms   []string // ascending
	whole   []string // the distinct values, ascending
}

// twin answers bodies by looking at every item.
type twin struct {
	ids    []string
	meta   map[string]*twinField // the metadata fields with values
	fields map[string]*twinField
	subs   map[string]*twinField // sub-fields that some value fills, by full name
	paths  []string              // ascending
	now    time.Time
	met    met
	boost  float64 // of the queries around the current one
}

// met returns what matched something since it was last cleared.
type met struct{ textForm, subField, id bool }

// newTwin reads items of an environment in document order.
func newTwin(items []string, env string) *twin {
	t := &twin{fields: map[string]*twinField{}, subs: map[string]*twinField{}, now: time.Now(), boost: 1}
	leaves := make([][]twinLeaf, len(items))
	values := map[string][]any{}
	for i, text := range items {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		walkLeaves(d, "", func(l twinLeaf) {
			leaves[i] = append(leaves[i], l)
			values[l.path] = append(values[l.path], l.value)
		})
	}
	for path, vs := range values {
		t.fields[path] = newField(path, typeOf(path, vs), len(items))
		t.paths = append(t.paths, path)
	}
	slices.Sort(t.paths)
	for i := range items {
		t.ids = append(t.ids, "")
		for _, l := range leaves[i] {
			t.fields[l.path].add(i, l.value)
			if s, ok := l.value.(string); ok && l.path == "ContentID" {
				t.ids[i] = s
			}
		}
	}
	t.addMetadata(env)
	for _, path := range t.paths {
		t.fields[path].count()
		t.divide(t.fields[path])
	}
	return t
}

func newField(path string, typ fieldType, items int) *twinField {
	return &twinField{path: path, typ: typ, cells: make([]*cell, items), df: map[string]int{}}
}

// divide makes the sub-fields of a path, each of the values that fill it. A sub-field without values does not exist,
// and a path wins over a sub-field of its name.
func (t *twin) divide(f *twinField) {
	for _, name := range subNames {
		sub := newField(f.path+"."+name, subTypes[name], len(f.cells))
		if name == "keyword" {
			f.keyword = sub
		}
		sub.keyword = f.keyword
		for i, c := range f.cells {
			if c == nil {
				continue
			}
			for _, v := range c.leaves {
				if _, _, ok := parseAs(sub.typ, leafText(v)); ok || sub.typ == keywordType {
					sub.add(i, v)
				}
			}
		}
		sub.count()
		if len(sub.whole) > 0 && t.fields[sub.path] == nil {
			t.subs[sub.path] = sub
		}
	}
}

// walkLeaves reads one JSON value and reports its scalars in their order.
func walkLeaves(d *json.Decoder, path string, visit func(twinLeaf)) {
	tok, err := d.Token()
	if err != nil {
		panic(err)
	}
	switch tok {
	case json.Delim('{'):
		for d.More() {
			key, _ := d.Token()
			name := key.(string)
			if path != "" {
				name = path + "." + name
			}
			walkLeaves(d, name, visit)
		}
		d.Token()
	case json.Delim('['):
		for d.More() {
			walkLeaves(d, path, visit)
		}
		d.Token()
	case nil:
	default:
		visit(twinLeaf{path, tok})
	}
}

// memberTypes are the members whose type is part of the interface.
var memberTypes = map[string]fieldType{
	"CreatedAt": dateType, "UpdatedAt": dateType, "PublishedAt": dateType,
	"Status": textType, "CreatedBy": textType, "PublishedBy": textType, "Name": textType,
	"UpdatedBy": textType, "TemplateName": textType, "TemplateID": textType, "ContentID": textType,
}

// typeOf is the type of a path with these values.
func typeOf(path string, values []any) fieldType {
	if t, ok := memberTypes[path]; ok {
		return t
	}
	all := func(is func(any) bool) bool {
		return !slices.ContainsFunc(values, func(v any) bool { return !is(v) })
	}
	switch {
	case all(isDate):
		return dateType
	case all(isBool):
		return boolType
	case all(isWhole):
		return longType
	case all(isNumber):
		return floatType
	}
	return textType
}

func isDate(v any) bool {
	s, ok := v.(string)
	return ok && analysis.IsDate(s)
}

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok
}

func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

// isWhole is a number written without a fraction or an exponent.
func isWhole(v any) bool { return isNumber(v) && !strings.ContainsAny(leafText(v), ".eE") }

// leafText is a leaf as text: a string as it is, else its JSON.
func leafText(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	}
	return v.(string)
}

// add takes in a leaf of an item; leaves come in order.
func (f *twinField) add(item int, v any) {
	c := f.cells[item]
	if c == nil {
		c = &cell{}
		f.cells[item] = c
	}
	text := leafText(v)
	if f.typ == textType {
		next := 100*len(c.leaves) + len(c.words) // each value moves on by 100, and by its tokens
		for i, term := range analysis.Terms(text) {
			c.words = append(c.words, word{term, next + i})
		}
	}
	if !slices.Contains(c.texts, text) {
		c.texts = append(c.texts, text)
	}
	if n, x, ok := parseAs(f.typ, text); ok && !c.has(n, x) {
		c.longs, c.numbers = append(c.longs, n), append(c.numbers, x)
	}
	c.leaves = append(c.leaves, v)
}

// has reports whether an item has a number.
func (c *cell) has(n int64, x float64) bool {
	for i := range c.numbers {
		if c.longs[i] == n && c.numbers[i] == x {
			return true
		}
	}
	return false
}

// clock is the twin's now.
func (t *twin) clock() time.Time { return t.now }

// parseAs reads the text of a value as a number, a date or a boolean; ok is false where
// it is none, or out of range.
func parseAs(typ fieldType, text string) (n int64, x float64, ok bool) {
	switch typ {
	case boolType:
		if text == "true" {
			n = 1
		}
		return n, float64(n), text == "true" || text == "false"
	case dateType:
		ms, ok := analysis.ParseDate(text, false, nil)
		return ms, float64(ms), ok && !strings.Contains(text, "||")
	case longType, floatType, doubleType:
		return parseNumber(typ, text)
	}
	return 0, 0, false
}

func parseNumber(typ fieldType, text string) (n int64, x float64, ok bool) {
	x, n, whole, ok := analysis.ParseNumber(text)
	switch {
	case !ok:
		return 0, 0, false
	case typ == floatType:
		x = float64(float32(x))
		return 0, x + 0, !math.IsInf(x, 0)
	case typ == doubleType:
		return 0, x + 0, !math.IsInf(x, 0)
	case whole:
		return n, float64(n), true
	case math.Abs(x) >= 1<<63:
		return 0, 0, false
	}
	return int64(x), float64(int64(x)), true // a fraction is cut
}

// count makes the statistics of a field.
func (f *twinField) count() {
	for _, c := range f.cells {
		if c == nil || len(c.words) == 0 {
			continue
		}
		f.docs++
		f.tokens += len(c.words)
		seen := map[string]bool{}
		for _, w := range c.words {
			if !seen[w.term] {
				seen[w.term] = true
				f.df[w.term]++
			}
		}
	}
	for term := range f.df {
		f.terms = append(f.terms, term)
	}
	slices.Sort(f.terms)
	for _, c := range f.cells {
		if c != nil {
			f.whole = append(f.whole, c.texts...)
		}
	}
	slices.Sort(f.whole)
	f.whole = slices.Compact(f.whole)
}

// frequency is how often an item has a term.
func (c *cell) frequency(term string) (n int) {
	for _, w := range c.words {
		if w.term == term {
			n++
		}
	}
	return n
}

// positions of a term in an item, ascending.
func (c *cell) positions(term string) (ps []int) {
	for _, w := range c.words {
		if w.term == term {
			ps = append(ps, w.pos)
		}
	}
	return ps
}
