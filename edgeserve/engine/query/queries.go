// This file turns options into queries, and parses queries whose members are not options alone.

package query

import "slices"

func (p *bodyParser) matchAll(t *queryType, m *value) Node {
	o := newOptions(t)
	p.options(&o, m)
	return &MatchAll{Boost: o.boost}
}

func (p *bodyParser) matchNone(t *queryType, m *value) Node {
	o := newOptions(t)
	p.options(&o, m)
	return &MatchNone{Boost: o.boost}
}

func (p *bodyParser) exists(t *queryType, m *value) Node {
	o := newOptions(t)
	p.required(&o, m)
	return &Exists{Field: o.field, Boost: o.boost}
}

func (p *bodyParser) ids(t *queryType, m *value) Node {
	o := newOptions(t)
	p.options(&o, m)
	return &IDs{Values: o.values, Boost: o.boost}
}

func (p *bodyParser) term(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &Term{Field: o.field, Value: o.value, CaseInsensitive: isTrue(o.caseInsensitive), Boost: o.boost}
}

func (p *bodyParser) prefix(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &Prefix{Field: o.field, Value: o.value.Text, CaseInsensitive: isTrue(o.caseInsensitive), Rewrite: o.rewrite, Boost: o.boost}
}

func isTrue(b *bool) bool { return b != nil && *b }

func (p *bodyParser) wildcard(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &Wildcard{Field: o.field, Pattern: o.value.Text, CaseInsensitive: o.caseInsensitive, Rewrite: o.rewrite, Boost: o.boost}
}

func (p *bodyParser) match(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &Match{
		Field: o.field, Text: o.value, And: o.and, MinShouldMatch: o.minShouldMatch,
		Fuzziness: o.fuzziness, Spelling: o.spelling(),
		Lenient: isTrue(o.lenient), ZeroTermsAll: o.zeroTermsAll, Boost: o.boost,
	}
}

func (p *bodyParser) matchPhrase(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &MatchPhrase{Field: o.field, Text: o.value, Slop: o.slop, ZeroTermsAll: o.zeroTermsAll, Boost: o.boost}
}

func (p *bodyParser) matchPhrasePrefix(t *queryType, m *value) Node {
	o := newOptions(t)
	p.fieldOptions(&o, m)
	return &MatchPhrasePrefix{
		Field: o.field, Text: o.value, Slop: o.slop, MaxExpansions: o.maxExpansions,
		ZeroTermsAll: o.zeroTermsAll, Boost: o.boost,
	}
}

func (p *bodyParser) multiMatch(t *queryType, m *value) Node {
	o := newOptions(t)
	p.required(&o, m)
	switch kind := o.fieldsType; {
	case o.fuzziness != nil && (kind == CrossFields || kind == Phrase || kind == PhrasePrefix):
		p.fail(m.member("fuzziness"), p.code(m), "fuzziness has no meaning in a multi_match of type %s: use best_fields, most_fields or bool_prefix", kind)
	case o.slop != 0 && kind == BoolPrefix:
		p.fail(m.member("slop"), p.code(m), "slop has no meaning in a multi_match of type %s: use phrase or phrase_prefix", kind)
	}
	return &MultiMatch{
		Fields: o.fields, Kind: o.fieldsType, Text: o.value, And: o.and, MinShouldMatch: o.minShouldMatch,
		Slop: o.slop, TieBreaker: o.tie(), Fuzziness: o.fuzziness, Spelling: o.spelling(),
		Lenient: o.lenient, ZeroTermsAll: o.zeroTermsAll, Boost: o.boost,
	}
}

func (p *bodyParser) queryString(t *queryType, m *value) Node {
	o := newOptions(t)
	p.required(&o, m)
	if o.field != "" && len(o.fields) > 0 {
		p.fail(m, p.code(m), "%s has both default_field and fields: give one of them", p.path(m))
	}
	return p.parsedQueryString(&o, m.member("query"))
}

