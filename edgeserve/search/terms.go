// This file matches single values: a term of a text field, a whole string, a number,
// a date, a boolean.

package search

import (
	"fmt"
	"math"
	"slices"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// valueError says why a target cannot be searched for what a clause says: an error of
// the request unless the clause is lenient.
type valueError struct {
	kind targetKind
	text string
	why  string // in its place: what is wrong with the clause
}

// Error says it behind the name of the field. Most of these errors are forgiven, so that
// it is put together only here.
func (e *valueError) Error() string {
	if e.why != "" {
		return e.why
	}
	return fmt.Sprintf("holds %s; %.80q is none", holds[e.kind], e.text)
}

// unfit is the error of a text that is no value of a kind.
func unfit(k targetKind, text string) error { return &valueError{kind: k, text: text} }

// isUnfit tells whether leniency makes of an error a clause without matches.
func isUnfit(err error) bool {
	_, ok := err.(*valueError)
	return ok
}

// idf is Lucene's inverse document frequency.
func idf(docs, df int) float32 {
	return float32(math.Log(1 + (float64(docs)-float64(df)+0.5)/(float64(df)+0.5)))
}

// similarity is what BM25 needs of a text field.
type similarity struct {
	inv [256]float32 // 1/factor by encoded length
}

// similarityOf returns a field's similarity, made once for each snapshot.
func similarityOf(f *snapshot.Field) *similarity {
	return f.Derived(func() any {
		s := &similarity{}
		factors := analysis.LengthFactors(float32(float64(f.Tokens) / float64(f.Docs)))
		for i, x := range factors {
			s.inv[i] = 1 / x
		}
		return s
	}).(*similarity)
}

// word is a term of a text field, nil if no item has it.
func (b *builder) word(f *snapshot.Field, term []byte, boost float64) scorer {
	b.tick(lookupSteps)
	info, ok := f.Terms().Lookup(term)
	if !ok {
		return nil
	}
	return b.termOf(f, info, float32(boost)*(analysis.K1+1)*idf(f.Docs, info.DF))
}

func (b *builder) termOf(f *snapshot.Field, info snapshot.TermInfo, weight float32) scorer {
	p := b.postings()
	p.Reset(f.Terms(), info)
	n := f.Norms()
	return &termScorer{p: p, weight: weight, inv: &similarityOf(f).inv, norms: n, bytes: n.Bytes()}
}

// ordinals is the documents that have a value in [lo, hi) of a column.
func (b *builder) ordinals(c *snapshot.Column, lo, hi int, score float64) scorer {
	if lo >= hi {
		return nil
	}
	from, to := c.Start(lo), c.Start(hi)
	n := to - from
	switch {
	case c.Single && n == b.items:
		return b.all(score)
	case c.Single:
		return &ordinalScorer{c: c, lo: lo, hi: hi, from: from, to: to, b: b, s: float32(score)}
	}
	set := b.docSet()
	if b.tick(n/2) != nil {
		return nil
	}
	for i := from; i < to; i++ {
		set.add(c.Doc(i))
	}
	return set.scorer(float32(score))
}

// flatScore is the score of a term without frequencies or lengths: a whole string or
// a boolean.
func flatScore(c *snapshot.Column, df int, boost float64) float64 {
	weight := float32(boost) * (analysis.K1 + 1) * idf(c.DocCount, df)
	average := float32(float64(c.Pairs) / float64(c.DocCount))
	return float64(bm25(weight, 1, 1/(analysis.K1*((1-analysis.B)+analysis.B/average))))
}

// whole is the documents with an exact text.
func (b *builder) whole(t target, text string, boost float64, flat bool) scorer {
	b.tick(2 * lookupSteps)
	ord, ok := t.v.Strings().Find([]byte(text))
	if !ok || t.admit != nil && !t.admit(text) {
		return nil
	}
	c := t.v.Column()
	score := boost
	if !flat && !t.flat {
		score = flatScore(c, c.Count(ord), boost)
	}
	return b.ordinals(c, ord, ord+1, score)
}

// exact is a term as query `term` means it: a token, a whole string, or a value. flat
// asks for a constant score, as `terms` has it.
func (b *builder) exact(t target, text string, boost float64, flat bool) (scorer, error) {
	switch t.kind {
	case onText:
		s := b.word(t.f, []byte(text), boost)
		if flat && s != nil {
			s = &constant{s, float32(boost)}
		}
		return s, nil
	case onKeyword:
		return b.whole(t, text, boost, flat), nil
	case onBool:
		return b.boolean(t, text, boost, flat)
	case onDate:
		return b.between(t, &bound{text, true}, &bound{text, true}, boost)
	}
	return b.number(t, text, boost)
}

func (b *builder) boolean(t target, text string, boost float64, flat bool) (scorer, error) {
	want := int64(0)
	switch text {
	case "true":
		want = 1
	case "false":
	default:
		return nil, unfit(onBool, text)
	}
	n := t.v.Numbers()
	ord := n.FindInt(want)
	if ord == n.Len() || n.Int(ord) != want {
		return nil, nil
	}
	c := t.v.Column()
	score := boost
	if !flat {
		score = flatScore(c, c.Count(ord), boost)
	}
	return b.ordinals(c, ord, ord+1, score), nil
}

// noNumbers are texts that Elasticsearch reads as numbers which no item can have.
var noNumbers = []string{"NaN", "Infinity", "+Infinity", "-Infinity"}

func (b *builder) number(t target, text string, boost float64) (scorer, error) {
	f, i, isInt, ok := analysis.ParseNumber(text)
	switch {
	case slices.Contains(noNumbers, text):
		return nil, nil
	case !ok:
		return nil, unfit(t.kind, text)
	}
	n := t.v.Numbers()
	ord := 0
	if t.kind == onFloat {
		f = float64(float32(f))
	}
	if t.kind.isFraction() {
		if ord = n.FindFloat(f); ord == n.Len() || n.Float(ord) != f {
			return nil, nil
		}
	} else if ord = n.FindInt(i); !isInt || ord == n.Len() || n.Int(ord) != i {
		return nil, nil
	}
	return b.ordinals(t.v.Column(), ord, ord+1, boost), nil
}
