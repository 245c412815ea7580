// This file answers searches, counts and validations.

package elastic

import (
	"math"
	"strconv"

	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/snapshot"
)

const (
	// hitSteps and copiedPerStep are the cost of copying a hit, and of its bytes.
	hitSteps      = 8
	copiedPerStep = 64
	// hitBytes and sortBytes are about the length of a hit beside its source and its names, and
	// of a sort value.
	hitBytes, sortBytes = 100, 32
)

// found is an evaluated search.
type found struct {
	*search.Result
	index    string
	reader   *snapshot.Reader
	body     *query.Body
	intTotal bool
}

// search answers _search.
func (c *Call) search() (*Response, error) {
	body, err := c.parse(c.Body)
	if err != nil {
		return nil, err
	}
	f, err := c.find(c.Route.Env, body)
	if err != nil {
		return nil, err
	}
	return &Response{Size: f.size(), Fixed: !f.Timed, write: func(dst []byte) ([]byte, error) {
		dst, err := f.append(append(dst, '{'), c.Work)
		return append(dst, '}'), err
	}}, nil
}

// parse parses a body, which the parameters complete.
func (c *Call) parse(raw []byte) (*query.Body, error) {
	body, err := query.ParsePart(raw)
	if err != nil {
		return nil, err
	}
	if err := c.complete(body); err != nil {
		return nil, err
	}
	if k := body.Sort; len(k) == 1 && k[0].Field == "_score" && !k[0].Asc {
		body.Sort = nil // Elasticsearch takes it for no sort
	}
	return body, nil
}

// find evaluates a search of an index.
func (c *Call) find(index string, body *query.Body) (*found, error) {
	f := &found{index: index, reader: c.Reader(index), body: body}
	typed, err := c.flag("typed_keys")
	if err != nil {
		return nil, err
	}
	if typed {
		nameByType(fields.Resolver{Reader: f.reader}, body.Aggs)
	}
	if f.intTotal, err = c.flag("rest_total_hits_as_int"); err != nil {
		return nil, err
	}
	c.Count(body.Query)
	f.Result, err = search.EvalHits(c.Work, f.reader, body)
	return f, err
}

// size is about the length of the response.
func (f *found) size() int {
	n := 256 + len(f.Aggregations)
	n += len(f.Docs) * (len(f.index) + hitBytes + sortBytes*len(f.body.Sort))
	if s := f.body.Source; s != nil && s.None {
		return n
	}
	for _, doc := range f.Docs {
		n += len(f.reader.Fragment(doc))
	}
	return n
}

// append writes the members of the response. Its time is always zero: equal searches have equal
// bytes.
func (f *found) append(dst []byte, work *search.WorkLimit) ([]byte, error) {
	dst = append(dst, `"took":0,"timed_out":false,`+shards+`,"hits":{"total":`...)
	if f.intTotal {
		dst = strconv.AppendInt(dst, int64(f.Total), 10)
	} else {
		dst = strconv.AppendInt(append(dst, `{"value":`...), int64(f.Total), 10)
		dst = append(dst, `,"relation":"eq"}`...)
	}
	dst = appendScore(append(dst, `,"max_score":`...), f.Scores.Best)
	dst, err := f.appendHits(append(dst, `,"hits":[`...), work)
	if err != nil {
		return nil, err
	}
	dst = append(dst, "]}"...)
	if f.Aggregations != nil {
		dst = append(append(dst, `,"aggregations":`...), f.Aggregations...)
	}
	return dst, nil
}

const shards = `"_shards":{"total":1,"successful":1,"skipped":0,"failed":0}`

// appendScore writes a score; NaN is none.
func appendScore(dst []byte, score float32) []byte {
	if math.IsNaN(float64(score)) {
		return append(dst, "null"...)
	}
	return envelope.AppendFloat(dst, float64(score), 32)
}

