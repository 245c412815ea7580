// Package hits writes the documents of a search as Elasticsearch's hits: names, score, source, sort
// values, and what else the body asks for.
package hits

import (
	"math"
	"strconv"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
)

const (
	// hitSteps is the cost of a hit beside its bytes.
	hitSteps = 8
	// copiedPerStep is the number of bytes that are copied in a step.
	copiedPerStep = 64
	// hitBytes and sortBytes are about the length of a hit beside its source and its names, and
	// of a sort value.
	hitBytes, sortBytes = 100, 32
)

// Hit is a document of a page.
type Hit struct {
	Place int // on the page, from 0
	Doc   snapshot.DocID
	Score float32 // NaN: none
}

// Part writes further members of a hit, each after a comma.
type Part func(dst []byte, h Hit) ([]byte, error)

// Page is the page of matches that a body asks for.
type Page struct {
	Docs   []snapshot.DocID
	Scores scorer.Scores
	Parts  []Part
	Extra  int       // about the bytes that the parts write
	Inner  [][]Inner // of each document; nil: none
}

// Writer writes hits. It is not safe for concurrent use.
type Writer struct {
	HideScores bool // hits have no score, though they may be sorted by it

	beside bool // the hits stand beside their items
	index  string
	reader *snapshot.Reader
	body   *query.Body
	source *Source
	sort   *SortValues
	sorted int // bytes of sort values so far
	ids    fields.Target
	id     []byte // scratch
}

// NewWriter returns a writer of the hits of a body.
func NewWriter(r *snapshot.Reader, index string, body *query.Body) *Writer {
	ids, _ := fields.Resolver{Reader: r}.Resolve(fields.IDName)
	return &Writer{index: index, reader: r, body: body, source: NewSource(body.Source), sort: NewSortValues(r, body.Sort), ids: ids}
}

// NewWriterBeside returns a writer of hits for an envelope, which has their items already: without
// index, type, version and source.
func NewWriterBeside(r *snapshot.Reader, body *query.Body) *Writer {
	w := NewWriter(r, "", body)
	w.beside, w.source = true, &Source{none: true}
	return w
}

// Size is about the number of bytes that AppendAll writes.
func (w *Writer) Size(p *Page) int {
	n := p.Extra + len(p.Docs)*(2*len(w.index)+hitBytes+sortBytes*len(w.body.Sort))
	for _, inner := range p.Inner {
		n += w.innerSize(inner)
	}
	if w.source.none {
		return n
	}
	for _, doc := range p.Docs {
		n += len(w.reader.Fragment(doc))
	}
	return n
}

// AppendAll writes the hits of a page as a JSON array, within a work limit.
func (w *Writer) AppendAll(dst []byte, p *Page, work *scorer.WorkLimit) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, doc := range p.Docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		h := Hit{i, doc, float32(math.NaN())}
		if p.Scores.Of != nil {
			h.Score = p.Scores.Of[i]
		}
		var inner []Inner
		if p.Inner != nil {
			inner = p.Inner[i]
		}
		if dst, err = w.append(dst, h, p.Parts, inner, work); err != nil {
			return nil, err
		}
		if err = work.Charge(hitSteps + len(w.body.Sort) + w.source.Work()); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (w *Writer) append(dst []byte, h Hit, parts []Part, inner []Inner, work *scorer.WorkLimit) (_ []byte, err error) {
	dst = w.appendNames(append(dst, '{'), h.Doc)
	dst = AppendScore(append(dst, `"_score":`...), w.shown(h.Score))
	before := dst
	dst = w.source.Append(dst, w.reader.Fragment(h.Doc))
	if err = wrote(before, dst, work); err != nil {
		return nil, err
	}
	for _, part := range parts {
		before = dst
		if dst, err = part(dst, h); err != nil {
			return nil, err
		}
		if err = wrote(before, dst, work); err != nil {
			return nil, err
		}
	}
	if inner != nil {
		if dst, err = w.appendInner(dst, inner, work); err != nil {
			return nil, err
		}
	}
	if len(w.body.Sort) > 0 && !(w.body.Collapse != nil && w.body.ByScore()) { // as in Elasticsearch
		from := len(dst)
		if dst, err = w.sort.appendWithin(append(dst, `,"sort":`...), h.Doc, h.Score, work); err != nil {
			return nil, err
		}
		if w.sorted += len(dst) - from; w.sorted > maxSortBytes {
			return nil, errSortTooLong
		}
	}
	return append(dst, '}'), nil
}

// appendNames writes what names a hit and its version, each with a comma behind it.
func (w *Writer) appendNames(dst []byte, doc snapshot.DocID) []byte {
	if w.body.Explain && !w.beside { // where the score was computed
		dst = envelope.JavaEscapes.AppendString(append(dst, `"_shard":`...), "["+w.index+"][0]")
		dst = append(dst, `,"_node":"contentedge",`...)
	}
	switch {
	case w.body.NoID && !w.beside:
		dst = append(appendIndex(dst, w.index), ',')
	case w.body.NoID:
	case w.beside:
		dst = append(w.appendID(dst, doc), ',')
	default:
		dst = append(w.appendID(append(appendIndex(dst, w.index), ','), doc), ',')
	}
	if w.body.Version && !w.beside {
		dst = append(dst, `"_version":1,`...)
	}
	if w.body.SeqNo && !w.beside { // items are numbered in their order
		dst = strconv.AppendUint(append(dst, `"_seq_no":`...), uint64(doc), 10)
		dst = append(dst, `,"_primary_term":1,`...)
	}
	return dst
}

func (w *Writer) shown(score float32) float32 {
	if w.HideScores {
		return float32(math.NaN())
	}
	return score
}

// AppendNames writes the index and the id of a hit as members, without a comma before them.
func AppendNames(dst []byte, index, id string) []byte {
	return envelope.JavaEscapes.AppendString(append(appendIndex(dst, index), `,"_id":`...), id)
}

func appendIndex(dst []byte, index string) []byte {
	dst = envelope.JavaEscapes.AppendString(append(dst, `"_index":`...), index)
	return append(dst, `,"_type":"_doc"`...)
}

// AppendScore writes a score; NaN is null.
func AppendScore(dst []byte, score float32) []byte {
	if math.IsNaN(float64(score)) {
		return append(dst, "null"...)
	}
	return envelope.AppendFloat(dst, float64(score), 32)
}

// appendID writes the id of a document as a member.
func (w *Writer) appendID(dst []byte, doc snapshot.DocID) []byte {
	if w.ids.Values != nil {
		w.id = w.ids.Values.Strings().At(w.ids.Values.Column().Least(doc), w.id[:0])
	}
	return envelope.JavaEscapes.AppendBytes(append(dst, `"_id":`...), w.id)
}
