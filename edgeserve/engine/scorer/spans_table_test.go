package scorer

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

var spanDocs = []string{
	"a b c",
	"a x b",
	"b a",
	"a x x b y c",
	"c b a a b c",
	"x y z",
	"a",
	"a b a b a b",
	"d a b e d c e",
}

// spansOf makes Spans of a text such as near(3,a,or(b,c)). word returns the places of a word, nil if no text has it.
type spansOf struct {
	w    *SpanWork
	word func(word string) Spans
}

// make reads one term from the front of text and returns the rest.
func (o *spansOf) make(text string) (Spans, string) {
	end := strings.IndexAny(text, "(),")
	if end < 0 || text[end] != '(' {
		if end < 0 {
			end = len(text)
		}
		return o.word(text[:end]), text[end:]
	}
	name, rest := text[:end], text[end:]
	var parts []Spans
	var numbers []int
	for rest[0] != ')' {
		var n int
		if rest = rest[1:]; rest[0] <= '9' {
			fmt.Sscan(rest[:strings.IndexAny(rest, ",)")], &n)
			numbers, rest = append(numbers, n), rest[strings.IndexAny(rest, ",)"):]
			continue
		}
		var part Spans
		part, rest = o.make(rest)
		parts = append(parts, part)
	}
	return o.combine(name, numbers, parts), rest[1:]
}

func (o *spansOf) combine(name string, n []int, parts []Spans) Spans {
	switch name {
	case "ordered":
		return o.w.Near(parts, n[0], true)
	case "near":
		return o.w.Near(parts, n[0], false)
	case "gap":
		return o.w.Gap(n[0])
	case "or":
		return o.w.Or(parts)
	case "first":
		return o.w.First(parts[0], n[0])
	case "not":
		return o.w.Not(parts[0], parts[1], n[0], n[1])
	case "within":
		return o.w.Within(parts[0], parts[1])
	case "containing":
		return o.w.Containing(parts[0], parts[1])
	case "seq":
		return o.w.InOrder(parts)
	case "all":
		return o.w.InAnyOrder(parts)
	case "block":
		return o.w.Block(parts)
	case "any":
		return o.w.AnyOf(parts)
	case "rep":
		return o.w.Repeated(parts[0], n[0])
	case "gaps":
		return o.w.MaxGaps(parts[0], n[0])
	case "before", "after":
		return o.w.Related(parts[0], o.w.Around(parts[1], name == "after"), ContainedBy)
	}
	return o.w.Related(parts[0], parts[1], relations[name])
}

var relations = map[string]Relation{
	"has": Containing, "in": ContainedBy, "meets": Overlapping, "hasNo": NotContaining, "notIn": NotContainedBy, "meetsNo": NotOverlapping,
}

// TestSpans lists the widths of the spans in each document. The width is the number of words between the parts, or from
// the start to the end if the parts are in any order. A span of width n counts 1/(1+n).
func TestSpans(t *testing.T) {
	type widths map[int][]float64
	one := []float64{0}
	rows := []struct {
		query, words string // the words whose idf counts
		want         widths
	}{
		{"a", "a", widths{0: one, 1: one, 2: one, 3: one, 4: {0, 0}, 6: one, 7: {0, 0, 0}, 8: one}},
		{"q", "", nil},
		{"or(a,x)", "a x", widths{0: one, 1: {0, 0}, 2: one, 3: {0, 0, 0}, 4: {0, 0}, 5: one, 6: one, 7: {0, 0, 0}, 8: one}},
		{"or(z,q)", "z", widths{5: one}},
		{"or(q,p)", "", nil},

		{"ordered(0,a,b)", "a b", widths{0: one, 4: one, 7: {0, 0, 0}, 8: one}},
		{"ordered(1,a,b)", "a b", widths{0: one, 1: {1}, 4: {1, 0}, 7: {0, 0, 0}, 8: one}},
		{"ordered(2,a,b)", "a b", widths{0: one, 1: {1}, 3: {2}, 4: {1, 0}, 7: {0, 0, 0}, 8: one}},
		{"ordered(9,b,a)", "a b", widths{2: one, 4: one, 7: {0, 0}}},
		{"ordered(9,a,q)", "", nil},
		{"ordered(3,a,b,c)", "a b c", widths{0: one, 3: {3}, 4: {1, 0}, 8: {2}}},
		{"ordered(2,a,b,c)", "a b c", widths{0: one, 4: {1, 0}, 8: {2}}},
		{"ordered(0,a,gap(1),b)", "a b", widths{1: one, 4: one}}, // the words of a gap are not between the parts
		{"ordered(1,a,gap(1),b)", "a b", widths{1: one, 3: {1}, 4: one, 7: {1, 1}}},
		{"ordered(2,or(a,d),or(b,c))", "a d b c", widths{0: one, 1: {1}, 3: {2}, 4: {1, 0}, 7: {0, 0, 0}, 8: {1, 0, 0}}},

		{"near(0,a,b)", "a b", widths{0: {2}, 2: {2}, 4: {2, 2}, 7: {2, 2, 2, 2, 2}, 8: {2}}},
		{"near(1,a,b)", "a b", widths{0: {2}, 1: {3}, 2: {2}, 4: {2, 3, 2}, 7: {2, 2, 2, 2, 2}, 8: {2}}},
		{"near(0,c,b,a)", "a b c", widths{0: {3}, 4: {3, 3}}},
		{"near(9,c,d)", "c d", widths{8: {6, 2}}},

		{"first(1,a)", "a", widths{0: one, 1: one, 3: one, 6: one, 7: one}},
		{"first(3,b)", "b", widths{0: one, 1: one, 2: one, 4: one, 7: one, 8: one}},
		{"first(3,ordered(1,a,b))", "a b", widths{0: one, 1: {1}, 7: one, 8: one}},
		{"first(0,a)", "a", nil},
		{"first(9,q)", "", nil},

		{"not(0,0,a,b)", "a", widths{0: one, 1: one, 2: one, 3: one, 4: {0, 0}, 6: one, 7: {0, 0, 0}, 8: one}},
		{"not(1,0,a,b)", "a", widths{0: one, 1: one, 3: one, 4: one, 6: one, 7: one, 8: one}},
		{"not(0,1,a,b)", "a", widths{1: one, 2: one, 3: one, 4: one, 6: one}},
		{"not(0,2,a,b)", "a", widths{2: one, 3: one, 6: one}},
		{"not(0,0,a,a)", "a", nil},
		{"not(0,0,ordered(2,a,b),x)", "a b", widths{0: one, 4: {1, 0}, 7: {0, 0, 0}, 8: one}},
		{"not(0,0,a,q)", "a", widths{0: one, 1: one, 2: one, 3: one, 4: {0, 0}, 6: one, 7: {0, 0, 0}, 8: one}},

		{"within(ordered(9,d,e),b)", "b", widths{8: one}},
		{"within(ordered(9,a,c),x)", "x", widths{3: {0, 0}}},
		{"within(ordered(9,a,c),q)", "", nil},
		{"containing(ordered(9,a,c),b)", "a c", widths{0: {1}, 3: {4}, 4: {2, 1}, 8: {3}}},
		{"containing(ordered(9,a,c),d)", "a c", widths{8: {3}}},
		{"containing(ordered(9,d,e),c)", "d e", widths{8: {1}}},
	}
	var cases []scoreCase
	for _, row := range rows {
		want := scores{}
		for doc, all := range row.want {
			frequency := 0.0
			for _, width := range all {
				frequency += 1 / (1 + width)
			}
			want[doc] = bm25Of(spanDocs, doc, frequency, strings.Fields(row.words)...)
		}
		cases = append(cases, scoreCase{row.query, func(c *corpus, r *Request) Scorer {
			w := r.SpanWork()
			s, _ := (&spansOf{w, func(word string) Spans { return w.Terms(c.text(), c.infos(word)) }}).make(row.query)
			var dfs []int
			for _, info := range c.infos(strings.Fields(row.words)...) {
				dfs = append(dfs, info.DF)
			}
			return w.SpanScorer(c.text(), s, dfs, 1, func() string { return row.query })
		}, want})
	}
	checkCases(t, texts(t, spanDocs...), cases)
}