func (p *bodyParser) parsedQueryString(o *options, v *value) Node {
	n := &QueryString{
		DefaultField: o.field, Fields: o.fields, And: o.and, PhraseSlop: o.slop,
		Fuzziness: autoFuzziness, StringOptions: o.stringOptions(), Boost: o.boost, Text: o.value.Text,
	}
	if o.escape {
		n.Text = syntaxEscapes.Replace(n.Text)
	}
	if o.fuzziness != nil {
		n.Fuzziness = *o.fuzziness
	}
	if p.err == nil {
		if n.Expr, n.Err = parseQueryString(n.Text, maxNodes-p.nodes); n.Err != nil {
			n.Err.Parameter = p.path(v)
		}
		p.nodes += n.Expr.size()
	}
	return n
}

func (p *bodyParser) simpleQueryString(t *queryType, m *value) Node {
	o := newOptions(t)
	p.required(&o, m)
	o.fieldsType = MostFields
	n := &SimpleQueryString{
		Fields: o.fields, And: o.and, StringOptions: o.stringOptions(),
		Boost: o.boost, Text: o.value.Text,
	}
	if p.err == nil {
		var err *Error
		if n.Expr, err = parseSimple(n.Text, n.And, o.simpleFlags, maxNodes-p.nodes); err != nil {
			p.fail(m.member("query"), err.Code, "%s", err.Message)
		}
		p.nodes += n.Expr.size()
	}
	return n
}

func (p *bodyParser) constantScore(t *queryType, v *value) Node {
	n := &ConstantScore{Boost: 1}
	for i := range v.items {
		if m := &v.items[i]; m.name == "filter" {
			n.Filter = p.query(m)
		} else {
			p.commonOption(t, m, &n.Boost)
		}
	}
	p.require(v, "filter")
	return n
}

func (p *bodyParser) boolean(t *queryType, v *value) Node {
	n := &Bool{Boost: 1}
	pure := false // exclusions alone match nothing instead of all else
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
			pure = !p.bool(m)
		default:
			p.commonOption(t, m, &n.Boost)
		}
	}
	if pure && len(n.MustNot) > 0 && len(n.Must)+len(n.Filter)+len(n.Should) == 0 {
		n.Filter = []Node{&DisMax{Queries: []Node{&MatchNone{}}, Boost: 1}} // match_none would hide errors beside it
	}
	p.tooMany(v, "clauses", len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot), maxClauses)
	return n
}

// clauses parses one clause list of a bool: a query, an array of queries, or null.
func (p *bodyParser) clauses(v *value) []Node {
	if v.kind == kindNull || p.err != nil {
		return nil
	}
	if v.kind == kindArray && p.tooMany(v, "clauses", len(v.items), maxClauses) {
		return nil
	}
	list := slices.Grow([]Node(nil), len(v.items))
	p.each(v, func(e *value) { list = append(list, p.query(e)) })
	return list
}

func (p *bodyParser) terms(t *queryType, v *value) Node {
	n := &Terms{Boost: 1}
	var field *value
	for i := range v.items {
		switch m := &v.items[i]; {
		case m.name == "boost" || m.name == "_name":
			p.commonOption(t, m, &n.Boost)
		case m.kind != kindArray && m.kind != kindObject:
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
	if p.tooMany(field, "values", len(field.items), maxValues) {
		return n
	}
	if n.Field = field.name; field.kind == kindObject {
		n.Lookup = p.lookup(field)
		return n
	}
	n.Values = make([]Value, 0, len(field.items))
	p.each(field, func(e *value) { n.Values = append(n.Values, p.scalar(e)) })
	return n
}

// rangeQuery parses a range. The later of gt and gte, or lt and lte, applies, as in Elasticsearch.
func (p *bodyParser) rangeQuery(t *queryType, v *value) Node {
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
			n.Format = p.text(o)
		case "time_zone":
			n.TimeZone = p.text(o)
		case "relation": // no effect: values are points, no ranges
			p.oneOf(o, "intersects", "contains", "within")
		default:
			p.commonOption(t, o, &n.Boost)
		}
	}
	b.set(n)
	return n
}

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
