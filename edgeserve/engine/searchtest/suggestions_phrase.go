// This file suggests whole texts in the simplest way: it tries all texts of candidates.

package searchtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
)

// phraseOptions turns the options of a suggestion of words into the options of a suggestion of texts.
func (a *asker) phraseOptions(of object) object {
	generator := object{}
	for name, value := range of {
		if name != "analyzer" && name != "shard_size" {
			generator[name] = value
		}
	}
	o := object{"field": of["field"]}
	if a.oneIn(2) {
		o["direct_generator"] = []any{generator}
	}
	if a.oneIn(8) {
		o["direct_generator"] = []any{generator, object{"field": a.field(), "suggest_mode": "always", "min_word_length": 1}}
	}
	option(a, o, 3, "size", 1, 2, 10)
	option(a, o, 6, "shard_size", 1, 2, 7)
	option(a, o, 2, "max_errors", 0.3, 0.9, 1, 2, 3)
	option(a, o, 2, "confidence", 0, 0, 0.5, 2)
	option(a, o, 4, "real_word_error_likelihood", 0.5, 0.99, 2)
	option(a, o, 4, "gram_size", 1, 2, 3)
	option(a, o, 8, "token_limit", 1, 3, 20)
	option(a, o, 8, "separator", " ", "|", "")
	option(a, o, 12, "analyzer", "standard", "keyword")
	option(a, o, 12, "force_unigrams", true, false)
	option(a, o, 4, "highlight", object{"pre_tag": "<em>", "post_tag": "</em>"}, object{})
	option(a, o, 3, "smoothing", object{"laplace": object{"alpha": 0.7}}, object{"laplace": object{}}, object{"stupid_backoff": object{"discount": 0.9}},
		object{"linear": object{"unigram_lambda": 0.25, "bigram_lambda": 0.25, "trigram_lambda": 0.5}}, object{})
	return o
}

// testPhrases compares with what Elasticsearch 7.10 says.
func testPhrases(t *testing.T, open Open) {
	var items []string
	for i, name := range append([]string{"winter", "bread", "the", "winter bread", "the winter bread", "bread winter the", "bread winter"},
		strings.Fields("kitten kitten kitten kitten kitten mitten mitten mitten mitten mitten mitten sitten sitten sitten sitten sitten")...) {
		items = append(items, fmt.Sprintf(`{"ContentID":"%02d","CreatedAt":"2021-01-01T00:00:00Z","Name":%q}`, i, name))
	}
	r := open(t, items)
	defer r.Close()
	for _, c := range []struct{ suggestion, want string }{
		{`{"text":"the wintr bred","phrase":{"field":"Name.keyword","analyzer":"standard","gram_size":3,"confidence":0,"max_errors":2,"size":2,"smoothing":{"linear":{"unigram_lambda":0.2,"bigram_lambda":0.3,"trigram_lambda":0.5}}}}`,
			`[{"text":"the wintr bred","offset":0,"length":14,"options":[{"text":"the winter bread","score":0.024396706},{"text":"the winter bred","score":0.004115954}]}]`},
		{`{"text":"the wintr bred","phrase":{"field":"Name.keyword","analyzer":"standard","gram_size":3,"size":2}}`,
			`[{"text":"the wintr bred","offset":0,"length":14,"options":[{"text":"the winter bread","score":0.04609582},{"text":"the winter bred","score":0.0075152228}]}]`},
		{`{"text":"the wintr bred","phrase":{"field":"Name.keyword","analyzer":"standard","gram_size":3,"size":2,"smoothing":{"laplace":{"alpha":0.7}}}}`,
			`[{"text":"the wintr bred","offset":0,"length":14,"options":[{"text":"the winter bread","score":0.039897945}]}]`},
		{`{"text":"Wintr 👍 bred the","phrase":{"field":"Name","highlight":{"pre_tag":"<","post_tag":">"},"size":2}}`,
			`[{"text":"Wintr 👍 bred the","offset":0,"length":17,"options":[{"text":"winter 👍 bread the","highlighted":"<winter> 👍 <bread> the","score":0.013783111},{"text":"winter 👍 bred the","highlighted":"<winter> 👍 bred the","score":0.0070143295}]}]`},
		{`{"text":"bitten","phrase":{"field":"Name","confidence":0,"direct_generator":[{"field":"Name","prefix_length":0,"suggest_mode":"always"}]}}`,
			`[{"text":"bitten","offset":0,"length":6,"options":[{"text":"mitten","score":0.45925426},{"text":"kitten","score":0.42951524},{"text":"sitten","score":0.42951524},{"text":"bitten","score":0.2088071}]}]`},
		{`{"text":"bitten","phrase":{"field":"Name","confidence":0,"size":1,"direct_generator":[{"field":"Name","prefix_length":0},{"field":"Name","prefix_length":0,"string_distance":"ngram"}]}}`,
			`[{"text":"bitten","offset":0,"length":6,"options":[{"text":"mitten","score":0.4387135}]}]`},
		{`{"text":"bitten","phrase":{"field":"Name","confidence":0,"size":1,"direct_generator":[{"field":"Name","prefix_length":0,"string_distance":"ngram"},{"field":"Name","prefix_length":0}]}}`,
			`[{"text":"bitten","offset":0,"length":6,"options":[{"text":"mitten","score":0.45925426}]}]`},
		{`{"text":"kitten","phrase":{"field":"Name","confidence":0,"direct_generator":[{"field":"Name","prefix_length":0,"suggest_mode":"popular","max_term_freq":100}]}}`,
			`[{"text":"kitten","offset":0,"length":6,"options":[{"text":"kitten","score":0.45466554}]}]`},
		{`{"text":"kitten","phrase":{"field":"Name","confidence":0,"direct_generator":[{"field":"Name","prefix_length":0,"suggest_mode":"popular","max_term_freq":100,"min_doc_freq":4}]}}`,
			`[{"text":"kitten","offset":0,"length":6,"options":[{"text":"mitten","score":0.45925426},{"text":"kitten","score":0.45466554}]}]`},
		{`{"text":"","phrase":{"field":"Name"}}`,
			`[{"text":"","offset":0,"length":0,"options":[]}]`},
	} {
		b, err := body.Parse([]byte(`{"suggest":{"s":` + c.suggestion + `}}`))
		if err != nil {
			t.Fatalf("%s: %v", c.suggestion, err)
		}
		res, err := search.Eval(t.Context(), r, b)
		if err != nil {
			t.Fatalf("%s: %v", c.suggestion, err)
		}
		if got, want := string(res.Suggestions), `{"s":`+c.want+`}`; got != want {
			t.Errorf("%s\n got %s\nwant %s", c.suggestion, got, want)
		}
	}
}

