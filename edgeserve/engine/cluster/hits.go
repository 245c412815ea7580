// This file reads the hits of a response, of the page, of buckets and inside hits.

package cluster

import (
	"math"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/jsoncursor"
)

// match is a hit, with all that a response shows.
type match struct {
	id    []byte
	rank  uint64
	score float32
	item  []byte
	sort  []byte // sort values, as JSON
	parts []byte // further members, each after a comma
}

// matches are the hits of a page. They implement hits.Matches.
type matches []match

// Len implements hits.Matches.
func (m matches) Len() int { return len(m) }

// Hit implements hits.Matches.
func (m matches) Hit(place int) hits.Hit {
	return hits.Hit{ID: m[place].id, SeqNo: m[place].rank, Score: m[place].score}
}

// Items implements hits.Matches.
func (m matches) Items(place, _ int) (joined []byte, n int) { return m[place].item, 1 }

// sort implements hits.Sort.
func (m matches) sort(dst []byte, place int, work *scorer.WorkLimit) ([]byte, error) {
	return append(dst, m[place].sort...), work.Charge(len(m[place].sort) / readPerStep)
}

// part implements hits.Part.
func (m matches) part(dst []byte, place int) ([]byte, error) {
	return append(dst, m[place].parts...), nil
}

// page reads a member hits, and the total. body says what its hits show.
func (e *evaluation) page(v []byte, body *query.Body) (page hits.Page, total int) {
	page, total, more := e.pageUpTo(v, body)
	if more {
		e.fail("the total is not exact")
	}
	return page, total
}

// pageUpTo is page for hits whose total the cluster counts up to a limit. more reports whether there are more.
func (e *evaluation) pageUpTo(v []byte, body *query.Body) (page hits.Page, total int, more bool) {
	list := make(matches, 0, min(body.Window.Size, query.DefaultSize))
	page.Best, total = float32(math.NaN()), -1
	show := e.newShown(body)
	for name, v := range e.members(v, "hits") {
		switch string(name) {
		case "total":
			total, more = e.total(v)
		case "max_score":
			page.Best = float32(e.float(v, 32, "max_score"))
		case "hits":
			for v := range e.elements(v, "hits.hits") {
				m, inner := e.match(v, show)
				if list = append(list, m); inner != nil {
					page.Inner = append(page.Inner, inner)
				}
				page.Extra += len(m.parts)
				if len(list) > body.Window.Size {
					e.fail("there are more hits than were asked for")
				}
			}
		}
	}
	if total < 0 {
		e.fail("hits have no total")
	}
	if !more && len(list) < e.least(body, total) {
		e.fail("there are fewer hits than its total says")
	}
	if body.Window.Size == 0 || body.Collapse != nil || len(body.Order.Keys) > 0 && !body.Order.TrackScores {
		page.Best = float32(math.NaN()) // a snapshot does not know it
	}
	page.Matches, page.Sort, page.Parts = list, list.sort, []hits.Part{list.part}
	return page, max(total, 0), more
}

// least returns how many hits a page has at least if total items match. A collapse has fewer hits, as has a page after
// a hit. A search that ends early does not look at all items.
func (e *evaluation) least(body *query.Body, total int) int {
	if body.Collapse != nil || body.Window.After != nil || e.body.TerminateAfter > 0 {
		return 0
	}
	return min(body.Window.Size, total-body.Window.From)
}

// total reads a total. more reports whether it is only a limit.
func (e *evaluation) total(v []byte) (total int, more bool) {
	total = -1
	relation := ""
	for name, v := range e.members(v, "total") {
		switch string(name) {
		case "value":
			total = e.count(v, "the total")
		case "relation":
			relation = e.text(v, "the relation of a total")
		}
	}
	if relation != "eq" && relation != "gte" {
		e.fail("a total has no relation")
	}
	return total, relation == "gte"
}

