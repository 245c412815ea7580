// This file evaluates requests: it parses their bodies and hands the parsed requests to the evaluator.

package answer

import (
	"bytes"
	"strings"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// Evaluate evaluates a request for a content. sent is the body of the request, which only searches read.
func (c *Content) Evaluate(b Budget, sent []byte) (Answer, error) {
	switch {
	case c.route.Kind.IsElastic():
		return c.elastic(b, sent)
	case c.route.Kind == address.Item:
		return c.item(b.Work)
	case c.route.Kind == address.UsedIn:
		return c.usedIn(b)
	case c.openapi != nil:
		return c.description(b.Work)
	case c.saved != nil:
		first, err := c.savedBody(b.Work)
		if err != nil {
			return Answer{}, err
		}
		return c.evaluate(b, kindOf(first.Query), first)
	case c.route.Kind == address.Search:
		parsed, err := c.searchBody(b.Work, sent)
		if err != nil {
			return Answer{}, err
		}
		return c.evaluate(b, kindOf(parsed.Query), parsed)
	}
	return c.evaluate(b, kindList, search.FromList(c.route.List))
}

func (c *Content) items() hits.Evaluator { return c.release.Environments[c.route.Env].Items }

func (b Budget) count(kind string) {
	if b.Count != nil {
		b.Count(kind)
	}
}

func (c *Content) item(work *scorer.WorkLimit) (Answer, error) {
	item, found, err := hits.Item(c.items(), work, c.route.ID)
	if err != nil {
		return Answer{}, err
	}
	if !found {
		return Answer{}, refused(problem.UnknownItem)
	}
	shown := item
	if patterns := c.show.Patterns(); patterns != nil {
		filter := envelope.NewSourceFilter(patterns, nil)
		shown = filter.Append(nil, item)
		if err := work.Charge(hitSteps + filter.Work()); err != nil {
			return Answer{}, err
		}
	}
	in, err := c.includedWith(work, item, shown)
	if err != nil {
		return Answer{}, err
	}
	size := envelope.ItemSize(len(shown))
	if in != nil {
		size += in.Size()
	}
	a := New(size, func(dst []byte) ([]byte, error) {
		if in != nil {
			return envelope.AppendItemWith(dst, shown, in), nil
		}
		return envelope.AppendItem(dst, shown), nil
	})
	a.Link = c.Link(0)
	return a, nil
}

// The steps of parsing a byte and a value, and the memory of a value in a list that grows. The number of commas
// represents the number of values.
const (
	byteSteps  = 1
	valueSteps = 24
	valueBytes = 144
)

// chargeParsing charges the steps of parsing the body and the query of the address.
func (c *Content) chargeParsing(work *scorer.WorkLimit, sent []byte) error {
	values := bytes.Count(sent, []byte{','}) + strings.Count(c.query, ",")
	if err := work.Hold(valueBytes * values); err != nil {
		return err
	}
	return work.Charge(byteSteps*(len(sent)+len(c.query)) + valueSteps*values)
}

// searchBody parses a body, which the parameters of the address complete.
func (c *Content) searchBody(work *scorer.WorkLimit, sent []byte) (*query.Body, error) {
	if err := c.chargeParsing(work, sent); err != nil {
		return nil, err
	}
	parse := body.ParsePart
	if c.query == "" {
		parse = body.Parse
	}
	parsed, err := parse(sent)
	if err != nil {
		return nil, err
	}
	// The sort values are needed for search_after. A sort in the address has none: its hits are pages.
	parsed.Show.AsHits = parsed.Show.AsHits || parsed.Order.Keys != nil && !parsed.Order.ByScore()
	if c.query == "" {
		return parsed, nil
	}
	params, err := parseSearchParams(c.query, c.release.StrictParameters)
	if err != nil {
		return nil, err
	}
	params.Defaults = c.release.Manifest.ListDefaults()
	return search.WithParams(parsed, params)
}

// elastic calls one of Elasticsearch's endpoints.
func (c *Content) elastic(b Budget, sent []byte) (Answer, error) {
	if err := c.chargeParsing(b.Work, sent); err != nil {
		return Answer{}, err
	}
	call := &elastic.Call{
		Route: c.route, Query: c.query, Body: sent, Release: c.release.Manifest.Build, Indices: c.release.Environments,
		Work: b.Work, Next: b.Next, Problem: problemOf,
		Count: func(n query.Node) { b.count(kindOf(n)) },
	}
	response, err := call.Respond()
	if err != nil {
		return Answer{}, err
	}
	a := New(response.Size, response.Write)
	a.Timed, a.Approximate = !response.Fixed, response.Approximate
	return a, nil
}
