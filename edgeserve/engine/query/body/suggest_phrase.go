// This file parses phrase suggestions: corrections of a whole text.

package body

import (
	"math"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

const (
	// maxGenerators limits the generators of a suggestion, hence the candidates for a word.
	maxGenerators = 10
	// defaultDiscount is the default discount of stupid_backoff. Elasticsearch rounds it to 32 bits
	// unless the body names the model.
	defaultDiscount = 0.4
	// noCollate says what to use instead of a query for each suggestion.
	noCollate = "search for the options of a suggestion with a query of your own"
)

var phraseOptions = newTable("a phrase suggestion", []option[query.Suggestion]{
	suggestField, suggestText, suggestSize, suggestShardSize, suggestAnalyzer,
	ofPhrase("direct_generator", parseGenerators),
	ofPhrase("max_errors", func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.MaxErrors = p.above(v, 0) }),
	ofPhrase("real_word_error_likelihood", func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.RealWord = p.above(v, 0) }),
	ofPhrase("confidence", func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.Confidence = float32(p.weight(v)) }),
	ofPhrase("gram_size", func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.GramSize = p.integer(v, 1) }),
	noEffect[query.Suggestion]("force_unigrams", checkBool), // no effect: no field indexes several words as one term
	ofPhrase("token_limit", func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.TokenLimit = p.integer(v, 1) }),
	ofPhrase("separator", func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.Separator = p.text(v) }),
	ofPhrase("highlight", parsePhraseTags),
	ofPhrase("smoothing", parseSmoothing),
	{"collate", unlisted, func(p *parser, _ *query.Suggestion, v *strictjson.Value) {
		p.fail(v, problem.BadSuggest, "collate is not supported: %s", noCollate)
	}},
})

// ofPhrase returns the row of an option that only phrase suggestions have.
func ofPhrase(name string, parse func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value)) option[query.Suggestion] {
	return option[query.Suggestion]{name, optional, func(p *parser, s *query.Suggestion, v *strictjson.Value) { parse(p, s.Phrase, v) }}
}

// defaultPhrase is a phrase suggestion without options.
func defaultPhrase() *query.PhraseSuggestion {
	return &query.PhraseSuggestion{MaxErrors: 0.5, RealWord: 0.95, Confidence: 1, GramSize: 1, TokenLimit: 10, Separator: " ", Discount: float64(float32(defaultDiscount)), Alpha: 0.5}
}

// above parses a number of 32 bits that is greater than least.
func (p *parser) above(v *strictjson.Value, least float32) float32 {
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
		generatorOptions.parse(p, &g, e)
		g.ShardSize = g.Size
		ph.Generators = append(ph.Generators, g)
	})
}

var generatorOptions = newTable("direct_generator", []option[query.Suggestion]{
	suggestField, suggestSize, suggestSort, suggestMode, suggestMaxEdits, suggestPrefixLength, suggestMinWordLength,
	suggestMinDocFreq, suggestMaxTermFreq, suggestAccuracy, suggestDistance, suggestInspections,
	otherFilter("pre_filter"), otherFilter("post_filter"),
})

func otherFilter(name string) option[query.Suggestion] {
	return option[query.Suggestion]{name, unlisted, func(p *parser, _ *query.Suggestion, v *strictjson.Value) {
		p.fail(v, problem.UnknownOption, "%s is not supported: words are compared as the field has them", name)
	}}
}

func parsePhraseTags(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object with pre_tag and post_tag")
		return
	}
	phraseTagOptions.parse(p, ph, v)
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

var phraseTagOptions = newTable("highlight", []option[query.PhraseSuggestion]{
	{"pre_tag", optional, func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.Pre = p.text(v) }},
	{"post_tag", optional, func(p *parser, ph *query.PhraseSuggestion, v *strictjson.Value) { ph.Post = p.text(v) }},
})

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
