// This file compiles more_like_this. Like Lucene it selects the characteristic terms of texts and
// items, and searches for them as optional words.

package compile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

// maxParsed is the number of tokens of a text that Lucene reads.
const maxParsed = 5000

// parseSteps is the cost of reading a byte of an item: JSON, then words.
const parseSteps = 4

// targetSteps is the cost of a field that a pattern matches.
const targetSteps = 24

// likeness selects the terms of one more_like_this.
type likeness struct {
	asked *query.MoreLikeThis
	c     *Compiler
	skip  map[fieldTerm]bool // the terms of unlike
	stop  map[string]bool
	subs  []scorer.Scorer
}

type fieldTerm struct{ field, term string }

// source holds the terms that the examples have in one field.
type source struct {
	target fields.Target
	name   string
	terms  []termCount
	at     map[string]int // the index of each term in terms
}

type termCount struct {
	term string
	n    int
}

func (s *source) add(term string) {
	i, ok := s.at[term]
	if !ok {
		if s.at == nil {
			s.at = map[string]int{}
		}
		i = len(s.terms)
		s.at[term] = i
		s.terms = append(s.terms, termCount{term: term})
	}
	s.terms[i].n++
}

func (c *Compiler) moreLikeThis(n *query.MoreLikeThis, boost float64) (scorer.Scorer, error) {
	l := &likeness{asked: n, c: c, skip: map[fieldTerm]bool{}, stop: map[string]bool{}}
	for _, w := range n.StopWords {
		l.stop[w] = true
	}
	named, err := l.fields()
	if err != nil || n.Fields != nil && len(named) == 0 {
		return nil, err
	}
	if err := l.unlike(named); err != nil {
		return nil, err
	}
	set := c.request.DocSet()
	bySource, texts, documents, items := map[string]*source{}, false, false, false
	var order []*source
	text := &source{}
	for i := range n.Like {
		e := &n.Like[i]
		if e.Text != nil {
			texts = true
			err = l.text(named[0], *e.Text, func(term string) { text.add(term) })
		} else {
			documents, items = true, items || e.Leaves == nil
			if d, ok := c.resolver.Reader.Lookup(e.ID); ok && e.ID != "" {
				set.Add(d)
			}
			err = l.item(e, func(t fields.Target, name, term string) {
				s := bySource[name]
				if s == nil {
					s = &source{target: t, name: name}
					bySource[name] = s
					order = append(order, s)
				}
				s.add(term)
			})
		}
		if err := cmp.Or(err, c.work.Failed()); err != nil {
			return nil, err
		}
	}
	var parts []scorer.Scorer
	for _, s := range order {
		slices.SortFunc(s.terms, func(a, b termCount) int { return cmp.Compare(a.term, b.term) })
		l.choose(s.terms, []source{{target: s.target, name: s.name}}, boost)
	}
	if documents {
		parts = append(parts, l.chosen())
	}
	if texts {
		l.choose(text.terms, named, boost)
		parts = append(parts, l.chosen())
	}
	s := scorer.Disjunction(parts, 1)
	if items && !n.Include && s != nil {
		s = scorer.Exclusion(s, []scorer.Scorer{c.request.WithDescription(set.Scorer(0), func() string { return idsText(nil) })})
	}
	return s, c.work.Failed()
}

// chosen returns the Scorer of the chosen terms, and forgets them.
func (l *likeness) chosen() scorer.Scorer {
	subs := l.subs
	l.subs = nil
	return scorer.Disjunction(subs, max(1, minShouldMatch(l.asked.MinShouldMatch, len(subs))))
}

// fields returns the named fields, also fields that no item has: the first one decides how texts are split.
func (l *likeness) fields() (list []source, err error) {
	for _, name := range l.asked.Fields {
		t, ok := l.c.resolver.Resolve(name)
		switch {
		case ok && (t.Kind.Typed() || t.Metadata) && l.asked.SkipUnsupported:
			continue
		case ok && (t.Kind.Typed() || t.Metadata):
			return nil, &query.Error{Code: problem.BadValue, Position: -1, Parameter: name, Message: name + " holds no text, which more_like_this needs: leave it out, or set fail_on_unsupported_field to false"}
		}
		list = append(list, source{target: t, name: name})
	}
	return list, nil
}

// unlike collects the terms to leave out. Elasticsearch reads the items of unlike only if like has items.
func (l *likeness) unlike(named []source) error {
	items := slices.ContainsFunc(l.asked.Like, func(e query.Example) bool { return e.Text == nil })
	for i := range l.asked.Unlike {
		e := &l.asked.Unlike[i]
		add := func(_ fields.Target, name, term string) { l.skip[fieldTerm{name, term}] = true }
		if e.Text != nil {
			l.split(named[0], *e.Text, func(term string) bool { add(fields.Target{}, named[0].name, term); return true })
		} else if !items {
			continue
		} else if err := l.leaves(e, func(t fields.Target, name, text string) {
			l.split(source{target: t}, text, func(term string) bool { add(t, name, term); return true })
		}); err != nil {
			return err
		}
	}
	return l.c.work.Failed()
}

// split calls f for the terms of a text on a field: words, or the whole text of a keyword.
func (l *likeness) split(s source, text string, f func(term string) bool) {
	if s.target.Field != nil && s.target.Kind == fields.Keyword {
		f(text)
		return
	}
	var tok analysis.Tokenizer
	tok.Reset([]byte(text))
	for tok.Next() && f(string(tok.Term())) {
		l.c.work.Charge(8)
	}
}

func (l *likeness) text(first source, text string, add func(term string)) error {
	seen := 0
	l.split(first, text, func(term string) bool {
		if seen++; seen > maxParsed {
			return false
		}
		if !l.noise(term) && !l.skip[fieldTerm{first.name, term}] {
			add(term)
		}
		return true
	})
	return l.c.work.Failed()
}

