// Package translate writes search bodies for an index that package layout defines, where the interface of a release
// differs from the interface of OpenSearch and Elasticsearch: names of fields, options, ties. It gives responses the
// names of the release again. A forwarder and the comparisons with a real Elasticsearch use the same translation.
//
//	translate.go     a body: what a forwarder adds
//	query.go         queries: a switch of their types
//	letters.go       queries about whole values and letters
//	query_string.go  the fields in the text of a query string; lists of fields
//	names.go         names and patterns
//	aggs.go          aggregations and suggestions
//	hits.go          sorts, collapse, fields; highlight.go
//	lists.go         what lists ask and no body can
//	restore.go       responses
//	approximate.go   what several shards answer otherwise than one
package translate

import (
	"bytes"
	"encoding/json"
	"net/url"
)

type object = map[string]any

// Index is an index of an environment.
type Index struct {
	Env    string // the environment
	Name   string // of the index
	Shards int
	Fields Fields
	// Compared says that people compare the response with a release's. So the body asks as it is written: the source
	// may be filtered, and the total may be limited. A forwarder asks for whole sources and exact totals.
	Compared bool
}

// Question is a search of an index.
type Question struct {
	Body  []byte
	Query url.Values // the parameters of the request
	// Lenient says that the engine may leave out clauses of a query string that a release evaluates: clauses about
	// letters and words of numbers, dates and booleans.
	Lenient bool

	shown  []string // names and patterns whose values the body asks for, as the index has them
	marked []string // the same of highlights
	fields Fields
}

// Unsayable is the error of a body that nothing says to an index.
type Unsayable struct{ Reason string }

// Error returns the reason.
func (e *Unsayable) Error() string { return "the cluster cannot be asked about " + e.Reason }

// Search makes the question of a body, which it may change. Numbers of the body are json.Number.
//
// A wildcard on a path looks at whole values without regard to case; queries about letters look at the text of
// numbers, dates and booleans; text is sorted by its values; significant terms are chosen among all.
//
// With several shards, hits that tie have the order of a release because their rank is the last key of each sort.
// Then hits have a sort value more than the body asks for, or one of the score and one of the rank if it has no sort.
//
// An error is an *Unsayable, and the question is as near as can be: no other text of a body fails.
func (x *Index) Search(members map[string]any) (*Question, error) {
	t := translator{x: x, fields: x.Fields}
	t.ties = x.Shards > 1 && !x.Compared && members["rescore"] == nil // a rescore takes no sort
	body := t.hits(members, nil)
	if _, ok := body["track_total_hits"]; !ok || !x.Compared {
		body["track_total_hits"] = true
	}
	if _, ok := body["_source"]; !ok {
		body["_source"] = false
	}
	q := &Question{Query: url.Values{}, Lenient: t.lenient, shown: t.shown, fields: x.Fields}
	for _, names := range t.marked {
		q.marked = append(q.marked, names...)
	}
	if !x.Compared {
		q.Query.Set("allow_partial_search_results", "false")
	}
	if x.Shards > 1 && !x.Compared {
		q.Query.Set("search_type", "dfs_query_then_fetch") // or each shard scores by its own statistics
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if q.Body = text; t.refused != "" {
		return q, &Unsayable{t.refused}
	}
	return q, nil
}

// translator translates one body.
type translator struct {
	x      *Index
	fields Fields
	words  bool // a wildcard on text looks at words: the query marks
	ties   bool // the rank is the last key of each sort

	inBuckets int // aggregations around the current one

	texts   []string   // the keywords, as a body names them, in place of paths of numbers, dates and booleans
	shown   []string   // names and patterns whose values the body asks for, as the index has them
	marked  [][]string // the same of each highlight
	lenient bool
	// constantSort reports whether a key of a sort is a name that all items share.
	constantSort bool

	refused string // why the body cannot be asked
}

// refuse says why the body cannot be asked.
func (t *translator) refuse(reason string) {
	if t.refused == "" {
		t.refused = reason
	}
}

// decode reads JSON and keeps numbers as they are written.
func decode(text []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(out)
}
