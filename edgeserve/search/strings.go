// This file gives query strings their meaning: which fields a clause searches, what
// its text is on each, and how the clauses of a level combine.

package search

import (
	"errors"
	"unicode/utf16"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/query"
)

// stringQuery is a query string being built.
type stringQuery struct {
	b         *builder
	fields    []target // where a clause without prefix searches
	all       bool     // they are all fields
	single    string   // they are the default field of this name
	and       bool
	lenient   bool
	slop      int
	fuzziness query.Fuzziness
	tie       float32 // what fields other than the best add
	last      compiled
}

// compiled is a regular expression: a clause tries one on many fields.
type compiled struct {
	text string
	r    *pattern.Regexp
	err  error
}

func (b *builder) queryString(n *query.QueryString, boost float64) (scorer, error) {
	if n.Err != nil {
		return nil, n.Err
	}
	q := &stringQuery{b: b, and: n.And, slop: n.PhraseSlop, fuzziness: n.Fuzziness}
	switch {
	case n.Fields != nil:
		q.fields, q.all, q.lenient = b.fieldList(n.Fields, true), false, hasStar(n.Fields)
	case n.DefaultField == "" || n.DefaultField == "*":
		q.fields, q.all, q.lenient = b.matching("*"), true, true
	default:
		q.fields, q.single = b.named(n.DefaultField), n.DefaultField
	}
	if n.Lenient != nil {
		q.lenient = *n.Lenient
	}
	if n.Expr == nil {
		return nil, nil
	}
	s, _, err := q.group(n.Expr, boost)
	return s, err
}

// group builds one level; none tells that all its clauses vanished.
func (q *stringQuery) group(g *query.Group, boost float64) (s scorer, none bool, err error) {
	boost *= g.Boost
	var l level
	for _, c := range g.Clauses {
		var sub scorer
		var gone bool
		if c.Group != nil {
			sub, gone, err = q.group(c.Group, boost)
		} else {
			sub, gone, err = q.leaf(c.Leaf, boost)
		}
		if err != nil {
			return nil, false, err
		}
		l.add(q.and, c.Conj, c.Mod, sub, gone)
	}
	if len(l.clauses) == 0 {
		return nil, true, nil
	}
	return l.scorer(q.b), false, nil
}

// occur is what a clause has to do.
type occur uint8

const (
	should occur = iota
	must
	mustNot
)

// level is the flat list of clauses between two parentheses. Operators do not nest:
// each decides about the clause behind it and, AND, about the one before.
type level struct {
	clauses []scorer
	occurs  []occur
}

func (l *level) add(and bool, conj query.Conj, mod query.Mod, s scorer, gone bool) {
	if n := len(l.occurs); n > 0 && l.occurs[n-1] != mustNot {
		switch {
		case conj == query.ConjAnd:
			l.occurs[n-1] = must
		case conj == query.ConjOr && and:
			l.occurs[n-1] = should
		}
	}
	if gone {
		return
	}
	o := should
	switch {
	case mod == query.ModNot:
		o = mustNot
	case and && conj != query.ConjOr, !and && (mod == query.ModReq || conj == query.ConjAnd):
		o = must
	}
	l.clauses, l.occurs = append(l.clauses, s), append(l.occurs, o)
}

func (l *level) scorer(b *builder) scorer {
	var c clauses
	for i, s := range l.clauses {
		switch l.occurs[i] {
		case must:
			c.must = append(c.must, s)
		case mustNot:
			c.not = append(c.not, s)
		default:
			c.should = append(c.should, s)
		}
	}
	if len(c.must) == 0 && len(c.should) > 0 {
		c.need = 1
	}
	return b.combine(&c)
}

// leaf builds an atom on its fields; none tells that it vanished.
func (q *stringQuery) leaf(l *query.Leaf, boost float64) (s scorer, none bool, err error) {
	boost *= l.Boost
	if l.Kind == query.LeafFuzzy {
		if _, err := q.fuzzinessOf(l); err != nil {
			return nil, false, err
		}
	}
	if l.HasField && l.Field == existsField {
		if l.Kind != query.LeafText && l.Kind != query.LeafQuoted || l.Text == "*" {
			return nil, false, nil
		}
		return q.b.exists(l.Text, boost), false, nil
	}
	fields, written := q.fields, q.single != "" || q.all
	if l.HasField {
		fields, written = q.b.named(l.Field), true
	}
	if l.Kind == query.LeafWildcard && l.Text == "*" {
		return q.star(l, fields, boost), false, nil
	}
	if l.Kind == query.LeafText && written && len(utf16.Encode([]rune(l.Text))) >= 2 {
		if r := oneSided(l); r != nil {
			l = r
		}
	}
	if len(fields) == 0 {
		return nil, false, nil
	}
	return q.best(l, fields, boost)
}

const existsField = "_exists_"

