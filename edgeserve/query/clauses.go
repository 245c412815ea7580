// This file parses the queries that do not analyze text: bool and the term-level queries.
// It also dispatches by query type. Every query rejects unknown options and lists the known
// ones.

package query

import (
	"slices"
	"strings"
)

// knownOptions lists the options of each query type for error messages. Every type also has
// boost and _name.
var knownOptions = map[string]string{
	"bool":                "must, filter, should, must_not, minimum_should_match, adjust_pure_negative",
	"constant_score":      "filter",
	"exists":              "field",
	"ids":                 "values",
	"match":               "query, operator, minimum_should_match, fuzziness, prefix_length, max_expansions, lenient, zero_terms_query, analyzer, fuzzy_transpositions, auto_generate_synonyms_phrase_query",
	"match_all":           "",
	"match_none":          "",
	"match_phrase":        "query, slop, zero_terms_query, analyzer",
	"match_phrase_prefix": "query, slop, max_expansions, zero_terms_query, analyzer",
	"multi_match":         "query, fields, type, operator, minimum_should_match, tie_breaker, fuzziness, prefix_length, max_expansions, lenient, zero_terms_query, slop, analyzer, fuzzy_transpositions, auto_generate_synonyms_phrase_query",
	"prefix":              "value, case_insensitive, rewrite",
	"query_string":        "query, default_field, fields, default_operator, phrase_slop, lenient, fuzziness, analyze_wildcard, allow_leading_wildcard, type, analyzer, enable_position_increments, auto_generate_synonyms_phrase_query, fuzzy_prefix_length, fuzzy_max_expansions, fuzzy_transpositions, time_zone",
	"range":               "gt, gte, lt, lte, from, to, include_lower, include_upper, format, time_zone",
	"simple_query_string": "query, fields, default_operator, minimum_should_match, lenient, flags, analyze_wildcard, analyzer, auto_generate_synonyms_phrase_query, fuzzy_prefix_length, fuzzy_max_expansions, fuzzy_transpositions",
	"term":                "value, case_insensitive",
	"terms":               "an array under one field's name",
	"wildcard":            "value, wildcard, case_insensitive, rewrite",
}

