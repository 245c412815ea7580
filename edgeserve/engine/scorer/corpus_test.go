// This file holds what the tables of this package share: a small corpus, BM25 written out, and a check of a Scorer
// that walks it in every way there is.

package scorer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// corpus is the documents of a table in a snapshot.
type corpus struct {
	name   string
	reader *snapshot.Reader
	stride docID // from a document of the table to the next
}

// scores maps documents of a table to their scores.
type scores map[int]float64

// scoreCase is a row of a table: the Scorer that scorer makes has the matches and the scores of want.
type scoreCase struct {
	name   string
	scorer func(c *corpus, r *Request) Scorer
	want   scores
}

// farApart is a stride that puts three documents of a table into each window.
const farApart = windowLen/3 + 5

// corpora returns documents twice: next to each other, and with many documents without values between them. Neither
// changes the statistics of a field. Each document is the JSON of Data, whose text is t.
func corpora(t *testing.T, data ...string) []*corpus {
	t.Helper()
	var out []*corpus
	for _, c := range []*corpus{{name: "near", stride: 1}, {name: "far", stride: farApart}} {
		items := make([]string, len(data)*int(c.stride))
		for i := range items {
			items[i] = fmt.Sprintf(`{"ContentID":"c%05d"}`, i)
		}
		for i, d := range data {
			items[i*int(c.stride)] = fmt.Sprintf(`{"ContentID":"d%05d","Data":%s}`, i, d)
		}
		c.reader = snaptest.Open(t, snaptest.Env{Items: items, Analysis: snaptest.Analysis{Length: analysis.EncodeLength, Factors: analysis.LengthFactors}})
		out = append(out, c)
	}
	return out
}

// texts returns corpora of documents with a text.
func texts(t *testing.T, docs ...string) []*corpus {
	t.Helper()
	data := make([]string, len(docs))
	for i, text := range docs {
		data[i] = fmt.Sprintf(`{"t":%q}`, text)
	}
	return corpora(t, data...)
}

func (c *corpus) text() *snapshot.Field { return c.reader.Field("Data.t") }

func (c *corpus) doc(i int) docID { return docID(i) * c.stride }

// word matches a word of the text.
func (c *corpus) word(r *Request, word string) Scorer { return r.Word(c.text(), []byte(word), 1) }

func (c *corpus) wordList(r *Request, words ...string) (out []Scorer) {
	for _, w := range words {
		out = append(out, c.word(r, w))
	}
	return out
}

// infos returns the dictionary entries of words.
func (c *corpus) infos(words ...string) (out []snapshot.TermInfo) {
	for _, w := range words {
		if info, ok := c.text().Terms().Lookup([]byte(w)); ok {
			out = append(out, info)
		}
	}
	return out
}

