// This file parses phrase suggestions: corrections of a whole text.

package query

import (
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

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

const (
	// maxGenerators limits the candidates for a word.
	maxGenerators = 10
	// defaultDiscount is the discount of stupid_backoff. Elasticsearch rounds it unless a body names
	// the model.
	defaultDiscount = 0.4
	// noCollate says what to use instead of a query for each suggestion.
	noCollate = "search for the options of a suggestion with a query of your own"
)

var (
	phraseOptions    = strings.Fields("field text size shard_size analyzer direct_generator max_errors real_word_error_likelihood confidence gram_size force_unigrams token_limit separator highlight smoothing")
	generatorOptions = strings.Fields("field size sort suggest_mode max_edits prefix_length min_word_length min_doc_freq max_term_freq accuracy string_distance max_inspections")
	otherFilters     = strings.Fields("pre_filter post_filter")
)

func (p *bodyParser) phraseSuggestion(s *Suggestion, v *value) {
	ph := &PhraseSuggestion{MaxErrors: 0.5, RealWord: 0.95, Confidence: 1, GramSize: 1, TokenLimit: 10, Separator: " ", Discount: float64(float32(defaultDiscount)), Alpha: 0.5}
	s.Phrase = ph
	for i := range v.items {
		o := &v.items[i]
		switch {
		case o.name == "collate":
			p.fail(o, problem.BadSuggest, "collate is not supported: %s", noCollate)
		case !slices.Contains(phraseOptions, o.name):
			p.fail(o, problem.UnknownOption, "unknown option %q of a phrase suggestion; known options: %s", clip(o.name), strings.Join(phraseOptions, ", "))
		case !p.phraseOption(ph, o):
			p.suggestOption(s, o)
		}
		if p.err != nil {
			return
		}
	}
	if s.ShardSize == 0 {
		s.ShardSize = max(s.Size, 5)
	}
	if ph.Generators == nil {
		g := defaultSuggestion()
		g.Field, g.ShardSize = s.Field, g.Size
		ph.Generators = []Suggestion{g}
	}
}

// phraseOption parses an option that only phrases have.
func (p *bodyParser) phraseOption(ph *PhraseSuggestion, o *value) bool {
	switch o.name {
	case "direct_generator":
		p.generators(ph, o)
	case "max_errors":
		ph.MaxErrors = p.above(o, 0)
	case "real_word_error_likelihood":
		ph.RealWord = p.above(o, 0)
	case "confidence":
		ph.Confidence = float32(p.weight(o))
	case "gram_size":
		ph.GramSize = p.integer(o, 1)
	case "force_unigrams": // no effect: there are no fields of several words
		p.bool(o)
	case "token_limit":
		ph.TokenLimit = p.integer(o, 1)
	case "separator":
		ph.Separator = p.text(o)
	case "highlight":
		p.phraseTags(ph, o)
	case "smoothing":
		p.smoothing(ph, o)
	default:
		return false
	}
	return true
}

// above parses a number of 32 bits above a bound.
func (p *bodyParser) above(v *value, least float32) float32 {
	f := float32(v.number())
	if !(f > least) || math.IsInf(float64(f), 0) {
		p.wrongValue(v, "a number above 0")
	}
	return f
}

func (p *bodyParser) generators(ph *PhraseSuggestion, v *value) {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of generators")
		return
	}
	if p.tooMany(v, "generators", len(v.items), maxGenerators) {
		return
	}
	p.each(v, func(e *value) {
		g := defaultSuggestion()
		if e.kind != kindObject {
			p.wrongValue(e, `a generator like {"field":"Name"}`)
			return
		}
		for i := range e.items {
			o := &e.items[i]
			switch {
			case slices.Contains(otherFilters, o.name):
				p.fail(o, problem.UnknownOption, "%s is not supported: words are compared as the field has them", o.name)
			case !slices.Contains(generatorOptions, o.name):
				p.fail(o, problem.UnknownOption, "unknown option %q of direct_generator; known options: %s", clip(o.name), strings.Join(generatorOptions, ", "))
			default:
				p.suggestOption(&g, o)
			}
		}
		p.require(e, "field")
		g.ShardSize = g.Size
		ph.Generators = append(ph.Generators, g)
	})
}

func (p *bodyParser) phraseTags(ph *PhraseSuggestion, v *value) {
	if v.kind != kindObject {
		p.wrongValue(v, "an object with pre_tag and post_tag")
		return
	}
	for i := range v.items {
		switch o := &v.items[i]; o.name {
		case "pre_tag":
			ph.Pre = p.text(o)
		case "post_tag":
			ph.Post = p.text(o)
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of highlight; known options: pre_tag, post_tag", clip(o.name))
		}
	}
	ph.Tagged = len(v.items) > 0
	if (v.member("pre_tag") == nil) != (v.member("post_tag") == nil) {
		p.fail(v, p.code(v), "%s needs both pre_tag and post_tag", p.path(v))
	}
	for _, tag := range []string{ph.Pre, ph.Post} {
		if len(tag) > maxTag {
			p.fail(v, p.code(v), "%s has a tag of %d bytes, at most %d are allowed", p.path(v), len(tag), maxTag)
		}
	}
}

func (p *bodyParser) smoothing(ph *PhraseSuggestion, v *value) {
	if v.kind != kindObject || len(v.items) > 1 {
		p.wrongValue(v, "an object with one of stupid_backoff, laplace, linear")
		return
	}
	for i := range v.items {
		m := &v.items[i]
		of := map[string]*float64{}
		switch m.name {
		case "stupid_backoff":
			ph.Discount = defaultDiscount
			of["discount"] = &ph.Discount
		case "laplace":
			ph.Smoothing = Laplace
			of["alpha"] = &ph.Alpha
		case "linear":
			ph.Smoothing = LinearInterpolation
			of["unigram_lambda"], of["bigram_lambda"], of["trigram_lambda"] = &ph.Unigram, &ph.Bigram, &ph.Trigram
		default:
			p.fail(m, problem.UnknownOption, "unknown model %q of smoothing; known models: stupid_backoff, laplace, linear", clip(m.name))
			return
		}
		p.smoothingOptions(m, of)
		if m.name == "linear" && p.err == nil && !(math.Abs(ph.Unigram+ph.Bigram+ph.Trigram-1) <= 0.001) {
			p.fail(m, p.code(m), "%s needs unigram_lambda, bigram_lambda and trigram_lambda, whose sum is 1", p.path(m))
		}
	}
}

func (p *bodyParser) smoothingOptions(m *value, of map[string]*float64) {
	if m.kind != kindObject {
		p.wrongValue(m, "an object")
		return
	}
	for i := range m.items {
		o := &m.items[i]
		number := of[o.name]
		if number == nil {
			p.fail(o, problem.UnknownOption, "unknown option %q of %s", clip(o.name), m.name)
			return
		}
		if *number = p.double(o); !(*number >= 0) || math.IsInf(*number, 0) {
			p.wrongValue(o, "a number from 0")
		}
	}
}
