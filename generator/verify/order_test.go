package verify

import (
	"fmt"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/wire/release"
)

// A snapshot whose lists have the order of the other formats is a problem, one of its own format is not.
func TestDateOrders(t *testing.T) {
	items := func(last string) (items []string) {
		for i, d := range []string{"2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00+01:00", "2024-01-01", last} {
			items = append(items, fmt.Sprintf(`{"ContentID":"C%d","CreatedAt":"2024-01-01T00:00:00.000Z","Data":{"d":[%q,%q]}}`, i, d, "2023-12-31T22:00:00-01:00"))
		}
		return items
	}
	byText := func(items []string) *snapshot.Reader {
		return snaptest.Open(t, snaptest.Env{Items: items, Analysis: snaptest.Analysis{Date: analysis.ReadDate, IsDate: analysis.IsDate}})
	}
	for _, c := range []struct {
		name    string
		r       *snapshot.Reader
		format  int
		problem string
	}{
		{"by instant", searchtest.Snaptest(t, items("2023-01")), release.Format, ""},
		{"by text", byText(items("2023-01")), release.Format, "x.snap: the path Data.d holds only dates, but is not ordered by instant"},
		{"by text, as before", byText(items("2023-01")), 4, ""},
		{"by instant before", searchtest.Snaptest(t, items("2023-01")), 3, "x.snap: the path Data.d is not ordered by text, as in releases of format 3"},
		{"not all dates", searchtest.Snaptest(t, items("2023")), release.Format, ""},
		{"far offsets", searchtest.Snaptest(t, items("2024-01-01T23:00+23:00")), release.Format, ""},
		{"far offsets by text", byText(items("2024-01-01T23:00+23:00")), release.Format, "x.snap: the path Data.d holds only dates, but is not ordered by instant"},
	} {
		v := &verifier{m: &release.Manifest{Format: c.format}, r: &Report{}, faulty: map[string]bool{}}
		e := &environment{v: v, m: &release.Environment{Snapshot: release.Snapshot{File: "x.snap"}}, reader: c.r}
		e.dateOrders()
		var want []string
		if c.problem != "" {
			want = append(want, c.problem)
		}
		if !slices.Equal(v.r.Problems, want) {
			t.Errorf("%s: %q, want %q", c.name, v.r.Problems, want)
		}
	}
}
