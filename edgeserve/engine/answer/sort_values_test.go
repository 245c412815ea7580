package answer_test

import (
	"strings"
	"testing"
)

// TestSortValues looks for the member hits, which has the sort values that search_after takes.
func TestSortValues(t *testing.T) {
	v := fieldSite(t)
	for _, c := range []struct {
		query, body, want string // "": no hits
	}{
		{"", `{}`, ""}, {"", `{"sort":[]}`, ""}, {"", `{"sort":"_score"}`, ""}, {"?Sort=Name", ``, ""}, {"?sort=Name:asc", `{}`, ""},
		{"", `{"size":2,"sort":["Name"]}`, `"hits":[{"_id":"A","_score":null,"sort":["one"]},{"_id":"C","_score":null,"sort":["three"]}]`},
		{"?Page=1", `{"sort":{"Data.price":"desc"}}`, `"sort":[5.0]`},
		{"?PageSize=1", `{"sort":["Data.none","_id"]}`, `"hits":[{"_id":"A","_score":null,"sort":[null,"A"]}]`},
		{"", `{"size":0,"sort":"Name"}`, `"hits":[]`},
		{"", `{"size":2,"sort":["Name"],"search_after":["three"]}`, `"hits":[{"_id":"B","_score":null,"sort":["two"]}]`},
	} {
		got := get(t, v, "/cda/es/v1/shop"+c.query, c.body)
		if strings.Contains(got, `"hits":`) != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.query, c.body, got, c.want)
		}
	}
}
