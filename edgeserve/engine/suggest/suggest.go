// Package suggest corrects a text by the words of a field. It reads only the dictionary of the field.
//
//	suggest.go  corrects word by word, as Lucene's direct spell checker does
//	phrase.go   corrects the whole text, as Elasticsearch's phrase suggester does, with candidates of suggest.go
//	distance.go measures how similar two words are
package suggest

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

const (
	// wordSteps is the cost of a word of the text, candidateSteps of a candidate.
	wordSteps, candidateSteps = 64, 16
	// bytesPerStep is the number of bytes that a step splits into words.
	bytesPerStep = 2
)

type suggester struct {
	request *scorer.Request
	work    *scorer.WorkLimit // of the request
	asked   *query.Suggestion
	target  fields.Target
	out     []byte
	words   int
}

// Append appends the suggestions of a body as a JSON object: for each name, the words of its text, or
// the whole text, each with its suggestions.
func Append(dst []byte, r *scorer.Request, of fields.Resolver, list []query.Suggestion) ([]byte, error) {
	dst = append(dst, '{')
	for i := range list {
		s := suggester{request: r, work: r.Work, asked: &list[i], out: dst}
		var ok bool
		if s.target, ok = of.Resolve(s.asked.Field); !ok {
			return nil, &query.Error{Code: problem.BadSuggest, Parameter: "suggest." + s.asked.Name, Position: -1,
				Message: fmt.Sprintf("no item has %.80q: name a path of text", s.asked.Field)}
		}
		if i > 0 {
			s.out = append(s.out, ',')
		}
		s.out = append(appendString(s.out, s.asked.Name), ":["...)
		var err error
		if s.asked.Phrase != nil {
			err = s.phrase(of)
		} else {
			err = s.text()
		}
		if err != nil {
			return nil, err
		}
		dst = append(s.out, ']')
	}
	return append(dst, '}'), nil
}

// text suggests for each word of the text.
func (s *suggester) text() error {
	if s.asked.Whole || s.target.Kind != fields.Text && !s.asked.Words {
		return s.word(s.asked.Text, 0, analysis.UTF16Len(s.asked.Text))
	}
	if err := s.work.Charge(len(s.asked.Text) / bytesPerStep); err != nil {
		return err
	}
	var t analysis.Tokenizer
	t.Reset([]byte(s.asked.Text))
	at, offset := 0, 0
	for t.Next() {
		start, end := t.Span()
		offset += analysis.UTF16Len(s.asked.Text[at:start])
		length := analysis.UTF16Len(s.asked.Text[start:end])
		if err := s.word(string(t.Term()), offset, length); err != nil {
			return err
		}
		at, offset = end, offset+length
	}
	return nil
}

// word writes a word and its suggestions. offset and length are its place in the text, in UTF-16
// units.
func (s *suggester) word(word string, offset, length int) error {
	if s.words++; s.words > 1 {
		s.out = append(s.out, ',')
	}
	s.out = appendString(append(s.out, `{"text":`...), word)
	s.out = strconv.AppendInt(append(s.out, `,"offset":`...), int64(offset), 10)
	s.out = strconv.AppendInt(append(s.out, `,"length":`...), int64(length), 10)
	s.out = append(s.out, `,"options":[`...)
	for i, c := range s.similar(word, 0) {
		if i > 0 {
			s.out = append(s.out, ',')
		}
		s.out = appendString(append(s.out, `{"text":`...), c.text)
		s.out = envelope.AppendFloat(append(s.out, `,"score":`...), float64(c.score), 32)
		s.out = strconv.AppendInt(append(s.out, `,"freq":`...), int64(c.df), 10)
		s.out = append(s.out, '}')
	}
	s.out = append(s.out, "]}"...)
	return s.work.Charge(wordSteps)
}

// candidate is a word of the field. similarity chooses candidates, score orders them.
type candidate struct {
	text              string
	df                int
	similarity, score float32
}

