package scorer

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

const walkItems = 3000

// walkSnapshot has values that are unique, shared by many items, several in an item, and missing in some, most or all
// but a few items.
func walkSnapshot(t testing.TB, rnd *rand.Rand) *snapshot.Reader {
	items := make([]string, walkItems)
	ids := rnd.Perm(walkItems)
	for i := range items {
		item := fmt.Sprintf(`{"ContentID":"c%04d","Data":{"unique":%d,"few":%d`, ids[i], rnd.IntN(1<<30), rnd.IntN(5))
		if rnd.IntN(2) == 0 {
			item += fmt.Sprintf(`,"half":%d`, rnd.IntN(700))
		}
		if rnd.IntN(200) == 0 {
			item += fmt.Sprintf(`,"rare":"v%d"`, rnd.IntN(9))
		}
		if rnd.IntN(300) > 0 {
			item += fmt.Sprintf(`,"usual":%d.5`, rnd.IntN(1500))
		}
		item += fmt.Sprintf(`,"several":[%d,%d,%d],"text":"all`, rnd.IntN(900), rnd.IntN(900), rnd.IntN(2)*500)
		for _, share := range []int{2, 3, 30, 600} {
			if rnd.IntN(share) == 0 {
				item += fmt.Sprintf(" share%d", share)
			}
		}
		items[i] = item + `"}}`
	}
	return snaptest.Open(t, snaptest.Env{Items: items})
}

// walkCase is a search in an order. make returns its Scorer again for each evaluation.
type walkCase struct {
	name string
	make func(r *Request) Scorer
}

func walkCases(reader *snapshot.Reader) (cases []walkCase) {
	text := reader.Field("Data.text")
	word := func(r *Request, word string) Scorer { return r.Word(text, []byte(word), 1) }
	add := func(name string, make func(r *Request) Scorer) { cases = append(cases, walkCase{name, make}) }
	add("all", func(r *Request) Scorer { return r.All(1) })
	for _, w := range []string{"all", "share2", "share3", "share30", "share600"} {
		add("word "+w, func(r *Request) Scorer { return word(r, w) })
	}
	add("constant", func(r *Request) Scorer { return Constant(word(r, "share2"), 2) })
	add("two words", func(r *Request) Scorer {
		return r.Combine(&Clauses{Must: []Scorer{word(r, "share2"), word(r, "share3")}})
	})
	add("any of two words", func(r *Request) Scorer { return Disjunction([]Scorer{word(r, "share3"), word(r, "share30")}, 1) })
	for _, path := range []string{"Data.unique", "Data.few", "Data.half"} {
		c := reader.Field(path).Column()
		for _, span := range [][2]int{{0, 1}, {c.Distinct / 2, c.Distinct}, {c.Distinct / 4, c.Distinct/2 + 1}} {
			add(fmt.Sprint(path, span), func(r *Request) Scorer { return r.Ordinals(c, span[0], span[1], 1) })
		}
	}
	add("set", func(r *Request) Scorer { return r.Ordinals(reader.Field("Data.several").Column(), 0, 300, 1) })
	return cases
}

// walkOrder returns an order of random keys, and often what a page follows: the keys of a document or others.
func walkOrder(rnd *rand.Rand, reader *snapshot.Reader) *Order {
	o := &Order{IDs: reader.Field(snapshot.IDField)}
	for range 1 + rnd.IntN(3) {
		paths := []string{"Data.unique", "Data.few", "Data.half", "Data.rare", "Data.usual", "Data.several"}
		k := SortKey{Asc: rnd.IntN(2) == 0, Greatest: rnd.IntN(2) == 0}
		switch n := rnd.IntN(len(paths) + 2); {
		case n < len(paths):
			k.Column = reader.Field(paths[n]).Column()
		case n == len(paths):
			k.Document = true
		default:
			k.Column = o.IDs.Column()
		}
		if len(o.Keys) == 1 && rnd.IntN(2) == 0 {
			k.Column, k.Document = o.IDs.Column(), false
		}
		if k.Column != nil {
			between, value := PlaceKey(uint32(rnd.IntN(4*k.Column.Distinct+8)), k.Asc), k.place(rnd.IntN(k.Column.Distinct))
			k.Absent = [...]uint32{0, math.MaxUint32, between, value}[rnd.IntN(4)]
		}
		o.Keys = append(o.Keys, k)
	}
	if rnd.IntN(4) > 0 {
		d := docID(rnd.IntN(walkItems))
		for i := range o.Keys {
			key := o.Keys[i].value(d, 0)
			if rnd.IntN(5) == 0 {
				key += uint32(rnd.IntN(5)) - 2
			}
			o.After = append(o.After, key)
		}
		if k := o.Keys[0]; k.Column != nil && rnd.IntN(4) == 0 { // shortly before those without a value
			o.After[0] = max(k.Absent, 8) - uint32(rnd.IntN(9))
		}
	}
	return o
}

