package body

import (
	"errors"
	"reflect"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

func TestSuggest(t *testing.T) {
	b, err := Parse([]byte(`{"suggest":{"text":"all","a":{"term":{"field":"N"}},"b":{"text":"own","term":{"field":"M","size":7,"suggest_mode":"POPULAR","sort":"frequency","string_distance":"ngram","analyzer":"keyword","min_doc_freq":2,"max_term_freq":0.5,"accuracy":0.25,"max_edits":1,"prefix_length":0,"min_word_length":1,"max_inspections":9}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []query.Suggestion{
		{Name: "a", Text: "all", Field: "N", Size: 5, ShardSize: 5, Accuracy: 0.5, MaxEdits: 2, PrefixLength: 1, MinWordLength: 4, MaxInspections: 5, MaxTermFreq: 0.01},
		{Name: "b", Text: "own", Field: "M", Size: 7, ShardSize: 7, ByFrequency: true, Mode: query.SuggestPopular, Distance: query.DistanceNGram, Whole: true,
			Accuracy: 0.25, MaxEdits: 1, MinWordLength: 1, MaxInspections: 9, MinDocFreq: 2, MaxTermFreq: 0.5},
	}
	if !reflect.DeepEqual(b.Suggest, want) {
		t.Errorf("got %+v, want %+v", b.Suggest, want)
	}
}

func TestSuggestPhrase(t *testing.T) {
	word := func(field string) query.Suggestion {
		return query.Suggestion{Field: field, Size: 5, ShardSize: 5, Accuracy: 0.5, MaxEdits: 2, PrefixLength: 1, MinWordLength: 4, MaxInspections: 5, MaxTermFreq: 0.01}
	}
	other := word("M")
	other.Size, other.ShardSize, other.Mode = 7, 7, query.SuggestAlways
	plain := query.PhraseSuggestion{Generators: []query.Suggestion{word("N")}, MaxErrors: 0.5, RealWord: 0.95, Confidence: 1, GramSize: 1, TokenLimit: 10, Separator: " ", Discount: float64(float32(0.4)), Alpha: 0.5}
	for _, c := range []struct {
		in      string
		options func(s *query.Suggestion, p *query.PhraseSuggestion)
	}{
		{`"direct_generator":[]`, func(*query.Suggestion, *query.PhraseSuggestion) {}},
		{`"smoothing":{},"highlight":{},"force_unigrams":false`, func(*query.Suggestion, *query.PhraseSuggestion) {}},
		{`"size":7,"analyzer":"keyword"`, func(s *query.Suggestion, _ *query.PhraseSuggestion) { s.Size, s.ShardSize, s.Whole = 7, 7, true }},
		{`"direct_generator":[{"field":"M","size":7,"suggest_mode":"always"},{"field":"N"}]`, func(_ *query.Suggestion, p *query.PhraseSuggestion) {
			p.Generators = []query.Suggestion{other, word("N")}
		}},
		{`"max_errors":2,"real_word_error_likelihood":0.5,"confidence":0,"gram_size":3,"token_limit":4,"separator":"|"`, func(_ *query.Suggestion, p *query.PhraseSuggestion) {
			p.MaxErrors, p.RealWord, p.Confidence, p.GramSize, p.TokenLimit, p.Separator = 2, 0.5, 0, 3, 4, "|"
		}},
		{`"highlight":{"pre_tag":"<","post_tag":">"}`, func(_ *query.Suggestion, p *query.PhraseSuggestion) { p.Tagged, p.Pre, p.Post = true, "<", ">" }},
		{`"smoothing":{"laplace":{"alpha":0.7}}`, func(_ *query.Suggestion, p *query.PhraseSuggestion) { p.Smoothing, p.Alpha = query.Laplace, 0.7 }},
		{`"smoothing":{"stupid_backoff":{"discount":0.1}}`, func(_ *query.Suggestion, p *query.PhraseSuggestion) { p.Discount = 0.1 }},
		{`"smoothing":{"linear":{"unigram_lambda":0.2,"bigram_lambda":0.3,"trigram_lambda":0.5}}`, func(_ *query.Suggestion, p *query.PhraseSuggestion) {
			p.Smoothing, p.Unigram, p.Bigram, p.Trigram = query.LinearInterpolation, 0.2, 0.3, 0.5
		}},
	} {
		b, err := Parse([]byte(`{"suggest":{"s":{"text":"a","phrase":{"field":"N",` + c.in + `}}}}`))
		if err != nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		want, phrase := word("N"), plain
		want.Name, want.Text, want.Phrase = "s", "a", &phrase
		c.options(&want, &phrase)
		if !reflect.DeepEqual(b.Suggest, []query.Suggestion{want}) {
			t.Errorf("%s: got %+v %+v", c.in, b.Suggest, b.Suggest[0].Phrase)
		}
	}
}

func TestSuggestErrors(t *testing.T) {
	for _, c := range []struct{ body, code, parameter, message string }{
		{`[]`, problem.BadSuggest, `suggest`, `suggest must be an object of named suggestions, not an array`},
		{`{"s":1}`, problem.BadSuggest, `suggest.s`, `suggest.s must be an object like {"text":"bred","term":{"field":"Name"}}, not 1`},
		{`{"s":{"text":"a"}}`, problem.BadSuggest, `suggest.s`, `suggest.s needs term or phrase`},
		{`{"s":{"text":"a","term":{}}}`, problem.BadSuggest, `suggest.s.term`, `suggest.s.term needs "field"`},
		{`{"s":{"term":{"field":"N"}}}`, problem.BadSuggest, `suggest.s`, `suggest.s needs a text`},
		{`{"s":{"text":[],"term":{"field":"N"}}}`, problem.BadSuggest, `suggest.s.text`, `suggest.s.text must be a string, not an array`},
		{`{"s":{"text":"a","completion":{"field":"N"}}}`, problem.BadSuggest, `suggest.s.completion`, `completion suggestions are not supported: no field is indexed for it; search with match_phrase_prefix or match_bool_prefix instead`},
		{`{"s":{"text":"a","phrase":{}}}`, problem.BadSuggest, `suggest.s.phrase`, `suggest.s.phrase needs "field"`},
		{`{"s":{"text":"a","term":{"field":"N"},"phrase":{"field":"N"}}}`, problem.BadSuggest, `suggest.s.phrase`, `suggest.s has both term and phrase: give them names of their own`},
		{`{"s":{"text":"a","phrase":{"field":"N","collate":{}}}}`, problem.BadSuggest, `suggest.s.phrase.collate`, `collate is not supported: search for the options of a suggestion with a query of your own`},
		{`{"s":{"text":"a","phrase":{"field":"N","max_errors":0}}}`, problem.BadSuggest, `suggest.s.phrase.max_errors`, `suggest.s.phrase.max_errors must be a number above 0, not 0`},
		{`{"s":{"text":"a","phrase":{"field":"N","confidence":-1}}}`, problem.BadSuggest, `suggest.s.phrase.confidence`, `suggest.s.phrase.confidence must be a number from 0, not -1`},
		{`{"s":{"text":"a","phrase":{"field":"N","gram_size":0}}}`, problem.BadSuggest, `suggest.s.phrase.gram_size`, `suggest.s.phrase.gram_size must be an integer from 1, not 0`},
		{`{"s":{"text":"a","phrase":{"field":"N","max_edits":1}}}`, problem.UnknownOption, `suggest.s.phrase.max_edits`, `unknown option "max_edits" of a phrase suggestion; known options: field, text, size, shard_size, analyzer, direct_generator, max_errors, real_word_error_likelihood, confidence, gram_size, force_unigrams, token_limit, separator, highlight, smoothing`},
		{`{"s":{"text":"a","phrase":{"field":"N","highlight":{"pre_tag":"<"}}}}`, problem.BadSuggest, `suggest.s.phrase.highlight`, `suggest.s.phrase.highlight needs both pre_tag and post_tag`},
		{`{"s":{"text":"a","phrase":{"field":"N","direct_generator":{"field":"N"}}}}`, problem.BadSuggest, `suggest.s.phrase.direct_generator`, `suggest.s.phrase.direct_generator must be an array of generators, not an object`},
		{`{"s":{"text":"a","phrase":{"field":"N","direct_generator":[{}]}}}`, problem.BadSuggest, `suggest.s.phrase.direct_generator[0]`, `suggest.s.phrase.direct_generator[0] needs "field"`},
		{`{"s":{"text":"a","phrase":{"field":"N","direct_generator":[{"field":"N","pre_filter":"x"}]}}}`, problem.UnknownOption, `suggest.s.phrase.direct_generator[0].pre_filter`, `pre_filter is not supported: words are compared as the field has them`},
		{`{"s":{"text":"a","phrase":{"field":"N","smoothing":{"linear":{"unigram_lambda":1,"bigram_lambda":1,"trigram_lambda":1}}}}}`, problem.BadSuggest, `suggest.s.phrase.smoothing.linear`, `suggest.s.phrase.smoothing.linear needs unigram_lambda, bigram_lambda and trigram_lambda, whose sum is 1`},
		{`{"s":{"text":"a","phrase":{"field":"N","smoothing":{"nope":{}}}}}`, problem.UnknownOption, `suggest.s.phrase.smoothing.nope`, `unknown model "nope" of smoothing; known models: stupid_backoff, laplace, linear`},
		{`{"s":{"text":"a","nope":{}}}`, problem.UnknownOption, `suggest.s.nope`, `unknown option "nope" of a suggestion; known options: text, prefix, term, phrase`},
		{`{"s":{"text":"a","term":{"field":"N","max_edits":3}}}`, problem.BadSuggest, `suggest.s.term.max_edits`, `suggest.s.term.max_edits must be at most 2, not 3`},
		{`{"s":{"text":"a","term":{"field":"N","size":0}}}`, problem.BadSuggest, `suggest.s.term.size`, `suggest.s.term.size must be an integer from 1, not 0`},
		{`{"s":{"text":"a","term":{"field":"N","min_doc_freq":1.5}}}`, problem.BadSuggest, `suggest.s.term.min_doc_freq`, `suggest.s.term.min_doc_freq must be a share from 0 to 1 or a number of items, not 1.5`},
		{`{"s":{"text":"a","term":{"field":"N","sort":"x"}}}`, problem.BadSuggest, `suggest.s.term.sort`, `suggest.s.term.sort must be frequency or score, not "x"`},
		{`{"s":{"text":"a","term":{"field":"N","suggest_mode":"x"}}}`, problem.BadSuggest, `suggest.s.term.suggest_mode`, `suggest.s.term.suggest_mode must be one of missing, popular, always, not "x"`},
	} {
		_, err := Parse([]byte(`{"suggest":` + c.body + `}`))
		got, ok := errors.AsType[*query.Error](err)
		if !ok || got.Code != c.code || got.Parameter != c.parameter || got.Message != c.message {
			t.Errorf("%s: got %+v", c.body, got)
		}
	}
}
