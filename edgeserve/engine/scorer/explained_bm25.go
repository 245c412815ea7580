// This file explains scores of BM25: of terms, phrases, spans and intervals.

package scorer

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/snapshot"
)

func explainIDF(docs, df int) explain.Explanation { return explain.IDF(idf(docs, df), docs, df) }

func averageLength(f *snapshot.Field) float32 { return float32(float64(f.Tokens) / float64(f.Docs)) }

// explainTerm explains the Scorer of a term.
func (r *Request) explainTerm(s *termScorer, f *snapshot.Field, term string, df int, boost float64) Scorer {
	about := explain.BM25{Text: f.Path + ":" + term, Boost: boost, IDFs: []explain.Explanation{explainIDF(f.Docs, df)}, Frequency: explain.TermFrequency, Average: averageLength(f)}
	x := (&Explained{Scorer: s, text: about.Text, boost: 1, missing: noTerm, r: r}).paid()
	x.how = func(_ *explainer, d docID, times float32) explain.Explanation {
		norm := byte(s.norms.At(d))
		return about.Explain(d, s.score(), times, float32(s.p.TF()), s.inv[norm], norm)
	}
	return x
}

// Keyword matches the documents with one value of a column, and scores the value as a term of a field without
// lengths. df is the number of documents that the score assumes to have the value.
func (r *Request) Keyword(c *snapshot.Column, ord, df int, boost float64, name func() string) Scorer {
	s := r.Ordinals(c, ord, ord+1, KeywordScore(c, df, boost))
	if !r.Explain || s == nil {
		return s
	}
	if x, ok := s.(*Explained); ok {
		s = x.Scorer
	}
	about := explain.BM25{Text: name(), Boost: boost, IDFs: []explain.Explanation{explainIDF(c.DocCount, df)}, Frequency: explain.TermFrequency, Average: float32(float64(c.Pairs) / float64(c.DocCount))}
	x := (&Explained{Scorer: s, text: about.Text, boost: 1, missing: noTerm, r: r}).paid()
	x.how = func(_ *explainer, d docID, times float32) explain.Explanation {
		return about.Explain(d, s.score(), times, 1, 1/(analysis.K1*((1-analysis.B)+analysis.B/about.Average)), 1)
	}
	return x
}

func (r *Request) explainPhrase(p *phraseScorer, f *snapshot.Field, slots []Slot, boost float64) Scorer {
	var words []string
	var idfs []explain.Explanation
	for _, slot := range slots {
		for _, info := range slot.Terms {
			idfs = append(idfs, explainIDF(f.Docs, info.DF))
		}
		word := slot.Key
		if slot.Prefix {
			word = r.alternatives(f, &slot)
		}
		words = append(words, word)
	}
	text := f.Path + `:"` + strings.Join(words, " ") + `"`
	if p.slop > 0 {
		text += fmt.Sprintf("~%d", p.slop)
	}
	r.Work.Charge(len(idfs) * explainSteps)
	about := explain.BM25{Text: text, Boost: boost, IDFs: idfs, Frequency: explain.PhraseFrequency, Average: averageLength(f)}
	x := (&Explained{Scorer: p, text: text, boost: 1, missing: "no matching phrase", r: r}).paid()
	x.how = func(e *explainer, d docID, times float32) explain.Explanation {
		e.r.Work.Charge(len(idfs) * explainSteps)
		norm, score := byte(p.norms.At(d)), p.score()
		return about.Explain(d, score, times, p.freq, p.inv[norm], norm)
	}
	return x
}

// alternatives prints the terms of a slot that begin with a prefix.
func (r *Request) alternatives(f *snapshot.Field, slot *Slot) string {
	names := r.expansionNames(f, slot.Key, len(slot.Terms))
	var words []string
	for i := range slot.Terms {
		words = append(words, string(names(i)))
	}
	if len(words) == 1 {
		return words[0]
	}
	return "(" + strings.Join(words, " ") + ")"
}

// expansionNames finds the first n terms that begin with a prefix, if explanations need them.
func (r *Request) expansionNames(f *snapshot.Field, prefix string, n int) func(i int) []byte {
	if !r.Explain {
		return func(int) []byte { return nil }
	}
	var names []string
	for it := f.Terms().Seek([]byte(prefix)); len(names) < n && it.Next(); {
		names = append(names, string(it.Term()))
	}
	r.Work.Charge(EntrySteps * n)
	return func(i int) []byte { return []byte(names[i]) }
}

// explainSpans explains a Scorer of spans. text is Lucene's text of the query.
func (r *Request) explainSpans(p *spanScorer, f *snapshot.Field, dfs []int, boost float64, text string) Scorer {
	var idfs []explain.Explanation
	for _, df := range dfs {
		idfs = append(idfs, explainIDF(f.Docs, df))
	}
	about := explain.BM25{Text: text, Boost: boost, IDFs: idfs, Frequency: explain.PhraseFrequency, Average: averageLength(f)}
	x := (&Explained{Scorer: p, text: text, boost: 1, missing: noTerm, r: r}).paid()
	x.how = func(e *explainer, d docID, times float32) explain.Explanation {
		e.r.Work.Charge(len(idfs) * explainSteps)
		norm, score := byte(p.norms.At(d)), p.score()
		return about.Explain(d, score, times, p.freq, p.inv[norm], norm)
	}
	return x
}

func explainIntervals(p *intervalScorer, field string) Scorer {
	x := &Explained{Scorer: p, text: field, boost: 1, missing: "no matching intervals"}
	x.how = func(_ *explainer, _ docID, times float32) explain.Explanation {
		score := p.score()
		return explain.Because(score*times, "Saturation function on interval frequency, computed as w * S / (S + k) from:",
			explain.Because(p.weight*times, "w, weight of this function"), explain.Because(1, "k, pivot feature value that would give a score contribution equal to w/2"),
			explain.Because(p.freq, "S, the sloppy frequency of the interval query "+field))
	}
	return x
}
