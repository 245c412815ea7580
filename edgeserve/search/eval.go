// Package search answers queries from a snapshot: which items match, how many, and
// in which order. It gives the query tree the meaning of Elasticsearch 7 over a
// dynamic mapping, and never reads an item's JSON to do so.
package search

import (
	"cmp"
	"slices"
	"sync"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// Result is the answer to a body: the number of all matches, and the documents of
// the page asked for, in order.
type Result struct {
	Total        int
	Docs         []snapshot.DocID
	Aggregations []byte // a JSON object, nil where none was asked for
	Timed        bool   // it depends on when it was asked for, and may be another one later
}

// postingsPool hands out cursors for one request and takes them all back at its end.
type postingsPool struct {
	all  []*snapshot.Postings
	used int
	win  window
	sets []*bitset
	lent int      // of sets
	ords []uint32 // scratch: values
	docs []docID  // and documents
}

// window is the window of the request's outermost walk.
func (p *postingsPool) window() *window { return &p.win }

// bitset hands out an empty set of n documents.
func (p *postingsPool) bitset(n int) *bitset {
	if p.lent == len(p.sets) {
		p.sets = append(p.sets, &bitset{})
	}
	s := p.sets[p.lent]
	p.lent++
	s.reset(n)
	return s
}

// maxPooled is how many cursors, of about a kilobyte, a request may leave behind for
// the next.
const maxPooled = 256

// maxPooledSets is likewise for sets, of a bit a document.
const maxPooledSets = 4

var pools = sync.Pool{New: func() any { return &postingsPool{} }}

func (p *postingsPool) get() *snapshot.Postings {
	if p.used == len(p.all) {
		p.all = append(p.all, &snapshot.Postings{})
	}
	p.used++
	return p.all[p.used-1]
}

func (p *postingsPool) release() {
	p.used, p.lent = 0, 0
	if len(p.sets) > maxPooledSets {
		p.sets = slices.Clone(p.sets[:maxPooledSets])
	}
	if len(p.all) > maxPooled {
		p.all = slices.Clone(p.all[:maxPooled])
	}
	pools.Put(p)
}

// Limit is a request's share of time. Every context is one.
type Limit interface {
	// Err is not nil once the time is over. It is asked several times a millisecond, and may
	// take its time, to let others work.
	Err() error
}

// Eval answers a body. Errors are *query.Error for what the body asks wrongly (ErrTimeout
// for one that took longer than limit allows), and *snapshot.CorruptError.
func Eval(limit Limit, r *snapshot.Reader, body *query.Body) (*Result, error) {
	b := &builder{own: Budget{limit: limit}}
	b.Budget = &b.own
	return b.evaluate(r, body)
}

// Eval is the function of that name within what is left of a budget.
func (b *Budget) Eval(r *snapshot.Reader, body *query.Body) (*Result, error) {
	return (&builder{Budget: b}).evaluate(r, body)
}

func (b *builder) evaluate(r *snapshot.Reader, body *query.Body) (res *Result, err error) {
	defer snapshot.Recover(&err)
	b.pool = pools.Get().(*postingsPool)
	defer b.pool.release()
	b.r, b.items = r, r.Items()
	return b.eval(body)
}

func (b *builder) eval(body *query.Body) (*Result, error) {
	order, err := b.order(body.Sort)
	if err != nil {
		return nil, err
	}
	s := b.all(1)
	if body.Query != nil {
		if err := b.check(body.Query); err != nil {
			return nil, err
		}
		if s, err = b.build(body.Query, 1); err != nil || b.failed != nil {
			return nil, cmp.Or(err, b.failed)
		}
	}
	res, err := b.collect(s, order, body)
	if err == nil && len(body.Aggs) > 0 {
		err = b.aggregate(body, res)
	}
	if err = cmp.Or(err, b.failed); err != nil {
		return nil, err
	}
	res.Timed = !b.now.IsZero()
	return res, nil
}
