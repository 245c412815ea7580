// This file turns options into queries, and parses queries whose members are not options alone.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
)

func parseMatchAll(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseOptions(p, &o, m)
	return &query.MatchAll{Boost: o.boost}
}

func parseMatchNone(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseOptions(p, &o, m)
	return &query.MatchNone{Boost: o.boost}
}

func parseExists(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseRequired(p, &o, m)
	return &query.Exists{Field: o.field, Boost: o.boost}
}

func parseIds(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseOptions(p, &o, m)
	return &query.IDs{Values: o.values, Boost: o.boost}
}

func parseTerm(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.Term{Field: o.field, Value: o.value, CaseInsensitive: isTrue(o.caseInsensitive), Boost: o.boost}
}

func parsePrefix(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.Prefix{Field: o.field, Value: o.value.Text, CaseInsensitive: isTrue(o.caseInsensitive), Rewrite: o.rewrite, Boost: o.boost}
}

func isTrue(b *bool) bool { return b != nil && *b }

func parseWildcard(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.Wildcard{Field: o.field, Pattern: o.value.Text, CaseInsensitive: o.caseInsensitive, Rewrite: o.rewrite, Boost: o.boost}
}

func parseMatch(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.Match{
		Field: o.field, Text: o.value, And: o.and, MinShouldMatch: o.minShouldMatch,
		Fuzziness: o.fuzziness, Spelling: o.spelling(),
		Lenient: isTrue(o.lenient), ZeroTermsAll: o.zeroTermsAll, Boost: o.boost,
	}
}

func parseMatchPhrase(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.MatchPhrase{Field: o.field, Text: o.value, Slop: o.slop, ZeroTermsAll: o.zeroTermsAll, Boost: o.boost}
}

func parseMatchPhrasePrefix(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.MatchPhrasePrefix{
		Field: o.field, Text: o.value, Slop: o.slop, MaxExpansions: o.maxExpansions,
		ZeroTermsAll: o.zeroTermsAll, Boost: o.boost,
	}
}

func parseMultiMatch(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseRequired(p, &o, m)
	switch kind := o.fieldsType; {
	case o.fuzziness != nil && (kind == query.CrossFields || kind == query.Phrase || kind == query.PhrasePrefix):
		p.fail(m.Member("fuzziness"), p.code(m), "fuzziness has no meaning in a multi_match of type %s: use best_fields, most_fields or bool_prefix", kind)
	case o.slop != 0 && kind == query.BoolPrefix:
		p.fail(m.Member("slop"), p.code(m), "slop has no meaning in a multi_match of type %s: use phrase or phrase_prefix", kind)
	}
	return &query.MultiMatch{
		Fields: o.fields, Kind: o.fieldsType, Text: o.value, And: o.and, MinShouldMatch: o.minShouldMatch,
		Slop: o.slop, TieBreaker: o.tie(), Fuzziness: o.fuzziness, Spelling: o.spelling(),
		Lenient: o.lenient, ZeroTermsAll: o.zeroTermsAll, Boost: o.boost,
	}
}

func parseQueryString(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseRequired(p, &o, m)
	if o.field != "" && len(o.fields) > 0 {
		p.fail(m, p.code(m), "%s has both default_field and fields: give one of them", p.path(m))
	}
	return parsedQueryString(p, &o, m.Member("query"))
}

func parsedQueryString(p *parser, o *options, v *strictjson.Value) query.Node {
	n := &query.QueryString{
		DefaultField: o.field, Fields: o.fields, And: o.and, PhraseSlop: o.slop,
		Fuzziness: query.AutoFuzziness, StringOptions: o.stringOptions(), Boost: o.boost, Text: o.value.Text,
	}
	if o.escape {
		n.Text = lucene.Escape(n.Text)
	}
	if o.fuzziness != nil {
		n.Fuzziness = *o.fuzziness
	}
	if p.err == nil {
		var err *lucene.Error
		if n.Expr, err = lucene.Parse(n.Text, lucene.MaxNodes-p.nodes); err != nil {
			n.Err = &query.Error{Code: faultCodes[err.Fault], Message: err.Message, Parameter: p.path(v), Position: err.Position}
		}
		p.nodes += n.Expr.Size()
	}
	return n
}

func parseSimpleQueryString(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseRequired(p, &o, m)
	o.fieldsType = query.MostFields
	n := &query.SimpleQueryString{
		Fields: o.fields, And: o.and, StringOptions: o.stringOptions(),
		Boost: o.boost, Text: o.value.Text,
	}
	if p.err == nil {
		var err *lucene.Error
		if n.Expr, err = lucene.ParseSimple(n.Text, n.And, o.simpleFlags, lucene.MaxNodes-p.nodes); err != nil {
			p.fail(m.Member("query"), faultCodes[err.Fault], "%s", err.Message)
		}
		p.nodes += n.Expr.Size()
	}
	return n
}

