// This file finds the fields of an environment in the JSON of its items.

package snaptest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/snapshot"
)

// arrayGap is the position gap between two values of a path. It keeps phrases from matching
// across values.
const arrayGap = 100

// kind is the JSON type of a leaf. The order is the order of REST lists.
type kind int

const (
	isNumber kind = iota
	isBoolean
	isString
)

type leaf struct {
	doc    snapshot.DocID
	kind   kind
	text   string // decoded string, otherwise the JSON text
	offset int    // strings: offset after the opening quote
}

type path struct {
	name   string
	typ    snapshot.Type
	leaves []leaf
}

var dates = []string{"CreatedAt", "UpdatedAt", "PublishedAt"}

func fields(e *Env) []*snapshot.FieldData {
	w := &walker{byName: map[string]*path{}}
	for d, item := range e.Items {
		w.item(snapshot.DocID(d), item)
	}
	paths := make([]*path, 0, len(w.byName))
	for _, p := range w.byName {
		if e.LeftOut.Covers(p.name) {
			continue
		}
		p.typ = p.decide(e)
		paths = append(paths, p)
	}
	slices.SortFunc(paths, func(a, b *path) int { return strings.Compare(a.name, b.name) })
	rank := ranks(w.byName["ContentID"], len(e.Items))
	out := make([]*snapshot.FieldData, len(paths))
	for i, p := range paths {
		out[i] = p.data(e, rank)
	}
	return out
}

type walker struct {
	doc    snapshot.DocID
	json   string
	dec    *json.Decoder
	byName map[string]*path
}

func (w *walker) item(doc snapshot.DocID, item string) {
	w.doc, w.json, w.dec = doc, item, json.NewDecoder(strings.NewReader(item))
	w.dec.UseNumber()
	w.value("")
}

// value reads one value. The elements of an array belong to the array's path.
func (w *walker) value(name string) {
	before := int(w.dec.InputOffset())
	t, _ := w.dec.Token()
	switch t := t.(type) {
	case json.Delim:
		for w.dec.More() {
			below := name
			if t == '{' {
				key, _ := w.dec.Token()
				below = strings.TrimPrefix(name+"."+key.(string), ".")
			}
			w.value(below)
		}
		w.dec.Token()
	case string:
		w.give(name, isString, t, before+strings.IndexByte(w.json[before:], '"')+1)
	case bool:
		w.give(name, isBoolean, strconv.FormatBool(t), 0)
	case json.Number:
		w.give(name, isNumber, t.String(), 0)
	}
}

func (w *walker) give(name string, k kind, text string, offset int) {
	p := w.byName[name]
	if p == nil {
		p = &path{name: name}
		w.byName[name] = p
	}
	p.leaves = append(p.leaves, leaf{w.doc, k, text, offset})
}

// decide returns the type of the path. Types of the environment take precedence.
func (p *path) decide(e *Env) snapshot.Type {
	typ, given := e.Types[p.name]
	all := func(is func(l leaf) bool) bool {
		return !slices.ContainsFunc(p.leaves, func(l leaf) bool { return !is(l) })
	}
	switch {
	case given:
		return typ
	case slices.Contains(dates, p.name), all(func(l leaf) bool { return l.kind == isString && e.Analysis.IsDate(l.text) }):
		return snapshot.Date
	case all(func(l leaf) bool { return l.kind == isBoolean }):
		return snapshot.Boolean
	case all(func(l leaf) bool { return l.kind == isNumber && !strings.ContainsAny(l.text, ".eE") }):
		return snapshot.Long
	case all(func(l leaf) bool { return l.kind == isNumber }):
		return snapshot.Float
	}
	return snapshot.Text
}

// ranks orders documents by ContentID, or by number without ids.
func ranks(ids *path, items int) []int {
	rank := make([]int, items)
	for d := range rank {
		rank[d] = d
	}
	if ids == nil {
		return rank
	}
	sorted := slices.Clone(ids.leaves)
	slices.SortFunc(sorted, func(a, b leaf) int { return strings.Compare(a.text, b.text) })
	for i, l := range sorted {
		rank[l.doc] = i
	}
	return rank
}

