// This file parses suggestions: corrections for the words of a text.

package query

import (
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

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

// defaultSuggestion is a suggestion without options.
func defaultSuggestion() Suggestion {
	return Suggestion{Size: 5, Accuracy: 0.5, MaxEdits: 2, PrefixLength: 1, MinWordLength: 4, MaxInspections: 5, MaxTermFreq: 0.01}
}

// suggestModes and stringDistances are named in the order of their constants.
var (
	suggestModes    = strings.Fields("missing popular always")
	stringDistances = strings.Fields("internal levenshtein jaro_winkler ngram")
)

var suggestOptions = strings.Fields("field text size sort suggest_mode max_edits prefix_length min_word_length min_doc_freq max_term_freq accuracy string_distance max_inspections shard_size analyzer")

// otherSuggesters are refused, with what to use instead.
var otherSuggesters = map[string]string{
	"completion": "no field is indexed for it; search with match_phrase_prefix or match_bool_prefix instead",
}

func (p *bodyParser) suggestMember(b *Body, m *value) {
	if m.kind != kindObject {
		p.wrongValue(m, "an object of named suggestions")
		return
	}
	text := m.member("text")
	for i := range m.items {
		v := &m.items[i]
		if p.err != nil {
			return
		}
		if v == text {
			continue
		}
		if len(b.Suggest) >= maxSuggestions {
			p.fail(v, problem.TooManyClauses, "suggest has more than %d suggestions", maxSuggestions)
			return
		}
		b.Suggest = append(b.Suggest, p.suggestion(v, text))
	}
}

func (p *bodyParser) suggestion(v, text *value) Suggestion {
	s := defaultSuggestion()
	s.Name = v.name
	if v.kind != kindObject {
		p.wrongValue(v, `an object like {"text":"bred","term":{"field":"Name"}}`)
		return s
	}
	var term *value
	for i := range v.items {
		switch m := &v.items[i]; {
		case m.name == "text" || m.name == "prefix":
			text = m
		case (m.name == "term" || m.name == "phrase") && term != nil:
			p.fail(m, problem.BadSuggest, "%s has both term and phrase: give them names of their own", p.path(v))
		case m.name == "term" || m.name == "phrase":
			term = m
		case otherSuggesters[m.name] != "":
			p.fail(m, problem.BadSuggest, "%s suggestions are not supported: %s", m.name, otherSuggesters[m.name])
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of a suggestion; known options: text, prefix, term, phrase", clip(m.name))
		}
	}
	switch {
	case p.err != nil:
	case term == nil:
		p.fail(v, problem.BadSuggest, "%s needs term or phrase", p.path(v))
	case term.kind != kindObject:
		p.wrongValue(term, "an object")
	default:
		if term.name == "phrase" {
			p.phraseSuggestion(&s, term)
		} else {
			p.termSuggestion(&s, term)
		}
		if m := term.member("text"); m != nil {
			text = m
		}
		if p.require(term, "field"); text == nil && p.err == nil {
			p.fail(v, problem.BadSuggest, "%s needs a text", p.path(v))
		}
	}
	if p.err == nil {
		s.Text = p.text(text)
	}
	return s
}

func (p *bodyParser) termSuggestion(s *Suggestion, v *value) {
	for i := range v.items {
		o := &v.items[i]
		if !slices.Contains(suggestOptions, o.name) {
			p.fail(o, problem.UnknownOption, "unknown option %q of a term suggestion; known options: %s", clip(o.name), strings.Join(suggestOptions, ", "))
			return
		}
		p.suggestOption(s, o)
	}
	if s.ShardSize == 0 {
		s.ShardSize = max(s.Size, 5)
	}
}

func (p *bodyParser) suggestOption(s *Suggestion, o *value) {
	switch o.name {
	case "field":
		s.Field = p.fieldName(o)
	case "size":
		s.Size = p.between(o, 1, maxSuggestSize)
	case "shard_size":
		s.ShardSize = p.between(o, 1, maxSuggestSize)
	case "max_inspections":
		s.MaxInspections = p.between(o, 1, maxSuggestSize)
	case "max_edits":
		s.MaxEdits = p.between(o, 1, 2)
	case "prefix_length":
		s.PrefixLength = p.integer(o, 0)
	case "min_word_length":
		s.MinWordLength = p.integer(o, 1)
	case "min_doc_freq":
		s.MinDocFreq = p.frequency(o)
	case "max_term_freq":
		s.MaxTermFreq = p.frequency(o)
	case "accuracy":
		s.Accuracy = float32(p.tieBreaker(o))
	case "sort":
		s.ByFrequency = p.either(o, p.text(o), "frequency", "score")
	case "suggest_mode":
		s.Mode = SuggestMode(slices.Index(suggestModes, p.word(o, suggestModes)))
	case "string_distance":
		s.Distance = StringDistance(max(slices.Index(stringDistances, p.word(o, append([]string{"damerau_levenshtein"}, stringDistances...))), 0)) // damerau_levenshtein is the internal one
	case "analyzer":
		s.Whole = p.either(o, p.text(o), "keyword", "standard")
		s.Words = !s.Whole
	}
}

// frequency parses a number of items, or below 1 their share.
func (p *bodyParser) frequency(v *value) float32 {
	f := v.number()
	if !(f >= 0) || f > 1 && f != math.Trunc(f) || f > math.MaxInt32 {
		p.wrongValue(v, "a share from 0 to 1 or a number of items")
		return 0
	}
	return float32(f)
}