func (f *found) appendHits(dst []byte, work *search.WorkLimit) ([]byte, error) {
	source, sort := newSource(f.body.Source), search.NewSortValues(f.reader, f.body.Sort)
	for i, doc := range f.Docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		score := float32(math.NaN())
		if f.Scores.Of != nil {
			score = f.Scores.Of[i]
		}
		dst = f.appendNames(append(dst, '{'), doc)
		dst = appendScore(append(dst, `,"_score":`...), score)
		dst = source.append(dst, f.reader.Fragment(doc))
		if len(f.body.Sort) > 0 {
			dst = sort.Append(append(dst, `,"sort":`...), doc, score)
		}
		dst = append(dst, '}')
		if err := work.Charge(hitSteps + len(f.body.Sort) + source.work()); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// appendNames writes the index and the id of a hit.
func (f *found) appendNames(dst []byte, doc snapshot.DocID) []byte {
	return appendNames(dst, f.index, idOf(f.reader, doc))
}

func appendNames(dst []byte, index, id string) []byte {
	dst = appendString(append(dst, `"_index":`...), index)
	return appendString(append(dst, `,"_type":"_doc","_id":`...), id)
}

// idOf is the id of a document.
func idOf(r *snapshot.Reader, doc snapshot.DocID) string {
	t, ok := fields.Resolver{Reader: r}.Resolve(fields.IDName)
	if !ok {
		return ""
	}
	return string(t.Values.Strings().At(t.Values.Column().Least(doc), nil))
}

// source writes the sources of hits.
type source struct {
	none   bool
	filter *envelope.SourceFilter
	copied int // bytes since the last work
}

func newSource(s *query.Source) *source {
	switch {
	case s == nil:
		return &source{}
	case s.None:
		return &source{none: true}
	}
	return &source{filter: envelope.NewSourceFilter(s.Includes, s.Excludes)}
}

// append writes a member _source, unless none is asked for.
func (s *source) append(dst, fragment []byte) []byte {
	if s.none {
		return dst
	}
	s.copied += len(fragment)
	return s.filter.Append(append(dst, `,"_source":`...), fragment)
}

// work is the cost of writing since the last call.
func (s *source) work() int {
	n := s.copied / copiedPerStep
	s.copied = 0
	if s.filter != nil {
		n += s.filter.Work()
	}
	return n
}

// count answers _count.
func (c *Call) count() (*Response, error) {
	body, err := c.parseQuery()
	if err != nil {
		return nil, err
	}
	f, err := c.find(c.Route.Env, body)
	if err != nil {
		return nil, err
	}
	out := strconv.AppendInt([]byte(`{"count":`), int64(f.Total), 10)
	response := written(append(out, `,`+shards+`}`...))
	response.Fixed = !f.Timed
	return response, nil
}

// parseQuery parses a body that is only a query.
func (c *Call) parseQuery() (*query.Body, error) {
	body, err := query.ParsePart(c.Body)
	if err != nil {
		return nil, err
	}
	if body.HasFrom || body.HasSize || body.HasSource || body.Sort != nil || body.Aggs != nil {
		return nil, &query.Error{Code: query.CodeBody, Position: 0, Message: "request does not support members but [query]"}
	}
	if err := c.complete(body); err != nil {
		return nil, err
	}
	body.Size = 0
	return body, nil
}

// validate answers _validate/query: it evaluates the query, as some errors show only then.
func (c *Call) validate() (*Response, error) {
	explain, err := c.flag("explain")
	if err != nil {
		return nil, err
	}
	body, err := c.parseQuery()
	var f *found
	if err == nil {
		f, err = c.find(c.Route.Env, body)
	}
	var p *envelope.Error
	if err != nil {
		if p = c.Problem(err); StatusOf(p) != 400 {
			return nil, err
		}
	}
	out := []byte{'{'}
	if p == nil || inShard[types[p.Code]] { // else Elasticsearch asks no shard
		out = append(out, `"_shards":{"total":1,"successful":1,"failed":0},`...)
	}
	out = append(out, `"valid":`...)
	out = strconv.AppendBool(out, p == nil)
	if explain {
		out = appendString(append(out, `,"explanations":[{"index":`...), c.Route.Env)
		out = strconv.AppendBool(append(out, `,"valid":`...), p == nil)
		if p != nil {
			out = escape(append(out, `,"error":`...), p.Message)
		}
		out = append(out, "}]"...)
	}
	response := written(append(out, '}'))
	response.Fixed = f == nil || f.Result == nil || !f.Timed
	return response, nil
}

// nameByType puts the type of each aggregation before its name, as typed_keys asks for.
func nameByType(r fields.Resolver, aggs []query.Agg) {
	for i := range aggs {
		nameByType(r, aggs[i].Subs)
		for j := range aggs[i].Order {
			o := &aggs[i].Order[j]
			for _, sub := range aggs[i].Subs {
				o.Path = renamed(o.Path, sub.Name)
			}
		}
		aggs[i].Name = typeOf(r, &aggs[i]) + "#" + aggs[i].Name
	}
}

// renamed puts the type before the name in a path, if it names the aggregation of a typed name.
func renamed(path, typed string) string {
	for i := range typed {
		if typed[i] != '#' {
			continue
		}
		name := typed[i+1:]
		if path == name || len(path) > len(name) && path[:len(name)] == name && path[len(name)] == '.' {
			return typed[:i+1] + path
		}
		break
	}
	return path
}

// typeOf is the name of the type of an aggregation's result.
func typeOf(r fields.Resolver, a *query.Agg) string {
	if a.Kind != "terms" {
		return string(a.Kind)
	}
	switch t, ok := r.Resolve(a.Field); {
	case !ok || !t.Kind.Typed():
		return "sterms"
	case t.Kind.IsFraction():
		return "dterms"
	}
	return "lterms"
}
