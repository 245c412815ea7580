// This file tests suggestions: what Elasticsearch says to some suggestions, and random ones against a twin that
// compares each word with all words of a field.

package searchtest

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
)

// suggestion is a random suggestion for words of a field, some misspelt.
func (a *asker) suggestion() object {
	a.near = pick(a.Rand, a.fields)
	defer func() { a.near = "" }()
	field := a.near
	var words []string
	for range 1 + a.IntN(3) {
		words = append(words, a.mistype(firstRunes(a.word(), longestSuggested)))
		if a.oneIn(4) {
			words = append(words, firstRunes(a.word(), longestSuggested))
		}
	}
	o := object{"field": field}
	option(a, o, 3, "suggest_mode", "missing", "popular", "always")
	option(a, o, 4, "sort", "score", "frequency")
	option(a, o, 4, "size", 1, 2, 10, 50)
	option(a, o, 8, "shard_size", 1, 2, 7, 30)
	option(a, o, 4, "max_edits", 1, 2)
	option(a, o, 3, "prefix_length", 0, 0, 2, 3)
	option(a, o, 2, "min_word_length", 1, 2, 5)
	option(a, o, 4, "max_inspections", 1, 2, 9)
	option(a, o, 4, "min_doc_freq", 0, 0.02, 0.3, 1, 2)
	option(a, o, 2, "max_term_freq", 0, 0.2, 0.9, 1, 2, 50)
	option(a, o, 4, "accuracy", 0, 0.2, 0.7, 1)
	option(a, o, 3, "string_distance", "internal", "damerau_levenshtein", "levenshtein", "jaro_winkler", "ngram")
	option(a, o, 9, "analyzer", "standard", "keyword")
	text := strings.Join(words, pick(a.Rand, []string{" ", ", ", " 👍 "}))
	if a.oneIn(3) {
		return object{"text": text, "phrase": a.phraseOptions(o)}
	}
	return object{"text": text, "term": o}
}

// longestSuggested is a length that Lucene's automata of misspelt words bear.
const longestSuggested = 20

func firstRunes(s string, n int) string {
	r := []rune(s)
	return string(r[:min(len(r), n)])
}

func testSuggestions(t *testing.T, open Open) {
	r := open(t, []string{
		`{"ContentID":"a","CreatedAt":"2021-01-05T00:00:00Z","Name":"Winter bread","Data":{"kind":"Recipe","n":5}}`,
		`{"ContentID":"b","CreatedAt":"2021-01-04T00:00:00Z","Name":"bread and blends of winter winds","Data":{"kind":"Recipes","n":6}}`,
		`{"ContentID":"c","CreatedAt":"2021-01-03T00:00:00Z","Name":"a kitchen with beds","Data":{"kind":"Article"}}`,
		`{"ContentID":"d","CreatedAt":"2021-01-02T00:00:00Z","Name":"breed of the kitchen 👍"}`,
		`{"ContentID":"e","CreatedAt":"2021-01-01T00:00:00Z","Name":"winder"}`,
	})
	defer r.Close()
	for _, c := range []struct{ suggestion, want string }{
		{`{"text":"Bred 👍 KITCHAN","term":{"field":"Name"}}`,
			`[{"text":"bred","offset":0,"length":4,"options":[{"text":"bread","score":0.75,"freq":2},{"text":"breed","score":0.75,"freq":1},{"text":"beds","score":0.5,"freq":1}]},` +
				`{"text":"👍","offset":5,"length":2,"options":[]},{"text":"kitchan","offset":8,"length":7,"options":[{"text":"kitchen","score":0.85714287,"freq":2}]}]`},
		{`{"text":"wintr","term":{"field":"Name","sort":"frequency","size":2}}`,
			`[{"text":"wintr","offset":0,"length":5,"options":[{"text":"winter","score":0.8,"freq":2},{"text":"winder","score":0.6,"freq":1}]}]`},
		{`{"text":"xwinter","term":{"field":"Name","prefix_length":0}}`,
			`[{"text":"xwinter","offset":0,"length":7,"options":[{"text":"winter","score":0.8333333,"freq":2}]}]`},
		{`{"text":"winter","term":{"field":"Name","suggest_mode":"always","max_term_freq":1}}`,
			`[{"text":"winter","offset":0,"length":6,"options":[]}]`},
		{`{"text":"winter","term":{"field":"Name","suggest_mode":"always","max_term_freq":2}}`,
			`[{"text":"winter","offset":0,"length":6,"options":[{"text":"winder","score":0.8333333,"freq":1}]}]`},
		{`{"text":"winder","term":{"field":"Name","suggest_mode":"popular","max_term_freq":2}}`,
			`[{"text":"winder","offset":0,"length":6,"options":[{"text":"winter","score":0.8333333,"freq":2}]}]`},
		{`{"text":"Recip","term":{"field":"Data.kind.keyword"}}`,
			`[{"text":"Recip","offset":0,"length":5,"options":[{"text":"Recipe","score":0.8,"freq":1},{"text":"Recipes","score":0.6,"freq":1}]}]`},
		{`{"text":"inter","term":{"field":"Name","prefix_length":0}}`,
			`[{"text":"inter","offset":0,"length":5,"options":[{"text":"winter","score":0.8,"freq":2}]}]`},
		{`{"text":"5","term":{"field":"Data.n"}}`, `[{"text":"5","offset":0,"length":1,"options":[]}]`},
		{`{"text":"","term":{"field":"Name"}}`, `[]`},
		{`{"text":"","term":{"field":"Data.kind.keyword"}}`, `[{"text":"","offset":0,"length":0,"options":[]}]`},
		{`{"text":"Recip","term":{"field":"Data.nope"}}`, `bad_suggest`},
	} {
		b, err := body.Parse([]byte(`{"suggest":{"s":` + c.suggestion + `}}`))
		if err != nil {
			t.Fatalf("%s: %v", c.suggestion, err)
		}
		res, err := search.Eval(t.Context(), r, b)
		got, want := "", `{"s":`+c.want+`}`
		if refused, ok := errors.AsType[*query.Error](err); ok {
			got, want = refused.Code, c.want
		} else if err != nil {
			t.Fatal(err)
		} else if got = string(res.Suggestions); res.Total != 0 {
			t.Errorf("%s matches %d items", c.suggestion, res.Total)
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", c.suggestion, got, want)
		}
	}
}

