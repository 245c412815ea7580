// Package compare sends search bodies to a real Elasticsearch and to the edge server, and reports
// how their responses differ.
package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
)

type object = map[string]any

// Response is what an engine returns for a search body.
type Response struct {
	Status int
	Error  string // its body, if the status is one of an error
	Total  int
	Hits   []Hit
	Parts  object // aggregations, suggestions: members next to the hits
}

// Hit is an item on the page.
type Hit struct {
	ID     string
	Source any    // nil unless asked for
	Rest   object // _score, sort, highlight, fields, …; nil if the engine has none
}

// Engine answers search bodies. One that is Bare returns items without scores and other parts of hits.
type Engine interface {
	Search(env string, body []byte) (*Response, error)
	Bare() bool
}

// decode reads JSON and keeps numbers as they are written.
func decode(text []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(out)
}

// fail is the response of an error.
func fail(status int, text []byte) *Response { return &Response{Status: status, Error: string(text)} }

// readSearch reads Elasticsearch's form of a response.
func readSearch(status int, text []byte) (*Response, error) {
	if status != 200 {
		return fail(status, text), nil
	}
	var res struct {
		Hits struct {
			Total struct {
				Value    int
				Relation string
			}
			Hits []object
		}
		Aggregations, Suggest any
		Shards                struct{ Failures any } `json:"_shards"`
	}
	if err := decode(text, &res); err != nil {
		return nil, fmt.Errorf("%w in %.300s", err, text)
	}
	a := &Response{Status: status, Total: res.Hits.Total.Value, Parts: object{}}
	for name, part := range map[string]any{"aggregations": res.Aggregations, "suggest": res.Suggest, "failures": res.Shards.Failures} {
		if part != nil {
			a.Parts[name] = forget(part)
		}
	}
	for _, h := range res.Hits.Hits {
		a.Hits = append(a.Hits, readHit(h))
	}
	return a, nil
}

func readHit(h object) Hit {
	hit := Hit{Source: h["_source"], Rest: h}
	hit.ID, _ = h["_id"].(string)
	delete(h, "_id")
	delete(h, "_source")
	delete(h, "_ignored") // which values a sub-field could not take
	forget(h)
	return hit
}

// places are members that say where an item is stored, or which of its values were not indexed.
var places = []string{"_index", "_type", "_shard", "_node", "_ignored"}

// forget removes places everywhere, and the empty meta that Elasticsearch gives an aggregation
// whose query it has rewritten.
func forget(v any) any {
	switch v := v.(type) {
	case object:
		for _, name := range places {
			delete(v, name)
		}
		if meta, ok := v["meta"].(object); ok && len(meta) == 0 {
			delete(v, "meta")
		}
		for _, inner := range v {
			forget(inner)
		}
	case []any:
		for _, inner := range v {
			forget(inner)
		}
	}
	return v
}
