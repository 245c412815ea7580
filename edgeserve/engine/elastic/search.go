// This file answers _search, _count and _validate/query.

package elastic

import (
	"bytes"
	"strconv"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// found is a search that has been evaluated.
type found struct {
	*hits.Result
	body *query.Body
	hits *hits.Writer
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
	return &Response{Size: f.size(), Fixed: !f.Timed, Approximate: f.Approximate, write: func(dst []byte) ([]byte, error) {
		dst, err := f.append(append(dst, '{'), c.Work)
		return append(dst, '}'), err
	}}, nil
}

// parse parses a body, and completes it by the parameters.
func (c *Call) parse(raw []byte) (*query.Body, error) {
	if isBlank(raw) {
		return nil, errNoObject
	}
	body, err := parsePart(raw)
	if err != nil {
		return nil, err
	}
	if err := c.complete(body); err != nil {
		return nil, err
	}
	body.Order.DropScore()
	return body, nil
}

var errNoObject = &query.Error{Code: problem.BadBody, Position: 0, Message: "the body holds no object: leave it out, or send {}"}

// parsePart parses a body. null is not the absence of a body.
func parsePart(raw []byte) (*query.Body, error) {
	if isNull(raw) {
		return nil, errNoObject
	}
	return body.ParsePart(raw)
}

// isBlank reports whether there is a body and it is only white space.
func isBlank(raw []byte) bool { return len(raw) > 0 && len(bytes.TrimSpace(raw)) == 0 }

func isNull(raw []byte) bool { return string(bytes.TrimSpace(raw)) == "null" }

// find evaluates a search of an index.
func (c *Call) find(index string, body *query.Body) (*found, error) {
	environment := c.Indices[index]
	f := &found{body: body, hits: hits.NewWriter(index, body)}
	typed, err := c.flag("typed_keys")
	if err != nil {
		return nil, err
	}
	if typed {
		nameByType(environment.Fields, body)
		for i := range body.Suggest {
			kind := "term#"
			if body.Suggest[i].Phrase != nil {
				kind = "phrase#"
			}
			body.Suggest[i].Name = kind + body.Suggest[i].Name
		}
	}
	if body.Totals.AsInt, err = c.flag("rest_total_hits_as_int"); err != nil {
		return nil, err
	}
	if limit := body.Totals.Limit; body.Totals.AsInt && body.Totals.HasLimit && limit >= 0 && limit != query.AllHits {
		return nil, badParameter("rest_total_hits_as_int", "[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got %d", limit)
	}
	c.Count(body.Query)
	f.Result, err = environment.Items.Search(c.Work, body, true)
	return f, asEvaluated(err)
}

// size returns the approximate length of the response.
func (f *found) size() int {
	return 256 + len(f.Aggregations) + len(f.Suggestions) + f.hits.Size(&f.Page)
}

// append writes the members of the response. Call it once. The member took is always zero, so that equal searches
// have equal bytes.
func (f *found) append(dst []byte, work *scorer.WorkLimit) ([]byte, error) {
	dst = append(dst, `"took":0,"timed_out":false,`...)
	if f.body.TerminateAfter > 0 {
		dst = append(strconv.AppendBool(append(dst, `"terminated_early":`...), f.Ended), ',')
	}
	dst = f.appendTotal(append(dst, shards+`,"hits":{`...))
	dst = hits.AppendScore(append(dst, `"max_score":`...), f.Best)
	dst, err := f.hits.AppendAll(append(dst, `,"hits":`...), &f.Page, work)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '}')
	if f.body.Profile {
		dst = append(dst, `,"profile":{"shards":[]}`...)
	}
	if f.Aggregations != nil {
		dst = append(append(dst, `,"aggregations":`...), f.Aggregations...)
		f.Release()
	}
	if f.Suggestions != nil {
		dst = append(append(dst, `,"suggest":`...), f.Suggestions...)
	}
	if f.Approximate != nil {
		dst = envelope.AppendApproximate(dst)
	}
	return dst, nil
}

// appendTotal writes the total, up to the limit of track_total_hits.
func (f *found) appendTotal(dst []byte) []byte {
	total := f.Total
	switch limit := f.body.Totals.Limit; {
	case !f.body.Totals.HasLimit:
	case limit < 0 && f.body.Totals.AsInt:
		total = limit
	case limit < 0:
		return dst
	case total > limit:
		return hits.AppendLimit(dst, limit)
	}
	return hits.AppendTotal(dst, total, f.body.Totals.AsInt)
}

