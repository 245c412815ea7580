// This file defines suggestions: corrections for the words of a text.

package query

import "strings"

// SuggestMode says for which words of a text there are suggestions.
type SuggestMode uint8

// The modes of suggestions.
const (
	SuggestMissing SuggestMode = iota // words that no item has
	SuggestPopular                    // all words; suggestions are words that more items have
	SuggestAlways                     // all words; suggestions are any words
)

// SuggestModes are the names of the modes in bodies.
var SuggestModes = strings.Fields("missing popular always")

// StringDistance is how the similarity of two words is measured.
type StringDistance uint8

// The string distances. The first one counts a swap as one edit and divides by the shorter word.
const (
	DistanceInternal StringDistance = iota
	DistanceLevenshtein
	DistanceJaroWinkler
	DistanceNGram
)

// StringDistances are the names of the distances in bodies.
var StringDistances = strings.Fields("internal levenshtein jaro_winkler ngram")

// Suggestion is a named suggestion: for each word of Text it finds the most similar words of Field.
// A frequency below 1 is a share of all items.
type Suggestion struct {
	Name, Text, Field string

	Size, ShardSize int // ShardSize: the number of candidates that are ordered; the first Size remain
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

	Phrase *PhraseSuggestion // whole texts are suggested; nil means words
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