// similar returns the suggestions for a word. More than above items have each suggestion; a number below 1
// is a share of all items.
func (s *suggester) similar(word string, above float32) []candidate {
	if s.target.Kind.Typed() || s.target.Metadata || utf8.RuneCountInString(word) < s.asked.MinWordLength {
		return nil
	}
	df, items := s.frequency(word), float64(s.request.Items)
	if s.asked.Mode == query.SuggestMissing && df > 0 || df > mostOf(s.asked.MaxTermFreq, items) {
		return nil
	}
	least := leastOf(max(s.asked.MinDocFreq, above), items)
	if s.asked.Mode == query.SuggestPopular {
		least = max(least, df)
	}
	most := s.asked.ShardSize * s.asked.MaxInspections
	found := s.within(1, word, least, most)
	if s.asked.MaxEdits > 1 && len(found) < most {
		found = append(found, s.within(s.asked.MaxEdits, word, least, most)...) // with two edits the first letter must be equal, with one edit it may differ
		slices.SortFunc(found, func(a, b candidate) int { return cmp.Compare(a.text, b.text) })
		found = slices.CompactFunc(found, func(a, b candidate) bool { return a.text == b.text })
	}
	slices.SortFunc(found, s.order)
	return found[:min(len(found), s.asked.Size, s.asked.ShardSize)]
}

// mostOf is the greatest frequency of a word that still gets suggestions. A suggestion needs a frequency above leastOf.
// Both round as Lucene does.
func mostOf(frequency float32, items float64) int {
	if frequency >= 1 {
		return int(frequency)
	}
	return int(math.Ceil(float64(frequency * float32(items))))
}

func leastOf(frequency float32, items float64) int {
	switch {
	case frequency >= 1:
		return int(frequency)
	case frequency > 0:
		return max(int(frequency*float32(items))-1, 0)
	}
	return 0
}

// order sorts by score, then frequency, then text. With ByFrequency, frequency comes before score.
func (s *suggester) order(a, b candidate) int {
	score, df := cmp.Compare(b.score, a.score), cmp.Compare(b.df, a.df)
	if s.asked.ByFrequency {
		score, df = df, score
	}
	return cmp.Or(score, df, cmp.Compare(a.text, b.text))
}

// frequency is the number of items with a word.
func (s *suggester) frequency(word string) int {
	if s.target.Kind == fields.Text {
		if info, ok := s.target.Field.Terms().Lookup([]byte(word)); ok {
			return info.DF
		}
		return 0
	}
	if s.target.Kind == fields.Boolean {
		return s.booleans(word)
	}
	ord, ok := s.request.Find(s.target.Values.Strings(), []byte(word))
	if !ok {
		return 0
	}
	return s.target.Values.Column().Count(ord)
}

// booleans is the number of items with a boolean, whose word is T or F.
func (s *suggester) booleans(word string) int {
	numbers := s.target.Values.Numbers()
	for ord := range numbers.Len() {
		if word == "FT"[numbers.Int(ord):][:1] {
			return s.target.Values.Column().Count(ord)
		}
	}
	return 0
}

// within returns at most most words, the best within a number of edits. More than least items have each
// word.
func (s *suggester) within(edits int, word string, least, most int) (found candidates) {
	m := pattern.CompileNear(word, edits, max(s.asked.PrefixLength, edits-1))
	length := utf8.RuneCountInString(word)
	take := func(term []byte, d, df int) bool {
		if d == 0 || df <= least {
			return true
		}
		if s.work.Charge(candidateSteps) != nil || most == 0 {
			return false
		}
		c := candidate{text: string(term), df: df, similarity: internal(d, min(length, utf8.RuneCount(term)))}
		c.score = c.similarity
		if s.asked.Distance != query.DistanceInternal {
			c.score = similarityOf(s.asked.Distance, word, c.text, s.work.Charge)
		}
		if c.score < s.asked.Accuracy || len(found) >= most && c.similarity <= found[0].score {
			return true
		}
		if heap.Push(&found, c); len(found) > most {
			heap.Pop(&found)
		}
		return true
	}
	if s.target.Kind == fields.Keyword {
		s.request.ScanNearStrings(s.target.Values.Strings(), s.target.Admit, m, func(value []byte, d, ord int) bool {
			return take(value, d, s.target.Values.Column().Count(ord))
		})
	} else {
		s.request.ScanNear(s.target.Field, m, func(term []byte, d int, info snapshot.TermInfo) bool {
			return take(term, d, info.DF)
		})
	}
	return found
}

// candidates is a heap with the worst candidate at its root: the lowest score, then the last text. As in Lucene a
// candidate enters if its similarity is above that score, even if the score is of another measure.
type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c candidates) Less(i, j int) bool {
	if c[i].score != c[j].score {
		return c[i].score < c[j].score
	}
	return c[i].text > c[j].text
}
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

func appendString(dst []byte, s string) []byte { return envelope.JavaEscapes.AppendString(dst, s) }
