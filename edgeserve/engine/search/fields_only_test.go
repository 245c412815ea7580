package search_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// TestFieldsOnly compares what a snapshot refuses with what a Reader of its fields refuses. Check does not
// foresee four errors.
//
//   - A match has several values of the field to collapse by.
//   - A range of dates ends before the first date, or begins after the last one. Then a snapshot refuses nothing beside
//     it in a bool, as Elasticsearch does. The Reader knows no dates, and refuses it.
//   - The work of a search is too much, or its aggregations have too many buckets.
//   - An item that the body names, for more_like_this or terms, is not there.
func TestFieldsOnly(t *testing.T) {
	const seeds, bodies = 6, 800
	refused, timed, unforeseen := 0, 0, 0
	for seed := range uint64(seeds) {
		rnd := rand.New(rand.NewPCG(seed, 37))
		items := searchtest.Items(rnd, 60)
		r := searchtest.Snaptest(t, items)
		twin := fieldsOf(t, r)
		next := searchtest.Bodies(t, rnd, items)
		for range bodies {
			text := next()
			b, err := body.Parse(text)
			if err != nil {
				continue
			}
			found, err := search.EvalHits(within(), r, b)
			clock, checked := search.Check(within(), twin, b)
			want, got := refusal(t, err), refusal(t, checked)
			if err == nil && checked != nil { // no hit has shown the fault
				withoutInner(b)
				_, err := search.EvalHits(within(), twin, b)
				got = refusal(t, err)
			}
			if want != "" {
				refused++
			} else if found.Timed {
				timed++
				if checked == nil && !clock {
					t.Errorf("with documents the result depends on the clock: %s", text)
				}
			}
			switch {
			case got == want, strings.Contains(want, "has several values"):
			case strings.Contains(string(text), `"range"`):
				unforeseen++
			default:
				t.Errorf("%s:\n%q, want %q", text, got, want)
			}
		}
	}
	if refused < 500 || timed < 50 || unforeseen > 5 {
		t.Errorf("of %d bodies %d are refused, %d depend on the clock, and %d errors hang on ranges of dates", seeds*bodies, refused, timed, unforeseen)
	}
}

func withoutInner(b *query.Body) {
	if b.Collapse != nil {
		b.Collapse.Inner = nil
	}
}

// TestMappingOfFieldsOnly compares what Elasticsearch's endpoints say of fields.
func TestMappingOfFieldsOnly(t *testing.T) {
	r := searchtest.Snaptest(t, searchtest.Items(rand.New(rand.NewPCG(3, 7)), 60))
	m := &release.Manifest{Build: "b", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: r.Env(), Items: r.Items()}}}
	whole := answer.FromSnapshots(m, map[string]*snapshot.Reader{r.Env(): r})
	fields := answer.FromSnapshots(m, map[string]*snapshot.Reader{r.Env(): fieldsOf(t, r)})
	for _, path := range []string{"/_mapping", "/_field_caps?fields=*"} {
		target := address.ElasticNode + "/" + r.Env() + path
		want, p, err := whole.Respond(target, nil)
		if p != nil || err != nil {
			t.Fatalf("%s: %+v %v", target, p, err)
		}
		if got, _, _ := fields.Respond(target, nil); string(got.Body) != string(want.Body) {
			t.Errorf("%s:\n%s\nwant\n%s", target, got.Body, want.Body)
		}
	}
}

func fieldsOf(t *testing.T, r *snapshot.Reader) *snapshot.Reader {
	twin, err := snapshot.FieldsOnly(r.Meta(), r.LeftOut(), r.FieldTypes())
	if err != nil {
		t.Fatal(err)
	}
	return twin
}

func within() *scorer.WorkLimit { return scorer.NewWorkLimit(context.Background()) }

// refusal is the code, the parameter and the message of an error.
func refusal(t *testing.T, err error) string {
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*query.Error](err)
	if !ok {
		t.Fatal(err)
	}
	return e.Code + " " + e.Parameter + ": " + e.Message
}
