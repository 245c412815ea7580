// This file parses query_string and simple_query_string, whose texts have a syntax of their own.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// queryString is a query_string while it is parsed.
type queryString struct {
	node       query.QueryString
	tieBreaker *float64 // nil means the tie breaker of the type
	escape     bool     // operators in the text have no meaning
}

func (n *queryString) BoostOption() *float64 { return n.node.BoostOption() }

var queryStringOptions = newQueryTable("query_string", []option[queryString]{
	{"query", required, func(p *parser, n *queryString, v *strictjson.Value) { n.node.Text = p.text(v) }},
	{"default_field", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.DefaultField = p.fieldName(v) }},
	{"fields", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.Fields = p.fieldArray(v) }},
	{"type", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.Kind = p.fieldsType(v) }},
	{"default_operator", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.And = p.operator(v) }},
	minimumOption(queryStringShared),
	{"phrase_slop", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.PhraseSlop = p.integer(v, 0) }},
	lenientOption(queryStringShared),
	{"fuzziness", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.Fuzziness = p.fuzziness(v) }},
	prefixLength("fuzzy_prefix_length", queryStringSpelling),
	maxExpansionsOption("fuzzy_max_expansions", queryStringSpelling),
	transpositions("fuzzy_transpositions", queryStringSpelling),
	noEffect[queryString]("fuzzy_rewrite", func(p *parser, v *strictjson.Value) { p.rewrite(v) }), // as in Elasticsearch, it has no effect
	rewriteOption("rewrite", queryStringSpelling),
	{"tie_breaker", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.tieBreaker = new(p.tieBreaker(v)) }},
	quoteSuffixOption(queryStringShared),
	analyzeWildcardOption(queryStringShared),
	{"allow_leading_wildcard", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.NoLeadingWildcard = !p.bool(v) }},
	{"escape", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.escape = p.bool(v) }},
	{"time_zone", optional, func(p *parser, n *queryString, v *strictjson.Value) { n.node.TimeZone = p.optionalText(v) }},
	analyzer[queryString](),
	fixed[queryString]("quote_analyzer", "standard"),
	noEffect[queryString]("max_determinized_states", checkStates),
	fixed[queryString]("enable_position_increments", "true"),
	synonyms[queryString](),
})

func queryStringShared(n *queryString) *query.StringOptions { return &n.node.StringOptions }
func queryStringSpelling(n *queryString) *query.Spelling    { return &n.node.Spelling }

func newQueryString() *queryString {
	n := &queryString{node: query.QueryString{Fuzziness: query.AutoFuzziness, Boost: 1}}
	n.node.Spelling = defaultSpelling
	return n
}

func parseQueryString(p *parser, v *strictjson.Value) query.Node {
	n := newQueryString()
	queryStringOptions.parse(p, n, v)
	if n.node.DefaultField != "" && len(n.node.Fields) > 0 {
		p.fail(v, p.code(v), "%s has both default_field and fields: give only one", p.path(v))
	}
	return n.finish(p, v.Member("query"))
}

// finish parses the text of the query. A syntax error refers to the value text.
func (n *queryString) finish(p *parser, text *strictjson.Value) query.Node {
	q := &n.node
	q.TieBreaker = tieBreakerOf(q.Kind, n.tieBreaker)
	if n.escape {
		q.Text = lucene.Escape(q.Text)
	}
	if p.err == nil {
		var err *lucene.Error
		if q.Expr, err = lucene.Parse(q.Text, lucene.MaxNodes-p.nodes); err != nil {
			q.Err = &query.Error{Code: faultCodes[err.Fault], Message: err.Message, Parameter: p.path(text), Position: err.Position}
		}
		p.nodes += q.Expr.Size()
	}
	return q
}