// idfOf is the formula of Lucene's BM25Similarity: the number of documents with a text, and with a word.
func idfOf(docs []string, word string) float64 {
	n, df := 0.0, 0.0
	for _, text := range docs {
		if text != "" {
			n++
		}
		if slices.Contains(strings.Fields(text), word) {
			df++
		}
	}
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// bm25Of returns the score of a document in which words together occur frequency times.
func bm25Of(docs []string, doc int, frequency float64, words ...string) float64 {
	return bm25At(docs, len(strings.Fields(docs[doc])), frequency, words...)
}

// bm25At is bm25Of for a document of a number of words.
func bm25At(docs []string, length int, frequency float64, words ...string) float64 {
	n, tokens, idf := 0.0, 0.0, 0.0
	for _, text := range docs {
		if text != "" {
			n++
		}
		tokens += float64(len(strings.Fields(text)))
	}
	for _, w := range words {
		idf += idfOf(docs, w)
	}
	return 2.2 * idf * frequency / (frequency + 1.2*(1-0.75+0.75*float64(length)/(tokens/n)))
}

// checkCases walks the Scorer of each row in each corpus.
func checkCases(t *testing.T, all []*corpus, cases []scoreCase) {
	t.Helper()
	for _, row := range cases {
		for _, c := range all {
			t.Run(row.name+" "+c.name, func(t *testing.T) {
				w := &walks{t: t, c: c, make: row.scorer, want: map[docID]float64{}}
				for i, score := range row.want {
					w.want[c.doc(i)] = score
				}
				w.docs = slices.Sorted(maps.Keys(w.want))
				w.byNext()
				w.bySeek()
				w.byWindows()
				w.limited()
				w.collected()
				w.bounded()
				w.explained()
			})
		}
	}
}

// walks compares the walks of a Scorer with its matches.
type walks struct {
	t    *testing.T
	c    *corpus
	make func(c *corpus, r *Request) Scorer
	want map[docID]float64
	docs []docID // of want
}

// each calls f with a fresh Scorer, which is nil if it can match nothing.
func (w *walks) each(explain bool, f func(r *Request, s Scorer)) {
	w.t.Helper()
	r := &Request{KeepScores: true, Explain: explain}
	r.Open(NewWorkLimit(w.t.Context()), w.c.reader.Items())
	defer r.Close()
	f(r, w.make(w.c, r))
	if err := r.Work.Failed(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *walks) same(how string, d docID, score float64) {
	w.t.Helper()
	if want, ok := w.want[d]; !ok || math.Abs(score-want) > 1e-5*max(1, math.Abs(want)) {
		w.t.Errorf("%s: document %d has the score %.7f, want %.7f (it matches: %t)", how, d, score, want, ok)
	}
}

func (w *walks) sameDocs(how string, docs []docID) {
	w.t.Helper()
	if !slices.Equal(docs, w.docs) {
		w.t.Errorf("%s: documents %v, want %v", how, docs, w.docs)
	}
}

func (w *walks) byNext() {
	w.each(false, func(_ *Request, s Scorer) {
		var docs []docID
		if s != nil {
			for d := s.next(); d != noMore; d = s.next() {
				docs = append(docs, d)
				w.same("next", d, float64(s.score()))
			}
		}
		w.sameDocs("next", docs)
	})
}

// bySeek seeks a document, the previous one and the next one, each with a fresh Scorer, and then all one by one.
func (w *walks) bySeek() {
	targets := []docID{0}
	for i := range docID(w.c.reader.Items()) / w.c.stride {
		targets = append(targets, max(i*w.c.stride, 1)-1, i*w.c.stride, i*w.c.stride+1)
	}
	at := func(s Scorer, target docID) {
		i, _ := slices.BinarySearch(w.docs, target)
		want := docID(noMore)
		if i < len(w.docs) {
			want = w.docs[i]
		}
		if got := s.seek(target); got != want {
			w.t.Errorf("seek %d: document %d, want %d", target, got, want)
		} else if got != noMore {
			w.same("seek", got, float64(s.score()))
		}
	}
	for _, target := range targets {
		w.each(false, func(_ *Request, s Scorer) {
			if s != nil {
				at(s, target)
			}
		})
	}
	w.each(false, func(_ *Request, s Scorer) {
		for _, target := range slices.Compact(slices.Sorted(slices.Values(targets))) {
			if s != nil {
				at(s, target)
			}
		}
	})
}

// byWindows fills windows with and without scores.
func (w *walks) byWindows() {
	for _, scoring := range []bool{true, false} {
		w.each(false, func(r *Request, s Scorer) {
			if s == nil {
				return
			}
			var docs []docID
			score := func(_, _ docID) bool { return scoring }
			r.windows(s, 0, score, func(win *window, base docID) bool {
				win.each(func(i uint32) {
					docs = append(docs, base+i)
					if scoring {
						w.same("fill", base+i, float64(win.scores[i]))
					}
				})
				return true
			})
			w.sameDocs(fmt.Sprintf("fill with scores %t", scoring), docs)
		})
	}
}

// limited fills windows of which only every second match is needed.
func (w *walks) limited() {
	w.each(false, func(r *Request, s Scorer) {
		if s == nil {
			return
		}
		var want, docs []docID
		only := NewBitset(r.Items + windowLen)
		for i := 0; i < len(w.docs); i += 2 {
			want = append(want, w.docs[i])
			only.Add(w.docs[i])
		}
		win := &window{}
		for d := s.seek(0); int(d) < r.Items; {
			base := d &^ 63
			win.clear()
			win.only = (*windowBits)(only.Words[base>>6:])
			d = s.fill(win, base, base+windowLen, true)
			win.dropOthers()
			win.each(func(i uint32) {
				docs = append(docs, base+i)
				w.same("limited fill", base+i, float64(win.scores[i]))
			})
		}
		if !slices.Equal(docs, want) {
			w.t.Errorf("limited fill: documents %v, want %v", docs, want)
		}
	})
}

// collected reads a page of all matches, and one of the best match, in the order of scores.
func (w *walks) collected() {
	order := slices.Clone(w.docs)
	slices.SortStableFunc(order, func(a, b docID) int { return cmp.Compare(w.want[b], w.want[a]) })
	for _, size := range []int{1, 10} {
		w.each(false, func(r *Request, s Scorer) {
			hits := r.Collect(s, nil, 0, size, false)
			if want := order[:min(size, len(order))]; !slices.Equal(hits.Docs, want) || hits.Total != len(order) {
				w.t.Errorf("a page of %d: documents %v of %d, want %v of %d", size, hits.Docs, hits.Total, want, len(order))
			}
			for i, score := range hits.Of {
				w.same("page", hits.Docs[i], float64(score))
			}
		})
	}
	w.each(false, func(r *Request, s Scorer) {
		for i, score := range r.ScoresOf(s, order) {
			w.same("scores of given documents", order[i], float64(score))
		}
	})
}

// bounded compares the bounds of a range and of each document with the scores.
func (w *walks) bounded() {
	const slack = 1 + 1e-5
	for _, d := range w.docs {
		for _, span := range [][2]docID{{0, docID(w.c.reader.Items())}, {d, d + 1}, {d &^ 63, d&^63 + windowLen}} {
			w.each(false, func(_ *Request, s Scorer) {
				s.seek(span[0])
				if bound := float64(s.bound(span[0], span[1])); bound*slack < w.want[d] {
					w.t.Errorf("bound of %v: %v is below the score %v of document %d", span, bound, w.want[d], d)
				}
			})
		}
	}
}

// explained explains every document of the table.
func (w *walks) explained() {
	w.each(true, func(r *Request, s Scorer) {
		for d := docID(0); int(d) < r.Items; d += w.c.stride {
			e := r.ExplainScore(s, d)
			if _, matches := w.want[d]; e.Matches != matches {
				w.t.Errorf("explanation of %d: it matches: %t, want %t: %s", d, e.Matches, matches, e.Append(nil))
			} else if matches {
				w.same("explanation", d, e.Value)
				w.adds(&e)
			}
		}
	})
}

// adds checks that the parts of an explanation make its value.
func (w *walks) adds(e *explain.Explanation) {
	sum, greatest, product := 0.0, math.Inf(-1), 1.0
	for i := range e.Details {
		part := &e.Details[i]
		w.adds(part)
		if part.Matches {
			sum, greatest, product = sum+part.Value, max(greatest, part.Value), product*part.Value
		}
	}
	want := e.Value
	switch {
	case strings.HasSuffix(e.Description, "sum of:"):
		want = sum
	case strings.HasSuffix(e.Description, "max of:"):
		want = greatest
	case strings.HasSuffix(e.Description, "product of:"), strings.Contains(e.Description, "computed as boost * idf * tf"):
		want = product
	}
	if math.Abs(e.Value-want) > 1e-5*max(1, math.Abs(want)) {
		w.t.Errorf("explanation %q: %v, but its parts make %v", e.Description, e.Value, want)
	}
}