func testSuggestionsAgainstTwin(t *testing.T, open Open) {
	some, texts := 0, 0
	for i := range environments(t, 12) {
		seed := firstSeed() + uint64(i)
		rnd := rand.New(rand.NewPCG(seed, 3))
		e := newEnv(t, open, newWriter(rnd).items(20+rnd.IntN(200)))
		a := newAsker(rnd, e.twin)
		for range 200 {
			raw := aggMarshal(t, object{"suggest": object{"s": a.suggestion()}})
			b, err := body.Parse([]byte(raw))
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if unknownDistance(&b.Suggest[0]) {
				continue // the twin does not know them: a table in package suggest does
			}
			suggest := e.twin.suggest
			if b.Suggest[0].Phrase != nil {
				suggest = e.twin.suggestText
			}
			want, known := suggest(&b.Suggest[0])
			res, err := e.eval(b, 0, 0)
			if (err == nil) != known {
				t.Fatalf("seed %d %s: %v", seed, raw, err)
			}
			if !known {
				continue
			}
			if text := aggMarshal(t, object{"s": want}); !reflect.DeepEqual(aggDecode(t, string(res.Suggestions)), aggDecode(t, text)) {
				t.Fatalf("seed %d %s\n got %s\nwant %s", seed, raw, res.Suggestions, text)
			} else if strings.Contains(text, "score") && b.Suggest[0].Phrase != nil {
				texts++
			} else if strings.Contains(text, "score") {
				some++
			}
		}
		e.r.Close()
	}
	if some < 100 || texts < 50 {
		t.Errorf("only %d suggestions suggest a word, and %d a text", some, texts)
	}
}

func unknownDistance(s *query.Suggestion) bool {
	if s.Phrase != nil && slices.ContainsFunc(s.Phrase.Generators, func(g query.Suggestion) bool { return unknownDistance(&g) }) {
		return true
	}
	return s.Distance == query.DistanceJaroWinkler || s.Distance == query.DistanceNGram
}