// naivePage sorts all matches.
func naivePage(o *Order, matches *Bitset, from, size int) (page []docID) {
	type match struct {
		doc  docID
		keys [3]uint32
	}
	var all []match
	for d := range docID(walkItems) {
		if !matches.Has(d) || o.After != nil && !o.follows(hit{key: o.Keys[0].value(d, 0), doc: d}) {
			continue
		}
		m := match{doc: d}
		for i := range o.Keys {
			m.keys[i] = o.Keys[i].value(d, 0)
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(slices.Compare(a.keys[:], b.keys[:]), cmp.Compare(a.doc, b.doc))
	})
	for _, m := range all[min(from, len(all)):min(from+size, len(all))] {
		page = append(page, m.doc)
	}
	return page
}

// Pages of walks are those of all matches, sorted, and totals are exact.
func TestWalksFindThePage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	reader := walkSnapshot(t, rnd)
	type outcome struct{ walked, failed, tried int }
	outcomes := map[string]outcome{}
	for range 4000 {
		cases := walkCases(reader)
		test := cases[rnd.IntN(len(cases))]
		o, from, size, all := walkOrder(rnd, reader), rnd.IntN(2)*rnd.IntN(40), rnd.IntN(12), rnd.IntN(4) == 0
		r := &Request{}
		r.Open(NewWorkLimit(t.Context()), walkItems)
		matches := r.Matches(test.make(r))
		want := naivePage(o, matches, from, size)
		got := r.Collect(test.make(r), o, from, size, all)
		if !slices.Equal(got.Docs, want) || got.Total != matches.Count {
			t.Fatalf("%s by %+v after %v from %d: documents %v of %d, want %v of %d", test.name, o.Keys, o.After, from, got.Docs, got.Total, want, matches.Count)
		}
		if all && (got.Set.Count != matches.Count || !slices.Equal(got.Set.Words, matches.Words)) {
			t.Fatalf("%s by %+v: the set has %d documents, want %d", test.name, o.Keys, got.Set.Count, matches.Count)
		}
		c := &collector{r: r, from: from, k: min(from+size, walkItems)}
		page, rest, ok := c.walked(test.make(r), o)
		n := outcomes[test.name]
		n.tried++
		switch {
		case !ok && rest == nil, ok && (c.total != matches.Count || !slices.Equal(page, want)):
			t.Fatalf("%s by %+v: a walk finds %v of %d, want %v of %d", test.name, o.Keys, page, c.total, want, matches.Count)
		case ok:
			n.walked++
		case !slices.Equal(r.Matches(rest).Words, matches.Words):
			t.Fatalf("%s by %+v: after a walk in vain other documents match", test.name, o.Keys)
		default:
			n.failed++
		}
		outcomes[test.name] = n
		r.Close()
	}
	for name, least := range map[string]float64{"all": 0.6, "word all": 0.2, "word share2": 0.1, "two words": 0.05, "Data.few[1 2]": 0.1, "Data.few[2 5]": 0.3, "set": 0.1} {
		if n := outcomes[name]; float64(n.walked) < least*float64(n.tried) {
			t.Errorf("%s: %d of %d pages were found by a walk, want a share of %.2f", name, n.walked, n.tried, least)
		}
	}
	if testing.Verbose() {
		t.Log(outcomes)
	}
}