// counts are how often a field has each term; a whole text counts once in an item.
func (t *twin) counts(to target) (n map[string]int, all int, some bool) {
	n = map[string]int{}
	if t.metadata(to.f) || to.kind != onText && to.kind != onKeyword && to.kind != onBool {
		return n, 0, false
	}
	for _, c := range to.f.cells {
		if c == nil {
			continue
		}
		if to.kind == onText {
			for _, w := range c.words {
				n[w.term]++
				all++
			}
			continue
		}
		texts := c.texts
		if to.kind == onBool {
			texts = nil
			for _, v := range c.longs {
				texts = append(texts, []string{"F", "T"}[v])
			}
		}
		seen := map[string]bool{}
		for _, text := range texts {
			if !seen[text] {
				seen[text] = true
				n[text]++
				all++
			}
		}
	}
	return n, all, true
}

// twinWord is a word of a text that is tried.
type twinWord struct {
	term           string
	total          int
	channel, score float64
	written        bool
}

// suggestText is the meaning of a suggestion of texts; known is false if no item has the field.
func (t *twin) suggestText(s *query.Suggestion) (list []object, known bool) {
	ph := s.Phrase
	to, known := t.resolve(s.Field)
	if !known {
		return nil, false
	}
	entry := object{"text": s.Text, "offset": 0, "length": len(utf16.Encode([]rune(s.Text))), "options": []object{}}
	list = []object{entry}
	counts, all, some := t.counts(to)
	var slots [][]twinWord
	words := []string{s.Text}
	if s.Words || !s.Whole && to.kind == onText {
		words = analysis.Terms(s.Text)
	}
	for _, word := range words {
		if drawn := t.draw(s, word); drawn != nil {
			slots = append(slots, drawn)
		}
	}
	if !some || len(slots) == 0 || len(slots) >= ph.TokenLimit {
		return list, true
	}
	score := func(path []twinWord) float64 {
		sum := 0.0
		for i, w := range path {
			channel := w.channel
			if channel == 1 {
				channel = float64(ph.RealWord)
			}
			sum += portable.Log10(channel * twinLikelihood(ph, counts, float64(all), path[max(0, i+1-min(3, ph.GramSize)):i+1]))
		}
		return portable.Exp(sum)
	}
	var written []twinWord
	for _, slot := range slots {
		written = append(written, slot[0])
	}
	cutoff := math.SmallestNonzeroFloat64
	if ph.Confidence > 0 {
		cutoff = score(written) * float64(ph.Confidence)
	}
	most := float64(ph.MaxErrors)
	if ph.MaxErrors < 1 {
		most = math.Max(1, math.Floor(float64(ph.MaxErrors*float32(len(slots)))+0.5))
	}
	type text struct {
		score float64
		path  []twinWord
	}
	var texts []text
	paths := [][]twinWord{nil}
	for _, slot := range slots {
		var longer [][]twinWord
		for _, path := range paths {
			for _, w := range slot {
				if next := append(slices.Clone(path), w); twinChanges(next) <= most {
					longer = append(longer, next)
				}
			}
		}
		paths = longer
	}
	for _, path := range paths {
		if x := score(path); x > cutoff {
			texts = append(texts, text{x, path})
		}
	}
	slices.SortFunc(texts, func(a, b text) int {
		return cmp.Or(cmp.Compare(b.score, a.score), slices.CompareFunc(a.path, b.path, func(a, b twinWord) int { return cmp.Compare(a.term, b.term) }))
	})
	options := []object{}
	for _, x := range texts[:min(len(texts), s.Size, s.ShardSize)] {
		o := object{"text": twinJoin(x.path, "", ""), "score": float32(x.score)}
		if math.IsInf(float64(float32(x.score)), 1) {
			o["score"] = "Infinity" // as Elasticsearch writes it
		}
		if ph.Tagged {
			o["highlighted"] = twinJoin(x.path, ph.Pre, ph.Post)
		}
		options = append(options, o)
	}
	entry["options"] = options
	return list, true
}

