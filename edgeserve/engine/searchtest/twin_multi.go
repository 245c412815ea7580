// This file is the twin's texts over several fields.

package searchtest

import (
	"cmp"
	"errors"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
)

// overFields is a text over several fields.
type overFields struct {
	kind    query.FieldsType
	wording wording
	slop    int
	tie     float64
	lenient bool
}

// fieldHits is what a text matches on one field, or on a group of fields.
type fieldHits struct {
	h     hits
	none  bool
	boost float64
}

func (t *twin) multiMatch(n *query.MultiMatch) (hits, error) {
	fields, lenient := t.listed(n.Fields, false), starred(n.Fields)
	if len(n.Fields) == 0 {
		fields, lenient = t.named("*"), true
	}
	if n.Lenient != nil {
		lenient = *n.Lenient
	}
	if !lenient && sealedIn(n.Fields) {
		return nil, errRefused
	}
	fields = forgiving(fields, n.Lenient)
	o := overFields{n.Kind, wording{n.And, n.MinShouldMatch, n.Fuzziness, n.Spelling, n.Kind == query.BoolPrefix}, n.Slop, n.TieBreaker, lenient}
	found, err := t.over(fields, n.Text.Text, o)
	if err != nil {
		return nil, err
	}
	var parts []hits
	for _, f := range found {
		if f.none && n.ZeroTermsAll {
			f.h = t.all(f.boost)
		}
		parts = append(parts, f.h)
	}
	return t.best(parts, n.TieBreaker).times(n.Boost), nil
}

// over matches a text on fields, or on groups of fields.
func (t *twin) over(fields []target, text string, o overFields) (found []fieldHits, err error) {
	if o.kind == query.CrossFields {
		return t.cross(fields, text, o)
	}
	for _, to := range fields {
		f := fieldHits{boost: to.boost}
		switch o.kind {
		case query.Phrase:
			f.h, f.none, err = t.quoted(to, text, o.slop)
		case query.PhrasePrefix:
			f.h, f.none, err = t.phrasePrefix(to, text, o.slop, o.wording.spelling.MaxExpansions)
		default:
			f.h, f.none, err = t.text(to, text, o.wording)
		}
		if errors.Is(err, errUnfit) && o.lenient {
			f.h, f.none, err = t.none(), false, nil
		}
		if err != nil {
			return nil, err
		}
		f.h = f.h.times(to.boost)
		found = append(found, f)
	}
	return found, nil
}

// cross matches each word on any of the fields with words, and the text on any of the others.
func (t *twin) cross(fields []target, text string, o overFields) (found []fieldHits, err error) {
	for _, analyzed := range []bool{true, false} {
		var group []target
		for _, to := range fields {
			if (to.kind == onText) == analyzed {
				group = append(group, to)
			}
		}
		if len(group) == 0 {
			continue
		}
		parts, err := t.crossWords(group, text, o)
		if err != nil {
			return nil, err
		}
		f := fieldHits{h: t.together(parts, o.wording), none: len(parts) == 0, boost: 1}
		if len(group) == 1 {
			f.boost = group[0].boost
		}
		found = append(found, f)
	}
	return found, nil
}

func (t *twin) crossWords(group []target, text string, o overFields) (parts []hits, err error) {
	terms := []string{text}
	if group[0].kind == onText {
		terms = analysis.Terms(text)
	}
	for _, term := range terms {
		h, err := t.anywhere(group, term, o)
		if err != nil {
			return nil, err
		}
		parts = append(parts, h)
	}
	return parts, nil
}

// anywhere matches a term in fields of a group, all of which count it as about as common.
func (t *twin) anywhere(group []target, term string, o overFields) (hits, error) {
	type common struct {
		to target
		df int
	}
	var terms []common
	var parts []hits
	least := len(t.ids)
	for _, to := range group {
		isTerm := to.kind == onText || to.kind == onKeyword && !t.metadata(to.f) || to.kind == onBool
		if h, err := t.exact(to, term, to.boost, false); !isTerm || len(group) == 1 || err != nil {
			if errors.Is(err, errUnfit) && o.lenient {
				h, err = t.none(), nil
			}
			if err != nil {
				return nil, err
			}
			parts = append(parts, h)
			continue
		}
		if c := (common{to, to.df(term)}); c.df > 0 {
			terms = append(terms, c)
			least = min(least, to.tokens())
		}
	}
	slices.SortFunc(terms, func(a, b common) int { return cmp.Compare(b.df, a.df) })
	more := 0
	var blended []hits
	for i, c := range terms {
		if i > 0 && c.df < terms[i-1].df {
			more++
		}
		df := min(least, min(least, terms[0].df)+more)
		blended = append(blended, t.kin(c.to, term, df).times(c.to.boost))
	}
	if len(blended) > 0 {
		parts = append(parts, t.best(blended, o.tie))
	}
	return t.best(parts, o.tie), nil
}

