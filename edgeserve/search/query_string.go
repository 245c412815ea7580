// This file compiles query_string: fields and text of each clause, and how clauses combine.

package search

import (
	"errors"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

type stringCompiler struct {
	c         *compiler
	fields    []fields.Target // where a clause without prefix searches
	all       bool            // they are all fields
	single    string          // they are the default field of this name
	and       bool
	lenient   bool
	slop      int
	fuzziness query.Fuzziness
	tie       float32 // what fields other than the best add
	last      lastRegexp
}

// lastRegexp caches the last regular expression: a clause tries it on many fields.
type lastRegexp struct {
	text string
	r    *pattern.Regexp
	err  error
}

func (c *compiler) queryString(n *query.QueryString, boost float64) (iter.Scorer, error) {
	if n.Err != nil {
		return nil, n.Err
	}
	q := &stringCompiler{c: c, and: n.And, slop: n.PhraseSlop, fuzziness: n.Fuzziness}
	switch {
	case n.Fields != nil:
		q.fields, q.lenient = c.List(n.Fields, true)
	case n.DefaultField == "" || n.DefaultField == "*":
		q.fields, q.all, q.lenient = c.AllFields(), true, true
	default:
		q.fields, q.single = c.Named(n.DefaultField), n.DefaultField
	}
	q.lenient = option(n.Lenient, q.lenient)
	if n.Expr == nil {
		return nil, nil
	}
	s, _, err := q.group(n.Expr, boost)
	return s, err
}

// group compiles one level; none tells that all its clauses vanished.
func (q *stringCompiler) group(g *query.Group, boost float64) (s iter.Scorer, none bool, err error) {
	boost *= g.Boost
	var l level
	for _, cl := range g.Clauses {
		var sub iter.Scorer
		var gone bool
		if cl.Group != nil {
			sub, gone, err = q.group(cl.Group, boost)
		} else {
			sub, gone, err = q.leaf(cl.Leaf, boost)
		}
		if err != nil {
			return nil, false, err
		}
		l.add(q.and, cl.Conj, cl.Mod, sub, gone)
	}
	if len(l.clauses) == 0 {
		return nil, true, nil
	}
	return q.c.Combine(l.parts()), false, nil
}

type occur uint8

const (
	should occur = iota
	must
	mustNot
)

// level is the flat list of clauses between parentheses. An operator decides about the clause
// behind it and, AND, about the one before.
type level struct {
	clauses []iter.Scorer
	occurs  []occur
}

func (l *level) add(and bool, conj query.Conj, mod query.Mod, s iter.Scorer, gone bool) {
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

func (l *level) parts() *iter.Clauses {
	var c iter.Clauses
	for i, s := range l.clauses {
		switch l.occurs[i] {
		case must:
			c.Must = append(c.Must, s)
		case mustNot:
			c.Not = append(c.Not, s)
		default:
			c.Should = append(c.Should, s)
		}
	}
	if len(c.Must) == 0 && len(c.Should) > 0 {
		c.Need = 1
	}
	return &c
}

// leaf compiles an atom on its fields; none tells that it vanished.
func (q *stringCompiler) leaf(l *query.Leaf, boost float64) (s iter.Scorer, none bool, err error) {
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
		return q.c.exists(l.Text, boost), false, nil
	}
	ts, written := q.fields, q.single != "" || q.all
	if l.HasField {
		ts, written = q.c.Named(l.Field), true
	}
	if l.Kind == query.LeafWildcard && l.Text == "*" {
		return q.star(l, ts, boost), false, nil
	}
	if l.Kind == query.LeafText && written {
		l = oneSided(l)
	}
	if len(ts) == 0 {
		return nil, false, nil
	}
	return q.anyField(l, ts, boost)
}

const existsField = query.ExistsField

// anyField compiles an atom on each field; the best field scores.
func (q *stringCompiler) anyField(l *query.Leaf, ts []fields.Target, boost float64) (s iter.Scorer, none bool, err error) {
	var subs []iter.Scorer
	vanished := 0
	for _, t := range ts {
		s, gone, err := q.onField(l, t, boost*t.Boost)
		switch {
		case q.c.Failed() != nil:
			return nil, false, q.c.Failed()
		case q.lenient && isLenient(err):
		case err != nil:
			return nil, false, badValue(err, t.Name())
		case gone:
			vanished++
		default:
			subs = append(subs, s)
		}
	}
	if vanished == len(ts) {
		return nil, true, nil
	}
	if l.Kind == query.LeafQuoted {
		return iter.DisjunctionMax(subs, 0), false, nil
	}
	return iter.DisjunctionMax(subs, q.tie), false, nil
}

// isLenient tells the errors that leniency turns into "no match on this field".
func isLenient(err error) bool {
	var p *pattern.Error
	return isUnfit(err) || errors.As(err, &p)
}

// star is a bare *, or one behind a field: what has a value there.
func (q *stringCompiler) star(l *query.Leaf, ts []fields.Target, boost float64) iter.Scorer {
	if l.Field == "*" || !l.HasField && q.all {
		return q.c.All(boost)
	}
	var subs []iter.Scorer
	for _, t := range ts {
		subs = append(subs, q.c.HasValue(t.Sort, boost*t.Boost))
	}
	return iter.DisjunctionMax(subs, 0)
}

// oneSided turns a text that begins with < or > into a range. For a bare >=, = is the bound.
func oneSided(l *query.Leaf) *query.Leaf {
	if len(l.Text) < 2 || l.Text[0] != '<' && l.Text[0] != '>' {
		return l
	}
	r := *l
	r.Kind, r.Text = query.LeafRange, ""
	rest := l.Text[1:]
	inc := len(rest) > 1 && rest[0] == '='
	if inc {
		rest = rest[1:]
	}
	if l.Text[0] == '>' {
		r.Low, r.IncLow, r.HighOpen, r.IncHigh = rest, inc, true, true
	} else {
		r.High, r.IncHigh, r.LowOpen, r.IncLow = rest, inc, true, true
	}
	return &r
}

func (q *stringCompiler) onField(l *query.Leaf, t fields.Target, boost float64) (s iter.Scorer, none bool, err error) {
	c := q.c
	text := l.Text
	if t.Kind == fields.Text && l.Kind != query.LeafText && l.Kind != query.LeafQuoted && l.Kind != query.LeafRegexp {
		text = analysis.Lower(text)
	}
	switch l.Kind {
	case query.LeafText:
		if t.Kind == fields.Text {
			return c.text(t.Field, text, words{and: q.and}, boost)
		}
		s, err = c.term(t, text, boost, false)
	case query.LeafQuoted:
		slop := q.slop
		if l.Slop >= 0 {
			slop = l.Slop
		}
		return c.quoted(t, text, slop, boost)
	case query.LeafPrefix:
		s = c.prefix(t, text, boost)
	case query.LeafWildcard:
		s = q.wildcard(t, text, boost)
	case query.LeafRegexp:
		s, err = q.regexp(t, text, boost)
	case query.LeafFuzzy:
		f, _ := q.fuzzinessOf(l)
		s, err = c.fuzzy(t, text, editsOf(f, text), 0, maxFuzzyTerms, boost)
	case query.LeafRange:
		s, err = c.valueRange(t, leafBound(t, l.Low, l.LowOpen, l.IncLow), leafBound(t, l.High, l.HighOpen, l.IncHigh), boost)
	}
	return s, false, err
}

func leafBound(t fields.Target, text string, open, inc bool) *iter.Bound {
	if open {
		return nil
	}
	if t.Kind == fields.Text {
		text = analysis.Lower(text)
	}
	return &iter.Bound{Text: text, Inc: inc}
}

func (q *stringCompiler) wildcard(t fields.Target, text string, boost float64) iter.Scorer {
	w := q.c.compileWildcard(text, pattern.FoldNone)
	if t.Kind == fields.Text {
		return q.c.matches(t, w, boost)
	}
	return q.c.wholeMatches(t, w, boost)
}

func (q *stringCompiler) regexp(t fields.Target, text string, boost float64) (iter.Scorer, error) {
	r, err := q.compile(text)
	var bad *pattern.Error
	if errors.As(err, &bad) && !q.lenient {
		return nil, &query.Error{Code: "bad_regexp", Message: "regular expression /" + text + "/: " + bad.Error(), Position: bad.Position}
	}
	if err != nil {
		return nil, err
	}
	return q.c.matches(t, r, boost), nil
}

func (q *stringCompiler) compile(text string) (*pattern.Regexp, error) {
	if q.last.r == nil && q.last.err == nil || q.last.text != text {
		r, steps, err := pattern.CompileRegexp(text)
		q.last = lastRegexp{text, r, err}
		if err := q.c.Charge(steps); err != nil {
			return nil, err
		}
	}
	return q.last.r, q.last.err
}

// fuzzinessOf reads the text behind ~; bare, the option of the query counts.
func (q *stringCompiler) fuzzinessOf(l *query.Leaf) (query.Fuzziness, error) {
	if l.Fuzzy == "" {
		return q.fuzziness, nil
	}
	f, err := query.ParseFuzziness(l.Fuzzy)
	if err != nil {
		return f, &query.Error{Code: query.CodeQueryString, Message: "~" + l.Fuzzy + ": " + err.Error(), Position: -1}
	}
	return f, nil
}
