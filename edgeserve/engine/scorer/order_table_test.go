package scorer

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// orderItems have a number, several numbers and a group. Their ids descend, so that ties by id are not ties by document.
var orderItems = []struct {
	n     string
	group uint32
}{{`"n":3,"s":[1,9]`, 0}, {`"n":1,"s":[4]`, 1}, {`"n":2,"s":[3,5]`, 0}, {`"x":1`, 1}, {`"n":3,"s":[2,8]`, 2}, {`"n":7`, 2}}

func orderSnapshot(t *testing.T) *snapshot.Reader {
	items := make([]string, len(orderItems))
	for i, item := range orderItems {
		items[i] = fmt.Sprintf(`{"ContentID":"d%d","Data":{"t":"%s",%s}}`, 9-i, "a"+map[bool]string{true: " b"}[i%2 == 0], item.n)
	}
	return snaptest.Open(t, snaptest.Env{Items: items})
}

// TestOrders has an order for each kind of key, the page after a document, and the first document of each group.
func TestOrders(t *testing.T) {
	reader := orderSnapshot(t)
	column := func(name string) *snapshot.Column { return reader.Field("Data." + name).Column() }
	const last, first = math.MaxUint32, 0
	n := func(asc bool, absent uint32) SortKey { return SortKey{Column: column("n"), Asc: asc, Absent: absent} }
	id := SortKey{Column: reader.Field(snapshot.IDField).SortColumn(), Asc: true}
	several := func(asc, greatest bool) SortKey {
		return SortKey{Column: column("s"), Asc: asc, Greatest: greatest, Absent: last}
	}
	group := func(d docID) uint32 { return orderItems[d].group }
	place := func(ord uint32, asc bool) uint32 { return PlaceKey((ord+1)*PlaceSpread, asc) }
	for _, row := range []struct {
		name  string
		order *Order
		want  []docID
	}{
		{"documents", &Order{Documents: true}, []docID{0, 1, 2, 3, 4, 5}},
		{"a number", &Order{Keys: []SortKey{n(true, last)}}, []docID{1, 2, 0, 4, 5, 3}},
		{"a number, descending", &Order{Keys: []SortKey{n(false, last)}}, []docID{5, 0, 4, 2, 1, 3}},
		{"without a number first", &Order{Keys: []SortKey{n(true, first)}}, []docID{3, 1, 2, 0, 4, 5}},
		{"without a number after the first one", &Order{Keys: []SortKey{n(true, place(0, true)+1)}}, []docID{1, 3, 2, 0, 4, 5}},
		{"a number, then the id", &Order{Keys: []SortKey{n(true, last), id}}, []docID{1, 2, 4, 0, 5, 3}},
		{"a number, descending, then the id", &Order{Keys: []SortKey{n(false, last), id}}, []docID{5, 4, 0, 2, 1, 3}},
		{"the id", &Order{Keys: []SortKey{id}}, []docID{5, 4, 3, 2, 1, 0}},
		{"the number of a document, descending", &Order{Keys: []SortKey{{Document: true}}}, []docID{5, 4, 3, 2, 1, 0}},
		{"the least of several", &Order{Keys: []SortKey{several(true, false)}}, []docID{0, 4, 2, 1, 3, 5}},
		{"the greatest of several", &Order{Keys: []SortKey{several(true, true)}}, []docID{1, 2, 4, 0, 3, 5}},
		{"the greatest of several, descending", &Order{Keys: []SortKey{several(false, true)}}, []docID{0, 4, 2, 1, 3, 5}},
		{"another key", &Order{Keys: []SortKey{{Of: group}}}, []docID{0, 2, 1, 3, 4, 5}},
		{"another key, then a number", &Order{Keys: []SortKey{{Of: group}, n(false, last)}}, []docID{0, 2, 1, 3, 5, 4}},
		{"the score, ascending", &Order{Keys: []SortKey{{Asc: true}}}, []docID{0, 2, 4, 1, 3, 5}},
		{"the score, then a number", &Order{Keys: []SortKey{{}, n(true, last)}}, []docID{1, 5, 3, 2, 0, 4}},

		{"after a number", &Order{Keys: []SortKey{n(true, last)}, After: []uint32{place(1, true)}}, []docID{0, 4, 5, 3}},
		{"after a number and an id", &Order{Keys: []SortKey{n(true, last), id}, After: []uint32{place(2, true), place(4, true)}}, []docID{0, 5, 3}},
		{"after all numbers", &Order{Keys: []SortKey{n(true, last)}, After: []uint32{last - 1}}, []docID{3}},
		{"after everything", &Order{Keys: []SortKey{n(true, last)}, After: []uint32{last}}, nil},

		{"the best of each group", &Order{Keys: []SortKey{n(true, last)}, Group: group, Groups: 3}, []docID{1, 2, 4}},
		{"the worst of each group", &Order{Keys: []SortKey{n(false, last)}, Group: group, Groups: 4}, []docID{5, 0, 1}},
		{"the best score of each group", &Order{Keys: []SortKey{{}}, Group: group, Groups: 3}, []docID{1, 5, 0}},
		{"groups in the order of ids", &Order{Keys: []SortKey{id}, Group: group, Groups: 3}, []docID{5, 3, 2}},
	} {
		row.order.IDs = reader.Field(snapshot.IDField)
		t.Run(row.name, func(t *testing.T) { checkOrder(t, reader, row.order, row.want) })
	}
}

