// This file suggests whole texts that are likelier than the given text. A text is likely if the field
// has its words often, and if the words are similar to the written words.

package suggest

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/envelope"
)

const (
	// pathSteps is the cost of a word that is tried in a text.
	pathSteps = 16
	// plateauBase is the base of the logarithm in plateau, as in Elasticsearch.
	plateauBase = 5
)

// choice is a word for a place of the text. written marks the word of the given text.
type choice struct {
	term    string
	total   int     // the term's occurrences in the field of the generator
	channel float64 // the likelihood that the author of the written word meant this word
	score   float64
	written bool
}

// slot has the choices for a place of the text: the written word, then the candidates, the best first.
type slot []choice

// correction is a suggested text.
type correction struct {
	score float64
	path  []choice
}

type phraser struct {
	suggester  *suggester
	phrase     *query.PhraseSuggestion
	generators []*suggester
	counts     map[string]int // occurrences of terms in the field
	slots      []slot
	path       []choice
	best       []correction
	cutoff     float64
}

// phrase writes the suggestions of a text. of finds the fields of the generators.
func (s *suggester) phrase(of fields.Resolver) error {
	p := &phraser{suggester: s, phrase: s.asked.Phrase, counts: map[string]int{}}
	for i := range p.phrase.Generators {
		g := &suggester{request: s.request, work: s.work, asked: &p.phrase.Generators[i]}
		var ok bool
		if g.target, ok = of.Resolve(g.asked.Field); ok && g.hasTerms() {
			p.generators = append(p.generators, g)
		}
	}
	if len(p.generators) > 0 && s.hasTerms() {
		if err := p.find(); err != nil {
			return err
		}
	}
	s.out = appendString(append(s.out, `{"text":`...), s.asked.Text)
	s.out = append(s.out, `,"offset":0,"length":`...)
	s.out = strconv.AppendInt(s.out, int64(analysis.UTF16Len(s.asked.Text)), 10)
	s.out = append(s.out, `,"options":[`...)
	for i := range p.best[:min(len(p.best), s.asked.Size)] {
		if i > 0 {
			s.out = append(s.out, ',')
		}
		p.appendOption(&p.best[i])
	}
	s.out = append(s.out, "]}"...)
	return s.work.Charge(wordSteps)
}

// hasTerms reports whether the field has a dictionary. The dictionary of a boolean has no similar words.
func (s *suggester) hasTerms() bool {
	if f := s.target.Field; s.target.Kind == fields.Text && f != nil && f.Docs == 0 {
		return false // all texts are empty
	}
	return (!s.target.Kind.Typed() || s.target.Kind == fields.Boolean) && !s.target.Metadata
}

// find finds the best corrections.
func (p *phraser) find() error {
	words, err := p.split()
	if err != nil || len(words) == 0 || len(words) >= p.phrase.TokenLimit {
		return err
	}
	for _, word := range words {
		p.slots = append(p.slots, p.draw(word))
		if err := p.suggester.work.Charge(wordSteps); err != nil {
			return err
		}
	}
	p.path = make([]choice, len(p.slots))
	p.cutoff = math.SmallestNonzeroFloat64
	if p.phrase.Confidence > 0 {
		score := 0.0
		for i, s := range p.slots {
			p.path[i] = s[0]
			score += p.scoreAt(i)
		}
		p.cutoff = portable.Exp(score) * float64(p.phrase.Confidence)
	}
	p.walk(0, p.errors(), 0)
	return p.suggester.work.Failed()
}

// split returns the words of the text.
func (p *phraser) split() (words []string, err error) {
	if p.suggester.asked.Whole || p.suggester.target.Kind != fields.Text && !p.suggester.asked.Words {
		return []string{p.suggester.asked.Text}, nil
	}
	if err := p.suggester.work.Charge(len(p.suggester.asked.Text) / bytesPerStep); err != nil {
		return nil, err
	}
	return analysis.Terms(p.suggester.asked.Text), nil
}

