// This file is the twin's query_string and simple_query_string: what their parsed
// clauses mean.

package searchtest

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
)

// stringTwin is one query string being answered.
type stringTwin struct {
	t         *twin
	fields    []target
	everyone  bool // all fields are searched
	written   bool // a text that begins with > or < is a range
	and       bool
	lenient   bool
	slop      int
	fuzziness query.Fuzziness
	single    string // the default field
	simple    bool   // it is a simple_query_string
	options   *query.StringOptions
	o         overFields // how words match fields
}

// begin takes the options.
func (q *stringTwin) begin(o *query.StringOptions) {
	spelling := query.Spelling{MaxExpansions: 50}
	q.options = o
	q.fields = forgiving(q.fields, o.Lenient)
	q.o = overFields{o.Kind, wording{and: q.and, spelling: spelling, prefix: o.Kind == query.BoolPrefix}, q.slop, o.TieBreaker, q.lenient}
}

func (t *twin) queryString(n *query.QueryString) (hits, error) {
	if n.Err != nil {
		return nil, errRefused
	}
	q := &stringTwin{t: t, and: n.And, slop: n.PhraseSlop, fuzziness: n.Fuzziness}
	switch {
	case n.Fields != nil:
		q.fields, q.lenient = t.listed(n.Fields, true), starred(n.Fields)
	case n.DefaultField == "" || n.DefaultField == "*":
		q.fields, q.everyone, q.written, q.lenient = t.named("*"), true, true, true
	default:
		q.fields, q.written, q.single = t.named(n.DefaultField), true, n.DefaultField
	}
	if n.Lenient != nil {
		q.lenient = *n.Lenient
	}
	if _, err := analysis.NewDateReader("", n.TimeZone); err != nil || !q.lenient && (sealed(n.DefaultField, false) || sealedIn(n.Fields)) {
		return nil, errRefused
	}
	if n.Expr == nil {
		return t.none(), nil
	}
	q.begin(&n.StringOptions)
	answer := q.group
	if n.MinShouldMatch != "" {
		answer = func(g *lucene.Group) (hits, bool, error) { return q.atTop(g, n.MinShouldMatch) }
	}
	h, _, err := answer(n.Expr)
	return h.times(n.Boost), err
}

// group answers one level of clauses: none reports whether all vanished.
func (q *stringTwin) group(g *lucene.Group) (h hits, none bool, err error) {
	var parts []hits
	var kinds []string
	for _, c := range g.Clauses {
		part, gone, err := q.clause(c)
		if err != nil {
			return nil, false, err
		}
		q.before(kinds, c)
		if !gone {
			parts, kinds = append(parts, part), append(kinds, q.kind(c))
		}
	}
	if len(parts) == 0 {
		return q.t.none(), true, nil
	}
	lists := map[string][]hits{}
	for i, k := range kinds {
		lists[k] = append(lists[k], parts[i])
	}
	need := 0
	if len(lists["must"]) == 0 && len(lists["should"]) > 0 {
		need = 1
	}
	return q.t.combine(lists["must"], nil, lists["should"], lists["not"], need).times(g.Boost), false, nil
}

// before changes what the last clause has to do, by the operator after it.
func (q *stringTwin) before(kinds []string, c lucene.Clause) {
	if n := len(kinds); n > 0 && kinds[n-1] != "not" {
		if c.Conj == lucene.ConjAnd {
			kinds[n-1] = "must"
		}
		if c.Conj == lucene.ConjOr && q.and {
			kinds[n-1] = "should"
		}
	}
}

// kind is what a clause has to do when it is added to a level.
func (q *stringTwin) kind(c lucene.Clause) string {
	switch {
	case c.Mod == lucene.ModNot:
		return "not"
	case q.and && c.Conj == lucene.ConjOr:
		return "should"
	case q.and || c.Mod == lucene.ModReq || c.Conj == lucene.ConjAnd:
		return "must"
	}
	return "should"
}

func (q *stringTwin) clause(c lucene.Clause) (h hits, none bool, err error) {
	if c.Group != nil {
		return q.group(c.Group)
	}
	h, none, err = q.leaf(c.Leaf)
	return h.times(c.Leaf.Boost), none, err
}