// suggest is the meaning of a suggestion; known is false if no item has the field.
func (t *twin) suggest(s *query.Suggestion) (words []object, known bool) {
	to, known := t.resolve(s.Field)
	words = []object{}
	if !known {
		return words, false
	}
	if !s.Words && (s.Whole || to.kind != onText) {
		return append(words, t.suggestWord(s, to, s.Text, 0, len(utf16.Encode([]rune(s.Text))))), true
	}
	var tokens analysis.Tokenizer
	tokens.Reset([]byte(s.Text))
	for tokens.Next() {
		from, end := tokens.Span()
		offset := len(utf16.Encode([]rune(s.Text[:from])))
		words = append(words, t.suggestWord(s, to, string(tokens.Term()), offset, len(utf16.Encode([]rune(s.Text[from:end])))))
	}
	return words, true
}

// twinOption is a suggested word.
type twinOption struct {
	Text       string  `json:"text"`
	Score      float32 `json:"score"`
	Freq       int     `json:"freq"`
	similarity float64
}

func (t *twin) suggestWord(s *query.Suggestion, to target, word string, offset, length int) object {
	options := []twinOption{}
	df := map[string]int{}
	if !t.metadata(to.f) && (to.kind == onText || to.kind == onKeyword) {
		for _, c := range to.f.cells {
			if c == nil {
				continue
			}
			have := map[string]bool{}
			for _, w := range c.words {
				have[w.term] = true
			}
			if to.kind == onKeyword {
				for _, text := range c.texts {
					have[text] = true
				}
			}
			for w := range have {
				df[w]++
			}
		}
	}
	share := func(f float32, round func(float64) float64, less float64) float64 {
		if f >= 1 {
			return float64(f)
		}
		return round(float64(f*float32(len(t.ids)))) - less
	}
	runes := []rune(word)
	asked := len(runes) >= s.MinWordLength && float64(df[word]) <= share(s.MaxTermFreq, math.Ceil, 0) && (s.Mode != query.SuggestMissing || df[word] == 0)
	least := math.Max(0, share(s.MinDocFreq, math.Trunc, 1))
	if s.Mode == query.SuggestPopular {
		least = math.Max(least, float64(df[word]))
	}
	for edits := 1; asked && edits <= s.MaxEdits; edits++ {
		nearer := options
		options = []twinOption{}
		fixed := min(max(s.PrefixLength, edits-1), len(runes))
		most := s.ShardSize * s.MaxInspections
		for _, other := range slices.Sorted(maps.Keys(df)) {
			n := df[other]
			to := []rune(other)
			d := distance(runes, to, true)
			if d == 0 || d > edits || float64(n) <= least || !strings.HasPrefix(other, string(runes[:fixed])) {
				continue
			}
			o := twinOption{Text: other, Freq: n, similarity: float64(1 - float32(d)/float32(min(len(runes), len(to))))}
			if o.Score = twinSimilarity(s.Distance, word, other, float32(o.similarity)); o.Score < s.Accuracy || len(options) >= most && o.similarity <= options[most-1].similarity {
				continue
			}
			options = append(options, o)
			slices.SortFunc(options, func(a, b twinOption) int {
				return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Text, b.Text))
			})
			options = options[:min(len(options), most)]
		}
		if edits == 1 && len(options) >= most {
			break
		}
		for _, o := range nearer {
			if !slices.ContainsFunc(options, func(p twinOption) bool { return p.Text == o.Text }) {
				options = append(options, o)
			}
		}
	}
	slices.SortFunc(options, func(a, b twinOption) int {
		score, freq := cmp.Compare(b.Score, a.Score), cmp.Compare(b.Freq, a.Freq)
		if s.ByFrequency {
			return cmp.Or(freq, score, cmp.Compare(a.Text, b.Text))
		}
		return cmp.Or(score, freq, cmp.Compare(a.Text, b.Text))
	})
	return object{"text": word, "offset": offset, "length": length, "options": options[:min(len(options), s.Size, s.ShardSize)]}
}

// twinSimilarity is the internal similarity, or Levenshtein's from a whole table.
func twinSimilarity(d query.StringDistance, a, b string, internal float32) float32 {
	if d == query.DistanceInternal {
		return internal
	}
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	edits := make([][]int, len(x)+1)
	for i := range edits {
		edits[i] = make([]int, len(y)+1)
		for j := range edits[i] {
			switch {
			case i == 0 || j == 0:
				edits[i][j] = i + j
			case x[i-1] == y[j-1]:
				edits[i][j] = edits[i-1][j-1]
			default:
				edits[i][j] = 1 + min(edits[i-1][j-1], edits[i-1][j], edits[i][j-1])
			}
		}
	}
	return 1 - float32(edits[len(x)][len(y)])/float32(max(len(x), len(y)))
}
