// This file defines phrase suggestions: corrections of a whole text.

package query

// Smoothing is how the likelihood of adjacent words is estimated.
type Smoothing uint8

// The models of smoothing.
const (
	StupidBackoff Smoothing = iota
	Laplace
	LinearInterpolation
)

// PhraseSuggestion are the options of a suggestion of whole texts.
type PhraseSuggestion struct {
	Generators []Suggestion // each finds candidates for every word
	MaxErrors  float32      // how many words may change; below 1 it is a share of the words
	RealWord   float32      // the likelihood that a word is meant as it is written
	Confidence float32      // a suggestion must score more than Confidence times the text's score
	GramSize   int          // the number of words whose likelihood is looked up together
	TokenLimit int          // texts of this many words or more have no suggestions
	Separator  string       // is between words that are looked up together
	Tagged     bool         // suggestions mark the words that have changed
	Pre, Post  string       // with Tagged: the tags around a changed word

	Smoothing                Smoothing
	Discount                 float64 // StupidBackoff
	Alpha                    float64 // Laplace
	Unigram, Bigram, Trigram float64 // LinearInterpolation: the weights of words, pairs and triples
}
