package scorer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// setDocs have one number each, several numbers, or none, and a value that is long or short.
var setDocs = []string{
	`{"n":3,"several":[1,5],"k":"apple"}`,
	`{"n":1,"several":[2],"k":"Apple pie"}`,
	`{"n":2,"k":"banana"}`,
	`{"several":[5,6,7],"k":["cherry","apple"]}`,
	`{"n":3,"several":[1,2,3],"k":""}`,
	`{"n":9}`,
}

// same gives documents one score.
func same(score float64, docs ...int) scores {
	out := scores{}
	for _, d := range docs {
		out[d] = score
	}
	return out
}

func TestOrdinals(t *testing.T) {
	ordinals := func(path string, lo, hi int) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			return r.Ordinals(c.reader.Field("Data."+path).Column(), lo, hi, 2)
		}
	}
	ranges := func(path string, all ...OrdinalRange) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			return r.AnyOrdinals(c.reader.Field("Data."+path).Column(), slices.Clone(all), 2)
		}
	}
	checkCases(t, corpora(t, setDocs...), []scoreCase{
		{"one value", ordinals("n", 2, 3), same(2, 0, 4)}, // the values are 1, 2, 3, 9
		{"a range", ordinals("n", 0, 2), same(2, 1, 2)},
		{"all values", ordinals("n", 0, 4), same(2, 0, 1, 2, 4, 5)},
		{"an empty range", ordinals("n", 2, 2), scores{}},
		{"one of several values", ordinals("several", 0, 1), same(2, 0, 4)}, // 1, 2, 3, 5, 6, 7
		{"a range of several values", ordinals("several", 1, 4), same(2, 0, 1, 3, 4)},
		{"the last of several values", ordinals("several", 5, 6), same(2, 3)},
		{"two ranges", ranges("n", OrdinalRange{3, 4}, OrdinalRange{0, 1}), same(2, 1, 5)},
		{"two ranges that meet", ranges("n", OrdinalRange{1, 2}, OrdinalRange{0, 1}), same(2, 1, 2)},
		{"two ranges that overlap", ranges("several", OrdinalRange{3, 6}, OrdinalRange{2, 4}), same(2, 0, 3, 4)},
		{"a range within another", ranges("n", OrdinalRange{0, 3}, OrdinalRange{1, 2}), same(2, 0, 1, 2, 4)},
		{"ranges without values", ranges("n", OrdinalRange{1, 1}, OrdinalRange{3, 2}), scores{}},
		{"an empty range and another", ranges("n", OrdinalRange{1, 1}, OrdinalRange{3, 4}), same(2, 5)},
		{"as a filter", func(c *corpus, r *Request) Scorer {
			set := r.WithDescription(ordinals("n", 2, 3)(c, r), func() string { return "n:3" })
			return r.Combine(&Clauses{Must: []Scorer{ordinals("several", 0, 2)(c, r)}, Filter: []Scorer{set}})
		}, same(2, 0, 4)},
		{"as an exclusion", func(c *corpus, r *Request) Scorer {
			return Exclusion(ordinals("several", 0, 6)(c, r), []Scorer{ordinals("n", 2, 3)(c, r)})
		}, same(2, 1, 3)},
		{"a value", func(c *corpus, r *Request) Scorer {
			return r.HasValue(c.reader.Field("Data.several").Column(), 0.5)
		}, same(0.5, 0, 1, 3, 4)},
	})
}

