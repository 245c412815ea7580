// This file sorts what a run gathered and writes it to the temporary file, path by
// path: terms with their places, lengths, values with their documents. Runs that are
// sealed are merged field by field (see merge.go); a run that holds everything goes the
// same way, so that the bytes of a snapshot cannot depend on how many there were.

package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/fields"
	"contentedge/generator/spill"
)

// sealed is what a run knew of one path.
type sealed struct {
	path   string
	typ    snapshot.Type
	values int // leaves

	// Text fields: lengths is, for each document with a token, its distance to the last
	// such and its tokens. terms is, in byte order, each term, its number of documents,
	// and for each the distance to the last, the number of places and their distances.
	lengths, terms *spill.Stream

	// texts are the values by their bytes, rest, where some are no strings, in REST order,
	// which for strings is the same. An entry is the text, a place, the number of documents
	// and the distance of each to the last. The place is 0 for what is no string, else
	// the offset plus one in the first document's fragment; in rest it is the kind.
	texts, rest *spill.Stream
}

// size is the bytes it has in the file.
func (s *sealed) size() (n int64) {
	for _, stream := range []*spill.Stream{s.lengths, s.terms, s.texts, s.rest} {
		if stream != nil {
			n += stream.Len()
		}
	}
	return n
}

// seal writes the run to the file.
func (r *run) seal(file *spill.File) (out []*sealed, err error) {
	for i, p := range r.byPath {
		if p == nil || p == leftOut {
			continue
		}
		s := &sealed{path: p.path, typ: p.typ, values: len(p.values), texts: file.NewStream()}
		p.writeTexts(s.texts)
		err = s.texts.Flush()
		if p.typ == snapshot.Text {
			s.lengths, s.terms = file.NewStream(), file.NewStream()
			p.writeLengths(s.lengths)
			p.writeTerms(s.terms)
			err = errors.Join(err, s.lengths.Flush(), s.terms.Flush())
		}
		if !p.onlyStrings() {
			s.rest = file.NewStream()
			p.writeRest(s.rest)
			err = errors.Join(err, s.rest.Flush())
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		r.byPath[i] = nil
	}
	return out, nil
}

func (p *pathRun) onlyStrings() bool {
	return !slices.ContainsFunc(p.values, func(v value) bool { return v.kind != fields.String })
}

// writeLengths writes how many tokens each document has.
func (p *pathRun) writeLengths(s *spill.Stream) {
	last := snapshot.DocID(0)
	for i := 0; i < len(p.texts); {
		doc, n := p.texts[i].doc, uint64(0)
		for ; i < len(p.texts) && p.texts[i].doc == doc; i++ {
			n += uint64(p.texts[i].n)
		}
		if n > 0 {
			s.Uvarint(uint64(doc - last))
			s.Uvarint(n)
			last = doc
		}
	}
}

// place is where a term stands.
type place struct {
	doc snapshot.DocID
	pos uint32
}

// writeTerms writes every term with its places.
func (p *pathRun) writeTerms(s *spill.Stream) {
	places, starts := p.places()
	for _, n := range p.sortedWords() {
		s.Bytes(p.words.at(n))
		writePlaces(s, places[starts[n]:starts[n+1]])
	}
}

// places sorts all places by the number of their word; they ascend within it.
func (p *pathRun) places() (places []place, starts []uint32) {
	starts = make([]uint32, p.words.len()+2)
	for _, n := range p.tokens {
		starts[n+2]++
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	next := starts[1:] // becomes the ends, which are the next one's starts
	places = make([]place, len(p.tokens))
	tokens, at := p.tokens, place{}
	for _, t := range p.texts {
		if t.doc != at.doc {
			at = place{doc: t.doc}
		}
		for _, n := range tokens[:t.n] {
			places[next[n]] = at
			next[n]++
			at.pos++
		}
		tokens = tokens[t.n:]
		at.pos += arrayGap
	}
	return places, starts
}

// sortedWords returns the numbers of all words in byte order.
func (p *pathRun) sortedWords() []int {
	keys := make([]sortKey, p.words.len())
	for i := range keys {
		keys[i] = sortKey{head(p.words.at(i)), uint32(i)}
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(p.words.at(int(a.i)), p.words.at(int(b.i)))
	})
	out := make([]int, len(keys))
	for i, k := range keys {
		out[i] = int(k.i)
	}
	return out
}

// writePlaces writes the places of one term.
func writePlaces(s *spill.Stream, places []place) {
	docs := 0
	for i := range places {
		if i == 0 || places[i].doc != places[i-1].doc {
			docs++
		}
	}
	s.Uvarint(uint64(docs))
	last := snapshot.DocID(0)
	for len(places) > 0 {
		doc, n := places[0].doc, 1
		for n < len(places) && places[n].doc == doc {
			n++
		}
		s.Uvarint(uint64(doc - last))
		s.Uvarint(uint64(n))
		pos := uint32(0)
		for _, at := range places[:n] {
			s.Uvarint(uint64(at.pos - pos))
			pos = at.pos
		}
		places, last = places[n:], doc
	}
}

// sortKey is a text to sort: its first eight bytes, which decide most comparisons, and
// its number.
type sortKey struct {
	head uint64
	i    uint32
}

// head packs the first eight bytes of s so that numbers compare as the bytes do.
func head(s []byte) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64(s)
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// writeTexts writes the values by their bytes.
func (p *pathRun) writeTexts(s *spill.Stream) {
	p.writeValues(s, compareTexts, func(v *value) uint64 {
		if v.kind != fields.String {
			return 0
		}
		return uint64(v.offset) + 1
	})
}

// writeRest writes the values in REST order.
func (p *pathRun) writeRest(s *spill.Stream) {
	p.writeValues(s, compareRest, func(v *value) uint64 { return uint64(v.kind) })
}

// writeValues writes the distinct values in an order, each with its documents and the
// place of its first.
func (p *pathRun) writeValues(s *spill.Stream, compare comparison, where func(*value) uint64) {
	order := p.order(compare)
	for len(order) > 0 {
		first := &p.values[order[0]]
		n, docs := 0, uint64(0)
		last := snapshot.DocID(1<<32 - 1) // none
		for ; n < len(order) && (n == 0 || compare(first, &p.values[order[n]]) == 0); n++ {
			if doc := p.values[order[n]].doc; doc != last {
				last = doc
				docs++
			}
		}
		s.Bytes(first.text)
		s.Uvarint(where(first))
		s.Uvarint(docs)
		last = 0
		for i, v := range order[:n] {
			if doc := p.values[v].doc; i == 0 || doc != last {
				s.Uvarint(uint64(doc - last))
				last = doc
			}
		}
		order = order[n:]
	}
}

// order returns the numbers of the values in an order; equal ones stay as they came.
func (p *pathRun) order(compare comparison) []uint32 {
	if order := p.orderFew(compare); order != nil {
		return order
	}
	keys := make([]sortKey, len(p.values))
	for i := range keys {
		keys[i] = sortKey{head(p.values[i].text), uint32(i)}
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		va, vb := &p.values[a.i], &p.values[b.i]
		if a.head != b.head && va.kind == fields.String && vb.kind == fields.String {
			return cmp.Compare(a.head, b.head) // in both orders
		}
		return cmp.Or(compare(va, vb), cmp.Compare(a.i, b.i))
	})
	out := make([]uint32, len(keys))
	for i, k := range keys {
		out[i] = k.i
	}
	return out
}

