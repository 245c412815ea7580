// This file is the twin of package search: the meaning of a query tree, by looking at
// every item. It shares the parser and the analysis with the engine, and nothing else.

package searchtest

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
)

// hits is a score for every item, below 0 where it does not match.
type hits []float64

const miss = -1.0

// errRefused is an error of the request; errUnfit one that leniency forgives.
var (
	errRefused = errors.New("refused")
	errUnfit   = errors.New("value does not fit the field")
)

func (t *twin) none() hits { return t.where(0, func(int) bool { return false }) }

func (t *twin) all(score float64) hits { return t.where(score, func(int) bool { return true }) }

// where scores the items that a condition holds for.
func (t *twin) where(score float64, match func(item int) bool) hits {
	h := make(hits, len(t.ids))
	for i := range h {
		h[i] = miss
		if match(i) {
			h[i] = score
		}
	}
	return h
}

// has is where for a condition on what an item has at a path.
func (t *twin) has(f *twinField, score float64, match func(*cell) bool) hits {
	h := t.where(score, func(i int) bool { return f.cells[i] != nil && match(f.cells[i]) })
	if slices.ContainsFunc(h, func(s float64) bool { return s >= 0 }) {
		t.met.id = t.met.id || t.metadata(f)
		t.met.subField = t.met.subField || f == t.subs[f.path] && f.typ != keywordType
	}
	return h
}

// times multiplies all scores.
func (h hits) times(by float64) hits {
	for i := range h {
		if h[i] >= 0 {
			h[i] *= by
		}
	}
	return h
}

// constant gives every match the same score.
func (h hits) constant(score float64) hits {
	for i := range h {
		if h[i] >= 0 {
			h[i] = score
		}
	}
	return h
}

// search answers a query; nil is every item.
func (t *twin) search(n query.Node) (hits, error) {
	if n == nil {
		return t.all(1), nil
	}
	if t.badDate(n) {
		return nil, errRefused
	}
	return t.eval(n)
}

// badDate finds a range over dates whose bound is not a date: an error in any place.
func (t *twin) badDate(n query.Node) bool {
	switch n := n.(type) {
	case *query.Bool:
		return slices.ContainsFunc(slices.Concat(n.Must, n.Filter, n.Should, n.MustNot), t.badDate)
	case *query.ConstantScore:
		return t.badDate(n.Filter)
	case *query.DisMax:
		return slices.ContainsFunc(n.Queries, t.badDate)
	case *query.Boosting:
		return t.badDate(n.Positive) || t.badDate(n.Negative)
	case *query.FunctionScore:
		return slices.ContainsFunc(functionNodes(n), t.badDate)
	case *query.Range:
		to, ok := t.resolve(n.Field)
		if _, err := analysis.NewDateReader(n.Format, n.TimeZone); err != nil {
			return true
		}
		if !ok || to.kind != onDate {
			return false
		}
		_, err := t.between(to, limitsOf(n), 1)
		return err != nil
	}
	return false
}

// empty reports whether a query can match nothing whatever the items are, which hides the errors of its siblings.
func (t *twin) empty(n query.Node) bool {
	switch n := n.(type) {
	case *query.MatchNone:
		return true
	case *query.Term:
		return !t.mapped(n.Field) || !n.CaseInsensitive && t.lacks(n.Field, n.Value.Text)
	case *query.Terms:
		var texts []string
		for _, v := range t.valuesFor(n) {
			texts = append(texts, v.Text)
		}
		return !t.mapped(n.Field) || len(texts) == 0 || t.lacks(n.Field, texts...)
	case *query.Prefix:
		return !t.mapped(n.Field) || !n.CaseInsensitive && len(t.ids) > 0 && t.lacks(n.Field) && !strings.HasPrefix(t.meta[n.Field].whole[0], n.Value)
	case *query.Fuzzy:
		return !t.mapped(n.Field)
	case *query.Boosting:
		return t.empty(n.Positive)
	case *query.Wildcard:
		return !t.mapped(n.Field)
	case *query.Range:
		return !t.mapped(n.Field) || t.outside(n)
	case *query.IDs:
		return len(n.Values) == 0
	case *query.Exists:
		return len(t.existing(n.Field)) == 0 && !sealed(n.Field, true)
	case *query.ConstantScore:
		return t.empty(n.Filter)
	case *query.FunctionScore:
		return n.Query != nil && t.empty(n.Query)
	case *query.Bool:
		required := slices.Concat(n.Must, n.Filter)
		if slices.ContainsFunc(required, t.empty) {
			return true
		}
		full := func(n query.Node) bool { return !t.empty(n) }
		return len(required) == 0 && len(n.Should) > 0 && !slices.ContainsFunc(n.Should, full)
	}
	return false
}