// twinChanges is how many words of a text have changed.
func twinChanges(path []twinWord) (n float64) {
	for _, w := range path {
		if !w.written {
			n++
		}
	}
	return n
}

// twinLikelihood is the likelihood of the last of up to three words.
func twinLikelihood(ph *query.PhraseSuggestion, counts map[string]int, all float64, path []twinWord) float64 {
	count := func(words ...twinWord) float64 {
		var texts []string
		for _, w := range words {
			texts = append(texts, w.term)
		}
		return float64(counts[strings.Join(texts, ph.Separator)])
	}
	w := path[len(path)-1]
	terms := float64(len(counts))
	single := (1 + count(w)) / (all + terms)
	if ph.Smoothing == query.Laplace {
		single = (ph.Alpha + count(w)) / (all + float64(ph.Alpha*terms))
	}
	if len(path) == 1 {
		return single
	}
	before := path[len(path)-2]
	pairs, total := count(before, w), float64(before.total)
	switch ph.Smoothing {
	case query.Laplace:
		if len(path) == 2 {
			return (ph.Alpha + pairs) / (total + float64(ph.Alpha*terms))
		}
		return (ph.Alpha + count(path...)) / (pairs + float64(ph.Alpha*terms))
	case query.LinearInterpolation:
		pair := float64(ph.Unigram * single)
		if pairs >= 1 {
			pair += float64(ph.Bigram * (pairs / (0.5 + total)))
		}
		if len(path) == 3 && count(w, before, path[0]) >= 1 {
			return float64(ph.Trigram*(count(w, before, path[0])/(1+count(w, before)))) + pair
		}
		return pair
	}
	switch {
	case pairs < 1:
		return ph.Discount * single
	case len(path) == 2:
		return pairs / (total + 1e-11)
	case count(path...) < 1:
		return ph.Discount * (pairs / (total + 1e-11))
	}
	return count(path...) / (pairs + 1e-11)
}

// draw are the written word and the candidates for it.
func (t *twin) draw(s *query.Suggestion, word string) (slot []twinWord) {
	var candidates []twinWord
	df := 0 // of the first generator
	for _, g := range s.Phrase.Generators {
		to, known := t.resolve(g.Field)
		if !known {
			continue
		}
		counts, all, some := t.counts(to)
		if !some {
			continue
		}
		choice := func(term string, channel float64) twinWord {
			return twinWord{term: term, total: counts[term], channel: channel, score: channel * (float64(counts[term]) + 1) / (float64(all) + 1)}
		}
		if slot == nil {
			df = t.itemsWith(to, word)
			w := choice(word, 1)
			w.written = true
			slot = append(slot, w)
		}
		if df > 0 && g.Mode != query.SuggestAlways {
			base := math.Trunc(float64(g.MinDocFreq))
			if g.MinDocFreq < 1 {
				base = math.Trunc(float64(float32(len(t.ids)) * g.MinDocFreq))
			}
			more := math.Floor(float64(df)*portable.Log10(float64(df)-base)/portable.Log10(5) + 1.5)
			if more > float64(g.MinDocFreq) {
				g.MinDocFreq = float32(more)
			}
		}
		g.Words, g.Whole = false, true
		for _, o := range t.suggestWord(&g, to, word, 0, 0)["options"].([]twinOption) {
			w := choice(o.Text, float64(o.Score))
			candidates = slices.DeleteFunc(candidates, func(c twinWord) bool { return c.term == w.term })
			candidates = append(candidates, w)
		}
	}
	slices.SortFunc(candidates, func(a, b twinWord) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.term, b.term)) })
	return append(slot, candidates[:min(len(candidates), s.ShardSize)]...)
}

// itemsWith is how many items have a term.
func (t *twin) itemsWith(to target, term string) (n int) {
	for _, c := range to.f.cells {
		if c == nil {
			continue
		}
		has := to.kind == onKeyword && slices.Contains(c.texts, term)
		for _, w := range c.words {
			has = has || w.term == term
		}
		if has {
			n++
		}
	}
	return n
}

// twinJoin joins words; changed words are between tags.
func twinJoin(path []twinWord, pre, post string) string {
	var words []string
	for _, w := range path {
		if w.written {
			words = append(words, w.term)
		} else {
			words = append(words, pre+w.term+post)
		}
	}
	text := strings.Join(words, " ")
	if pre == "" {
		return text
	}
	return strings.ReplaceAll(text, post+" "+pre, " ")
}
