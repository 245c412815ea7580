// This file reads pages of lists that end after the items that an index orders for a page. A snapshot has every page.

package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

const (
	// maxHops limits the requests that pass over the items before a page after the items that the index orders: they
	// follow one another within the time of a request.
	maxHops = 20
	// hop is how many items a request passes over: the largest page.
	hop = query.MaxWindow
	// reach is the number of items that can be passed over.
	reach = layout.Window + maxHops*hop
)

// isDeep reports whether a page ends after the items that an index orders.
func isDeep(w *query.Window) bool { return w.From > layout.Window-w.Size }

// deep finds a page that isDeep.
func (x *Index) deep(work *scorer.WorkLimit, body *query.Body) (*hits.Result, error) {
	count := *body
	count.Window = query.Window{}
	found, err := x.Search(work, &count, false)
	if err != nil || body.Window.From >= found.Total {
		return found, err
	}
	page := *body
	page.Window.Size = min(page.Window.Size, found.Total-page.Window.From)
	if !isDeep(&page.Window) {
		return x.Search(work, &page, false)
	}
	page.Window.From = 0
	q, err := x.questionOf(&page)
	if err != nil {
		return nil, err
	}
	page.Order = query.Order{} // a list shows no sort values
	e := &evaluation{x: x, work: work, body: &page, question: q}
	var asked map[string]any
	dec := json.NewDecoder(bytes.NewReader(q.Body))
	dec.UseNumber()
	if err := dec.Decode(&asked); err != nil {
		return nil, err
	}
	if body.Query == nil && x.inDefaultOrder(body.Order.Keys) {
		asked["query"] = map[string]any{"range": map[string]any{layout.Rank: map[string]any{"gte": body.Window.From, "lt": body.Window.From + page.Window.Size}}}
	} else if err := e.passOver(asked, body.Window.From); err != nil {
		return nil, err
	}
	total, timed, why := found.Total, found.Timed, found.Approximate
	if slices.ContainsFunc(body.Order.Keys, func(k query.SortKey) bool { return x.tells(&k) }) && !slices.Contains(why, translate.LongTexts) {
		why = append(why, translate.LongTexts) // its sort values are not looked at
	}
	err = e.askAgain(asked, func(response []byte) { found = e.result(response) })
	if err != nil {
		return nil, err
	}
	found.Total, found.Timed, found.Approximate = total, timed, why
	return found, nil
}

// inDefaultOrder reports whether keys order items by their ranks.
func (x *Index) inDefaultOrder(keys []query.SortKey) bool {
	m := x.twin.Meta()
	return slices.EqualFunc(keys, []query.SortKey{{Field: m.Sort, Asc: m.Asc, Exact: true}, {Field: snapshot.IDField, Asc: true}},
		func(a, b query.SortKey) bool { return a.Field == b.Field && a.Asc == b.Asc && !a.HasOptions() })
}

// passOver makes the page of a body follow its first n items.
func (e *evaluation) passOver(asked map[string]any, n int) error {
	if n > reach {
		return unsayable(fmt.Sprintf("pages after the first %d items of a list with filters or in another order than the default one", reach))
	}
	source := asked["_source"]
	asked["_source"] = false
	for n > 0 {
		step := min(n, hop)
		if asked["size"] = step; n >= layout.Window && asked["search_after"] == nil {
			asked["from"] = layout.Window - step // the index orders the hits before
			n -= layout.Window - step
		}
		var after json.RawMessage
		passed := 0
		if err := e.askAgain(asked, func(response []byte) { passed, after = e.lastOf(response) }); err != nil {
			return err
		}
		if passed != step {
			return &hits.Unavailable{Cause: &wrongResponse{fmt.Sprintf("it has %d items instead of %d", passed, step)}}
		}
		delete(asked, "from")
		asked["search_after"] = after
		n -= step
	}
	asked["_source"], asked["size"] = source, e.body.Window.Size
	return nil
}

// askAgain sends a changed body.
func (e *evaluation) askAgain(asked map[string]any, read func(response []byte)) error {
	text, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	return e.x.ask(e.work, Request{Method: "POST", Path: e.x.path("_search"), Query: e.question.Query, Body: text, MaxResponse: maxResponse}, func(response []byte) error {
		read(response)
		return e.failed()
	})
}

// lastOf returns the number of hits in a response, and the sort values of the last one.
func (e *evaluation) lastOf(response []byte) (n int, sort json.RawMessage) {
	for v := range e.elements(e.member(e.whole(response).hits, "hits"), "hits.hits") {
		n++
		sort = v
	}
	if n == 0 {
		return 0, nil
	}
	if sort = e.member(sort, "sort"); sort == nil {
		e.fail("a hit has no sort values")
	}
	return n, bytes.Clone(sort)
}