// errors is the number of words that may change.
func (p *phraser) errors() int {
	if p.phrase.MaxErrors >= 1 {
		return int(query.LongOf(float64(p.phrase.MaxErrors)))
	}
	return max(1, int(math.Floor(float64(p.phrase.MaxErrors*float32(len(p.slots)))+0.5)))
}

// draw returns the choices for a word. If several generators find a candidate, the likelihood of the
// last generator counts.
func (p *phraser) draw(word string) slot {
	first := p.generators[0]
	written, df := first.choice(word, 1), first.frequency(word)
	written.written = true
	var list []choice
	for _, g := range p.generators {
		for _, c := range g.similar(word, g.plateau(df)) {
			list = slices.DeleteFunc(list, func(o choice) bool { return o.term == c.text })
			list = append(list, g.choice(c.text, float64(c.score)))
		}
		slices.SortFunc(list, func(a, b choice) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.term, b.term)) })
	}
	return append(slot{written}, list[:min(len(list), p.suggester.asked.ShardSize)]...)
}

// choice returns the choice of a term of the field.
func (s *suggester) choice(term string, channel float64) choice {
	total := s.occurrences(term)
	return choice{term: term, total: total, channel: channel, score: channel * (float64(total) + 1) / (float64(s.allOccurrences()) + 1)}
}

// plateau is the number of items that a suggestion for a word must exceed. df is the number of items with
// the word in the field of the first generator.
func (s *suggester) plateau(df int) float32 {
	if df == 0 || s.asked.Mode == query.SuggestAlways {
		return 0
	}
	base := int(s.asked.MinDocFreq)
	if s.asked.MinDocFreq < 1 {
		base = int(float32(s.request.Items) * s.asked.MinDocFreq)
	}
	f := float64(float64(df)*(portable.Log10(float64(df-base))*(1/portable.Log10(plateauBase)))) + 1
	if !(f > 0) {
		return 0
	}
	return float32(math.Floor(f + 0.5))
}

// occurrences is the number of times that the field has a term. A whole text counts once in an item.
func (s *suggester) occurrences(term string) int {
	if s.target.Kind != fields.Text {
		return s.frequency(term)
	}
	info, ok := s.target.Field.Terms().Lookup([]byte(term))
	if !ok {
		return 0
	}
	return s.request.Occurrences(s.target.Field, info)
}

func (s *suggester) allOccurrences() int {
	if s.target.Kind == fields.Text {
		return int(s.target.Field.Tokens)
	}
	return s.target.Values.Column().Pairs
}

// distinct is the number of terms of the field.
func (s *suggester) distinct() int {
	if s.target.Kind == fields.Text {
		return s.target.Field.Terms().Len()
	}
	return s.target.Values.Column().Distinct
}

// walk tries all choices for the places from at on. left is the number of words that may still change.
func (p *phraser) walk(at, left int, score float64) {
	if at == len(p.slots) {
		p.offer(portable.Exp(score))
		return
	}
	for i, c := range p.slots[at] {
		if p.suggester.work.Charge(pathSteps*min(p.phrase.GramSize, 3)) != nil {
			return
		}
		rest := left
		if i > 0 {
			if rest--; rest < 0 {
				return
			}
		}
		p.path[at] = c
		p.walk(at+1, rest, score+p.scoreAt(at))
	}
}

// offer adds the path to the best corrections if it is good enough.
func (p *phraser) offer(score float64) {
	if score <= p.cutoff {
		return
	}
	c := correction{score, p.path}
	i, _ := slices.BinarySearchFunc(p.best, c, compareCorrections)
	if i >= p.suggester.asked.ShardSize || p.suggester.work.Charge(len(p.best)/4+len(p.path)) != nil {
		return
	}
	c.path = slices.Clone(p.path)
	p.best = slices.Insert(p.best, i, c)
	p.best = p.best[:min(len(p.best), p.suggester.asked.ShardSize)]
}

// compareCorrections orders by descending score, then by words.
func compareCorrections(a, b correction) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return slices.CompareFunc(a.path, b.path, func(a, b choice) int { return cmp.Compare(a.term, b.term) })
}