// match reads a hit, and the hits inside.
func (e *evaluation) match(v []byte, show *shown) (m match, inner []hits.Inner) {
	m.score = float32(math.NaN())
	var source, sort, inside []byte
	show.clear()
	for name, v := range e.members(v, "a hit") {
		switch string(name) {
		case "_index":
			e.index(v)
		case "_id":
			m.id = append(m.id, e.text(v, "_id")...)
		case "_score":
			m.score = float32(e.float(v, 32, "_score"))
		case "_source":
			source = v
		case "sort":
			sort = v
		case "inner_hits":
			inside = v
		case "fields":
			show.fields = v
		case "highlight":
			show.highlight = v
		case "matched_queries":
			show.matched = v
		case "_explanation":
			show.explanation = v
		}
	}
	if len(m.id) == 0 {
		e.fail("a hit has no _id")
	}
	if show.source {
		m.item, m.rank = e.item(source)
	}
	switch order := &show.body.Order; {
	case sort == nil && order.ByScore() && !order.Keys[0].Asc: // to the cluster this is not a sort
		m.sort = append(hits.AppendScore([]byte{'['}, m.score), ']')
	case len(order.Keys) > 0:
		m.sort = e.sortValues(sort, show)
	}
	m.parts = show.parts(e)
	if c := show.body.Collapse; c != nil && len(c.Inner) > 0 {
		inner = e.inner(inside, c.Inner)
	}
	e.hold(len(m.item) + len(m.sort) + len(m.parts) + len(m.id))
	return m, inner
}

// index refuses documents of other indices.
func (e *evaluation) index(v []byte) {
	if name := e.text(v, "_index"); name != e.x.name {
		e.fail("it is about another index")
	}
}

// hold takes memory for bytes that are copied from a response.
func (e *evaluation) hold(bytes int) {
	if err := e.work.Hold(bytes); err != nil && e.err == nil {
		e.err = err
	}
}

// item cuts the item and its rank out of a document.
func (e *evaluation) item(source []byte) ([]byte, uint64) {
	item, rank, err := layout.Item(nil, source)
	if err != nil {
		e.fail("%s", err)
		return nil, 0
	}
	return item, uint64(rank)
}

// sortValues reads the values of the keys of a body. The values of keys that the translation added come last.
func (e *evaluation) sortValues(v []byte, show *shown) []byte {
	dst, n := []byte{'['}, 0
	for v := range e.elements(v, "sort") {
		if n == len(show.body.Order.Keys) {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		key := show.keys[n]
		if key.cut && len(v) > layout.MaxStart {
			if _, cut := layout.StartOf(string(jsoncursor.Unquote(v))); cut {
				e.tell(translate.LongTexts)
			}
		}
		if key.boolean && extremes[string(v)] != "" {
			dst = append(dst, extremes[string(v)]...)
		} else {
			dst = e.appendScalar(dst, v, key.bits, "a sort value")
		}
		n++
	}
	if n < len(show.body.Order.Keys) {
		e.fail("a hit has too few sort values")
	}
	return append(dst, ']')
}

// inner reads the hits inside a hit, in the order of the body.
func (e *evaluation) inner(v []byte, asked []query.InnerHits) (list []hits.Inner) {
	list = make([]hits.Inner, len(asked))
	for i := range asked {
		list[i] = hits.Inner{Name: asked[i].Name, Body: asked[i].Body, Total: -1}
	}
	for name, v := range e.members(v, "inner_hits") {
		for i := range list {
			if list[i].Name == string(name) {
				list[i].Page, list[i].Total, list[i].AtLeast = e.pageUpTo(e.member(v, "hits"), list[i].Body)
			}
		}
	}
	for i := range list {
		if list[i].Total < 0 {
			e.fail("a hit lacks inner_hits")
		}
	}
	return list
}

// member returns the value of a member of an object, nil if it has none.
func (r *reader) member(v []byte, name string) (value []byte) {
	for n, v := range r.members(v, name+"'s object") {
		if string(n) == name {
			value = v
		}
	}
	return value
}