// checkOrder reads pages of every start and length of the matches of everything and of a word that all texts have.
func checkOrder(t *testing.T, reader *snapshot.Reader, order *Order, want []docID) {
	for _, matching := range []string{"everything", "a word"} {
		if matching == "everything" && order.NeedsScores() {
			continue // all scores are the same
		}
		for from := range 7 {
			for size := range 8 {
				for _, track := range []bool{false, true} {
					r := &Request{KeepScores: true, TrackScores: track}
					r.Open(NewWorkLimit(t.Context()), reader.Items())
					s := r.All(1)
					if matching == "a word" {
						s = r.Word(reader.Field("Data.t"), []byte("a"), 1)
					}
					h := r.Collect(s, order, from, size, false)
					if part := want[min(from, len(want)):min(from+size, len(want))]; !slices.Equal(h.Docs, part) || h.Total != len(orderItems) {
						t.Errorf("%s, %d from %d, scores %t: %v of %d, want %v", matching, size, from, track, h.Docs, h.Total, part)
					}
					if (track || order.NeedsScores()) && len(h.Of) != len(h.Docs) {
						t.Errorf("%s, %d from %d: %d scores of %d documents", matching, size, from, len(h.Of), len(h.Docs))
					}
					r.Close()
				}
			}
		}
	}
}

// TestScoresOfPages has the scores of a page, and the best score of all matches.
func TestScoresOfPages(t *testing.T) {
	reader := orderSnapshot(t)
	text := reader.Field("Data.t")
	for _, row := range []struct {
		name       string
		make       func(r *Request) Scorer
		order      *Order
		from, size int
		best       float64 // NaN means that it is not known
		of         []float64
	}{
		{"one score", func(r *Request) Scorer { return r.All(3) }, nil, 1, 2, 3, []float64{3, 3}},
		{"one score after the end", func(r *Request) Scorer { return r.All(3) }, nil, 6, 2, 3, []float64{}},
		{"no page", func(r *Request) Scorer { return r.All(3) }, nil, 0, 0, math.NaN(), []float64{}},
		{"no match", func(r *Request) Scorer { return Exclusion(r.All(3), []Scorer{r.All(1)}) }, nil, 0, 5, math.NaN(), []float64{}},
		{"no Scorer", func(r *Request) Scorer { return nil }, nil, 0, 5, math.NaN(), []float64{}},
		{"two scores", func(r *Request) Scorer {
			return Disjunction([]Scorer{Constant(r.Word(text, []byte("b"), 1), 2), Constant(r.Word(text, []byte("a"), 1), 1)}, 1)
		}, nil, 2, 2, 3, []float64{3, 1}},
		{"documents have no scores", func(r *Request) Scorer { return r.All(3) }, &Order{Documents: true}, 0, 2, math.NaN(), []float64{}},
	} {
		r := &Request{KeepScores: true}
		r.Open(NewWorkLimit(t.Context()), reader.Items())
		h := r.Collect(row.make(r), row.order, row.from, row.size, false)
		var got []float64
		for _, score := range h.Of {
			got = append(got, float64(score))
		}
		if !slices.Equal(got, row.of) && len(got)+len(row.of) > 0 {
			t.Errorf("%s: the scores are %v, want %v", row.name, got, row.of)
		}
		if best := float64(h.Best); best != row.best && !(math.IsNaN(best) && math.IsNaN(row.best)) {
			t.Errorf("%s: the best score is %v, want %v", row.name, best, row.best)
		}
		r.Close()
	}
}
