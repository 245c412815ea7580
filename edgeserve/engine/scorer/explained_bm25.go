// This file explains scores of BM25: those of terms, phrases and spans; and those of intervals.

package scorer

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

// similar is what a score of BM25 is computed from.
type similar struct {
	text      string // the query as Lucene prints it
	boost     float64
	idfs      []Explanation
	frequency string  // what Lucene calls the frequency
	average   float32 // length of the field
}

func explainIDF(docs, df int) Explanation {
	return Because(idf(docs, df), "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:",
		Number(int64(df), "n, number of documents containing term"), Number(int64(docs), "N, total number of documents with field"))
}

func averageLength(f *snapshot.Field) float32 { return float32(float64(f.Tokens) / float64(f.Docs)) }

// explain explains times the score of a document with a frequency and an encoded length.
func (s *similar) explain(d docID, score, times, freq, inv float32, norm byte) Explanation {
	printed := javaFloat(freq)
	factors := make([]Explanation, 0, 3)
	if boost := float32(s.boost) * times * (analysis.K1 + 1); boost != 1 {
		factors = append(factors, Because(boost, "boost"))
	}
	if len(s.idfs) == 1 {
		factors = append(factors, s.idfs[0])
	} else {
		sum := 0.0
		for _, e := range s.idfs {
			sum += e.Value
		}
		factors = append(factors, Because(float32(sum), "idf, sum of:", s.idfs...))
	}
	length := "dl, length of field"
	if norm > 39 { // from there on lengths are rounded
		length += " (approximate)"
	}
	frequency := s.frequency
	if frequency == phraseFrequency {
		frequency += printed
	}
	factors = append(factors, Because(1-1/(1+float32(freq*inv)), "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:",
		Because(freq, frequency), Because(analysis.K1, "k1, term saturation parameter"), Because(analysis.B, "b, length normalization parameter"),
		Because(float32(analysis.DecodeLength(norm)), length), Because(s.average, "avgdl, average length of field")))
	return Because(score*times, fmt.Sprintf("weight(%s in %d) [PerFieldSimilarity], result of:", s.text, d),
		Because(score*times, "score(freq="+printed+"), computed as boost * idf * tf from:", factors...))
}

const (
	termFrequency   = "freq, occurrences of term within document"
	phraseFrequency = "phraseFreq="
)

func (r *Request) explainTerm(s *termScorer, f *snapshot.Field, term string, df int, boost float64) Scorer {
	about := similar{f.Path + ":" + term, boost, []Explanation{explainIDF(f.Docs, df)}, termFrequency, averageLength(f)}
	x := (&Explained{Scorer: s, text: about.text, boost: 1, missing: noTerm, r: r}).paid()
	x.how = func(_ *explainer, d docID, times float32) Explanation {
		norm := byte(s.norms.At(d))
		return about.explain(d, s.score(), times, float32(s.p.TF()), s.inv[norm], norm)
	}
	return x
}

// Keyword matches the documents with one of the values of a column as a term without a length. df is
// the number of documents that count as having it.
func (r *Request) Keyword(c *snapshot.Column, ord, df int, boost float64, name func() string) Scorer {
	s := r.Ordinals(c, ord, ord+1, KeywordScore(c, df, boost))
	if !r.Explain || s == nil {
		return s
	}
	if x, ok := s.(*Explained); ok {
		s = x.Scorer
	}
	about := similar{name(), boost, []Explanation{explainIDF(c.DocCount, df)}, termFrequency, float32(float64(c.Pairs) / float64(c.DocCount))}
	x := (&Explained{Scorer: s, text: about.text, boost: 1, missing: noTerm, r: r}).paid()
	x.how = func(_ *explainer, d docID, times float32) Explanation {
		return about.explain(d, s.score(), times, 1, 1/(analysis.K1*((1-analysis.B)+analysis.B/about.average)), 1)
	}
	return x
}

func (r *Request) explainPhrase(p *phraseScorer, f *snapshot.Field, slots []Slot, boost float64) Scorer {
	var words []string
	var idfs []Explanation
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
	about := similar{text, boost, idfs, phraseFrequency, averageLength(f)}
	x := (&Explained{Scorer: p, text: text, boost: 1, missing: "no matching phrase", r: r}).paid()
	x.how = func(e *explainer, d docID, times float32) Explanation {
		e.r.Work.Charge(len(idfs) * explainSteps)
		norm, score := byte(p.norms.At(d)), p.score()
		return about.explain(d, score, times, p.freq, p.inv[norm], norm)
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
	var idfs []Explanation
	for _, df := range dfs {
		idfs = append(idfs, explainIDF(f.Docs, df))
	}
	about := similar{text, boost, idfs, phraseFrequency, averageLength(f)}
	x := (&Explained{Scorer: p, text: text, boost: 1, missing: noTerm, r: r}).paid()
	x.how = func(e *explainer, d docID, times float32) Explanation {
		e.r.Work.Charge(len(idfs) * explainSteps)
		norm, score := byte(p.norms.At(d)), p.score()
		return about.explain(d, score, times, p.freq, p.inv[norm], norm)
	}
	return x
}

func explainIntervals(p *intervalScorer, field string) Scorer {
	x := &Explained{Scorer: p, text: field, boost: 1, missing: "no matching intervals"}
	x.how = func(_ *explainer, _ docID, times float32) Explanation {
		score := p.score()
		return Because(score*times, "Saturation function on interval frequency, computed as w * S / (S + k) from:",
			Because(p.weight*times, "w, weight of this function"), Because(1, "k, pivot feature value that would give a score contribution equal to w/2"),
			Because(p.freq, "S, the sloppy frequency of the interval query "+field))
	}
	return x
}