// outside reports whether all dates are after a range, or all before it.
func (t *twin) outside(n *query.Range) bool {
	to, _ := t.resolve(n.Field)
	if to.kind != onDate {
		return false
	}
	low, high := limitsOf(n), limitsOf(n)
	low.lt, low.lte, high.gt, high.gte = nil, nil, nil, nil
	for _, l := range []limits{low, high} {
		if h, err := t.between(to, l, 1); err == nil && !slices.ContainsFunc(h, func(s float64) bool { return s >= 0 }) {
			return true
		}
	}
	return false
}

func (t *twin) mapped(field string) bool {
	_, ok := t.resolve(field)
	return ok || sealed(field, false)
}

func (t *twin) eval(n query.Node) (hits, error) {
	if t.empty(n) {
		return t.none(), nil
	}
	switch n := n.(type) {
	case *query.MatchAll:
		return t.all(n.Boost), nil
	case *query.MatchNone:
		return t.none(), nil
	case *query.Bool:
		return t.bool(n)
	case *query.ConstantScore:
		h, err := t.unscored(n.Filter)
		return h.constant(n.Boost), err
	case *query.Exists:
		if sealed(n.Field, true) {
			return nil, errRefused
		}
		return t.exists(n.Field, n.Boost), nil
	case *query.IDs:
		return t.where(n.Boost, func(i int) bool { return slices.Contains(n.Values, t.ids[i]) }), nil
	case *query.DisMax:
		return t.disMax(n)
	case *query.Boosting:
		return t.boosting(n)
	case *query.Regexp:
		return t.regexpQuery(n)
	case *query.TermsSet:
		return t.termsSet(n)
	case *query.FunctionScore:
		return t.functionScore(n)
	case *query.Span:
		return t.span(n)
	case *query.Intervals:
		return t.intervals(n)
	case *query.MoreLikeThis:
		return t.moreLikeThis(n)
	case *query.MultiMatch:
		return t.multiMatch(n)
	case *query.QueryString:
		return t.queryString(n)
	case *query.SimpleQueryString:
		return t.simpleQueryString(n)
	}
	return t.onField(n)
}

// onField answers a query on one field.
func (t *twin) onField(n query.Node) (hits, error) {
	if t.wordless(n) {
		return nil, errUnfit
	}
	switch n := n.(type) {
	case *query.Term:
		return t.on(n.Field, func(to target) (hits, error) {
			if n.CaseInsensitive {
				return t.matching(to, n.Boost, func(s string) bool { return equalWild(escaped(n.Value.Text), s, sameASCII) })
			}
			return t.exact(to, n.Value.Text, n.Boost, false)
		})
	case *query.Terms:
		return t.on(n.Field, func(to target) (hits, error) { return t.terms(to, n) })
	case *query.Prefix:
		return t.on(n.Field, func(to target) (hits, error) {
			same := sameRune
			if n.CaseInsensitive {
				same = sameASCII
			}
			return t.patterned(to, n.Rewrite, n.Boost, func(s string) bool { return equalWild(escaped(n.Value)+"*", s, same) })
		})
	case *query.Wildcard:
		return t.on(n.Field, func(to target) (hits, error) { return t.wildcard(to, n) })
	case *query.Range:
		return t.on(n.Field, func(to target) (hits, error) {
			if n.Gt == nil && n.Gte == nil && n.Lt == nil && n.Lte == nil {
				return t.exists(n.Field, n.Boost), nil
			}
			return t.between(to, limitsOf(n), n.Boost)
		})
	case *query.DistanceFeature:
		return t.on(n.Field, func(to target) (hits, error) { return t.distanceFeature(to, n) })
	case *query.Match:
		return t.on(n.Field, func(to target) (hits, error) { return t.match(to, n) })
	case *query.MatchBoolPrefix:
		return t.on(n.Field, func(to target) (hits, error) { return t.matchBoolPrefix(to, n) })
	case *query.Fuzzy:
		return t.on(n.Field, func(to target) (hits, error) {
			h, err := t.fuzzy(to, n.Value.Text, editsFor(n.Fuzziness, n.Value.Text), n.Spelling)
			return h.times(n.Boost), err
		})
	case *query.MatchPhrase:
		return t.on(n.Field, func(to target) (hits, error) { return t.matchPhrase(to, n) })
	case *query.MatchPhrasePrefix:
		return t.on(n.Field, func(to target) (hits, error) { return t.matchPhrasePrefix(to, n) })
	}
	panic("the twin knows no " + n.Type())
}

// on answers on a field by name; a name no item has matches nothing.
func (t *twin) on(field string, f func(target) (hits, error)) (hits, error) {
	to, ok := t.resolve(field)
	switch {
	case sealed(field, false):
		return nil, errRefused
	case !ok:
		return t.none(), nil
	}
	return f(to)
}