// tokens is the number of terms in all items.
func (to target) tokens() (n int) {
	if to.kind == onText {
		return to.f.tokens
	}
	for _, c := range to.f.cells {
		switch {
		case c == nil:
		case to.kind == onKeyword:
			n += len(c.texts)
		default:
			n += len(c.numbers)
		}
	}
	return n
}

// atTop answers the top of a query_string with a minimum: words side by side count one by one.
func (q *stringTwin) atTop(g *lucene.Group, minimum string) (h hits, none bool, err error) {
	boost := 1.0
	for len(g.Clauses) == 1 && g.Clauses[0].Mod == lucene.ModNone && g.Clauses[0].Group != nil {
		boost *= g.Boost
		g = g.Clauses[0].Group
	}
	boost *= g.Boost
	lists := map[string][]hits{}
	var kinds []string
	var parts []hits
	first := false
	for i, c := range g.Clauses {
		if words, is, err := q.countable(c, len(g.Clauses) == 1); is || err != nil {
			if err != nil {
				return nil, false, err
			}
			for _, w := range words {
				kind := "should"
				if q.and {
					kind = "must"
				}
				parts, kinds = append(parts, w), append(kinds, kind)
			}
			continue
		}
		part, gone, err := q.clause(c)
		if err != nil {
			return nil, false, err
		}
		q.before(kinds, c)
		if !gone {
			parts, kinds = append(parts, part), append(kinds, q.kind(c))
			first = first || i == 0 && c.Mod == lucene.ModNone
		}
	}
	switch {
	case len(parts) == 0:
		return q.t.none(), true, nil
	case len(parts) == 1 && first:
		return parts[0].times(boost), false, nil
	}
	for i, k := range kinds {
		lists[k] = append(lists[k], parts[i])
	}
	need, _ := query.MinMatch(minimum, len(lists["should"]))
	if len(lists["must"]) == 0 && len(lists["should"]) > 0 {
		need = max(need, 1)
	}
	return q.t.combine(lists["must"], nil, lists["should"], lists["not"], need).times(boost), false, nil
}

// countable returns the words of a clause that count one by one. A text and an analyzed prefix have such words on one
// field with words. A text also has them on several fields whose words count as one field's. A boost of the field
// surrounds the whole query of a query_string. In other queries it hides the words.
func (q *stringTwin) countable(c lucene.Clause, alone bool) (words []hits, is bool, err error) {
	l := c.Leaf
	alone = alone && c.Mod == lucene.ModNone
	if l == nil || !l.Adjacent && !alone || l.Field == "_exists_" {
		return nil, false, nil
	}
	fields, written := q.fields, q.written
	if l.HasField {
		fields, written = q.t.named(l.Field), true
	}
	if written && asRange(l).Kind == lucene.LeafRange || len(analysis.Terms(l.Text)) < 2 || len(fields) == 0 {
		return nil, false, nil
	}
	several, boost := len(fields) > 1, 1.0
	for _, to := range fields {
		if to.kind != onText || several && q.o.kind != query.CrossFields {
			return nil, false, nil
		}
	}
	if !several {
		boost = fields[0].boost
	}
	if boost != 1 && (q.simple || !alone) {
		return nil, false, nil
	}
	switch {
	case l.Kind == lucene.LeafPrefix && q.options.AnalyzeWildcard && !several:
		words, err = q.prefixWords(fields[0], analysis.Terms(l.Text))
	case l.Kind != lucene.LeafText || q.o.kind == query.Phrase || q.o.kind == query.PhrasePrefix:
		return nil, false, nil
	case q.o.kind == query.CrossFields:
		words, err = q.t.crossWords(fields, l.Text, q.o)
		boost = 1 // the words have it already
	default:
		words = q.t.eachWord(fields[0].f, l.Text, q.o.wording)
	}
	for _, w := range words {
		w.times(l.Boost * boost)
	}
	return words, true, err
}

// suffixed gives fields another name where there is a field of that name.
func (t *twin) suffixed(fields []target, suffix string) (out []target) {
	for _, to := range fields {
		if other, ok := t.resolve(to.f.path + suffix); ok && suffix != "" {
			other.boost, other.valuesOnly = to.boost, to.valuesOnly
			to = other
		}
		if i := slices.IndexFunc(out, func(o target) bool { return o.f == to.f && o.kind == to.kind }); i >= 0 {
			out[i].boost *= to.boost
			continue
		}
		out = append(out, to)
	}
	return out
}