// leaf answers an atom on its fields.
func (q *stringTwin) leaf(l *lucene.Leaf) (h hits, none bool, err error) {
	if _, err := q.allowed(l); err != nil {
		return nil, false, errRefused
	}
	words := l.Kind == lucene.LeafText || l.Kind == lucene.LeafQuoted
	if l.HasField && l.Field == "_exists_" {
		if !words {
			return q.t.none(), false, nil
		}
		if l.Text != "" && strings.Trim(l.Text, "*") == "" {
			return nil, false, errRefused
		}
		if sealed(l.Text, true) {
			return nil, false, errRefused
		}
		return q.t.exists(l.Text, 1), false, nil
	}
	fields, written := q.fields, q.written
	if l.HasField {
		fields, written = forgiving(q.t.named(l.Field), q.options.Lenient), true
	}
	if l.Kind == lucene.LeafWildcard && l.Text == "*" {
		if sealed(l.Field, true) {
			return nil, false, errRefused
		}
		return q.star(l, fields), false, nil
	}
	if !q.lenient && sealed(l.Field, false) {
		return nil, false, errRefused
	}
	if l.Kind == lucene.LeafText && written {
		l = asRange(l)
		if q.options.TimeZone != "" && l.Kind == lucene.LeafText && len(l.Text) > 1 && len(fields) == 1 && fields[0].kind == onDate {
			r := *l
			r.Kind, r.Low, r.High, r.IncLow, r.IncHigh = lucene.LeafRange, l.Text, l.Text, true, true
			l = &r
		}
	}
	if l.Kind == lucene.LeafQuoted {
		fields = q.t.suffixed(fields, q.options.QuoteSuffix)
	}
	if len(fields) == 0 {
		return q.t.none(), false, nil
	}
	return q.onFields(l, fields)
}

// star is a bare *: whatever has a value.
func (q *stringTwin) star(l *lucene.Leaf, fields []target) hits {
	if l.Field == "*" || !l.HasField && q.everyone {
		return q.t.all(1)
	}
	name := q.single
	if l.HasField {
		name = l.Field
	}
	if name == "_version" {
		return q.t.all(1)
	}
	for _, path := range q.t.paths {
		if name != "" && strings.HasPrefix(path, name+".") {
			fields = append(fields[:len(fields):len(fields)], q.t.fields[path].target())
		}
	}
	var parts []hits
	for _, to := range fields {
		parts = append(parts, q.t.has(to.f, to.boost, func(*cell) bool { return true }))
	}
	if name != "" {
		return q.t.best(parts, 0)
	}
	return q.t.best(parts, q.o.tie)
}

// asRange reads a text that begins with > or < as a range.
func asRange(l *lucene.Leaf) *lucene.Leaf {
	if len(utf16.Encode([]rune(l.Text))) < 2 || l.Text[0] != '>' && l.Text[0] != '<' {
		return l
	}
	r := *l
	r.Kind, r.Text = lucene.LeafRange, ""
	bound := l.Text[1:]
	inc := len(bound) > 1 && bound[0] == '='
	if inc {
		bound = bound[1:]
	}
	r.LowOpen, r.HighOpen = true, true
	if l.Text[0] == '>' {
		r.Low, r.IncLow, r.LowOpen = bound, inc, bound == "*"
	} else {
		r.High, r.IncHigh, r.HighOpen = bound, inc, bound == "*"
	}
	return &r
}

// onFields answers an atom on several fields; it vanishes if it does on all fields.
func (q *stringTwin) onFields(l *lucene.Leaf, fields []target) (h hits, none bool, err error) {
	var parts []hits
	if l.Kind == lucene.LeafText {
		found, err := q.t.over(fields, l.Text, q.o)
		none = len(found) > 0
		for _, f := range found {
			parts, none = append(parts, f.h), none && f.none
		}
		return q.t.best(parts, q.o.tie), none, err
	}
	if l.Kind == lucene.LeafWildcard && q.options.NoLeadingWildcard && strings.ContainsAny(l.Text[:1], "*?") {
		return nil, false, errRefused
	}
	vanished := 0
	for _, to := range fields {
		h, none, err := q.onField(l, to)
		switch {
		case errors.Is(err, errUnfit) && q.lenient:
		case err != nil:
			return nil, false, err
		case none:
			vanished++
		default:
			parts = append(parts, h.times(to.boost))
		}
	}
	tie := q.o.tie
	if l.Kind == lucene.LeafQuoted && q.simple {
		tie = 0
	}
	return q.t.best(parts, tie), vanished == len(fields), nil
}

func (q *stringTwin) onField(l *lucene.Leaf, to target) (h hits, none bool, err error) {
	t, text := q.t, l.Text
	lower := strings.Clone
	if to.kind == onText {
		lower = analysis.Lower
	}
	switch l.Kind {
	case lucene.LeafQuoted:
		slop := l.Slop
		if slop < 0 {
			slop = q.slop
		}
		return t.quoted(to, text, slop)
	case lucene.LeafPrefix:
		return q.prefix(to, lower(text))
	case lucene.LeafWildcard:
		p := text
		if to.kind == onText {
			p = unlessEscaped.ReplaceAllStringFunc(text, func(part string) string {
				if part[0] == '\\' {
					return part
				}
				return lower(part)
			})
		}
		h, err = t.patterned(to, q.options.Rewrite, 1, func(s string) bool { return equalWild(p, s, sameRune) })
	case lucene.LeafRegexp:
		h, err = q.regexp(to, text)
	case lucene.LeafFuzzy:
		f, _ := q.allowed(l)
		h, err = t.fuzzy(to, lower(text), editsFor(f, text), q.misspelt())
	case lucene.LeafRange:
		r := leafLimits(l, lower)
		r.zone = q.options.TimeZone
		h, err = t.between(to, r, 1)
	}
	return h, false, err
}

