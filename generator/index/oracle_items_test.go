// This file holds the twin's view of an environment: every item taken apart into
// leaves by a JSON decoder, with maps and slices instead of an index.

package index_test

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/analysis"
)

// fieldType is the type of a path, decided by its first value.
type fieldType int

const (
	textType fieldType = iota
	dateType
	longType
	floatType
	boolType
)

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

// cell is what one item has at one path.
type cell struct {
	leaves  []any     // as written, in order
	texts   []string  // text: the distinct whole values
	words   []word    // text: all tokens
	numbers []float64 // other types: the distinct values that fit
	longs   []int64   // long, date, boolean: the same, exactly
}

// twinField is a path over all items.
type twinField struct {
	path   string
	typ    fieldType
	cells  []*cell // by item; nil where the item has no value
	df     map[string]int
	docs   int // items with a token
	tokens int
	terms  []string // ascending
	whole  []string // text: the distinct values, ascending
}

// twin answers bodies by looking at every item.
type twin struct {
	ids    []string
	fields map[string]*twinField
	paths  []string // ascending
	now    time.Time
}

// newTwin reads items in document order; seq is their order in the source.
func newTwin(items []string, seq []int) *twin {
	t := &twin{fields: map[string]*twinField{}, now: time.Now()}
	leaves := make([][]twinLeaf, len(items))
	for i, text := range items {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		walkLeaves(d, "", func(l twinLeaf) { leaves[i] = append(leaves[i], l) })
	}
	bySource := make([]int, len(items))
	for i := range bySource {
		bySource[i] = i
	}
	slices.SortFunc(bySource, func(a, b int) int { return seq[a] - seq[b] })
	for _, i := range bySource {
		for _, l := range leaves[i] {
			if t.fields[l.path] == nil {
				t.fields[l.path] = &twinField{path: l.path, typ: firstType(l), cells: make([]*cell, len(items)), df: map[string]int{}}
				t.paths = append(t.paths, l.path)
			}
		}
	}
	slices.Sort(t.paths)
	for i := range items {
		t.ids = append(t.ids, "")
		for _, l := range leaves[i] {
			t.fields[l.path].add(i, l)
			if s, ok := l.value.(string); ok && l.path == "ContentID" {
				t.ids[i] = s
			}
		}
	}
	for _, f := range t.fields {
		f.count()
	}
	return t
}

// walkLeaves reads one JSON value and reports its scalars in the order they stand in.
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

func firstType(l twinLeaf) fieldType {
	if t, ok := memberTypes[l.path]; ok {
		return t
	}
	switch v := l.value.(type) {
	case bool:
		return boolType
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return floatType
		}
		return longType
	}
	if analysis.IsDate(l.value.(string)) {
		return dateType
	}
	return textType
}

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
func (f *twinField) add(item int, l twinLeaf) {
	c := f.cells[item]
	if c == nil {
		c = &cell{}
		f.cells[item] = c
	}
	text := leafText(l.value)
	if f.typ == textType {
		next := 100 * len(c.leaves) // each value moves on by 100, and by its tokens
		next += len(c.words)
		for i, term := range analysis.Terms(text) {
			c.words = append(c.words, word{term, next + i})
		}
		if !slices.Contains(c.texts, text) {
			c.texts = append(c.texts, text)
		}
	} else if n, x, ok := f.value(l.value); ok && !slices.Contains(c.numbers, x) {
		c.longs, c.numbers = append(c.longs, n), append(c.numbers, x)
	}
	c.leaves = append(c.leaves, l.value)
}

// clock is the twin's now.
func (t *twin) clock() time.Time { return t.now }

// value is a leaf as the field's type has it; ok is false where it does not fit.
func (f *twinField) value(v any) (n int64, x float64, ok bool) {
	_, isBool := v.(bool)
	_, isNumber := v.(json.Number)
	text := leafText(v)
	switch f.typ {
	case boolType:
		if text == "true" {
			n = 1
		}
		return n, float64(n), !isNumber && (text == "true" || text == "false")
	case dateType:
		ms, err := analysis.ParseDate(text, false, nil)
		return ms, float64(ms), err == nil && !isBool
	}
	x, n, whole, ok := analysis.ParseNumber(text)
	if !ok || isBool {
		return 0, 0, false
	}
	if f.typ == floatType {
		x = float64(float32(x))
		return 0, x + 0, !math.IsInf(x, 0)
	}
	if !whole { // a fraction is cut
		if math.Abs(x) >= 1<<63 {
			return 0, 0, false
		}
		n = int64(x)
	}
	return n, float64(n), true
}

// count makes the statistics of a text field.
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

// frequency is how often a term stands in an item.
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