// TestManyOrdinals has values of a third, a half, nearly all and all of many documents.
func TestManyOrdinals(t *testing.T) {
	const n = 3*windowLen + 70
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"ContentID":"c%04d","Data":{"n":%d}}`, i, i%6)
	}
	c := snaptest.Open(t, snaptest.Env{Items: items}).Field("Data.n").Column()
	for lo := range 6 {
		for hi := lo + 1; hi <= 6; hi++ {
			r := &Request{}
			r.Open(NewWorkLimit(t.Context()), n)
			matches := r.Matches(r.Ordinals(c, lo, hi, 1))
			total := 0
			for d := range docID(n) {
				want := int(d%6) >= lo && int(d%6) < hi
				if want {
					total++
				}
				if matches.Has(d) != want {
					t.Fatalf("values %d to %d: document %d matches: %t", lo, hi, d, !want)
				}
			}
			if got := r.Collect(r.Ordinals(c, lo, hi, 1), nil, 0, 5, false).Total; got != total || matches.Count != total {
				t.Errorf("values %d to %d: %d and %d matches, want %d", lo, hi, got, matches.Count, total)
			}
			r.Close()
		}
	}
}

// TestAll matches each of the documents of a snapshot, and nothing in an empty one.
func TestAll(t *testing.T) {
	near := corpora(t, setDocs...)[:1]
	all := func(_ *corpus, r *Request) Scorer { return r.All(1.5) }
	checkCases(t, near, []scoreCase{
		{"all", all, same(1.5, 0, 1, 2, 3, 4, 5)},
		{"all have an id", func(c *corpus, r *Request) Scorer { return r.HasValue(c.reader.Field("ContentID").Column(), 2) }, same(2, 0, 1, 2, 3, 4, 5)},
	})
	r := &Request{}
	r.Open(NewWorkLimit(t.Context()), 0)
	defer r.Close()
	if s := r.All(1); s != nil {
		t.Errorf("an empty snapshot has a match: %d", s.next())
	}
}

// termDocs have words that patterns tell apart.
var termDocs = []string{"car cart", "care", "cat", "Dog doge", "cart carton", "", "über ubert"}

func TestTermScans(t *testing.T) {
	prefix := func(text string) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return r.TermPrefix(c.text(), text, 2) }
	}
	span := func(lo, hi *Bound) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return r.TermRange(c.text(), lo, hi, 2) }
	}
	in, out := func(text string) *Bound { return &Bound{text, true} }, func(text string) *Bound { return &Bound{text, false} }
	matching := func(m pattern.Matcher) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer { return r.TermMatches(c.text(), m, 2) }
	}
	wild := func(text string) func(*corpus, *Request) Scorer {
		return matching(pattern.CompileWildcard(text, pattern.FoldNone))
	}
	regexp := func(text string) func(*corpus, *Request) Scorer {
		m, _, err := pattern.CompileRegexp(text)
		if err != nil {
			t.Fatal(err)
		}
		return matching(m)
	}
	near := func(word string, edits, fixed int) func(*corpus, *Request) Scorer {
		return matching(pattern.CompileFuzzy(word, edits, fixed))
	}
	checkCases(t, texts(t, termDocs...), []scoreCase{
		{"prefix", prefix("car"), same(2, 0, 1, 4)},
		{"prefix of one word", prefix("carto"), same(2, 4)},
		{"prefix of all", prefix(""), same(2, 0, 1, 2, 3, 4, 6)},
		{"prefix of none", prefix("cars"), scores{}},
		{"prefix after all", prefix("ü\xff"), scores{}},

		{"range", span(in("care"), in("cat")), same(2, 0, 1, 2, 4)},
		{"range without ends", span(out("car"), out("care")), scores{}},
		{"range from after", span(out("cart"), nil), same(2, 2, 3, 4, 6)},
		{"range to before", span(nil, out("care")), same(2, 0)},
		{"range to", span(nil, in("care")), same(2, 0, 1)},
		{"range of one", span(in("cat"), in("cat")), same(2, 2)},
		{"range of none", span(in("d"), in("c")), scores{}},
		{"range of all", span(nil, nil), same(2, 0, 1, 2, 3, 4, 6)},
		{"range between words", span(in("cars"), in("carz")), same(2, 0, 4)},

		{"wildcard", wild("ca?"), same(2, 0, 2)},
		{"wildcard at the begin", wild("*t"), same(2, 0, 2, 4, 6)},
		{"wildcard in the middle", wild("c*t"), same(2, 0, 2, 4)},
		{"wildcard of one code point", wild("?ber"), same(2, 6)},
		{"wildcard of none", wild("?????????"), scores{}},
		{"wildcard in upper case", wild("CA?"), scores{}},

		{"regexp", regexp("car(e|t)"), same(2, 0, 1, 4)},
		{"regexp of whole words", regexp("art"), scores{}},
		{"regexp of any begin", regexp(".*og.?"), same(2, 3)},
		{"regexp of a repetition", regexp("c[a-r]{2}t?"), same(2, 0, 4)},

		{"fuzzy with no edit", near("care", 0, 0), same(2, 1)},
		{"fuzzy with one edit", near("care", 1, 0), same(2, 0, 1, 4)},
		{"fuzzy with a swap", near("acr", 1, 0), same(2, 0)},
		{"fuzzy with two edits", near("cat", 2, 0), same(2, 0, 1, 2, 4)},
		{"fuzzy after a fixed begin", near("dat", 2, 1), same(2, 3)},
		{"fuzzy with fewer edits than needed", near("dat", 1, 1), scores{}},
		{"fuzzy after another fixed begin", near("dot", 1, 2), same(2, 3)},
		{"fuzzy without a begin", near("xuber", 2, 0), same(2, 6)},
	})
}

// TestScanNear lists the distances of words in the order of the dictionary, and stops when take does.
func TestScanNear(t *testing.T) {
	c := texts(t, termDocs...)[0]
	r := &Request{}
	r.Open(NewWorkLimit(t.Context()), c.reader.Items())
	defer r.Close()
	for _, limit := range []int{1, 2, 9} {
		var got []string
		r.ScanNear(c.text(), pattern.CompileFuzzy("cart", 2, 0), func(term []byte, d int, info snapshot.TermInfo) bool {
			got = append(got, string(term)+strings.Repeat("~", d)+strings.Repeat("+", info.DF-1))
			return len(got) < limit
		})
		want := []string{"car~", "care~", "cart+", "carton~~", "cat~"}
		if want = want[:min(limit, len(want))]; !slices.Equal(got, want) {
			t.Errorf("near cart: %v, want %v", got, want)
		}
	}
}

func TestExpandAndOccurrences(t *testing.T) {
	for _, c := range texts(t, "a a b", "ab a", "b", "b b b") {
		r := &Request{}
		r.Open(NewWorkLimit(t.Context()), c.reader.Items())
		for prefix, want := range map[string][]int{"a": {3, 1}, "b": {5}, "": {3, 1, 5}, "c": nil} {
			for limit := range 4 {
				var got []int
				for _, info := range Expand(c.text(), prefix, limit) {
					got = append(got, r.Occurrences(c.text(), info))
				}
				if want := want[:min(limit, len(want))]; !slices.Equal(got, want) {
					t.Errorf("%s: the first %d words from %q occur %v times, want %v", c.name, limit, prefix, got, want)
				}
			}
		}
		r.Close()
	}
}

// TestStringScans has whole values, in each of the ways that find them.
func TestStringScans(t *testing.T) {
	values := func(c *corpus) *snapshot.Values { return &c.reader.Field("Data.k").Values }
	matching := func(text string, fold pattern.Fold, admit func(string) bool) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			return r.PatternMatches(values(c), admit, pattern.CompileWildcard(text, fold), 2)
		}
	}
	near := func(word string, edits int, admit func(string) bool) func(*corpus, *Request) Scorer {
		return func(c *corpus, r *Request) Scorer {
			set := r.DocSet()
			column := values(c).Column()
			r.ScanNearStrings(values(c).Strings(), admit, pattern.CompileFuzzy(word, edits, 0), func(_ []byte, _, ord int) bool {
				set.addPairs(column, ord, ord+1)
				return true
			})
			return set.Scorer(2)
		}
	}
	short := func(value string) bool { return len(value) <= 5 }
	checkCases(t, corpora(t, setDocs...), []scoreCase{
		{"prefix", matching("app*", pattern.FoldNone, nil), same(2, 0, 3)},
		{"prefix in any case", matching("app*", pattern.FoldAll, nil), same(2, 0, 1, 3)},
		{"infix", matching("*an*", pattern.FoldNone, nil), same(2, 2)},
		{"end", matching("*e", pattern.FoldNone, nil), same(2, 0, 1, 3)},
		{"admitted ends", matching("*e", pattern.FoldNone, short), same(2, 0, 3)},
		{"everything", matching("*", pattern.FoldNone, nil), same(2, 0, 1, 2, 3, 4)},
		{"nothing", matching("", pattern.FoldNone, nil), same(2, 4)},
		{"none", matching("z*", pattern.FoldNone, nil), scores{}},
		{"near", near("apple", 1, nil), same(2, 0, 3)},
		{"near in two edits", near("aple", 2, nil), same(2, 0, 3)},
		{"near and admitted", near("cherr", 1, short), scores{}},
		{"near and not admitted", near("cherr", 1, nil), same(2, 3)},
	})
}

func TestScoresOfOthers(t *testing.T) {
	c := texts(t, boolDocs...)[0]
	r := &Request{}
	r.Open(NewWorkLimit(t.Context()), c.reader.Items())
	defer r.Close()
	got := r.ScoresOf(c.word(r, "x"), []docID{7, 0, 5})
	if !(math.IsNaN(float64(got[1])) && got[0] > got[2] && got[2] > 0) {
		t.Errorf("scores of a document that matches most, of none, and of one that matches: %v", got)
	}
	if got := r.Among(c.word(r, "x"), []docID{7, 0, 6, 5, 1}); !slices.Equal(got, []bool{true, false, true, true, false}) {
		t.Errorf("among given documents match %v", got)
	}
	if got := r.Among(nil, []docID{1}); got[0] {
		t.Error("a document matches nothing")
	}
	set := NewBitset(r.Items)
	for _, d := range []docID{0, 3, 6, 8} {
		set.Add(d)
	}
	for word, want := range map[string]int{"a": 4, "d": 1, "b": 3, "z": 0} {
		if got := r.Intersect(c.word(r, word), set).Count; got != want {
			t.Errorf("%d of four documents have %s, want %d", got, word, want)
		}
	}
}
