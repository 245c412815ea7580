// This file defines phrase suggestions: corrections of a whole text.

package query

// Smoothing is how the likelihood of words beside each other is estimated.
type Smoothing uint8

// The models of smoothing.
const (
	StupidBackoff Smoothing = iota
	Laplace
	LinearInterpolation
)

// PhraseSuggestion are the options of a suggestion of whole texts.
type PhraseSuggestion struct {
	Generators []Suggestion // what finds candidates for each word
	MaxErrors  float32      // words that may change; below 1 their share
	RealWord   float32      // the likelihood that a word is meant as it is written
	Confidence float32      // suggestions have to score more than the text, times this
	GramSize   int          // the number of words whose likelihood is looked up together
	TokenLimit int          // texts of this many words or more have no suggestions
	Separator  string       // of words that are looked up together
	Tagged     bool         // options show what has changed
	Pre, Post  string       // with Tagged: the tags around it

	Smoothing                Smoothing
	Discount                 float64 // StupidBackoff
	Alpha                    float64 // Laplace
	Unigram, Bigram, Trigram float64 // LinearInterpolation: the weights of words, pairs and triples
}
