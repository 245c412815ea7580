package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/searchtest"
)

// TestPagesOfFunctions compares short pages, which leave out low scores, with one of all matches.
func TestPagesOfFunctions(t *testing.T) {
	items := make([]string, 900)
	for i := range items {
		number := fmt.Sprintf(`,"n":%d`, (i*7919)%1000-5)
		if i%50 == 0 {
			number = ""
		}
		items[i] = fmt.Sprintf(`{"ContentID":"c%03d","Data":{"t":"%s","d":"2021-01-01T00:%02d:00.000Z"%s}}`, i, strings.Repeat("red ", 1+i%4), i%60, number)
	}
	x := &index{t, searchtest.Snaptest(t, items)}
	for name, functions := range map[string]string{
		"factor":      `"field_value_factor":{"field":"Data.n","missing":3,"factor":2,"modifier":"square"}`,
		"reciprocal":  `"field_value_factor":{"field":"Data.n","missing":-1,"modifier":"square","factor":0.1},"boost_mode":"sum"`,
		"decay":       `"gauss":{"Data.n":{"origin":400,"scale":50}}`,
		"two":         `"score_mode":"sum","functions":[{"linear":{"Data.n":{"origin":400,"scale":500}},"weight":4},{"filter":{"range":{"Data.n":{"gt":700}}},"weight":9}]`,
		"a date":      `"exp":{"Data.d":{"origin":"2021-01-01T00:30:00","scale":"1m"}},"boost_mode":"replace"`,
		"least score": `"exp":{"Data.n":{"origin":400,"scale":100}},"min_score":0.01`,
	} {
		query := `{"function_score":{"query":{"term":{"Data.t":"red"}},` + functions + `}}`
		x.request(false, func(r *scorer.Request) {
			all := r.Collect(x.must(r, query), nil, 0, len(items), false)
			for _, size := range []int{1, 10, 100} {
				page := r.Collect(x.must(r, query), nil, 0, size, false)
				for i, score := range page.Of {
					if !near(float64(score), float64(all.Of[i])) || page.Total != all.Total {
						t.Errorf("%s: score %d of a page of %d is %v, want %v", name, i, size, score, all.Of[i])
					}
				}
				if len(page.Of) != min(size, len(all.Of)) {
					t.Errorf("%s: a page of %d has %d documents", name, size, len(page.Of))
				}
			}
		})
	}
}
