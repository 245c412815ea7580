// This file walks the documents of a term and scores them with BM25.

package scorer

import (
	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/snapshot"
)

// idf is never negative, though a term may count as more frequent than the field has documents.
func idf(docs, df int) float32 {
	return float32(portable.Log(max(1, 1+(float64(docs)-float64(df)+0.5)/(float64(df)+0.5))))
}

// KeywordScore is the score of a term without frequencies or lengths: a keyword, a boolean.
func KeywordScore(c *snapshot.Column, df int, boost float64) float64 {
	weight := float32(float32(boost) * (analysis.K1 + 1) * idf(c.DocCount, df))
	average := float32(float64(c.Pairs) / float64(c.DocCount))
	return float64(bm25(weight, 1, 1/(analysis.K1*((1-analysis.B)+analysis.B/average))))
}

type similarity struct {
	inv [256]float32 // 1/factor for each encoded length
}

// similarityOf returns a field's similarity. It is computed once per snapshot.
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

// Word matches the documents with a term of a text field.
func (r *Request) Word(f *snapshot.Field, term []byte, boost float64) Scorer {
	r.Work.Charge(LookupSteps)
	info, ok := f.Terms().Lookup(term)
	if !ok && r.Explain {
		return (&Explained{Scorer: &listScorer{}, text: f.Path + ":" + string(term), boost: 1, missing: noTerm, r: r}).paid()
	}
	if !ok {
		return nil
	}
	return r.Term(f, term, info, info.DF, boost)
}

// Term matches the documents of a dictionary entry, scored as if df documents had it. Only explanations read the term.
func (r *Request) Term(f *snapshot.Field, term []byte, info snapshot.TermInfo, df int, boost float64) Scorer {
	p := r.postings()
	p.Reset(f.Terms(), info)
	n := f.Norms()
	weight := float32(boost) * (analysis.K1 + 1) * idf(f.Docs, df)
	s := &termScorer{p: p, weight: weight, inv: &similarityOf(f).inv, norms: n, bytes: n.Bytes()}
	if r.Explain {
		return r.explainTerm(s, f, string(term), df, boost)
	}
	return s
}

type termScorer struct {
	p      *snapshot.Postings
	weight float32
	inv    *[256]float32
	norms  *snapshot.DocMap
	bytes  []byte
}

func (s *termScorer) doc() docID         { return s.p.Doc() }
func (s *termScorer) next() docID        { return s.p.Next() }
func (s *termScorer) seek(d docID) docID { return s.p.Seek(d) }
func (s *termScorer) cost() int          { return s.p.DF() }
func (s *termScorer) score() float32     { return s.scoreOf(s.p.Doc(), s.p.TF()) }

func (s *termScorer) scoreOf(d docID, tf int) float32 {
	var n byte
	if s.bytes != nil {
		n = s.bytes[d]
	} else {
		n = byte(s.norms.At(d))
	}
	return bm25(s.weight, float32(tf), s.inv[n])
}

// reaching returns the frequency in relation to a document's length, tf*inv, below which no score is greater than
// least. It spares most documents of a long list the division that a score needs. It is NaN, and no frequency is below
// it, if the weight is zero or infinite.
func (s *termScorer) reaching(least float32) float32 {
	const rounding = 1e-6 // of the weight: some five times what the operations of saturate may round
	weight := float64(s.weight)
	low := float64(least) - float64(weight*rounding)
	return float32(low / (weight - low) * (1 - rounding))
}

// impactBound converts a stored impact to an upper bound of the score.
func impactBound(weight float32, impact byte) float32 {
	return weight * (float32(impact) / 255) * boundSlack
}

// bm25 computes weight * tf/(tf+factor) with Lucene's rounding. inv is 1/factor.
func bm25(weight, tf, inv float32) float32 { return saturate(weight, float32(tf*inv)) }

// saturate computes a score from a frequency in relation to a length.
func saturate(weight, frequency float32) float32 { return weight - weight/(1+frequency) }

func (s *termScorer) fill(w *window, base, end docID, scoring bool) docID {
	return s.merge(w, base, end, scoring, false)
}

// merge adds a term's matches to a window, one block of postings at a time.
func (s *termScorer) merge(w *window, base, end docID, scoring, best bool) docID {
	d := s.p.Seek(base)
	for d < end {
		docs := s.p.Chunk(end)
		if scoring {
			s.putScores(w, base, docs, best)
		} else {
			for _, d := range docs {
				i := (d - base) & (windowLen - 1)
				w.bits[i>>6] |= 1 << (i & 63)
			}
		}
		d = s.p.Skip(len(docs))
	}
	return d
}

func (s *termScorer) keep(w *window, base, end docID, add bool) {
	var kept windowBits
	for d := s.p.Seek(base); d < end; {
		docs := s.p.Chunk(end)
		if add {
			s.addKept(w, base, docs, &kept)
		} else {
			for _, d := range docs {
				i := (d - base) & (windowLen - 1)
				kept[i>>6] |= 1 << (i & 63)
			}
		}
		d = s.p.Skip(len(docs))
	}
	for i, word := range kept {
		w.bits[i] &= word
	}
}

func (s *termScorer) addKept(w *window, base docID, docs []docID, kept *windowBits) {
	tfs := s.p.Frequencies()
	for k, d := range docs {
		i := (d - base) & (windowLen - 1)
		if bit := uint64(1) << (i & 63); w.bits[i>>6]&bit != 0 {
			kept[i>>6] |= bit
			w.scores[i] += s.scoreOf(d, int(tfs[k]))
		}
	}
}

func (s *termScorer) putScores(w *window, base docID, docs []docID, best bool) {
	tfs := s.p.Frequencies()[:len(docs)]
	if s.bytes == nil {
		for k, d := range docs {
			w.put(d-base, s.scoreOf(d, int(tfs[k])), best)
		}
		return
	}
	for k, d := range docs {
		w.put(d-base, bm25(s.weight, float32(tfs[k]), s.inv[s.bytes[d]]), best)
	}
}

func (s *termScorer) bound(base, end docID) float32 {
	return impactBound(s.weight, greatestImpact(s.p, base, end))
}

func greatestImpact(p *snapshot.Postings, base, end docID) (greatest byte) {
	if p.Doc() >= end {
		return 0
	}
	for d := base; d < end; {
		last, impact := p.BlockMax(d)
		greatest = max(greatest, impact)
		if last >= end {
			break
		}
		d = last + 1
	}
	return greatest
}