// fewShare is how few of the values may be distinct for orderFew.
const fewShare = 8

// orderFew is order where most values occur many times: only the distinct ones are
// compared, the rest is counting. It returns nil where too many are distinct.
func (p *pathRun) orderFew(compare comparison) []uint32 {
	var distinct words
	var firsts []uint32
	numbers := make([]uint32, len(p.values))
	var key []byte
	for i := range p.values {
		v := &p.values[i]
		key = append(append(key[:0], byte(v.kind)), v.text...)
		n, isNew := distinct.number(key)
		if isNew {
			if firsts = append(firsts, uint32(i)); len(firsts)*fewShare > len(p.values) {
				return nil
			}
		}
		numbers[i] = n
	}
	slices.SortFunc(firsts, func(a, b uint32) int {
		return cmp.Or(compare(&p.values[a], &p.values[b]), cmp.Compare(a, b))
	})
	return countingSort(numbers, firsts, func(a, b uint32) bool { return compare(&p.values[a], &p.values[b]) == 0 })
}

// countingSort orders values by the rank of their number; firsts has one value of each
// number, by rank. Equal values of different numbers have one rank.
func countingSort(numbers, firsts []uint32, equal func(a, b uint32) bool) []uint32 {
	rank := make([]uint32, len(firsts)) // by number
	next := make([]uint32, len(firsts)+1)
	r := uint32(0)
	for i, first := range firsts {
		if i > 0 && !equal(firsts[i-1], first) {
			r++
		}
		rank[numbers[first]] = r
	}
	for _, n := range numbers {
		next[rank[n]+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	out := make([]uint32, len(numbers))
	for i, n := range numbers {
		out[next[rank[n]]] = uint32(i)
		next[rank[n]]++
	}
	return out
}

// comparison orders values.
type comparison func(a, b *value) int

// compareTexts orders values by their bytes.
func compareTexts(a, b *value) int { return bytes.Compare(a.text, b.text) }

// restOrder ranks the types of a path's values in a REST sort.
var restOrder = [...]int{fields.Number: 0, fields.Boolean: 1, fields.String: 2}

// compareRest orders values as a REST list does, and those that are equal there by
// their bytes.
func compareRest(a, b *value) int { return cmp.Or(compareInRest(a, b), bytes.Compare(a.text, b.text)) }

// compareInRest orders values as a REST list does: numbers, booleans, strings; numbers
// by value however long, the others by bytes.
func compareInRest(a, b *value) int {
	if c := cmp.Compare(restOrder[a.kind], restOrder[b.kind]); c != 0 {
		return c
	}
	if a.kind == fields.Number {
		return analysis.CompareNumbers(string(a.text), string(b.text))
	}
	return bytes.Compare(a.text, b.text)
}