func (t *twin) bool(n *query.Bool) (hits, error) {
	defer t.within(n.Boost)()
	var lists [4][]hits
	for i, nodes := range [][]query.Node{n.Must, n.Filter, n.Should, n.MustNot} {
		for _, c := range nodes {
			eval := t.eval
			if i == 1 && single(n) {
				eval = t.unscored
			}
			h, err := eval(c)
			if err != nil {
				return nil, err
			}
			lists[i] = append(lists[i], h)
		}
	}
	if len(lists[0])+len(lists[1])+len(lists[2])+len(lists[3]) == 0 {
		return t.all(n.Boost), nil
	}
	alone := len(n.Must)+len(n.Filter) == 0 && len(n.Should) > 0
	need := 0
	if n.MinShouldMatch != "" && len(lists[0])+len(lists[1])+len(lists[2]) > 0 {
		need, _ = query.MinMatch(n.MinShouldMatch, len(n.Should))
	}
	if alone {
		need = max(need, 1)
	}
	return t.combine(lists[0], lists[1], lists[2], lists[3], need).times(n.Boost), nil
}

// single reports whether the filters of a bool are one filter, and whether nothing else limits or scores its matches.
func single(n *query.Bool) bool {
	all := func(n query.Node) bool { _, ok := n.(*query.MatchAll); return ok }
	distinct := slices.CompactFunc(slices.DeleteFunc(slices.Clone(n.Filter), all), func(a, b query.Node) bool { return reflect.DeepEqual(a, b) })
	return len(distinct) == 1 && len(n.Should)+len(n.MustNot) == 0 && n.MinShouldMatch == "" && (len(n.Must) == 0 || len(n.Must) == 1 && all(n.Must[0]))
}

// unscored evaluates a query without the boosts around it and without its own.
func (t *twin) unscored(n query.Node) (hits, error) {
	defer t.alone()()
	for {
		switch q := n.(type) {
		case *query.FunctionScore:
			bare := *q
			bare.Boost = 1
			return t.eval(&bare)
		case *query.DisMax:
			if len(q.Queries) != 1 {
				bare := *q
				bare.Boost = 1
				return t.eval(&bare)
			}
			n = q.Queries[0]
		case *query.Bool:
			scoring := slices.Concat(q.Must, q.Should)
			if len(scoring) != 1 || len(q.Filter)+len(q.MustNot) > 0 || q.MinShouldMatch != "" {
				bare := *q
				bare.Boost = 1
				return t.eval(&bare)
			}
			n = scoring[0]
		default:
			return t.eval(n)
		}
	}
}

// combine adds up required and optional clauses, at least need of which match.
func (t *twin) combine(must, filter, should, not []hits, need int) hits {
	h := t.all(0)
	for i := range h {
		n := 0
		for _, s := range should {
			if s[i] >= 0 {
				h[i] += s[i]
				n++
			}
		}
		ok := n >= need
		for _, m := range must {
			h[i] += max(m[i], 0)
			ok = ok && m[i] >= 0
		}
		for _, f := range filter {
			ok = ok && f[i] >= 0
		}
		for _, x := range not {
			ok = ok && x[i] < 0
		}
		if !ok {
			h[i] = miss
		}
	}
	return h
}

// best takes of several fields the best score, and tie times the score of each other field.
func (t *twin) best(parts []hits, tie float64) hits {
	h := t.none()
	for i := range h {
		most, others := miss, 0.0
		for _, p := range parts {
			others += max(min(most, p[i]), 0)
			most = max(most, p[i])
		}
		if most >= 0 {
			h[i] = most + float64(tie*others)
		}
	}
	return h
}

func (t *twin) exists(name string, boost float64) hits {
	h := t.none()
	for _, to := range t.existing(name) {
		for i, c := range to.f.cells {
			if c != nil {
				h[i] = boost
			}
		}
	}
	return h
}

// hiddenKeyword tells the keyword of a path that holds no text: it is searched, but does
// not exist.
func (t *twin) hiddenKeyword(to target) bool {
	path, is := strings.CutSuffix(to.f.path, ".keyword")
	return is && to.kind == onKeyword && t.fields[path] != nil && t.fields[path].typ != textType
}

// existing is the fields `exists` names: a field, a pattern, or the object above some.
func (t *twin) existing(name string) []target {
	var ts []target
	if name == "_version" {
		name = "_type" // every document has both
	}
	for _, to := range t.named(name) {
		if !t.hiddenKeyword(to) {
			ts = append(ts, to)
		}
	}
	for _, p := range t.paths {
		if strings.HasPrefix(p, name+".") {
			to, _ := t.resolve(p)
			ts = append(ts, to)
		}
	}
	return ts
}
