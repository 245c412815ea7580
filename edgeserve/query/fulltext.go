// This file parses the queries that analyze text: the match family, query_string and
// simple_query_string.

package query

import (
	"strings"
)

// matchField parses a match query: its field, and its text either alone or among options.
func (p *bodyParser) matchField(v *value, field *string, text *Value, option func(o *value)) {
	p.fieldQuery(v, field, func(o *value) { *text = p.scalar(o) }, option, "query")
}

func (p *bodyParser) match(v *value) Node {
	n := &Match{MaxExpansions: defaultExpansions, Boost: 1}
	p.matchField(v, &n.Field, &n.Text, func(o *value) {
		switch o.name {
		case "operator":
			n.And = p.operator(o)
		case "minimum_should_match":
			n.MinShouldMatch = p.minMatch(o)
		case "fuzziness":
			n.Fuzziness = new(p.fuzziness(o))
		case "prefix_length":
			n.PrefixLength = p.integer(o, 0)
		case "max_expansions":
			n.MaxExpansions = p.expansions(o, 1)
		case "lenient":
			n.Lenient = p.bool(o)
		case "zero_terms_query":
			n.ZeroTermsAll = p.zeroTerms(o)
		default:
			p.analysis(o, "match", &n.Boost)
		}
	})
	return n
}

func (p *bodyParser) matchPhrase(v *value) Node {
	n := &MatchPhrase{Boost: 1}
	p.matchField(v, &n.Field, &n.Text, func(o *value) {
		p.phraseOption(o, "match_phrase", &n.Slop, &n.ZeroTermsAll, &n.Boost)
	})
	return n
}

func (p *bodyParser) matchPhrasePrefix(v *value) Node {
	n := &MatchPhrasePrefix{MaxExpansions: defaultExpansions, Boost: 1}
	p.matchField(v, &n.Field, &n.Text, func(o *value) {
		if o.name == "max_expansions" {
			n.MaxExpansions = p.expansions(o, 0)
		} else {
			p.phraseOption(o, "match_phrase_prefix", &n.Slop, &n.ZeroTermsAll, &n.Boost)
		}
	})
	return n
}

// phraseOption parses an option that match_phrase and match_phrase_prefix share.
func (p *bodyParser) phraseOption(o *value, query string, slop *int, zeroTermsAll *bool, boost *float64) {
	switch o.name {
	case "slop":
		*slop = p.integer(o, 0)
	case "zero_terms_query":
		*zeroTermsAll = p.zeroTerms(o)
	case "analyzer":
		p.analyzer(o)
	default:
		p.commonOption(o, query, boost)
	}
}

func (p *bodyParser) multiMatch(v *value) Node {
	n := &MultiMatch{MaxExpansions: defaultExpansions, Boost: 1}
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "query":
			n.Text = p.scalar(o)
		case "fields":
			n.Fields = p.fields(o)
		case "type":
			p.oneOf(o, "best_fields")
		case "operator":
			n.And = p.operator(o)
		case "minimum_should_match":
			n.MinShouldMatch = p.minMatch(o)
		case "tie_breaker":
			n.TieBreaker = p.weight(o)
		case "fuzziness":
			n.Fuzziness = new(p.fuzziness(o))
		case "prefix_length":
			n.PrefixLength = p.integer(o, 0)
		case "max_expansions":
			n.MaxExpansions = p.expansions(o, 1)
		case "lenient":
			n.Lenient = new(p.bool(o))
		case "zero_terms_query":
			n.ZeroTermsAll = p.zeroTerms(o)
		case "slop": // applies only to phrase types, which are not supported here
			p.integer(o, 0)
		default:
			p.analysis(o, "multi_match", &n.Boost)
		}
	}
	p.require(v, "query")
	return n
}

func (p *bodyParser) queryString(v *value) Node {
	n := &QueryString{Fuzziness: autoFuzziness, Boost: 1}
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "query":
			n.Text = p.text(o)
		case "default_field":
			n.DefaultField = p.fieldName(o)
		case "fields":
			n.Fields = p.fieldList(o)
		case "default_operator":
			n.And = p.operator(o)
		case "phrase_slop":
			n.PhraseSlop = p.integer(o, 0)
		case "lenient":
			n.Lenient = new(p.bool(o))
		case "fuzziness":
			n.Fuzziness = p.fuzziness(o)
		case "analyze_wildcard":
			p.bool(o)
		case "type":
			p.oneOf(o, "best_fields")
		case "time_zone":
			p.utc(o)
		case "allow_leading_wildcard", "enable_position_increments":
			p.oneOf(o, "true")
		default:
			p.stringOption(o, "query_string", &n.Boost)
		}
	}
	p.require(v, "query")
	if n.DefaultField != "" && len(n.Fields) > 0 {
		p.fail(v, p.code(v), "%s has both default_field and fields: give one of them", p.path(v))
	}
	if p.err == nil {
		p.expression(n, v.member("query"))
	}
	return n
}