// scoreAt is the logarithm of the likelihood of the word at a place.
func (p *phraser) scoreAt(at int) float64 {
	channel := p.path[at].channel
	if channel == 1 {
		channel = float64(p.phrase.RealWord)
	}
	switch word := p.path[at].term; {
	case at == 0 || p.phrase.GramSize == 1:
		return portable.Log10(channel * p.single(word))
	case at == 1 || p.phrase.GramSize == 2:
		return portable.Log10(channel * p.pair(word, p.path[at-1]))
	default:
		return portable.Log10(channel * p.triple(word, p.path[at-1], p.path[at-2]))
	}
}

// count is the number of times that the field has words side by side.
func (p *phraser) count(words ...string) float64 {
	term := strings.Join(words, p.phrase.Separator)
	n, ok := p.counts[term]
	if !ok {
		n = p.suggester.occurrences(term)
		p.counts[term] = n
	}
	return float64(n)
}

// single is the likelihood of a word.
func (p *phraser) single(word string) float64 {
	all, terms := float64(p.suggester.allOccurrences()), float64(p.suggester.distinct())
	if p.phrase.Smoothing == query.Laplace {
		return (p.phrase.Alpha + p.count(word)) / (all + float64(p.phrase.Alpha*terms))
	}
	return (1 + p.count(word)) / (all + terms)
}

// tiny keeps a divisor from being zero.
const tiny = 0.00000000001

// pair is the likelihood of a word after the previous word.
func (p *phraser) pair(word string, before choice) float64 {
	n, total := p.count(before.term, word), float64(before.total)
	switch {
	case p.phrase.Smoothing == query.Laplace:
		return (p.phrase.Alpha + n) / (total + float64(p.phrase.Alpha*float64(p.suggester.distinct())))
	case p.phrase.Smoothing == query.LinearInterpolation && n < 1:
		return p.phrase.Unigram * p.single(word)
	case p.phrase.Smoothing == query.LinearInterpolation:
		return float64(p.phrase.Bigram*(n/(0.5+total))) + float64(p.phrase.Unigram*p.single(word))
	case n < 1:
		return p.phrase.Discount * p.single(word)
	}
	return n / (total + tiny)
}

// triple is the likelihood of a word after the words first and before. Linear interpolation reads the words backwards,
// as in Elasticsearch.
func (p *phraser) triple(word string, before, first choice) float64 {
	switch p.phrase.Smoothing {
	case query.Laplace:
		return (p.phrase.Alpha + p.count(first.term, before.term, word)) / (p.count(before.term, word) + float64(p.phrase.Alpha*float64(p.suggester.distinct())))
	case query.LinearInterpolation:
		n := p.count(word, before.term, first.term)
		if n < 1 {
			return p.pair(word, before)
		}
		return float64(p.phrase.Trigram*(n/(1+p.count(word, before.term)))) + p.pair(word, before)
	}
	pairs := p.count(before.term, word)
	if pairs < 1 {
		return p.phrase.Discount * p.single(word)
	}
	if n := p.count(first.term, before.term, word); n >= 1 {
		return n / (pairs + tiny)
	}
	return p.phrase.Discount * (pairs / (float64(before.total) + tiny))
}

// appendOption writes a suggested text. Adjacent words that have changed are in one pair of tags.
func (p *phraser) appendOption(c *correction) {
	var plain, tagged strings.Builder
	for i, w := range c.path {
		if i > 0 {
			plain.WriteByte(' ')
			tagged.WriteByte(' ')
		}
		if !w.written && (i == 0 || c.path[i-1].written) {
			tagged.WriteString(p.phrase.Pre)
		}
		plain.WriteString(w.term)
		tagged.WriteString(w.term)
		if !w.written && (i == len(c.path)-1 || c.path[i+1].written) {
			tagged.WriteString(p.phrase.Post)
		}
	}
	s := p.suggester
	s.out = appendString(append(s.out, `{"text":`...), plain.String())
	if p.phrase.Tagged {
		s.out = appendString(append(s.out, `,"highlighted":`...), tagged.String())
	}
	s.out = append(envelope.AppendFloat(append(s.out, `,"score":`...), float64(float32(c.score)), 32), '}')
	p.suggester.work.Charge(plain.Len() / bytesPerStep)
}
