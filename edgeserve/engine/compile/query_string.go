// This file compiles query_string: each clause on its fields, and the combination of clauses.

package compile

import (
	"cmp"
	"errors"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

type stringCompiler struct {
	c            *Compiler
	fields       []fields.Target // where a clause without prefix searches
	all          bool            // fields are all fields
	simpleSyntax bool            // the query is a simple_query_string
	single       string          // the name of the default field, if it is the only field
	and          bool
	lenient      bool
	slop         int
	fuzziness    query.Fuzziness
	options      *query.StringOptions
	tie          float32              // the share of their score that fields other than the best add
	dates        *analysis.DateReader // reads the bounds of ranges; nil without a time zone
	last         lastRegexp
}

// lastRegexp caches the last regular expression: a clause tries it on many fields.
type lastRegexp struct {
	text string
	r    *pattern.Regexp
	err  error
}

func (c *Compiler) queryString(n *query.QueryString, boost float64) (scorer.Scorer, error) {
	if n.Err != nil {
		return nil, n.Err
	}
	q := &stringCompiler{c: c, and: n.And, slop: n.PhraseSlop, fuzziness: n.Fuzziness, options: &n.StringOptions, tie: float32(n.TieBreaker)}
	switch {
	case n.Fields != nil:
		q.fields, q.lenient = c.resolver.List(n.Fields, true)
		q.fields = c.inOrder(q.fields)
	case n.DefaultField == "" || n.DefaultField == "*":
		q.fields, q.all, q.lenient = c.resolver.AllFields(), true, true
	default:
		q.fields, q.single = c.resolver.Named(n.DefaultField), n.DefaultField
	}
	q.lenient = option(n.Lenient, q.lenient)
	valuesOnly(q.fields, n.Lenient)
	if err := cmp.Or(searchableList(n.Fields, q.lenient), searchableName(n.DefaultField, q.lenient)); err != nil {
		return nil, err
	}
	var err error
	if q.dates, err = c.field.dateReader("", n.TimeZone); err != nil || n.Expr == nil {
		return nil, err
	}
	if c.field.listing != nil {
		return nil, q.list(n.Expr, boost)
	}
	s, _, err := q.top(n.Expr, boost)
	return s, err
}

// group compiles one level; none reports whether all its clauses vanished.
func (q *stringCompiler) group(g *lucene.Group, boost float64) (s scorer.Scorer, none bool, err error) {
	boost *= g.Boost
	var l level
	for _, cl := range g.Clauses {
		sub, gone, err := q.clause(cl, boost)
		if err != nil {
			return nil, false, err
		}
		l.add(q.and, cl.Conj, cl.Mod, sub, gone)
	}
	if len(l.clauses) == 0 {
		return nil, true, nil
	}
	return scorer.Boosted(q.c.request.Combine(l.parts()), g.Boost), false, nil
}

func (q *stringCompiler) clause(cl lucene.Clause, boost float64) (s scorer.Scorer, none bool, err error) {
	if cl.Group != nil {
		return q.group(cl.Group, boost)
	}
	return q.leaf(cl.Leaf, boost)
}

type occur uint8

const (
	should occur = iota
	must
	mustNot
)

// level is the flat list of clauses between parentheses. An operator says how the clause after it occurs. AND, and OR
// where AND is the default, also say so of the clause before.
type level struct {
	clauses []scorer.Scorer
	occurs  []occur
	first   bool // the first clause has no modifier and did not vanish
}

func (l *level) add(and bool, conj lucene.Conj, mod lucene.Mod, s scorer.Scorer, gone bool) {
	if n := len(l.occurs); n > 0 && l.occurs[n-1] != mustNot {
		switch {
		case conj == lucene.ConjAnd:
			l.occurs[n-1] = must
		case conj == lucene.ConjOr && and:
			l.occurs[n-1] = should
		}
	}
	if gone {
		return
	}
	o := should
	switch {
	case mod == lucene.ModNot:
		o = mustNot
	case and && conj != lucene.ConjOr, !and && (mod == lucene.ModReq || conj == lucene.ConjAnd):
		o = must
	}
	l.clauses, l.occurs = append(l.clauses, s), append(l.occurs, o)
}

func (l *level) parts() *scorer.Clauses {
	var c scorer.Clauses
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
	c.Order = l.clauses
	if len(c.Must) == 0 && len(c.Should) > 0 {
		c.Need = 1
	}
	return &c
}

// leaf compiles an atom on its fields; none reports whether it vanished.
func (q *stringCompiler) leaf(l *lucene.Leaf, boost float64) (s scorer.Scorer, none bool, err error) {
	boost *= l.Boost
	if l.Kind == lucene.LeafFuzzy {
		if _, err := q.fuzzinessOf(l); err != nil {
			return nil, false, err
		}
	}
	if l.HasField && l.Field == existsField {
		if l.Kind != lucene.LeafText && l.Kind != lucene.LeafQuoted {
			return nil, false, nil
		}
		if query.AllStars(l.Text) {
			return nil, false, &query.Error{Code: problem.BadQueryString, Position: -1, Message: existsField + " needs a field: " + l.Text + " is not one: use *:*"}
		}
		if q.c.field.listing != nil {
			return nil, false, nil
		}
		s, err := q.c.exists(l.Text, boost)
		return scorer.Boosted(s, l.Boost), false, err
	}
	ts, written := q.targetsOf(l)
	if l.Kind == lucene.LeafWildcard && l.Text == "*" {
		if q.c.field.listing != nil {
			return nil, false, nil
		}
		return scorer.Boosted(q.star(l, ts, boost), l.Boost), false, searchable(l.Field, true)
	}
	if err := searchableName(l.Field, q.lenient); err != nil {
		return nil, false, err
	}
	if l.Kind == lucene.LeafQuoted && q.options.QuoteSuffix != "" {
		ts = q.c.inOrder(q.c.resolver.Suffixed(ts, q.options.QuoteSuffix))
	}
	if l.Kind == lucene.LeafText && written {
		l = l.OneSided()
		if q.dates != nil && l.Kind == lucene.LeafText && len(l.Text) > 1 && len(ts) == 1 && ts[0].Kind == fields.Date {
			l = wholeDate(l)
		}
	}
	if len(ts) == 0 {
		return nil, false, nil
	}
	s, none, err = q.anyField(l, ts, boost)
	return scorer.Boosted(s, l.Boost), none, err
}

// targetsOf returns the fields on which an atom searches. written reports whether the atom or the query names them.
func (q *stringCompiler) targetsOf(l *lucene.Leaf) (ts []fields.Target, written bool) {
	if l.HasField {
		ts = q.c.resolver.Named(l.Field)
		valuesOnly(ts, q.options.Lenient)
		return ts, true
	}
	return q.fields, !q.simpleSyntax && (q.single != "" || q.all)
}

const existsField = query.ExistsField

// anyField compiles an atom on each field; the best field scores.
func (q *stringCompiler) anyField(l *lucene.Leaf, ts []fields.Target, boost float64) (s scorer.Scorer, none bool, err error) {
	if l.Kind == lucene.LeafText {
		return q.words(l.Text, ts, boost)
	}
	if l.Kind == lucene.LeafWildcard && q.options.NoLeadingWildcard && (l.Text[0] == '*' || l.Text[0] == '?') {
		return nil, false, &query.Error{Code: problem.BadQueryString, Position: -1,
			Message: "a pattern begins with * or ?, which allow_leading_wildcard forbids: " + l.Text}
	}
	var subs []scorer.Scorer
	vanished := 0
	for _, t := range ts {
		s, gone, err := q.onField(l, t, boost*t.Boost)
		switch {
		case q.c.work.Failed() != nil:
			return nil, false, q.c.work.Failed()
		case q.lenient && isLenient(err):
		case err != nil:
			return nil, false, badValue(err, t.Name())
		case gone:
			vanished++
		default:
			subs = append(subs, scorer.Boosted(s, t.Boost))
		}
	}
	if vanished == len(ts) {
		return nil, true, nil
	}
	tie := q.tie
	if l.Kind == lucene.LeafQuoted && q.simpleSyntax {
		tie = 0
	}
	return scorer.DisjunctionMax(subs, tie), false, nil
}

// text returns how words match fields.
func (q *stringCompiler) text() fieldsText {
	return fieldsText{
		kind: q.options.Kind, words: words{and: q.and, spelling: query.Spelling{MaxExpansions: MaxFuzzyTerms}},
		slop: q.slop, tie: q.tie, lenient: q.lenient,
	}
}

// words matches a text on fields.
func (q *stringCompiler) words(text string, ts []fields.Target, boost float64) (s scorer.Scorer, none bool, err error) {
	parts, err := q.c.fieldParts(ts, text, q.text(), boost)
	if err != nil {
		return nil, false, err
	}
	subs := make([]scorer.Scorer, 0, len(parts))
	none = true
	for _, p := range parts {
		none = none && p.none
		subs = append(subs, p.s)
	}
	return scorer.DisjunctionMax(subs, q.tie), none, nil
}

// isLenient reports whether leniency turns an error into "no match on this field".
func isLenient(err error) bool {
	var p *pattern.Error
	return isUnfit(err) || errors.As(err, &p)
}

// star compiles a bare * or FIELD:*, which matches the items with a value of the field.
func (q *stringCompiler) star(l *lucene.Leaf, ts []fields.Target, boost float64) scorer.Scorer {
	if l.Field == "*" || !l.HasField && q.all {
		return q.c.request.All(boost)
	}
	name := q.single
	if l.HasField {
		name = l.Field
	}
	if name != "" { // exists also knows objects, and some metadata fields
		ts = append(ts, q.c.resolver.Below(name)...)
	}
	var subs []scorer.Scorer
	for _, t := range ts {
		s := q.c.request.WithDescription(q.c.request.HasValue(t.Sort, boost*t.Boost), func() string { return constantOf(existsText(&t)) })
		subs = append(subs, scorer.Boosted(s, t.Boost))
	}
	tie := q.tie
	if name != "" {
		tie = 0
	}
	return scorer.DisjunctionMax(subs, tie)
}

// wholeDate turns a text into the range of a date, to which the query's time zone applies.
func wholeDate(l *lucene.Leaf) *lucene.Leaf {
	r := *l
	r.Kind, r.Text, r.Low, r.High, r.IncLow, r.IncHigh = lucene.LeafRange, "", l.Text, l.Text, true, true
	return &r
}

func (q *stringCompiler) onField(l *lucene.Leaf, t fields.Target, boost float64) (s scorer.Scorer, none bool, err error) {
	c := q.c
	text := l.Text
	if l.Kind != lucene.LeafQuoted && l.Kind != lucene.LeafRange {
		if err := textual(&t); err != nil {
			return nil, false, err
		}
	}
	switch {
	case t.Kind != fields.Text || l.Kind == lucene.LeafQuoted || l.Kind == lucene.LeafRegexp:
	case l.Kind == lucene.LeafWildcard:
		text = analysis.LowerPattern(text)
	default:
		text = analysis.Lower(text)
	}
	if c.field.listing != nil && t.Kind.Typed() && l.Kind != lucene.LeafQuoted && l.Kind != lucene.LeafRange {
		return nil, false, nil // next to other fields, Elasticsearch leaves out a field without letters
	}
	switch l.Kind {
	case lucene.LeafQuoted:
		slop := q.slop
		if l.Slop >= 0 {
			slop = l.Slop
		}
		return c.field.quoted(t, text, slop, boost)
	case lucene.LeafPrefix:
		return q.prefix(t, text, boost)
	case lucene.LeafWildcard:
		s, err = q.wildcard(t, text, boost)
	case lucene.LeafRegexp:
		s, err = q.regexp(t, text, boost)
	case lucene.LeafFuzzy:
		f, _ := q.fuzzinessOf(l)
		s, err = c.field.fuzzy(t, text, f.Of(text), q.fuzzySpelling(), boost)
	case lucene.LeafRange:
		s, err = c.field.rangeOf(t, leafBound(t, l.Low, l.LowOpen, l.IncLow), leafBound(t, l.High, l.HighOpen, l.IncHigh), q.dates, boost)
	}
	return s, false, err
}

func leafBound(t fields.Target, text string, open, inc bool) *scorer.Bound {
	if open {
		return nil
	}
	if t.Kind == fields.Text {
		text = analysis.Lower(text)
	}
	return &scorer.Bound{Text: text, Inc: inc}
}

// fuzzySpelling returns the options of misspelt words, whose terms always score by their similarity.
func (q *stringCompiler) fuzzySpelling() query.Spelling {
	o := q.options.Spelling
	o.Rewrite = query.Rewrite{}
	return o
}

// prefix matches a prefix. With analyze_wildcard it matches words, the last of which is a prefix.
func (q *stringCompiler) prefix(t fields.Target, text string, boost float64) (s scorer.Scorer, none bool, err error) {
	terms := []string{text}
	if t.Kind == fields.Text && q.options.AnalyzeWildcard {
		if terms, err = q.c.field.words(text); err != nil || len(terms) == 0 {
			return nil, err == nil, err
		}
	}
	subs, err := q.prefixWords(t, terms, boost)
	if err != nil {
		return nil, false, err
	}
	return q.c.field.joinWords(subs, words{and: q.and}), false, nil
}

// prefixWords compiles terms, the last of which is a prefix.
func (q *stringCompiler) prefixWords(t fields.Target, terms []string, boost float64) ([]scorer.Scorer, error) {
	last := len(terms) - 1
	subs, err := q.c.field.eachWord(t.Field, terms[:last], words{}, false, boost)
	if err != nil {
		return nil, err
	}
	s, err := q.c.field.prefixQuery(t, &query.Prefix{Value: terms[last], Rewrite: q.options.Rewrite}, boost)
	return append(subs, s), err
}

func (q *stringCompiler) wildcard(t fields.Target, text string, boost float64) (scorer.Scorer, error) {
	if l := q.c.field.listing; l != nil {
		l.to.Pattern(l.leaf(t, boost), text, q.options.Rewrite)
		return nil, nil
	}
	w := q.c.field.compileWildcard(text, pattern.FoldNone)
	if t.Kind == fields.Text || !q.options.Rewrite.IsConstant() {
		s, err := q.c.field.scoredMatches(t, w, q.options.Rewrite, boost)
		return q.c.field.rewritten(t, s, q.options.Rewrite, func() string { return text }), err
	}
	return q.c.field.named(t, q.c.field.wholeMatches(t, w, boost), func() string { return text }), nil
}

func (q *stringCompiler) regexp(t fields.Target, text string, boost float64) (scorer.Scorer, error) {
	r, err := q.compile(text)
	if err != nil && (!q.lenient || pattern.RegexpTooLong(text)) {
		return nil, badRegexp("query_string", text, err)
	}
	if err != nil {
		return nil, err
	}
	if l := q.c.field.listing; l != nil {
		l.to.Regexp(l.leaf(t, boost), text, r, q.options.Rewrite)
		return nil, nil
	}
	s, err := q.c.field.scoredMatches(t, r, q.options.Rewrite, boost)
	return q.c.field.rewritten(t, s, q.options.Rewrite, func() string { return "/" + text + "/" }), err
}

func (q *stringCompiler) compile(text string) (*pattern.Regexp, error) {
	if q.last.r == nil && q.last.err == nil || q.last.text != text {
		r, steps, err := pattern.CompileRegexp(text)
		q.last = lastRegexp{text, r, err}
		if err := q.c.work.Charge(steps); err != nil {
			return nil, err
		}
	}
	return q.last.r, q.last.err
}

// fuzzinessOf reads the text after ~. Without a text the option fuzziness of the query applies.
func (q *stringCompiler) fuzzinessOf(l *lucene.Leaf) (query.Fuzziness, error) {
	if l.Fuzzy == "" {
		return q.fuzziness, nil
	}
	f, err := query.ParseFuzziness(l.Fuzzy)
	if err != nil {
		return f, &query.Error{Code: problem.BadQueryString, Message: "~" + l.Fuzzy + ": " + err.Error(), Position: -1}
	}
	return f, nil
}
