// This file explains scores of BM25: those of terms, phrases and spans.

package explain

import (
	"fmt"

	"contentedge/edgeserve/engine/analysis"
)

// BM25 is what a score of BM25 is computed from.
type BM25 struct {
	Text      string // the query as Lucene prints it
	Boost     float64
	IDFs      []Explanation
	Frequency string  // what Lucene calls the frequency
	Average   float32 // length of the field
}

// IDF explains the inverse document frequency of a term that df of the documents with a field contain.
func IDF(value float32, docs, df int) Explanation {
	return Because(value, "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:",
		Number(int64(df), "n, number of documents containing term"), Number(int64(docs), "N, total number of documents with field"))
}

// Explain explains times the score of a document with a frequency and an encoded length.
func (s *BM25) Explain(d uint32, score, times, freq, inv float32, norm byte) Explanation {
	printed := Float(freq)
	factors := make([]Explanation, 0, 3)
	if boost := float32(s.Boost) * times * (analysis.K1 + 1); boost != 1 {
		factors = append(factors, Because(boost, "boost"))
	}
	if len(s.IDFs) == 1 {
		factors = append(factors, s.IDFs[0])
	} else {
		sum := 0.0
		for _, e := range s.IDFs {
			sum += e.Value
		}
		factors = append(factors, Because(float32(sum), "idf, sum of:", s.IDFs...))
	}
	length := "dl, length of field"
	if norm > 39 { // from there on lengths are rounded
		length += " (approximate)"
	}
	frequency := s.Frequency
	if frequency == PhraseFrequency {
		frequency += printed
	}
	factors = append(factors, Because(1-1/(1+float32(freq*inv)), "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:",
		Because(freq, frequency), Because(analysis.K1, "k1, term saturation parameter"), Because(analysis.B, "b, length normalization parameter"),
		Because(float32(analysis.DecodeLength(norm)), length), Because(s.Average, "avgdl, average length of field")))
	return Because(score*times, fmt.Sprintf("weight(%s in %d) [PerFieldSimilarity], result of:", s.Text, d),
		Because(score*times, "score(freq="+printed+"), computed as boost * idf * tf from:", factors...))
}

// What Lucene calls the frequency of a term, and of a phrase or spans, which it prints behind the name.
const (
	TermFrequency   = "freq, occurrences of term within document"
	PhraseFrequency = "phraseFreq="
)
