package search_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// sortable returns a snapshot of n items with values to sort and to filter by.
func sortable(t testing.TB, n int) *snapshot.Reader {
	rnd := rand.New(rand.NewPCG(1, 2))
	ids := rnd.Perm(n)
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"ContentID":"c%07d","UpdatedAt":"2024-%02d-%02dT%02d:%02d:%02d.%03dZ","Data":{"few":%d,"half":%s,"text":"%s"}}`,
			ids[i], 1+rnd.IntN(12), 1+rnd.IntN(28), rnd.IntN(24), rnd.IntN(60), rnd.IntN(60), rnd.IntN(1000),
			rnd.IntN(4), []string{"null", fmt.Sprint(rnd.IntN(n))}[rnd.IntN(2)], []string{"odd", "even"}[i%2])
	}
	return snaptest.Open(t, snaptest.Env{Items: items})
}

// sortedPages are pages of which the order is stored, so that their cost does not depend on the number of items.
var sortedPages = []string{
	`"sort":[{"UpdatedAt":"desc"},{"ContentID.keyword":"asc"}],"search_after":[1717200000000,"c"]`,
	`"sort":[{"UpdatedAt":"asc"}],"search_after":[1717200000000]`,
	`"sort":[{"ContentID.keyword":"desc"}],"search_after":["c0000500"]`,
	`"sort":["_doc"],"search_after":[700]`,
	`"sort":[{"Data.few":"asc"},{"_id":"desc"}],"search_after":[2,"c0000500"]`,
	`"sort":[{"Data.half":{"order":"asc","missing":"_first"}},{"_id":"asc"}],"search_after":[-9223372036854775808,"c0000500"]`,
	`"sort":[{"Data.half":{"order":"desc","missing":"_last"}},{"_id":"asc"}],"search_after":[10,"c"]`,
	`"query":{"match":{"Data.few":1}},"sort":[{"UpdatedAt":"desc"},{"_id":"asc"}],"search_after":[1717200000000,"c"]`,
	`"query":{"range":{"UpdatedAt":{"gte":"2024-03-01"}}},"sort":[{"UpdatedAt":"desc"},{"_id":"asc"}],"search_after":[1717200000000,"c"]`,
	`"query":{"match":{"Data.text":"odd"}},"sort":[{"UpdatedAt":"desc"},{"_id":"asc"}]`,
}

func parsed(t testing.TB, page string) *query.Body {
	b, err := body.Parse([]byte(`{"size":10,` + page + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOrderWalk(t *testing.T) {
	few, many := sortable(t, 4000), sortable(t, 8000)
	for _, page := range sortedPages {
		steps := func(r *snapshot.Reader) int {
			work := scorer.NewWorkLimit(t.Context())
			if res, err := search.EvalWithin(work, r, parsed(t, page)); err != nil || len(res.Docs) != 10 {
				t.Fatalf("%s: %v %v", page, res, err)
			}
			return work.Work()
		}
		if a, b := steps(few), steps(many); b > a*5/4+40 || b > 2500 {
			t.Errorf("%s: %d steps for %d items, %d steps for %d", page, a, few.Items(), b, many.Items())
		}
	}
}

// BenchmarkSearchAfter shows that the cost of a page does not grow with the number of items.
func BenchmarkSearchAfter(b *testing.B) {
	for _, n := range []int{10_000, 40_000, 150_000} {
		r := sortable(b, n)
		for _, page := range sortedPages {
			name, _, _ := strings.Cut(page, `,"search_after"`)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				body := parsed(b, page)
				for b.Loop() {
					if _, err := search.Eval(b.Context(), r, body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
