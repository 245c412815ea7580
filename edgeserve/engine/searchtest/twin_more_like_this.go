// This file is the twin of more_like_this, and makes up its bodies. The bodies take all terms, so that no order decides
// among equal ones.

package searchtest

import (
	"math"
	"slices"
	"unicode/utf16"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
)

// termsOf is the terms of a text on a field: words, or a whole keyword.
func termsOf(to target, text string) []string {
	if to.f != nil && to.kind == onKeyword {
		return []string{text}
	}
	return analysis.Terms(text)
}

func (t *twin) moreLikeThis(n *query.MoreLikeThis) (hits, error) {
	var named []target
	for _, name := range n.Fields {
		to, ok := t.resolve(name)
		if ok && (to.typed() || t.metadata(to.f)) {
			if n.SkipUnsupported {
				continue
			}
			return nil, errRefused
		}
		if !ok {
			to = target{f: &twinField{path: name}, kind: onText}
		}
		named = append(named, to)
	}
	if n.Fields != nil && len(named) == 0 {
		return t.none(), nil
	}
	skip := map[string]bool{}
	noItems := !slices.ContainsFunc(n.Like, func(e query.Example) bool { return e.Text == nil })
	for _, e := range n.Unlike {
		if e.Text == nil && noItems {
			continue
		}
		for path, terms := range t.example(n, e, named) {
			for _, term := range terms {
				skip[path+"\x00"+term] = true
			}
		}
	}
	counts, text := map[string]map[string]int{}, map[string]int{}
	own, items := t.none(), false
	for _, e := range n.Like {
		items = items || e.Text == nil
		for i, id := range t.ids {
			if e.ID == id {
				own[i] = 0
			}
		}
		for path, terms := range t.example(n, e, named) {
			for _, term := range terms {
				size := len(utf16.Encode([]rune(term)))
				if skip[path+"\x00"+term] || size < n.MinWordLength || n.MaxWordLength > 0 && size > n.MaxWordLength || slices.Contains(n.StopWords, term) {
					continue
				}
				if e.Text != nil {
					text[term]++
					continue
				}
				if counts[path] == nil {
					counts[path] = map[string]int{}
				}
				counts[path][term]++
			}
		}
	}
	var like []hits
	for path, terms := range counts {
		to, _ := t.resolve(path)
		like = append(like, t.chosen(n, terms, []target{to})...)
	}
	parts := []hits{t.optional(n, like), t.optional(n, t.chosen(n, text, named))}
	h := t.combine(nil, nil, parts, nil, 1)
	for i := range h {
		if items && !n.Include && own[i] >= 0 {
			h[i] = miss
		}
	}
	return h.times(n.Boost), nil
}

func (t *twin) optional(n *query.MoreLikeThis, terms []hits) hits {
	need, _ := query.MinMatch(n.MinShouldMatch, len(terms))
	return t.combine(nil, nil, terms, nil, max(1, need))
}

// example is the terms of an example by field. The terms of a text are the first field's.
func (t *twin) example(n *query.MoreLikeThis, e query.Example, named []target) map[string][]string {
	terms := map[string][]string{}
	if e.Text != nil {
		terms[named[0].f.path] = termsOf(named[0], *e.Text)
		return terms
	}
	names := e.Fields
	if names == nil && e.Leaves == nil {
		names = n.Fields
	}
	if names == nil {
		names = []string{"*"}
	}
	for _, name := range names {
		for _, to := range t.named(name) {
			if to.typed() || t.metadata(to.f) || terms[to.f.path] != nil {
				continue
			}
			path := to.f.path
			if to.kind == onKeyword {
				path = path[:len(path)-len(".keyword")]
			}
			for _, leaf := range e.Leaves {
				if leaf.Path == path {
					terms[to.f.path] = append(terms[to.f.path], termsOf(to, leaf.Text)...)
				}
			}
			for i, id := range t.ids {
				if c := t.fields[path].cells[i]; id == e.ID && c != nil {
					for _, v := range c.leaves {
						terms[to.f.path] = append(terms[to.f.path], termsOf(to, leafText(v))...)
					}
				}
			}
		}
	}
	return terms
}

func (t *twin) chosen(n *query.MoreLikeThis, terms map[string]int, in []target) (list []hits) {
	var scores []float64
	least := math.Inf(1)
	for term, tf := range terms {
		best, df := target{}, 0
		for _, to := range in {
			if n := to.df(term); n > df {
				best, df = to, n
			}
		}
		if tf < n.MinTermFreq || df == 0 || df < n.MinDocFreq || df > n.MaxDocFreq {
			continue
		}
		score := float64(tf) * (1 + portable.Log(float64(len(t.ids)+1)/float64(df+1)))
		h, _ := t.exact(best, term, 1, false)
		list, scores, least = append(list, h), append(scores, score), min(least, score)
	}
	if n.BoostTerms > 0 {
		for i := range list {
			list[i].times(n.BoostTerms * scores[i] / least)
		}
	}
	return list
}

func (a *asker) moreLikeThis() object {
	c := object{"min_term_freq": pick(a.Rand, []int{1, 1, 1, 2}), "min_doc_freq": pick(a.Rand, []int{0, 1, 1, 3}), "max_query_terms": 1000}
	var texts []string
	for range 1 + a.IntN(3) {
		f := a.field()
		if k := a.kinds[f]; k == onText || k == onKeyword || a.oneIn(20) {
			texts = append(texts, f)
		}
	}
	texts = append(texts, "Name")
	c["fields"] = texts
	example := func() any {
		switch a.IntN(4) {
		case 0:
			return object{"_id": pick(a.Rand, a.ids)}
		case 1:
			return object{"doc": object{"Name": a.text(), "Data": object{"title": []any{a.text(), 42}}}}
		}
		return a.text()
	}
	c["like"] = append(a.some(2, example), example())
	if a.oneIn(3) {
		c["unlike"] = []any{example()}
	}
	option(a, c, 3, "minimum_should_match", minimums...)
	option(a, c, 6, "max_doc_freq", 2, 5)
	option(a, c, 6, "min_word_length", 2, 3, 0)
	option(a, c, 6, "max_word_length", 4, 6)
	option(a, c, 4, "boost_terms", 0.5, 2)
	option(a, c, 3, "include", true, false)
	option(a, c, 2, "fail_on_unsupported_field", false)
	if a.oneIn(5) {
		c["stop_words"] = []any{a.word(), a.word()}
	}
	return c
}
