// This file parses phrase suggestions: corrections of a whole text.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"math"
	"slices"
	"strings"
)

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

func parsePhraseSuggestion(p *parser, s *query.Suggestion, v *strictjson.Value) {
	ph := &query.PhraseSuggestion{MaxErrors: 0.5, RealWord: 0.95, Confidence: 1, GramSize: 1, TokenLimit: 10, Separator: " ", Discount: float64(float32(defaultDiscount)), Alpha: 0.5}
	s.Phrase = ph
	for i := range v.Items {
		o := &v.Items[i]
		switch {
		case o.Name == "collate":
			p.fail(o, problem.BadSuggest, "collate is not supported: %s", noCollate)
		case !slices.Contains(phraseOptions, o.Name):
			p.fail(o, problem.UnknownOption, "unknown option %q of a phrase suggestion; known options: %s", strictjson.Clip(o.Name), strings.Join(phraseOptions, ", "))
		case !parsePhraseOption(p, ph, o):
			parseSuggestOption(p, s, o)
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
		ph.Generators = []query.Suggestion{g}
	}
}

// phraseOption parses an option that only phrases have.
func parsePhraseOption(p *parser, ph *query.PhraseSuggestion, o *strictjson.Value) bool {
	switch o.Name {
	case "direct_generator":
		parseGenerators(p, ph, o)
	case "max_errors":
		ph.MaxErrors = parseAbove(p, o, 0)
	case "real_word_error_likelihood":
		ph.RealWord = parseAbove(p, o, 0)
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
		parsePhraseTags(p, ph, o)
	case "smoothing":
		parseSmoothing(p, ph, o)
	default:
		return false
	}
	return true
}

// above parses a number of 32 bits above a bound.
func parseAbove(p *parser, v *strictjson.Value, least float32) float32 {
	f := float32(number(v))
	if !(f > least) || math.IsInf(float64(f), 0) {
		p.wrongValue(v, "a number above 0")
	}
	return f
}

func parseGenerators(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, "an array of generators")
		return
	}
	if p.tooMany(v, "generators", len(v.Items), maxGenerators) {
		return
	}
	p.each(v, func(e *strictjson.Value) {
		g := defaultSuggestion()
		if e.Kind != strictjson.Object {
			p.wrongValue(e, `a generator like {"field":"Name"}`)
			return
		}
		for i := range e.Items {
			o := &e.Items[i]
			switch {
			case slices.Contains(otherFilters, o.Name):
				p.fail(o, problem.UnknownOption, "%s is not supported: words are compared as the field has them", o.Name)
			case !slices.Contains(generatorOptions, o.Name):
				p.fail(o, problem.UnknownOption, "unknown option %q of direct_generator; known options: %s", strictjson.Clip(o.Name), strings.Join(generatorOptions, ", "))
			default:
				parseSuggestOption(p, &g, o)
			}
		}
		p.require(e, "field")
		g.ShardSize = g.Size
		ph.Generators = append(ph.Generators, g)
	})
}

func parsePhraseTags(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object with pre_tag and post_tag")
		return
	}
	for i := range v.Items {
		switch o := &v.Items[i]; o.Name {
		case "pre_tag":
			ph.Pre = p.text(o)
		case "post_tag":
			ph.Post = p.text(o)
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of highlight; known options: pre_tag, post_tag", strictjson.Clip(o.Name))
		}
	}
	ph.Tagged = len(v.Items) > 0
	if (v.Member("pre_tag") == nil) != (v.Member("post_tag") == nil) {
		p.fail(v, p.code(v), "%s needs both pre_tag and post_tag", p.path(v))
	}
	for _, tag := range []string{ph.Pre, ph.Post} {
		if len(tag) > maxTag {
			p.fail(v, p.code(v), "%s has a tag of %d bytes, at most %d are allowed", p.path(v), len(tag), maxTag)
		}
	}
}

func parseSmoothing(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) {
	if v.Kind != strictjson.Object || len(v.Items) > 1 {
		p.wrongValue(v, "an object with one of stupid_backoff, laplace, linear")
		return
	}
	for i := range v.Items {
		m := &v.Items[i]
		of := map[string]*float64{}
		switch m.Name {
		case "stupid_backoff":
			ph.Discount = defaultDiscount
			of["discount"] = &ph.Discount
		case "laplace":
			ph.Smoothing = query.Laplace
			of["alpha"] = &ph.Alpha
		case "linear":
			ph.Smoothing = query.LinearInterpolation
			of["unigram_lambda"], of["bigram_lambda"], of["trigram_lambda"] = &ph.Unigram, &ph.Bigram, &ph.Trigram
		default:
			p.fail(m, problem.UnknownOption, "unknown model %q of smoothing; known models: stupid_backoff, laplace, linear", strictjson.Clip(m.Name))
			return
		}
		parseSmoothingOptions(p, m, of)
		if m.Name == "linear" && p.err == nil && !(math.Abs(ph.Unigram+ph.Bigram+ph.Trigram-1) <= 0.001) {
			p.fail(m, p.code(m), "%s needs unigram_lambda, bigram_lambda and trigram_lambda, whose sum is 1", p.path(m))
		}
	}
}

func parseSmoothingOptions(p *parser, m *strictjson.Value, of map[string]*float64) {
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object")
		return
	}
	for i := range m.Items {
		o := &m.Items[i]
		number := of[o.Name]
		if number == nil {
			p.fail(o, problem.UnknownOption, "unknown option %q of %s", strictjson.Clip(o.Name), m.Name)
			return
		}
		if *number = p.double(o); !(*number >= 0) || math.IsInf(*number, 0) {
			p.wrongValue(o, "a number from 0")
		}
	}
}