// queryTypes lists the query types for error messages.
func queryTypes() string {
	names := make([]string, 0, len(knownOptions))
	for name := range knownOptions {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// query parses an object with one member, whose name is the query type.
func (p *bodyParser) query(v *value) Node {
	switch {
	case p.err != nil:
		return nil
	case v.kind != kindObject:
		p.wrongValue(v, `a query object like {"match":{…}}`)
		return nil
	case len(v.items) == 0:
		p.fail(v, p.code(v), "%s is an empty query: leave it out, or use match_all", p.path(v))
		return nil
	case len(v.items) > 1:
		p.fail(&v.items[1], p.code(v), "%s holds %d queries, %q being the second: combine them in a bool", p.path(v), len(v.items), clip(v.items[1].name))
		return nil
	}
	m := &v.items[0]
	if _, ok := knownOptions[m.name]; !ok {
		p.fail(m, CodeUnknownQuery, "unknown query %q; known queries: %s", clip(m.name), queryTypes())
		return nil
	}
	if m.kind != kindObject {
		p.wrongValue(m, "an object")
		return nil
	}
	return p.limitedQuery(m)
}

// limitedQuery parses the query m after it has checked the limits of depth and number.
func (p *bodyParser) limitedQuery(m *value) Node {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxQueryDepth {
		p.fail(m, CodeTooDeep, "queries are nested deeper than %d levels", maxQueryDepth)
		return nil
	}
	if p.nodes++; p.nodes > maxNodes {
		p.fail(m, CodeTooManyClauses, "the body has more than %d queries", maxNodes)
		return nil
	}
	return p.queryOfType(m)
}

// queryOfType parses the query m. Its type is known.
func (p *bodyParser) queryOfType(m *value) Node {
	switch m.name {
	case "bool":
		return p.boolean(m)
	case "constant_score":
		return p.constantScore(m)
	case "exists":
		return p.exists(m)
	case "ids":
		return p.ids(m)
	case "match":
		return p.match(m)
	case "match_all":
		return p.matchAll(m)
	case "match_phrase":
		return p.matchPhrase(m)
	case "match_phrase_prefix":
		return p.matchPhrasePrefix(m)
	case "multi_match":
		return p.multiMatch(m)
	case "prefix":
		return p.prefix(m)
	case "query_string":
		return p.queryString(m)
	case "range":
		return p.rangeQuery(m)
	case "simple_query_string":
		return p.simpleQueryString(m)
	case "term":
		return p.term(m)
	case "terms":
		return p.terms(m)
	case "wildcard":
		return p.wildcard(m)
	}
	return p.matchNone(m)
}

// commonOption parses the options that every query has and rejects all others.
func (p *bodyParser) commonOption(o *value, query string, boost *float64) {
	switch o.name {
	case "boost":
		*boost = p.weight(o)
	case "_name":
		p.text(o)
	default:
		known := "boost, _name"
		if knownOptions[query] != "" {
			known = knownOptions[query] + ", " + known
		}
		p.fail(o, CodeUnknownOption, "unknown option %q of %s; known options: %s", clip(o.name), query, known)
	}
}

// field returns the only member of an object whose key is a field name.
func (p *bodyParser) field(v *value) *value {
	if len(v.items) != 1 {
		p.fail(v, p.code(v), "%s must name one field, not %d", p.path(v), len(v.items))
		return nil
	}
	f := &v.items[0]
	if f.name == "" {
		p.fail(f, p.code(v), "%s must name a field, the name is empty", p.path(v))
	}
	return f
}

// fieldQuery parses a query on one field. Its value stands alone, as in {"F":"a"}, or in an
// object with options, as in {"F":{"value":"a"}}. names are the members that hold the value.
func (p *bodyParser) fieldQuery(v *value, field *string, set, option func(o *value), names ...string) {
	f := p.field(v)
	if f == nil {
		return
	}
	*field = f.name
	if f.kind != kindObject {
		set(f)
		return
	}
	found := false
	for i := range f.items {
		if o := &f.items[i]; slices.Contains(names, o.name) {
			set(o)
			found = true
		} else {
			option(o)
		}
	}
	if !found {
		p.require(f, names[0])
	}
}

// require reports an error if the object v lacks the member name.
func (p *bodyParser) require(v *value, name string) {
	if v.member(name) == nil {
		p.fail(v, p.code(v), "%s needs %q", p.path(v), name)
	}
}

func (p *bodyParser) matchAll(v *value) Node {
	n := &MatchAll{Boost: 1}
	for i := range v.items {
		p.commonOption(&v.items[i], "match_all", &n.Boost)
	}
	return n
}

func (p *bodyParser) matchNone(v *value) Node {
	var boost float64
	for i := range v.items {
		p.commonOption(&v.items[i], "match_none", &boost)
	}
	return &MatchNone{}
}

func (p *bodyParser) boolean(v *value) Node {
	n := &Bool{Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "must":
			n.Must = p.clauses(m)
		case "filter":
			n.Filter = p.clauses(m)
		case "should":
			n.Should = p.clauses(m)
		case "must_not":
			n.MustNot = p.clauses(m)
		case "minimum_should_match":
			n.MinShouldMatch = p.minMatch(m)
		case "adjust_pure_negative":
			p.oneOf(m, "true")
		default:
			p.commonOption(m, "bool", &n.Boost)
		}
	}
	if k := len(n.Must) + len(n.Filter) + len(n.Should) + len(n.MustNot); k > maxClauses {
		p.fail(v, CodeTooManyClauses, "%s has %d clauses, at most %d are allowed", p.path(v), k, maxClauses)
	}
	return n
}

// clauses parses one clause list of a bool: a query, an array of queries, or null.
func (p *bodyParser) clauses(v *value) []Node {
	if v.kind == kindNull || p.err != nil {
		return nil
	}
	if len(v.items) > maxClauses && v.kind == kindArray {
		p.fail(v, CodeTooManyClauses, "%s has %d clauses, at most %d are allowed", p.path(v), len(v.items), maxClauses)
		return nil
	}
	var list []Node
	p.each(v, func(e *value) { list = append(list, p.query(e)) })
	return list
}

func (p *bodyParser) constantScore(v *value) Node {
	n := &ConstantScore{Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "filter":
			n.Filter = p.query(m)
		default:
			p.commonOption(m, "constant_score", &n.Boost)
		}
	}
	p.require(v, "filter")
	return n
}

func (p *bodyParser) exists(v *value) Node {
	n := &Exists{Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "field":
			if n.Field = p.fieldName(m); n.Field == "*" {
				p.fail(m, p.code(m), `exists needs a field: "*" alone is not one, use match_all`)
			}
		default:
			p.commonOption(m, "exists", &n.Boost)
		}
	}
	p.require(v, "field")
	return n
}

