// This file defines suggestions: corrections for the words of a text.

package query

// SuggestMode says for which words of a text there are suggestions.
type SuggestMode uint8

// The modes of suggestions.
const (
	SuggestMissing SuggestMode = iota // words that no item has
	SuggestPopular                    // all, by words that more items have
	SuggestAlways                     // all
)

// StringDistance is how the similarity of two words is measured.
type StringDistance uint8

// The string distances. The first one counts a swap as one edit and divides by the shorter word.
const (
	DistanceInternal StringDistance = iota
	DistanceLevenshtein
	DistanceJaroWinkler
	DistanceNGram
)

// Suggestion is a named suggestion: for each word of Text the most similar ones of Field. A
// frequency below 1 is a share of all items.
type Suggestion struct {
	Name, Text, Field string

	Size, ShardSize int // ShardSize: of the candidates among which an order chooses
	ByFrequency     bool
	Mode            SuggestMode
	Distance        StringDistance
	Whole           bool // Text is one word
	Words           bool // Text is split into words, whatever the field's type

	Accuracy       float32
	MaxEdits       int
	PrefixLength   int
	MinWordLength  int
	MaxInspections int
	MinDocFreq     float32
	MaxTermFreq    float32

	Phrase *PhraseSuggestion // whole texts are suggested; nil: words
}

// Visit implements Part.
func (s *Suggestion) Visit(v *Visitor) {
	v.Field(s.Field)
	if s.Phrase == nil {
		return
	}
	for i := range s.Phrase.Generators {
		v.Part(&s.Phrase.Generators[i])
	}
}
