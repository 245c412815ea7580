// This file defines what an evaluator returns for a search. It names neither snapshots nor documents:
// a snapshot finds the matches here, another search engine may find them elsewhere.

package hits

import (
	"math"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// Result is what an evaluator finds for a body, not yet written as a response.
type Result struct {
	Page
	Total        int
	Aggregations []byte // a JSON object; nil where the body has none
	Suggestions  []byte // a JSON object; nil where the body has none
	Ended        bool   // terminate_after ended the search
	Timed        bool   // the result depends on the clock, and may be another one later

	// Approximate says why the result is approximate, for example "suggestions"; nil if it is exact.
	Approximate []string

	Recycle func(aggregations []byte) // takes back the memory of Aggregations; nil leaves it to the collector
}

// Release gives the memory of the aggregations to other searches.
func (r *Result) Release() {
	if r.Aggregations != nil && r.Recycle != nil {
		r.Recycle(r.Aggregations)
	}
	r.Aggregations = nil
}

// Page is the page of matches that a body asks for.
type Page struct {
	Matches Matches // may be nil
	Best    float32 // the greatest score of all matches; NaN: unknown, or the body asks for no match
	Sort    Sort    // nil where the sort values are not read
	Parts   []Part
	Extra   int       // about the bytes that the parts write
	Inner   [][]Inner // of each match; may be nil
}

// Len is the number of matches on the page.
func (p *Page) Len() int {
	if p.Matches == nil {
		return 0
	}
	return p.Matches.Len()
}

// ItemBytes is the length of the items on the page.
func (p *Page) ItemBytes() (total int) {
	for place := 0; place < p.Len(); {
		joined, n := p.Matches.Items(place, math.MaxInt)
		total += len(joined) - (n - 1)
		place += n
	}
	return total
}

// Matches are the matches of a page, by their places from 0. The bytes that a method returns are
// valid until the next call.
type Matches interface {
	Len() int
	// Hit returns the match at a place.
	Hit(place int) Hit
	// Items returns the JSON of the item at a place, and of the next items as long as they also follow in memory,
	// joined by commas. It returns the number of items, not above most.
	Items(place, most int) (joined []byte, n int)
}

// Hit is a match.
type Hit struct {
	ID    []byte
	SeqNo uint64
	Score float32 // NaN without a score
}

// Sort writes the sort values of the match at a place as a JSON array, within a work limit.
type Sort func(dst []byte, place int, work *scorer.WorkLimit) ([]byte, error)

// Part writes further members of the hit at a place, each after a comma.
type Part func(dst []byte, place int) ([]byte, error)

// Inner is an entry of inner_hits: a search and its page for one hit.
type Inner struct {
	Name    string
	Body    *query.Body
	Total   int
	AtLeast bool // there are more matches than Total: an evaluator may count no further
	Page
}