const shards = `"_shards":{"total":1,"successful":1,"skipped":0,"failed":0}`

// count answers _count.
func (c *Call) count() (*Response, error) {
	b, err := c.parseQuery()
	if err != nil {
		return nil, err
	}
	if least := c.params.Get("min_score"); least != "" {
		if err := body.SetMember(b, "min_score", least, false); err != nil {
			return nil, err
		}
	}
	f, err := c.find(c.Route.Env, b)
	if err != nil {
		return nil, err
	}
	out := strconv.AppendInt([]byte(`{"count":`), int64(f.Total), 10)
	out = append(out, `,`+shards...)
	if f.Approximate != nil {
		out = envelope.AppendApproximate(out)
	}
	response := written(envelope.AppendClose(out))
	response.Fixed, response.Approximate = !f.Timed, f.Approximate
	return response, nil
}

// parseQuery parses a body that may have no member but query.
func (c *Call) parseQuery() (*query.Body, error) {
	body, err := parsePart(c.Body)
	if err != nil {
		return nil, err
	}
	if body.HasOtherMembers {
		return nil, &query.Error{Code: problem.BadBody, Position: 0, Message: "request does not support members but [query]"}
	}
	if err := c.complete(body); err != nil {
		return nil, err
	}
	body.Window.Size = 0
	return body, nil
}

// validate answers _validate/query. It evaluates the query, because some errors show only then. Without a body the query
// is match_all; a body without a query is an error.
func (c *Call) validate() (*Response, error) {
	explain, err := c.flag("explain")
	if err != nil {
		return nil, err
	}
	body, err := c.parseQuery()
	if err == nil && body.Query == nil && len(c.Body) > 0 {
		return nil, invalid("query cannot be null")
	}
	var f *found
	if err == nil {
		f, err = c.find(c.Route.Env, body)
	}
	var p *problem.Problem
	if err != nil {
		if p = c.Problem(err); StatusOf(p) != 400 {
			return nil, err
		}
	}
	out := []byte{'{'}
	asked := p == nil || failureOf(p, "").shard // for other errors Elasticsearch asks no shard
	if asked {
		out = append(out, `"_shards":{"total":1,"successful":1,"failed":0},`...)
	}
	out = append(out, `"valid":`...)
	out = strconv.AppendBool(out, p == nil)
	switch {
	case explain && !asked:
		out = escape(append(out, `,"error":`...), p.Message)
	case explain:
		out = appendString(append(out, `,"explanations":[{"index":`...), c.Route.Env)
		out = strconv.AppendBool(append(out, `,"valid":`...), p == nil)
		if p != nil {
			out = escape(append(out, `,"error":`...), p.Message)
		} else if text, err := c.environment().Items.QueryText(c.Work, body); err != nil {
			return nil, err
		} else {
			out = appendString(append(out, `,"explanation":`...), text)
		}
		out = append(out, "}]"...)
	}
	response := written(append(out, '}'))
	response.Fixed = f == nil || f.Result == nil || !f.Timed
	return response, nil
}

// nameByType puts the type of each aggregation before its name, for typed_keys.
func nameByType(r fields.Resolver, body *query.Body) {
	query.Walk(body, func(p query.Part) {
		if a, ok := p.(*query.Agg); ok {
			a.Typed = typeOf(r, a) + "#" + a.Name
		}
	})
}

// typeOf returns the name of the type of an aggregation's result.
func typeOf(r fields.Resolver, a *query.Agg) string {
	t, ok := r.Resolve(a.Values.Field)
	switch o := a.Options.(type) {
	case *query.Percentiles:
		if o.HDR {
			return "hdr_" + string(a.Kind)
		}
		return "tdigest_" + string(a.Kind)
	case *query.Significance:
		if ok && t.Kind.Typed() {
			return "siglterms"
		}
		return "sigsterms" // also for unmapped fields
	}
	terms := "terms"
	switch a.Kind {
	case query.AggTerms:
	case query.AggRareTerms:
		terms = "rareterms"
	case query.AggAvgBucket, query.AggSumBucket, query.AggCumulativeSum, query.AggSerialDiff, query.AggBucketScript:
		return "simple_value"
	case query.AggMinBucket, query.AggMaxBucket:
		return "bucket_metric_value"
	default:
		return string(a.Kind)
	}
	switch {
	case !ok: // also for rare terms
		return "sterms"
	case !t.Kind.Typed():
		return "s" + terms
	case t.Kind.IsFraction():
		return "d" + terms
	}
	return "l" + terms
}
