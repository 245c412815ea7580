// This file is the twin's query_string and simple_query_string: what their parsed
// clauses mean.

package searchtest

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf16"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
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
	tie       float64 // what words add in fields other than the best
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
		q.fields, q.written = t.named(n.DefaultField), true
	}
	if n.Lenient != nil {
		q.lenient = *n.Lenient
	}
	if n.Expr == nil {
		return t.none(), nil
	}
	h, _, err := q.group(n.Expr)
	return h.times(n.Boost), err
}

// group answers one level of clauses: none tells that all of them vanished.
func (q *stringTwin) group(g *query.Group) (h hits, none bool, err error) {
	var parts []hits
	var kinds []string
	for _, c := range g.Clauses {
		part, gone, err := q.clause(c)
		if err != nil {
			return nil, false, err
		}
		if n := len(kinds); n > 0 && kinds[n-1] != "not" {
			if c.Conj == query.ConjAnd {
				kinds[n-1] = "must"
			}
			if c.Conj == query.ConjOr && q.and {
				kinds[n-1] = "should"
			}
		}
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

// kind is what a clause has to do when it is added to a level.
func (q *stringTwin) kind(c query.Clause) string {
	switch {
	case c.Mod == query.ModNot:
		return "not"
	case q.and && c.Conj == query.ConjOr:
		return "should"
	case q.and || c.Mod == query.ModReq || c.Conj == query.ConjAnd:
		return "must"
	}
	return "should"
}

func (q *stringTwin) clause(c query.Clause) (h hits, none bool, err error) {
	if c.Group != nil {
		return q.group(c.Group)
	}
	h, none, err = q.leaf(c.Leaf)
	return h.times(c.Leaf.Boost), none, err
}

// leaf answers an atom on its fields.
func (q *stringTwin) leaf(l *query.Leaf) (h hits, none bool, err error) {
	if _, err := q.allowed(l); err != nil {
		return nil, false, errRefused
	}
	words := l.Kind == query.LeafText || l.Kind == query.LeafQuoted
	if l.HasField && l.Field == "_exists_" {
		if !words || l.Text == "*" {
			return q.t.none(), false, nil
		}
		return q.t.exists(l.Text, 1), false, nil
	}
	fields, written := q.fields, q.written
	if l.HasField {
		fields, written = q.t.named(l.Field), true
	}
	if l.Kind == query.LeafWildcard && l.Text == "*" {
		return q.star(l, fields), false, nil
	}
	if l.Kind == query.LeafText && written {
		l = asRange(l)
	}
	if len(fields) == 0 {
		return q.t.none(), false, nil
	}
	return q.onFields(l, fields)
}

// star is a bare *: whatever has a value.
func (q *stringTwin) star(l *query.Leaf, fields []target) hits {
	if l.Field == "*" || !l.HasField && q.everyone {
		return q.t.all(1)
	}
	var parts []hits
	for _, to := range fields {
		parts = append(parts, q.t.has(to.f, to.boost, func(*cell) bool { return true }))
	}
	return q.t.best(parts, 0)
}

// asRange reads a text that begins with > or < as a range.
func asRange(l *query.Leaf) *query.Leaf {
	if len(utf16.Encode([]rune(l.Text))) < 2 || l.Text[0] != '>' && l.Text[0] != '<' {
		return l
	}
	r := *l
	r.Kind, r.Text = query.LeafRange, ""
	bound := l.Text[1:]
	inc := len(bound) > 1 && bound[0] == '='
	if inc {
		bound = bound[1:]
	}
	if l.Text[0] == '>' {
		r.Low, r.IncLow, r.HighOpen = bound, inc, true
	} else {
		r.High, r.IncHigh, r.LowOpen = bound, inc, true
	}
	return &r
}

// onFields answers an atom on several fields; it vanishes if it does on all of them.
func (q *stringTwin) onFields(l *query.Leaf, fields []target) (h hits, none bool, err error) {
	var parts []hits
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
	tie := q.tie
	if l.Kind == query.LeafQuoted {
		tie = 0
	}
	return q.t.best(parts, tie), vanished == len(fields), nil
}

func (q *stringTwin) onField(l *query.Leaf, to target) (h hits, none bool, err error) {
	t, text := q.t, l.Text
	lower := strings.Clone
	if to.kind == onText {
		lower = analysis.Lower
	}
	switch l.Kind {
	case query.LeafText:
		return t.text(to, text, wording{and: q.and})
	case query.LeafQuoted:
		slop := l.Slop
		if slop < 0 {
			slop = q.slop
		}
		return t.quoted(to, text, slop)
	case query.LeafPrefix:
		p := lower(text)
		h, err = t.matching(to, 1, func(s string) bool { return strings.HasPrefix(s, p) })
	case query.LeafWildcard:
		p := lower(text)
		h, err = t.matching(to, 1, func(s string) bool { return equalWild(p, s, sameRune) })
	case query.LeafRegexp:
		h, err = q.regexp(to, text)
	case query.LeafFuzzy:
		f, _ := q.allowed(l)
		h, err = t.fuzzy(to, lower(text), editsFor(f, text), 0, 50)
	case query.LeafRange:
		h, err = t.between(to, leafLimits(l, lower), 1)
	}
	return h, false, err
}

func (q *stringTwin) regexp(to target, text string) (hits, error) {
	match, err := compileRegexp(text)
	if err != nil {
		return nil, errUnfit
	}
	return q.t.matching(to, 1, match)
}

func leafLimits(l *query.Leaf, lower func(string) string) (r limits) {
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

// allowed is the fuzziness of an atom: its own, or, bare, that of the query.
func (q *stringTwin) allowed(l *query.Leaf) (query.Fuzziness, error) {
	if l.Fuzzy == "" {
		return q.fuzziness, nil
	}
	return query.ParseFuzziness(l.Fuzzy)
}

func (t *twin) simpleQueryString(n *query.SimpleQueryString) (hits, error) {
	q := &stringTwin{t: t, and: n.And, tie: 1, fields: t.listed(n.Fields, false), lenient: starred(n.Fields)}
	if len(n.Fields) == 0 {
		q.fields, q.everyone, q.lenient = t.named("*"), true, true
	}
	if n.Lenient != nil {
		q.lenient = *n.Lenient
	}
	if n.Expr == nil {
		return t.none(), nil
	}
	h, _, err := q.simple(n.Expr, n.MinShouldMatch)
	return h.times(n.Boost), err
}

// simple answers a level of the simple syntax, whose clauses say what they have to do.
func (q *stringTwin) simple(g *query.Group, msm string) (h hits, none bool, err error) {
	var must, should, not []hits
	for _, c := range g.Clauses {
		var part hits
		var gone bool
		if c.Group != nil {
			part, gone, err = q.simple(c.Group, "")
		} else {
			part, gone, err = q.leaf(c.Leaf)
		}
		switch {
		case err != nil:
			return nil, false, err
		case gone:
		case c.Mod == query.ModReq:
			must = append(must, part)
		case c.Mod == query.ModNot:
			not = append(not, part)
		default:
			should = append(should, part)
		}
	}
	all := slices.Concat(must, should, not)
	switch {
	case len(all) == 0:
		return q.t.none(), true, nil
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