func (p *bodyParser) ids(v *value) Node {
	n := &IDs{Boost: 1}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "values":
			n.Values = p.texts(m, maxValues)
		default:
			p.commonOption(m, "ids", &n.Boost)
		}
	}
	return n
}

func (p *bodyParser) term(v *value) Node {
	n := &Term{Boost: 1}
	p.fieldQuery(v, &n.Field, func(o *value) { n.Value = p.scalar(o) }, func(o *value) {
		if o.name == "case_insensitive" {
			n.CaseInsensitive = p.bool(o)
		} else {
			p.commonOption(o, "term", &n.Boost)
		}
	}, "value")
	return n
}

func (p *bodyParser) terms(v *value) Node {
	n := &Terms{Boost: 1}
	var field *value
	for i := range v.items {
		switch m := &v.items[i]; {
		case m.name == "boost" || m.name == "_name":
			p.commonOption(m, "terms", &n.Boost)
		case m.kind != kindArray:
			p.wrongValue(m, "an array of values")
		case field != nil:
			p.fail(m, p.code(m), "%s names two fields, %q and %q: one is all it takes", p.path(v), clip(field.name), clip(m.name))
		default:
			field = m
		}
	}
	if field == nil {
		p.fail(v, p.code(v), "%s must name one field and give an array of values", p.path(v))
		return n
	}
	if len(field.items) > maxValues {
		p.fail(field, CodeTooManyClauses, "%s has %d values, at most %d are allowed", p.path(field), len(field.items), maxValues)
		return n
	}
	n.Field = field.name
	n.Values = make([]Value, 0, len(field.items))
	p.each(field, func(e *value) { n.Values = append(n.Values, p.scalar(e)) })
	return n
}

func (p *bodyParser) prefix(v *value) Node {
	n := &Prefix{Boost: 1}
	p.fieldQuery(v, &n.Field, func(o *value) { n.Value = p.text(o) }, func(o *value) {
		switch o.name {
		case "case_insensitive":
			n.CaseInsensitive = p.bool(o)
		case "rewrite":
			p.rewrite(o)
		default:
			p.commonOption(o, "prefix", &n.Boost)
		}
	}, "value")
	return n
}

func (p *bodyParser) wildcard(v *value) Node {
	n := &Wildcard{Boost: 1}
	p.fieldQuery(v, &n.Field, func(o *value) { n.Pattern = p.text(o) }, func(o *value) {
		switch o.name {
		case "case_insensitive":
			n.CaseInsensitive = new(p.bool(o))
		case "rewrite":
			p.rewrite(o)
		default:
			p.commonOption(o, "wildcard", &n.Boost)
		}
	}, "value", "wildcard")
	return n
}

// rewrite accepts the rewrite methods that give every match the same score.
func (p *bodyParser) rewrite(v *value) { p.oneOf(v, "constant_score", "constant_score_boolean") }

// rangeQuery parses a range. If both gt and gte are given, the later one applies, as in
// Elasticsearch. The same holds for lt and lte.
func (p *bodyParser) rangeQuery(v *value) Node {
	n := &Range{Boost: 1}
	f := p.field(v)
	if f == nil {
		return n
	}
	n.Field = f.name
	if f.kind != kindObject {
		p.wrongValue(f, `an object of bounds like {"gte":1}`)
		return n
	}
	var b bounds
	for i := range f.items {
		switch o := &f.items[i]; o.name {
		case "gt", "gte", "from":
			b.low = p.bound(o)
			b.openLow = o.name == "gt" || o.name == "from" && b.openLow
		case "lt", "lte", "to":
			b.high = p.bound(o)
			b.openHigh = o.name == "lt" || o.name == "to" && b.openHigh
		case "include_lower":
			b.openLow = !p.bool(o)
		case "include_upper":
			b.openHigh = !p.bool(o)
		case "format":
			p.oneOf(o, "strict_date_optional_time||epoch_millis", "strict_date_optional_time")
		case "time_zone":
			p.utc(o)
		default:
			p.commonOption(o, "range", &n.Boost)
		}
	}
	b.set(n)
	return n
}

// bounds collects the bounds of a range. open marks an exclusive bound.
type bounds struct {
	low, high         *Value
	openLow, openHigh bool
}

func (b *bounds) set(n *Range) {
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
func (p *bodyParser) bound(v *value) *Value {
	if v.kind == kindNull {
		return nil
	}
	b := p.scalar(v)
	return &b
}

// utc accepts the spellings of UTC. Other time zones are not supported.
func (p *bodyParser) utc(v *value) { p.oneOf(v, "UTC", "Z", "+00:00") }