var simpleQueryStringOptions = newQueryTable("simple_query_string", []option[query.SimpleQueryString]{
	{"query", required, func(p *parser, n *query.SimpleQueryString, v *strictjson.Value) { n.Text = p.text(v) }},
	{"fields", optional, func(p *parser, n *query.SimpleQueryString, v *strictjson.Value) { n.Fields = p.fieldArray(v) }},
	{"default_operator", optional, func(p *parser, n *query.SimpleQueryString, v *strictjson.Value) { n.And = p.operator(v) }},
	minimumOption(simpleShared),
	lenientOption(simpleShared),
	{"flags", optional, func(p *parser, n *query.SimpleQueryString, v *strictjson.Value) { n.Operators = p.simpleOperators(v) }},
	prefixLength("fuzzy_prefix_length", simpleSpelling),
	maxExpansionsOption("fuzzy_max_expansions", simpleSpelling),
	transpositions("fuzzy_transpositions", simpleSpelling),
	quoteSuffixOption(simpleShared),
	analyzeWildcardOption(simpleShared),
	analyzer[query.SimpleQueryString](),
	synonyms[query.SimpleQueryString](),
})

func simpleShared(n *query.SimpleQueryString) *query.StringOptions { return &n.StringOptions }
func simpleSpelling(n *query.SimpleQueryString) *query.Spelling    { return &n.Spelling }

func parseSimpleQueryString(p *parser, v *strictjson.Value) query.Node {
	n := &query.SimpleQueryString{Operators: lucene.AllOperators, Boost: 1}
	n.Spelling, n.Kind = defaultSpelling, query.MostFields
	n.TieBreaker = n.Kind.TieBreaker()
	simpleQueryStringOptions.parse(p, n, v)
	if p.err == nil {
		var err *lucene.Error
		if n.Expr, err = lucene.ParseSimple(n.Text, n.And, n.Operators, lucene.MaxNodes-p.nodes); err != nil {
			p.fail(v.Member("query"), faultCodes[err.Fault], "%s", err.Message)
		}
		p.nodes += n.Expr.Size()
	}
	return n
}

// faultCodes are the error codes of lucene's faults.
var faultCodes = [...]string{
	lucene.Syntax: problem.BadQueryString, lucene.TooManyClauses: problem.TooManyClauses, lucene.TooDeep: problem.TooDeep,
}

// Rows for the options that both queries have.

func minimumOption[T any](shared func(n *T) *query.StringOptions) option[T] {
	return option[T]{"minimum_should_match", optional, func(p *parser, n *T, v *strictjson.Value) { shared(n).MinShouldMatch = p.minMatch(v) }}
}

func lenientOption[T any](shared func(n *T) *query.StringOptions) option[T] {
	return option[T]{"lenient", optional, func(p *parser, n *T, v *strictjson.Value) { shared(n).Lenient = new(p.bool(v)) }}
}

func quoteSuffixOption[T any](shared func(n *T) *query.StringOptions) option[T] {
	return option[T]{"quote_field_suffix", optional, func(p *parser, n *T, v *strictjson.Value) { shared(n).QuoteSuffix = p.optionalText(v) }}
}

func analyzeWildcardOption[T any](shared func(n *T) *query.StringOptions) option[T] {
	return option[T]{"analyze_wildcard", optional, func(p *parser, n *T, v *strictjson.Value) { shared(n).AnalyzeWildcard = p.bool(v) }}
}

// fieldArray parses fields, which have to be an array.
func (p *parser) fieldArray(v *strictjson.Value) []query.FieldBoost {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, "an array of field names")
		return nil
	}
	return p.fields(v)
}

// optionalText parses a text that may be null.
func (p *parser) optionalText(v *strictjson.Value) string {
	if v.Kind == strictjson.Null {
		return ""
	}
	return p.text(v)
}

// format parses a format of dates or numbers, or null. Elasticsearch refuses an empty one for dates.
func (p *parser) format(v *strictjson.Value) string {
	format := p.optionalText(v)
	if v.Kind == strictjson.String && format == "" {
		p.wrongValue(v, "a format: leave it out for the usual one")
	}
	return format
}

// simpleOperators parses the `flags` of simple_query_string: the names of operators, or their bits.
func (p *parser) simpleOperators(v *strictjson.Value) int {
	if v.Kind == strictjson.Number {
		return p.integer(v, -1) & lucene.AllOperators
	}
	operators, ok := lucene.ParseOperators(p.text(v))
	if !ok {
		p.wrongValue(v, "flags like OR|AND|PREFIX, of ALL, NONE, AND, NOT, OR, PREFIX, PHRASE, PRECEDENCE, ESCAPE, WHITESPACE, FUZZY, NEAR and SLOP")
	}
	return operators
}
