// Package translate writes search bodies for an index that package layout defines, where the interface of a release
// differs from that of OpenSearch and Elasticsearch: names of fields, options, ties. It gives responses the names of
// the release again. A forwarder and the comparisons with a real Elasticsearch use the same translation.
package translate

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
)

type object = map[string]any

// Index is an index of an environment.
type Index struct {
	Env    string // the environment
	Name   string // of the index
	Shards int
	Fields Fields
	// Compared says that people compare the response with one of ours. So it is asked for as the body says: the
	// source may be filtered, and the total may be limited. A forwarder asks for whole sources and exact totals.
	Compared bool
}

// Question is a search of an index.
type Question struct {
	Body  []byte
	Query url.Values // the parameters of the request
	// Lenient says that the engine may leave out clauses of a query string that a release evaluates: those about
	// letters and words of numbers, dates and booleans.
	Lenient bool

	names namer
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
// An error is an *Unsayable: no other text of a body fails.
func (x *Index) Search(members map[string]any) (*Question, error) {
	t := translator{fields: x.Fields}
	var marks []any
	places := t.places(members)
	for i, hits := range places {
		marks = append(marks, t.marks(hits, members["query"], i > 0))
		if marks[i] != nil {
			delete(hits, "highlight")
		}
	}
	t.walk(members)
	for i, hits := range places {
		if t.sort(hits); marks[i] != nil {
			hits["highlight"] = marks[i]
		}
	}
	if _, ok := members["track_total_hits"]; !ok || !x.Compared {
		members["track_total_hits"] = true
	}
	if _, ok := members["_source"]; !ok {
		members["_source"] = false
	}
	for _, o := range t.lookup {
		if o["index"] == x.Env {
			o["index"] = x.Name
		}
	}
	q := &Question{names: namer{fields: x.Fields}}
	text, err := json.Marshal(q.names.rename(members, ""))
	if err != nil {
		return nil, err
	}
	q.Body, q.Lenient = text, q.names.left
	for _, reason := range []string{q.names.refused, t.refused} {
		if reason != "" {
			return q, &Unsayable{reason}
		}
	}
	return q, nil
}

// Restore appends the JSON of a response with the names of the release.
func (q *Question) Restore(dst, raw []byte) ([]byte, error) {
	var v any
	if err := decode(raw, &v); err != nil {
		return nil, err
	}
	text, err := json.Marshal(q.names.restore(v))
	return append(dst, text...), err
}

// RestoreValue gives a decoded part of a response the names of the release.
func (q *Question) RestoreValue(v any) any { return q.names.restore(v) }

// decode reads JSON and keeps numbers as they are written.
func decode(text []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(out)
}

type translator struct {
	words   bool     // a wildcard on text looks at words
	lookup  []object // terms that stand in an item
	folded  []string // keywords in place of paths, which a wildcard looks at without regard to case
	texts   []string // the same of numbers, dates and booleans
	refused string   // why the body cannot be asked
	fields  Fields
}

// places are the objects that say what hits show: the body, then those of hits of buckets and
// inside of hits.
func (t *translator) places(members object) []object {
	list := []object{members}
	if collapse, ok := members["collapse"].(object); ok {
		switch inner := collapse["inner_hits"].(type) {
		case object:
			list = append(list, inner)
		case []any:
			for _, e := range inner {
				if inner, ok := e.(object); ok {
					list = append(list, inner)
				}
			}
		}
	}
	var buckets func(aggs any)
	buckets = func(aggs any) {
		named, _ := aggs.(object)
		for _, agg := range named {
			of, _ := agg.(object)
			if hits, ok := of["top_hits"].(object); ok {
				list = append(list, hits)
			}
			buckets(of["aggs"])
			buckets(of["aggregations"])
		}
	}
	buckets(members["aggs"])
	buckets(members["aggregations"])
	return list
}

// walk visits everything in a body.
func (t *translator) walk(v any) {
	switch v := v.(type) {
	case object:
		for name, inner := range v {
			if o, ok := inner.(object); ok {
				t.member(name, o)
				if expr := foldedWildcard(o, t.folded); name == "wildcard" && expr != nil {
					delete(v, name)
					v["regexp"] = expr
				}
			}
			t.walk(v[name])
		}
	case []any:
		for _, inner := range v {
			t.walk(inner)
		}
	}
}

// unmapped tells whether a path may exist in other releases.
func (t *translator) unmapped(path string) bool {
	return t.fields.typeOf(path) == "" && strings.HasPrefix(path, "Data.")
}

// member looks at a member that may be a query or an aggregation.
func (t *translator) member(name string, of object) {
	switch name {
	case "wildcard", "prefix", "regexp", "fuzzy", "term":
		t.letters(name, of)
	case "match":
		t.eachField(of, func(path string, options object) string {
			if _, fuzzy := options["fuzziness"]; fuzzy && t.fields.typed(path) && options["lenient"] != true {
				return path + ".keyword"
			}
			return path
		})
	case "match_phrase_prefix":
		t.eachField(of, func(path string, _ object) string {
			if t.fields.typed(path) {
				return layout.Hidden(path, layout.Words)
			}
			return path
		})
	case "terms":
		for _, v := range of {
			if o, ok := v.(object); ok && o["index"] != nil {
				t.lookup = append(t.lookup, o)
			}
		}
	case "cardinality":
		if _, ok := of["precision_threshold"]; !ok {
			of["precision_threshold"] = 40000
		}
	case "significant_terms":
		of["shard_size"] = 65536 // or it chooses a few terms before it looks at min_doc_count
	}
}

// escapedLetters are backslashes that mean nothing here. There they ask for this case.
var escapedLetters = regexp.MustCompile(`\\(\pL)`)

// letters is for queries that look at whole values.
func (t *translator) letters(name string, of object) {
	t.eachField(of, func(path string, options object) string {
		if t.fields.typeOf(path) == "" {
			return path
		}
		_, said := options["case_insensitive"]
		keyword := path + ".keyword"
		switch {
		case name == "term" && t.boolean(path, options["value"]):
			return path
		case name == "wildcard" && t.words && t.fields.typeOf(path) == "text":
			return path
		case name == "wildcard":
			if !said {
				options["case_insensitive"] = true
			}
			if text, ok := options["value"].(string); ok {
				options["value"] = escapedLetters.ReplaceAllString(text, "$1")
			}
			t.folded = append(t.folded, keyword)
			if t.fields.typed(path) {
				t.texts = append(t.texts, keyword)
			}
			return keyword
		case t.fields.typed(path) && (name != "term" || options["case_insensitive"] == true):
			t.texts = append(t.texts, keyword)
			return keyword
		}
		return path
	})
}

// boolean tells whether a value is one of a path of booleans, whose case Elasticsearch may ignore.
func (t *translator) boolean(path string, value any) bool {
	text, ok := value.(string)
	return t.fields.typeOf(path) == "boolean" && (!ok || text == "true" || text == "false")
}

// eachField gives the field of a query, with the long form of its options, another name.
func (t *translator) eachField(of object, rename func(path string, options object) string) {
	for path, value := range of {
		options, ok := value.(object)
		if !ok {
			options = object{"value": value}
		}
		to := rename(path, options)
		if to == path {
			continue
		}
		delete(of, path)
		if !ok && len(options) == 1 {
			of[to] = value
		} else {
			of[to] = options
		}
		return
	}
}

// sort makes text be sorted by its whole values, and lets paths that no item has tie.
func (t *translator) sort(members object) {
	keys, ok := members["sort"].([]any)
	if !ok {
		keys = []any{members["sort"]}
	}
	for i, key := range keys {
		switch key := key.(type) {
		case string:
			if t.fields.typeOf(key) == "text" {
				keys[i] = key + ".keyword"
			} else if t.unmapped(key) {
				keys[i] = object{key: object{"unmapped_type": "keyword"}}
			}
		case object:
			for path, order := range key {
				if t.fields.typeOf(path) == "text" {
					delete(key, path)
					key[path+".keyword"] = order
					break
				}
				switch order := order.(type) {
				case string:
					if t.unmapped(path) {
						key[path] = object{"order": order, "unmapped_type": "keyword"}
					}
				case object:
					if t.unmapped(path) && order["unmapped_type"] == nil {
						order["unmapped_type"] = "keyword"
					}
				}
			}
		}
	}
	if members["sort"] != nil {
		members["sort"] = keys
	}
}
