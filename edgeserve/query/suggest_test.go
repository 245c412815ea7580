package query

import (
	"errors"
	"reflect"
	"testing"
)

func TestSuggest(t *testing.T) {
	b, err := Parse([]byte(`{"suggest":{"text":"all","a":{"term":{"field":"N"}},"b":{"text":"own","term":{"field":"M","size":7,"suggest_mode":"POPULAR","sort":"frequency","string_distance":"ngram","analyzer":"keyword","min_doc_freq":2,"max_term_freq":0.5,"accuracy":0.25,"max_edits":1,"prefix_length":0,"min_word_length":1,"max_inspections":9}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Suggestion{
		{Name: "a", Text: "all", Field: "N", Size: 5, ShardSize: 5, Accuracy: 0.5, MaxEdits: 2, PrefixLength: 1, MinWordLength: 4, MaxInspections: 5, MaxTermFreq: 0.01},
		{Name: "b", Text: "own", Field: "M", Size: 7, ShardSize: 7, ByFrequency: true, Mode: SuggestPopular, Distance: DistanceNGram, Whole: true,
			Accuracy: 0.25, MaxEdits: 1, MinWordLength: 1, MaxInspections: 9, MinDocFreq: 2, MaxTermFreq: 0.5},
	}
	if !reflect.DeepEqual(b.Suggest, want) {
		t.Errorf("got %+v, want %+v", b.Suggest, want)
	}
}

func TestSuggestErrors(t *testing.T) {
	for _, c := range []struct{ body, code, parameter, message string }{
		{`[]`, CodeSuggest, `suggest`, `suggest must be an object of named suggestions, not an array`},
		{`{"s":1}`, CodeSuggest, `suggest.s`, `suggest.s must be an object like {"text":"bred","term":{"field":"Name"}}, not 1`},
		{`{"s":{"text":"a"}}`, CodeSuggest, `suggest.s`, `suggest.s needs term`},
		{`{"s":{"text":"a","term":{}}}`, CodeSuggest, `suggest.s.term`, `suggest.s.term needs "field"`},
		{`{"s":{"term":{"field":"N"}}}`, CodeSuggest, `suggest.s`, `suggest.s needs a text`},
		{`{"s":{"text":[],"term":{"field":"N"}}}`, CodeSuggest, `suggest.s.text`, `suggest.s.text must be a string, not an array`},
		{`{"s":{"text":"a","completion":{"field":"N"}}}`, CodeSuggest, `suggest.s.completion`, `completion suggestions are not supported: no field is indexed for it; search with match_phrase_prefix or match_bool_prefix instead`},
		{`{"s":{"text":"a","nope":{}}}`, CodeUnknownOption, `suggest.s.nope`, `unknown option "nope" of a suggestion; known options: text, prefix, term`},
		{`{"s":{"text":"a","term":{"field":"N","max_edits":3}}}`, CodeSuggest, `suggest.s.term.max_edits`, `suggest.s.term.max_edits must be at most 2, not 3`},
		{`{"s":{"text":"a","term":{"field":"N","size":0}}}`, CodeSuggest, `suggest.s.term.size`, `suggest.s.term.size must be an integer from 1, not 0`},
		{`{"s":{"text":"a","term":{"field":"N","min_doc_freq":1.5}}}`, CodeSuggest, `suggest.s.term.min_doc_freq`, `suggest.s.term.min_doc_freq must be a share from 0 to 1 or a number of items, not 1.5`},
		{`{"s":{"text":"a","term":{"field":"N","sort":"x"}}}`, CodeSuggest, `suggest.s.term.sort`, `suggest.s.term.sort must be frequency or score, not "x"`},
		{`{"s":{"text":"a","term":{"field":"N","suggest_mode":"x"}}}`, CodeSuggest, `suggest.s.term.suggest_mode`, `suggest.s.term.suggest_mode must be one of missing, popular, always, not "x"`},
	} {
		_, err := Parse([]byte(`{"suggest":` + c.body + `}`))
		got, ok := errors.AsType[*Error](err)
		if !ok || got.Code != c.code || got.Parameter != c.parameter || got.Message != c.message {
			t.Errorf("%s: got %+v", c.body, got)
		}
	}
}