// data returns the field's input. Every path has strings, whatever its type.
func (p *path) data(e *Env, rank []int) *snapshot.FieldData {
	f := &snapshot.FieldData{Path: p.name, Type: p.typ}
	firsts, c := column(p.leaves, rank, func(l leaf) (string, bool) { return l.text, true })
	var values []snapshot.StringValue
	for i, l := range firsts {
		values = append(values, snapshot.StringValue{Text: []byte(l.text), Doc: l.doc, Offset: uint32(l.offset), Docs: c.Docs[i]})
	}
	f.Strings = slices.Values(values)
	if p.numbers(e, f, rank); p.typ == snapshot.Text {
		p.text(e, f)
		if e.Grams {
			f.Grams = slices.Values(grams(values, e.Analysis.Fold))
		}
	}
	instant := func(l leaf) (int64, bool) { return e.Analysis.ListDate(p.name, l.text) }
	noDate := func(l leaf) bool { _, ok := instant(l); return l.kind != isString || !ok }
	switch {
	case !slices.ContainsFunc(p.leaves, noDate):
		_, c := column(p.leaves, rank, instant)
		f.Sort = &c
	case slices.ContainsFunc(p.leaves, func(l leaf) bool { return l.kind != isString }):
		f.Sort = restOrder(p.leaves, rank)
	}
	return f
}

// column groups leaves by key: the first leaf of each group and its documents by rank.
func column[K cmp.Ordered](leaves []leaf, rank []int, key func(leaf) (K, bool)) (firsts []leaf, c snapshot.ColumnData) {
	byKey := map[K][]leaf{}
	for _, l := range leaves {
		if k, ok := key(l); ok {
			byKey[k] = append(byKey[k], l)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(byKey)) {
		firsts = append(firsts, byKey[k][0])
		c.Docs = append(c.Docs, documents(byKey[k], rank))
	}
	return firsts, c
}

func documents(leaves []leaf, rank []int) (docs []snapshot.DocID) {
	for _, l := range leaves {
		docs = append(docs, l.doc)
	}
	slices.SortFunc(docs, func(a, b snapshot.DocID) int { return cmp.Compare(rank[a], rank[b]) })
	return slices.Compact(docs)
}

func (p *path) text(e *Env, f *snapshot.FieldData) {
	terms := map[string][]snapshot.Posting{}
	counts := make([]int, len(e.Items))
	doc, pos := snapshot.DocID(0), uint32(0)
	for i, l := range p.leaves {
		if i == 0 || l.doc != doc {
			doc, pos = l.doc, 0
		}
		for _, word := range e.Analysis.Words(l.text) {
			list := terms[word]
			if n := len(list); n == 0 || list[n-1].Doc != doc {
				list = append(list, snapshot.Posting{Doc: doc})
			}
			last := &list[len(list)-1]
			last.Positions = append(last.Positions, pos)
			terms[word] = list
			counts[doc]++
			pos++
		}
		pos += arrayGap
	}
	for d, n := range counts {
		if n > 0 {
			f.Norms = append(f.Norms, snapshot.Norm{Doc: snapshot.DocID(d), Length: e.Analysis.Length(n)})
			f.Docs++
			f.Tokens += n
		}
	}
	if f.Docs > 0 {
		f.Factor = e.Analysis.Factors(float32(f.Tokens) / float32(f.Docs))
	}
	f.Terms = func(add func([]byte, []snapshot.Posting)) {
		words := make([]string, 0, len(terms))
		for word := range terms {
			words = append(words, word)
		}
		slices.Sort(words)
		for _, word := range words {
			add([]byte(word), terms[word])
		}
	}
}

// factors returns the BM25 length factor of each encoded length.
func factors(average float32) (f [256]float32) {
	for n := range f {
		f[n] = 1.2 * (0.25 + 0.75*float32(n)/average)
	}
	return f
}

func grams(values []snapshot.StringValue, fold func(rune) rune) []snapshot.Gram {
	holding := map[uint64][]uint32{}
	for i, v := range values {
		ord := uint32(i)
		runes := bytes.Runes(v.Text)
		for j := 2; j < len(runes); j++ {
			k := snapshot.GramKey(fold(runes[j-2]), fold(runes[j-1]), fold(runes[j]))
			if s := holding[k]; len(s) == 0 || s[len(s)-1] != ord {
				holding[k] = append(s, ord)
			}
		}
	}
	out := make([]snapshot.Gram, 0, len(holding))
	for k, vs := range holding {
		out = append(out, snapshot.Gram{Key: k, Values: vs})
	}
	slices.SortFunc(out, func(a, b snapshot.Gram) int { return cmp.Compare(a.Key, b.Key) })
	return out
}
