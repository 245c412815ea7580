// This file makes matches of the documents of a snapshot.

package hits

import (
	"math"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// documents are matches in a snapshot.
type documents struct {
	reader *snapshot.Reader
	list   []snapshot.DocID
	scores []float32        // nil means no scores
	ids    *snapshot.Values // nil until the first hit
	id     []byte           // scratch
}

// NewPage returns the page of the documents of a snapshot. sort writes their sort values, and may be nil.
func NewPage(r *snapshot.Reader, docs []snapshot.DocID, scores scorer.Scores, sort *SortValues) Page {
	d := &documents{reader: r, list: docs, scores: scores.Of}
	p := Page{Matches: d, Best: scores.Best}
	if sort != nil {
		p.Sort = func(dst []byte, place int, work *scorer.WorkLimit) ([]byte, error) {
			return sort.appendWithin(dst, docs[place], d.score(place), work)
		}
	}
	return p
}

// Len implements Matches.
func (d *documents) Len() int { return len(d.list) }

// Hit implements Matches.
func (d *documents) Hit(place int) Hit {
	doc := d.list[place]
	if d.ids == nil {
		t, _ := fields.Resolver{Reader: d.reader}.Resolve(fields.IDName) // a snapshot with a document has it
		d.ids = t.Values
	}
	d.id = d.ids.Strings().At(d.ids.Column().Least(doc), d.id[:0])
	return Hit{ID: d.id, SeqNo: uint64(doc), Score: d.score(place)} // items are numbered in their order
}

// Items implements Matches. Neighbours are next to each other, as in lists in the default order.
func (d *documents) Items(place, most int) (joined []byte, n int) {
	if d.reader.ItemCache() != nil {
		most = 1
	}
	first := d.list[place]
	for n = 1; n < most && place+n < len(d.list) && d.list[place+n] == first+snapshot.DocID(n); n++ {
	}
	return d.reader.Fragments(first, first+snapshot.DocID(n)), n
}

func (d *documents) score(place int) float32 {
	if d.scores == nil {
		return float32(math.NaN())
	}
	return d.scores[place]
}