// unlessEscaped are the escaped letters of a pattern, and what is between them.
var unlessEscaped = regexp.MustCompile(`(?s)\\.?|[^\\]+`)

func (q *stringTwin) regexp(to target, text string) (hits, error) {
	match, err := compileRegexp(text)
	if err != nil {
		return nil, errUnfit
	}
	return q.t.patterned(to, q.options.Rewrite, 1, match)
}

// misspelt is how words with mistakes are looked for.
func (q *stringTwin) misspelt() query.Spelling {
	s := q.options.Spelling
	s.Rewrite = query.Rewrite{}
	return s
}

// prefix answers a prefix, whose words may count.
func (q *stringTwin) prefix(to target, text string) (h hits, none bool, err error) {
	t := q.t
	terms := []string{text}
	if to.kind == onText && q.options.AnalyzeWildcard {
		if terms = analysis.Terms(text); len(terms) == 0 {
			return t.none(), true, nil
		}
	}
	parts, err := q.prefixWords(to, terms)
	return t.together(parts, wording{and: q.and}), false, err
}

// prefixWords answers words, the last of which begins longer ones.
func (q *stringTwin) prefixWords(to target, terms []string) (parts []hits, err error) {
	last := len(terms) - 1
	for _, term := range terms[:last] {
		parts = append(parts, q.t.word(to.f, term))
	}
	h, err := q.t.patterned(to, q.options.Rewrite, 1, func(s string) bool { return strings.HasPrefix(s, terms[last]) })
	return append(parts, h), err
}

func leafLimits(l *lucene.Leaf, lower func(string) string) (r limits) {
	low, high := lower(l.Low), lower(l.High)
	switch {
	case l.LowOpen:
	case l.IncLow:
		r.gte = &low
	default:
		r.gt = &low
	}
	switch {
	case l.HighOpen:
	case l.IncHigh:
		r.lte = &high
	default:
		r.lt = &high
	}
	return r
}

// allowed is the fuzziness of an atom: its own, or, bare, the query's.
func (q *stringTwin) allowed(l *lucene.Leaf) (query.Fuzziness, error) {
	if l.Fuzzy == "" {
		return q.fuzziness, nil
	}
	return query.ParseFuzziness(l.Fuzzy)
}

func (t *twin) simpleQueryString(n *query.SimpleQueryString) (hits, error) {
	q := &stringTwin{t: t, and: n.And, simple: true, fields: t.listed(n.Fields, true), lenient: starred(n.Fields)}
	if len(n.Fields) == 0 {
		q.fields, q.everyone, q.lenient = t.named("*"), true, true
	}
	if n.Lenient != nil {
		q.lenient = *n.Lenient
	}
	if !q.lenient && sealedIn(n.Fields) {
		return nil, errRefused
	}
	if n.Expr == nil {
		return t.none(), nil
	}
	q.begin(&n.StringOptions)
	left := n.Expr.Without(func(l *lucene.Leaf) bool {
		_, none, err := q.leaf(l)
		return none && err == nil
	})
	h, _, err := q.inSimple(left, n.MinShouldMatch)
	return h.times(n.Boost), err
}

// inSimple answers a level of the simple syntax, whose clauses say what they have to do.
func (q *stringTwin) inSimple(g *lucene.Group, msm string) (h hits, none bool, err error) {
	var must, should, not []hits
	for _, c := range g.Clauses {
		var part hits
		var gone bool
		if words, is, err := q.countable(c, true); msm != "" && len(g.Clauses) == 1 && (is || err != nil) {
			if q.and {
				must = words
			} else {
				should = words
			}
			if err != nil {
				return nil, false, err
			}
			continue
		}
		if c.Group != nil {
			part, gone, err = q.inSimple(c.Group, "")
		} else {
			part, gone, err = q.leaf(c.Leaf)
		}
		switch {
		case err != nil:
			return nil, false, err
		case gone:
		case c.Mod == lucene.ModReq:
			must = append(must, part)
		case c.Mod == lucene.ModNot:
			not = append(not, part)
		default:
			should = append(should, part)
		}
	}
	all := slices.Concat(must, should, not)
	switch {
	case len(all) == 0:
		return q.t.none(), true, nil
	case len(all) == len(not) && msm != "" && 1 < minimum(msm, 1):
		return q.t.none(), false, nil
	case len(all) == len(not):
		return q.t.combine([]hits{q.t.all(1)}, nil, nil, not, 0), false, nil
	}
	need := 0
	if len(all) > 1 && msm != "" {
		need, _ = query.MinMatch(msm, len(should))
	}
	if len(must) == 0 {
		need = max(need, 1)
	}
	return q.t.combine(must, nil, should, not, need), false, nil
}

func minimum(spec string, n int) int {
	need, _ := query.MinMatch(spec, n)
	return need
}
