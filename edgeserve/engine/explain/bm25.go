// This file explains scores of terms, phrases and spans, which BM25 computes.

package explain

import (
	"fmt"

	"contentedge/edgeserve/engine/analysis"
)

// BM25 holds the inputs of a score that BM25 computes.
type BM25 struct {
	Text      string // the query as Lucene prints it
	Boost     float64
	IDFs      []Explanation
	Frequency string  // TermFrequency or PhraseFrequency
	Average   float32 // the mean length of the field
}

// IDF explains the inverse document frequency of a term. df of the docs documents with the field contain the term.
func IDF(value float32, docs, df int) Explanation {
	return Because(value, "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:",
		Number(int64(df), "n, number of documents containing term"), Number(int64(docs), "N, total number of documents with field"))
}

// Explain explains the score of a document, multiplied by times. freq is the frequency, norm the encoded length of the
// field, and inv the inverse of what BM25 adds to freq for that length.
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
	if norm > 39 { // longer lengths are stored rounded
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

// Lucene's names for the frequency of a term, and of a phrase or spans.
const (
	TermFrequency   = "freq, occurrences of term within document"
	PhraseFrequency = "phraseFreq="
)