// expression parses the query string of n. v is its JSON value.
func (p *bodyParser) expression(n *QueryString, v *value) {
	n.Expr, n.Err = parseQueryString(n.Text, maxNodes-p.nodes)
	if n.Err != nil {
		n.Err.Parameter = p.path(v)
	}
	p.nodes += n.Expr.size()
}

func (p *bodyParser) simpleQueryString(v *value) Node {
	n := &SimpleQueryString{Boost: 1}
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "query":
			n.Text = p.text(o)
		case "fields":
			n.Fields = p.fieldList(o)
		case "default_operator":
			n.And = p.operator(o)
		case "minimum_should_match":
			n.MinShouldMatch = p.minMatch(o)
		case "lenient":
			n.Lenient = new(p.bool(o))
		case "flags":
			p.oneOf(o, "ALL", "-1")
		case "analyze_wildcard":
			p.oneOf(o, "false")
		default:
			p.stringOption(o, "simple_query_string", &n.Boost)
		}
	}
	p.require(v, "query")
	if p.err == nil {
		var err *Error
		if n.Expr, err = parseSimple(n.Text, n.And, maxNodes-p.nodes); err != nil {
			p.fail(v.member("query"), err.Code, "%s", err.Message)
		}
		p.nodes += n.Expr.size()
	}
	return n
}

// stringOption parses the options without effect that query_string and simple_query_string
// share.
func (p *bodyParser) stringOption(o *value, query string, boost *float64) {
	switch o.name {
	case "fuzzy_prefix_length":
		p.oneOf(o, "0")
	case "fuzzy_max_expansions":
		p.oneOf(o, "50")
	default:
		p.analysis(o, query, boost)
	}
}

// analysis parses the analysis options that allow one value, or that have no effect on an
// analyzer without synonyms.
func (p *bodyParser) analysis(o *value, query string, boost *float64) {
	switch o.name {
	case "analyzer":
		p.analyzer(o)
	case "fuzzy_transpositions":
		p.oneOf(o, "true")
	case "auto_generate_synonyms_phrase_query":
		p.bool(o)
	default:
		p.commonOption(o, query, boost)
	}
}

// analyzer accepts the standard analyzer, the only one supported.
func (p *bodyParser) analyzer(v *value) { p.oneOf(v, "standard") }

// operator parses a default operator. The result is true for "and".
func (p *bodyParser) operator(v *value) bool {
	switch strings.ToLower(p.text(v)) {
	case "and":
		return true
	case "or":
		return false
	}
	p.wrongValue(v, "and or or")
	return false
}

// zeroTerms parses zero_terms_query. The result is true if a text without words matches
// all.
func (p *bodyParser) zeroTerms(v *value) bool {
	switch strings.ToLower(p.text(v)) {
	case "all":
		return true
	case "none":
		return false
	}
	p.wrongValue(v, "all or none")
	return false
}

func (p *bodyParser) fieldList(v *value) []FieldBoost {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of field names")
		return nil
	}
	return p.fields(v)
}

// fields parses fields, each name or name^boost. An empty list gives nil.
func (p *bodyParser) fields(v *value) []FieldBoost {
	var list []FieldBoost
	if len(v.items) > maxClauses {
		p.fail(v, CodeTooManyClauses, "%s has %d fields, at most %d are allowed", p.path(v), len(v.items), maxClauses)
		return nil
	}
	p.each(v, func(e *value) { list = append(list, p.fieldBoost(e)) })
	return list
}

func (p *bodyParser) fieldBoost(v *value) FieldBoost {
	name, boost, boosted := strings.Cut(p.fieldName(v), "^")
	f := FieldBoost{Field: name, Boost: 1, Boosted: boosted}
	if boosted {
		b, ok := javaFloat(boost)
		if ok {
			f.Boost, ok = toWeight(b)
		}
		if !ok {
			p.wrongValue(v, "a field with a boost from 0, like Name^2")
		}
	}
	return f
}
