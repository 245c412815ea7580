// Package hits holds the result of an evaluator for a search, and writes its hits as Elasticsearch does. An evaluator
// fills a Result; a Writer writes its page without the snapshot.
//
//	evaluator.go, result.go  what evaluators take and return
//	documents.go             the matches of a page in a snapshot
//	sort_*.go                the keys of a sort: how they order documents, their values in hits, search_after
//	hits.go                  the Writer: names, score, source, sort values, and the parts that a body asks for
//	fields.go, inner.go, …   a file for each such part
package hits

import (
	"math"
	"strconv"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/envelope"
)

const (
	// hitSteps is the cost of a hit without its bytes.
	hitSteps = 8
	// copiedPerStep is the number of bytes that are copied in a step.
	copiedPerStep = 64
	// hitBytes and sortBytes are about the length of a hit without its source and its names, and
	// of a sort value.
	hitBytes, sortBytes = 100, 32
)

// Writer writes hits. It is not safe for concurrent use.
type Writer struct {
	HideScores bool // hits have no score, though they may be sorted by it

	bare   bool // hits have no index, type, version and source
	index  string
	body   *query.Body
	source *Source
	sorted int // bytes of sort values so far
}

// NewWriter returns a writer of the hits of a body.
func NewWriter(index string, body *query.Body) *Writer {
	return &Writer{index: index, body: body, source: NewSource(body.Show.Source)}
}

// NewWriterWithoutSource returns a writer of hits for an envelope, which has their items already: without
// index, type, version and source.
func NewWriterWithoutSource(body *query.Body) *Writer {
	return &Writer{bare: true, body: body, source: &Source{none: true}}
}

// Size is about the number of bytes that AppendAll writes.
func (w *Writer) Size(p *Page) int {
	n := p.Extra + p.Len()*(2*len(w.index)+hitBytes+sortBytes*len(w.body.Order.Keys))
	for _, inner := range p.Inner {
		n += w.innerSize(inner)
	}
	if w.source.none {
		return n
	}
	return n + p.ItemBytes()
}

// AppendAll writes the hits of a page as a JSON array, within a work limit.
func (w *Writer) AppendAll(dst []byte, p *Page, work *scorer.WorkLimit) (_ []byte, err error) {
	dst = append(dst, '[')
	for place := range p.Len() {
		if place > 0 {
			dst = append(dst, ',')
		}
		if dst, err = w.append(dst, p, place, work); err != nil {
			return nil, err
		}
		if err = work.Charge(hitSteps + len(w.body.Order.Keys) + w.source.Work()); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (w *Writer) append(dst []byte, p *Page, place int, work *scorer.WorkLimit) (_ []byte, err error) {
	h := p.Matches.Hit(place)
	dst = w.appendNames(append(dst, '{'), &h)
	dst = AppendScore(append(dst, `"_score":`...), w.shown(h.Score))
	before := dst
	if !w.source.none {
		item, _ := p.Matches.Items(place, 1)
		dst = w.source.Append(dst, item)
	}
	if err = wrote(before, dst, work); err != nil {
		return nil, err
	}
	for _, part := range p.Parts {
		before = dst
		if dst, err = part(dst, place); err != nil {
			return nil, err
		}
		if err = wrote(before, dst, work); err != nil {
			return nil, err
		}
	}
	if p.Inner != nil && p.Inner[place] != nil {
		if dst, err = w.appendInner(dst, p.Inner[place], work); err != nil {
			return nil, err
		}
	}
	if len(w.body.Order.Keys) > 0 && !(w.body.Collapse != nil && w.body.Order.ByScore()) { // as in Elasticsearch
		from := len(dst)
		if dst, err = p.Sort(append(dst, `,"sort":`...), place, work); err != nil {
			return nil, err
		}
		if w.sorted += len(dst) - from; w.sorted > maxSortBytes {
			return nil, errSortTooLong
		}
	}
	return append(dst, '}'), nil
}

// appendNames writes what names a hit and its version, each with a comma after it.
func (w *Writer) appendNames(dst []byte, h *Hit) []byte {
	if w.body.Show.Explain && !w.bare { // where the score was computed
		dst = envelope.JavaEscapes.AppendString(append(dst, `"_shard":`...), "["+w.index+"][0]")
		dst = append(dst, `,"_node":"contentedge",`...)
	}
	switch {
	case w.body.Show.NoID && !w.bare:
		dst = append(appendIndex(dst, w.index), ',')
	case w.body.Show.NoID:
	case w.bare:
		dst = append(appendID(dst, h.ID), ',')
	default:
		dst = append(appendID(append(appendIndex(dst, w.index), ','), h.ID), ',')
	}
	if w.body.Show.Version && !w.bare {
		dst = append(dst, `"_version":1,`...)
	}
	if w.body.Show.SeqNo && !w.bare {
		dst = strconv.AppendUint(append(dst, `"_seq_no":`...), h.SeqNo, 10)
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
	return appendID(append(appendIndex(dst, index), ','), []byte(id))
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

// appendID writes an id as a member.
func appendID(dst, id []byte) []byte {
	return envelope.JavaEscapes.AppendBytes(append(dst, `"_id":`...), id)
}