func (l *likeness) item(e *query.Example, add func(t fields.Target, name, term string)) error {
	return l.leaves(e, func(t fields.Target, name, text string) {
		l.split(source{target: t}, text, func(term string) bool {
			if !l.noise(term) && !l.skip[fieldTerm{name, term}] {
				add(t, name, term)
			}
			return l.c.work.Failed() == nil
		})
	})
}

// noise reports whether a term is too short, too long or a stop word. Lengths are in UTF-16 units.
func (l *likeness) noise(term string) bool {
	if l.asked.MinWordLength > 0 || l.asked.MaxWordLength > 0 {
		n := analysis.UTF16Len(term)
		if n < l.asked.MinWordLength || l.asked.MaxWordLength > 0 && n > l.asked.MaxWordLength {
			return true
		}
	}
	return l.stop[term]
}

// leaves calls f for each text that an item or a document has at the fields of an example.
func (l *likeness) leaves(e *query.Example, f func(t fields.Target, name, text string)) error {
	names := e.Fields
	if names == nil && e.Leaves == nil { // a document without fields gives all its fields, as in Elasticsearch
		names = l.asked.Fields
	}
	if names == nil {
		names = []string{"*"}
	}
	byPath, seen := map[string][]fields.Target{}, map[string]bool{}
	for _, name := range names {
		targets := l.c.resolver.Named(name)
		if err := l.c.work.Charge(targetSteps * len(targets)); err != nil {
			return err
		}
		for _, t := range targets {
			if !t.Kind.Typed() && !t.Metadata && !seen[t.Name()] {
				seen[t.Name()] = true
				byPath[t.Field.Path] = append(byPath[t.Field.Path], t)
			}
		}
	}
	visit := func(path, text string) {
		for _, t := range byPath[path] {
			f(t, t.Name(), text)
		}
	}
	for _, leaf := range e.Leaves {
		visit(leaf.Path, leaf.Text)
	}
	d, ok := l.c.resolver.Reader.Lookup(e.ID)
	if e.Leaves != nil || !ok {
		return nil
	}
	raw := l.c.resolver.Reader.Fragment(d)
	if err := l.c.work.Charge(parseSteps * len(raw)); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	walkItem(dec, "", visit)
	return nil
}

// walkItem calls visit for the scalars of an item, in order. It stops where the JSON is damaged.
func walkItem(d *json.Decoder, path string, visit func(path, text string)) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch v := token.(type) {
	case json.Delim:
		for d.More() {
			below := path
			if v == '{' {
				key, _ := d.Token()
				name, ok := key.(string)
				if !ok {
					return false
				}
				if below = name; path != "" {
					below = path + "." + name
				}
			}
			if !walkItem(d, below, visit) {
				return false
			}
		}
		_, err := d.Token()
		return err == nil
	case string:
		visit(path, v)
	case json.Number:
		visit(path, v.String())
	case bool:
		if v {
			visit(path, "true")
		} else {
			visit(path, "false")
		}
	}
	return true
}

// candidate is a term and the field in which most items have it.
type candidate struct {
	term  string
	field fields.Target
	df    int
	score float32
}

// choose takes the terms that are frequent in the examples but rare in the items. Between equal terms the order of a
// Java hash map decides, as in Lucene.
func (l *likeness) choose(terms []termCount, in []source, boost float64) {
	limit := min(l.asked.MaxTerms, len(terms))
	q := scorer.Heap[candidate]{Less: func(a, b candidate) bool { return a.score < b.score }}
	for _, t := range fields.JavaOrder(terms, func(t *termCount) string { return t.term }) {
		if t.n < l.asked.MinTermFreq {
			continue
		}
		c := candidate{term: t.term}
		for _, s := range in {
			if df := l.df(s.target, t.term); df > c.df {
				c.df, c.field = df, s.target
			}
		}
		if c.df == 0 || c.df < l.asked.MinDocFreq || c.df > l.asked.MaxDocFreq {
			continue
		}
		idf := float32(portable.Log(float64(l.c.request.Items+1)/float64(c.df+1)) + 1)
		c.score = float32(t.n) * idf
		switch {
		case len(q.Items) < limit:
			q.Push(c)
		case q.Items[0].score < c.score:
			q.Items[0] = c
			q.Fix()
		}
	}
	least := float32(-1)
	for len(q.Items) > 0 && len(l.subs) < maxWords && l.c.work.Failed() == nil {
		c := q.Pop()
		if least < 0 {
			least = c.score
		}
		weight := boost
		if l.asked.BoostTerms > 0 {
			weight *= float64(float32(l.asked.BoostTerms) * c.score / least)
		}
		own := 1.0
		if boost != 0 {
			own = weight / boost
		}
		l.subs = append(l.subs, scorer.Boosted(l.scorer(c, weight), own))
	}
}

func (l *likeness) df(t fields.Target, term string) int {
	if t.Field == nil || l.c.work.Charge(scorer.LookupSteps) != nil {
		return 0
	}
	if t.Kind == fields.Text {
		info, ok := t.Field.Terms().Lookup([]byte(term))
		if !ok {
			return 0
		}
		return info.DF
	}
	ord, ok := l.c.request.Find(t.Values.Strings(), []byte(term))
	if !ok {
		return 0
	}
	return t.Values.Column().Count(ord)
}

func (l *likeness) scorer(c candidate, boost float64) scorer.Scorer {
	if c.field.Kind == fields.Text {
		return l.c.request.Word(c.field.Field, []byte(c.term), boost)
	}
	return l.c.field.keyword(c.field, c.term, boost, false)
}