// TestSpansOfSeveralWords has the places of words that one span_multi stands for.
func TestSpansOfSeveralWords(t *testing.T) {
	of := func(words ...string) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			w := r.SpanWork()
			infos := c.infos(words...)
			return w.SpanScorer(c.text(), w.First(w.Terms(c.text(), infos), 3), []int{infos[0].DF}, 2, func() string { return "spans" })
		}
	}
	score := func(doc int, frequency float64) float64 { return 2 * bm25Of(spanDocs, doc, frequency, "c") }
	checkCases(t, texts(t, spanDocs...), []scoreCase{
		{"three words", of("c", "x", "y"), scores{0: score(0, 1), 1: score(1, 1), 3: score(3, 2), 4: score(4, 1), 5: score(5, 2)}},
	})
}

// TestSpansWithNegativeIDF has a word that counts as more frequent than the field has documents.
func TestSpansWithNegativeIDF(t *testing.T) {
	if got := idf(3, 9); got != 0 {
		t.Errorf("the idf of a word in 9 of 3 documents is %v", got)
	}
	if got, want := float64(idf(9, 3)), math.Log(1+6.5/3.5); math.Abs(got-want) > 1e-6 {
		t.Errorf("the idf of a word in 3 of 9 documents is %v, want %v", got, want)
	}
}

// TestEachSpan lists the spans of one text, each with the positions of its words.
func TestEachSpan(t *testing.T) {
	text := strings.Fields("a b x a c b a")
	for _, row := range []struct{ query, want string }{
		{"a", "0-1 [0] 3-4 [3] 6-7 [6]"},
		{"q", ""},
		{"or(a,c)", "0-1 [0] 3-4 [3] 4-5 [4] 6-7 [6]"},
		{"ordered(1,a,b)", "0-2 [0 1] 3-6 [3 5]"},
		{"ordered(1,a,or(c,x))", "0-3 [0 2] 3-5 [3 4]"},
		{"near(0,a,b)", "0-2 [0 1] 5-7 [6 5]"},
		{"first(4,a)", "0-1 [0] 3-4 [3]"},
		{"not(1,0,a,b)", "0-1 [0] 3-4 [3]"},
		{"within(ordered(1,a,b),c)", "4-5 [3 5 4]"},
		{"containing(ordered(1,a,b),c)", "3-6 [3 5 4]"},
	} {
		w := TextSpanWork(func(int) error { return nil })
		s, _ := (&spansOf{w, func(word string) Spans {
			var at []uint32
			for i, other := range text {
				if other == word {
					at = append(at, uint32(i))
				}
			}
			return w.Places(at)
		}}).make(row.query)
		var got []string
		w.EachSpan(s, func(start, end int, words []int) { got = append(got, fmt.Sprintf("%d-%d %v", start, end, words)) })
		if got := strings.Join(got, " "); got != row.want {
			t.Errorf("%s: %s, want %s", row.query, got, row.want)
		}
	}
}