// best builds an atom on each field; the best field scores.
func (q *stringQuery) best(l *query.Leaf, fields []target, boost float64) (s scorer, none bool, err error) {
	var subs []scorer
	vanished := 0
	for _, t := range fields {
		s, gone, err := q.onField(l, t, boost*t.boost)
		switch {
		case err != nil && q.lenient && isLenient(err):
		case err != nil:
			return nil, false, refuse(err, t.name())
		case gone:
			vanished++
		default:
			subs = append(subs, s)
		}
	}
	if vanished == len(fields) {
		return nil, true, nil
	}
	if l.Kind == query.LeafQuoted {
		return newBest(subs, 0), false, nil
	}
	return newBest(subs, q.tie), false, nil
}

// isLenient tells the errors that leniency turns into "no match on this field".
func isLenient(err error) bool {
	var p *pattern.Error
	return isUnfit(err) || errors.As(err, &p)
}

// star is a bare *, or one behind a field: what has a value there.
func (q *stringQuery) star(l *query.Leaf, fields []target, boost float64) scorer {
	if l.Field == "*" || !l.HasField && q.all {
		return q.b.all(boost)
	}
	var subs []scorer
	for _, t := range fields {
		subs = append(subs, q.b.has(t, boost*t.boost))
	}
	return newBest(subs, 0)
}

// oneSided reads a text that begins with < or > as a range. Of >= with nothing behind
// it, = is the bound.
func oneSided(l *query.Leaf) *query.Leaf {
	r := *l
	r.Kind, r.Text = query.LeafRange, ""
	op := l.Text[:1]
	rest := l.Text[1:]
	inc := len(rest) > 1 && rest[0] == '='
	if inc {
		rest = rest[1:]
	}
	switch op {
	case ">":
		r.Low, r.IncLow, r.HighOpen, r.IncHigh = rest, inc, true, true
	case "<":
		r.High, r.IncHigh, r.LowOpen, r.IncLow = rest, inc, true, true
	default:
		return nil
	}
	return &r
}

// onField builds an atom on one field.
func (q *stringQuery) onField(l *query.Leaf, t target, boost float64) (s scorer, none bool, err error) {
	b := q.b
	text := l.Text
	if t.kind == onText && l.Kind != query.LeafText && l.Kind != query.LeafQuoted && l.Kind != query.LeafRegexp {
		text = analysis.Lower(text)
	}
	switch l.Kind {
	case query.LeafText:
		if t.kind == onText {
			return b.text(t.f, text, words{and: q.and}, boost)
		}
		s, err = b.exact(t, text, boost, false)
	case query.LeafQuoted:
		slop := q.slop
		if l.Slop >= 0 {
			slop = l.Slop
		}
		return b.quoted(t, text, slop, boost)
	case query.LeafPrefix:
		s, err = b.prefix(t, text, boost)
	case query.LeafWildcard:
		s, err = q.wildcard(t, text, boost)
	case query.LeafRegexp:
		s, err = q.regexp(t, text, boost)
	case query.LeafFuzzy:
		f, _ := q.fuzzinessOf(l)
		s, err = b.fuzzy(t, text, editsOf(f, text), 0, maxFuzzyTerms, boost)
	case query.LeafRange:
		s, err = b.between(t, leafBound(t, l.Low, l.LowOpen, l.IncLow), leafBound(t, l.High, l.HighOpen, l.IncHigh), boost)
	}
	return s, false, err
}

func leafBound(t target, text string, open, inc bool) *bound {
	if open {
		return nil
	}
	if t.kind == onText {
		text = analysis.Lower(text)
	}
	return &bound{text, inc}
}

func (q *stringQuery) wildcard(t target, text string, boost float64) (scorer, error) {
	w, err := q.b.compileWildcard(text, pattern.FoldNone)
	if err != nil {
		return nil, err
	}
	if t.kind == onText {
		return q.b.matchTerms(t, w, boost)
	}
	return q.b.wildStrings(t, w, boost)
}

func (q *stringQuery) regexp(t target, text string, boost float64) (scorer, error) {
	r, err := q.compile(text)
	var bad *pattern.Error
	if errors.As(err, &bad) && !q.lenient {
		return nil, &query.Error{Code: "bad_regexp", Message: "regular expression /" + text + "/: " + bad.Error(), Position: bad.Position}
	}
	if err != nil {
		return nil, err
	}
	return q.b.matchTerms(t, r, boost)
}

// compile compiles an expression, unless it was the last one.
func (q *stringQuery) compile(text string) (*pattern.Regexp, error) {
	if q.last.r == nil && q.last.err == nil || q.last.text != text {
		r, steps, err := pattern.CompileRegexp(text)
		q.last = compiled{text, r, err}
		if err := q.b.tick(steps); err != nil {
			return nil, err
		}
	}
	return q.last.r, q.last.err
}

// fuzzinessOf reads what is written behind ~; bare, the option of the query counts.
func (q *stringQuery) fuzzinessOf(l *query.Leaf) (query.Fuzziness, error) {
	if l.Fuzzy == "" {
		return q.fuzziness, nil
	}
	f, err := query.ParseFuzziness(l.Fuzzy)
	if err != nil {
		return f, &query.Error{Code: query.CodeQueryString, Message: "~" + l.Fuzzy + ": " + err.Error(), Position: -1}
	}
	return f, nil
}