func parseConstantScore(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.ConstantScore{Boost: 1}
	for i := range v.Items {
		if m := &v.Items[i]; m.Name == "filter" {
			n.Filter = parseQuery(p, m)
		} else {
			parseCommonOption(p, t, m, &n.Boost)
		}
	}
	p.require(v, "filter")
	return n
}

func parseBoolean(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.Bool{Boost: 1}
	pure := false // exclusions alone match nothing instead of all else
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "must":
			n.Must = parseClauses(p, m)
		case "filter":
			n.Filter = parseClauses(p, m)
		case "should":
			n.Should = parseClauses(p, m)
		case "must_not":
			n.MustNot = parseClauses(p, m)
		case "minimum_should_match":
			n.MinShouldMatch = parseMinMatch(p, m)
		case "adjust_pure_negative":
			pure = !p.bool(m)
		default:
			parseCommonOption(p, t, m, &n.Boost)
		}
	}
	if pure && len(n.MustNot) > 0 && len(n.Must)+len(n.Filter)+len(n.Should) == 0 {
		n.Filter = []query.Node{&query.DisMax{Queries: []query.Node{&query.MatchNone{}}, Boost: 1}} // match_none would hide errors beside it
	}
	p.tooMany(v, "clauses", len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot), lucene.MaxClauses)
	return n
}

// clauses parses one clause list of a bool: a query, an array of queries, or null.
func parseClauses(p *parser, v *strictjson.Value) []query.Node {
	if v.Kind == strictjson.Null || p.err != nil {
		return nil
	}
	if v.Kind == strictjson.Array && p.tooMany(v, "clauses", len(v.Items), lucene.MaxClauses) {
		return nil
	}
	list := slices.Grow([]query.Node(nil), len(v.Items))
	p.each(v, func(e *strictjson.Value) { list = append(list, parseQuery(p, e)) })
	return list
}

func parseTerms(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.Terms{Boost: 1}
	var field *strictjson.Value
	for i := range v.Items {
		switch m := &v.Items[i]; {
		case m.Name == "boost" || m.Name == "_name":
			parseCommonOption(p, t, m, &n.Boost)
		case m.Kind != strictjson.Array && m.Kind != strictjson.Object:
			p.wrongValue(m, "an array of values")
		case field != nil:
			p.fail(m, p.code(m), "%s names two fields, %q and %q: one is all it takes", p.path(v), strictjson.Clip(field.Name), strictjson.Clip(m.Name))
		default:
			field = m
		}
	}
	if field == nil {
		p.fail(v, p.code(v), "%s must name one field and give an array of values", p.path(v))
		return n
	}
	if p.tooMany(field, "values", len(field.Items), maxValues) {
		return n
	}
	if n.Field = field.Name; field.Kind == strictjson.Object {
		n.Lookup = parseLookup(p, field)
		return n
	}
	n.Values = make([]query.Value, 0, len(field.Items))
	p.each(field, func(e *strictjson.Value) { n.Values = append(n.Values, p.scalar(e)) })
	return n
}

// rangeQuery parses a range. The later of gt and gte, or lt and lte, applies, as in Elasticsearch.
func parseRangeQuery(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.Range{Boost: 1}
	f := p.field(v)
	if f == nil {
		return n
	}
	n.Field = f.Name
	if f.Kind != strictjson.Object {
		p.wrongValue(f, `an object of bounds like {"gte":1}`)
		return n
	}
	var b bounds
	for i := range f.Items {
		switch o := &f.Items[i]; o.Name {
		case "gt", "gte", "from":
			b.low = parseBound(p, o)
			b.openLow = o.Name == "gt" || o.Name == "from" && b.openLow
		case "lt", "lte", "to":
			b.high = parseBound(p, o)
			b.openHigh = o.Name == "lt" || o.Name == "to" && b.openHigh
		case "include_lower":
			b.openLow = !p.bool(o)
		case "include_upper":
			b.openHigh = !p.bool(o)
		case "format":
			n.Format = p.text(o)
		case "time_zone":
			n.TimeZone = p.text(o)
		case "relation": // no effect: values are points, no ranges
			p.oneOf(o, "intersects", "contains", "within")
		default:
			parseCommonOption(p, t, o, &n.Boost)
		}
	}
	b.set(n)
	return n
}

type bounds struct {
	low, high         *query.Value
	openLow, openHigh bool
}

func (b *bounds) set(n *query.Range) {
	if b.openLow {
		n.Gt = b.low
	} else {
		n.Gte = b.low
	}
	if b.openHigh {
		n.Lt = b.high
	} else {
		n.Lte = b.high
	}
}

// bound parses a bound. null leaves this side of the range unbounded.
func parseBound(p *parser, v *strictjson.Value) *query.Value {
	if v.Kind == strictjson.Null {
		return nil
	}
	b := p.scalar(v)
	return &b
}

// faultCodes are the codes of errors in query strings.
var faultCodes = [...]string{
	lucene.Syntax: problem.BadQueryString, lucene.TooManyClauses: problem.TooManyClauses, lucene.TooDeep: problem.TooDeep,
}
