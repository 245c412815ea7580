// This file sorts a run and writes it, path by path, to the temporary file. merge.go merges the runs. A
// single run is written too, so that the snapshot's bytes do not depend on the number of runs.

package index

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
	"contentedge/generator/spill"
)

// flushedPath is what one run has flushed of one path.
type flushedPath struct {
	path   string
	typ    snapshot.Type
	values int // number of leaves

	// lengths has, for each document with a token, the distance to the previous one and the number
	// of tokens. terms has each term in byte order, its number of documents, and for each the
	// distance, the number of positions and their distances. Both are for text fields.
	lengths, terms *spill.Stream

	// texts has the values in byte order, rest in REST order if some are not strings. An entry: the
	// text, a number, the number of documents, their distances. The number in texts is one plus the
	// offset in the first document's fragment, 0 if not a string; in rest it is the kind.
	texts, rest *spill.Stream
}

func (s *flushedPath) size() (n int64) {
	for _, stream := range []*spill.Stream{s.lengths, s.terms, s.texts, s.rest} {
		if stream != nil {
			n += stream.Len()
		}
	}
	return n
}

func (r *run) flush(file *spill.File) (out []*flushedPath, err error) {
	for i, p := range r.byPath {
		if p == nil || p == ignoredPath {
			continue
		}
		s := &flushedPath{path: p.path, typ: p.typ, values: len(p.values), texts: file.NewStream()}
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
	return !slices.ContainsFunc(p.values, func(v value) bool { return v.kind != mapping.String })
}

func (p *pathRun) writeLengths(s *spill.Stream) {
	last := snapshot.DocID(0)
	p.eachLength(func(doc snapshot.DocID, tokens int) {
		s.Uvarint(uint64(doc - last))
		s.Uvarint(uint64(tokens))
		last = doc
	})
}

type occurrence struct {
	doc snapshot.DocID
	pos uint32
}

func (p *pathRun) writeTerms(s *spill.Stream) {
	places, starts := p.occurrences()
	for _, n := range p.sortedWords() {
		s.Bytes(p.words.at(n))
		writeOccurrences(s, places[starts[n]:starts[n+1]])
	}
}

func (p *pathRun) occurrences() (places []occurrence, starts []uint32) {
	starts = make([]uint32, p.words.len()+2)
	for _, n := range p.tokens {
		starts[n+2]++
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	next := starts[1:] // becomes the ends, each of which is the next start
	places = make([]occurrence, len(p.tokens))
	tokens, at := p.tokens, occurrence{}
	for _, t := range p.texts {
		if t.doc != at.doc {
			at = occurrence{doc: t.doc}
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

func (p *pathRun) sortedWords() []int {
	keys := make([]sortKey, p.words.len())
	for i := range keys {
		keys[i] = sortKey{snapshot.Head(p.words.at(i)), uint32(i)}
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

func writeOccurrences(s *spill.Stream, occurrences []occurrence) {
	docs := 0
	for i := range occurrences {
		if i == 0 || occurrences[i].doc != occurrences[i-1].doc {
			docs++
		}
	}
	s.Uvarint(uint64(docs))
	last := snapshot.DocID(0)
	for len(occurrences) > 0 {
		doc, n := occurrences[0].doc, 1
		for n < len(occurrences) && occurrences[n].doc == doc {
			n++
		}
		s.Uvarint(uint64(doc - last))
		s.Uvarint(uint64(n))
		pos := uint32(0)
		for _, at := range occurrences[:n] {
			s.Uvarint(uint64(at.pos - pos))
			pos = at.pos
		}
		occurrences, last = occurrences[n:], doc
	}
}

func (p *pathRun) writeTexts(s *spill.Stream) {
	p.writeValues(s, &byText, where)
}

func where(v *value) uint64 {
	if v.kind != mapping.String {
		return 0
	}
	return uint64(v.offset) + 1
}

func (p *pathRun) writeRest(s *spill.Stream) {
	p.writeValues(s, &inRest, func(v *value) uint64 { return uint64(v.kind) })
}

// writeValues writes the distinct values in order, each with its documents and a number that where
// takes from the first leaf.
func (p *pathRun) writeValues(s *spill.Stream, o *ordering, where func(*value) uint64) {
	order := p.order(o)
	for len(order) > 0 {
		first := &p.values[order[0]]
		n, docs := 0, uint64(0)
		last := snapshot.DocID(1<<32 - 1) // none
		for ; n < len(order) && (n == 0 || o.same(first, &p.values[order[n]])); n++ {
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

// order sorts the indexes of the values, stably.
func (p *pathRun) order(o *ordering) []uint32 {
	if order := p.orderByDistinct(o); order != nil {
		return order
	}
	return sortValues(p.values, o)
}

const distinctRatio = 8 // least ratio of values to distinct ones for orderByDistinct

// orderByDistinct is order by comparing distinct values only; nil if too many are distinct.
func (p *pathRun) orderByDistinct(o *ordering) []uint32 {
	var distinct interner
	var firsts []uint32
	numbers := make([]uint32, len(p.values))
	var key []byte
	for i := range p.values {
		v := &p.values[i]
		key = append(append(key[:0], byte(v.kind)), v.text...)
		n, isNew := distinct.number(key)
		if isNew {
			if firsts = append(firsts, uint32(i)); len(firsts)*distinctRatio > len(p.values) {
				return nil
			}
		}
		numbers[i] = n
	}
	slices.SortFunc(firsts, func(a, b uint32) int {
		return cmp.Or(o.compare(&p.values[a], &p.values[b]), cmp.Compare(a, b))
	})
	return countingSort(numbers, firsts, func(a, b uint32) bool { return o.same(&p.values[a], &p.values[b]) })
}

// countingSort sorts values by the rank of their number. firsts has a value of each number, by
// rank; equal values of different numbers share a rank.
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
