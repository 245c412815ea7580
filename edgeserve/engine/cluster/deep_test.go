package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/cluster/layout"
)

// many is a Transport to an index of many items, in default order by rank. It looks at nothing but the page of a body.
type many struct {
	items int
	asked []string // what each request asks for
	short bool     // it returns an item less than there are
	more  int      // shards beside the first one
}

// Do implements cluster.Transport.
func (m *many) Do(_ context.Context, r cluster.Request) ([]byte, func(), error) {
	var body struct {
		From, Size int
		Query      struct {
			Range map[string]struct{ Gte, Lt int }
		}
		SearchAfter []any `json:"search_after"`
		Source      bool  `json:"_source"`
	}
	body.Size = 10
	if err := json.Unmarshal(r.Body, &body); err != nil || strings.Contains(string(r.Body), "null") {
		return nil, nil, fmt.Errorf("%s: %v", r.Body, err)
	}
	first, end := body.From, m.items
	for _, of := range body.Query.Range {
		first, end = of.Gte, min(of.Lt, m.items)
	}
	if body.From+body.Size > layout.Window {
		return nil, nil, &cluster.StatusError{Status: 400, Type: "illegal_argument_exception"}
	}
	if body.SearchAfter != nil {
		first = int(body.SearchAfter[0].(float64)) + 1
	}
	m.asked = append(m.asked, fmt.Sprintf("%d from %d %v", body.Size, first, body.Source))
	var hits []string
	for i := first; i < min(end, first+body.Size); i++ {
		source := ""
		if body.Source {
			source = fmt.Sprintf(`,"_source":{"n":%d,"_sub":{"rank·":%[1]d}}`, i)
		}
		hits = append(hits, fmt.Sprintf(`{"_index":"site-1","_id":"%d"%s,"sort":[%[1]d,"x"]}`, i, source))
	}
	if m.short && len(hits) > 0 {
		hits = hits[1:]
	}
	return fmt.Appendf(nil, `{"timed_out":false,"_shards":{"total":%d,"successful":%[1]d},"hits":{"total":{"value":%d,"relation":"eq"},"hits":[%s]}}`,
		m.more+1, m.items, strings.Join(hits, ",")), func() {}, nil
}

// TestDeep reads pages of lists that a cluster does not return by their number.
func TestDeep(t *testing.T) {
	manifest, twin, _ := play(t)
	for _, tt := range []struct {
		query  string
		items  int
		want   string // the items of the page, or the code of a problem
		asked  string
		broken bool
	}{
		{"page=10000&pageSize=3", 200000, "29997 29998 29999", "3 from 29997 true", false},
		{"page=50001&pageSize=2", 200000, "100000 100001", "0 from 0 true, 2 from 100000 true", false},
		{"page=11&pageSize=10000", 100001, "100000", "0 from 0 true, 1 from 100000 true", false},
		{"page=50001&pageSize=2&sort=Name", 200000, "100000 100001", "0 from 0 true, 10000 from 90000 false, 2 from 100000 true", false},
		{"page=112346&pageSize=1&sort=Name", 200000, "112345", "0 from 0 true, 10000 from 90000 false, 10000 from 100000 false, 2345 from 110000 false, 1 from 112345 true", false},
		{"page=12&pageSize=9000&sort=Name", 99002, "99000 99001", "0 from 0 true, 2 from 99000 true", false},
		{"page=900000000&pageSize=10000&sort=Name", 200000, "", "0 from 0 true", false},
		{"page=300002&pageSize=1&sort=Name", 400000, "not_at_cluster", "0 from 0 true", false},
		{"page=50001&pageSize=2&sort=Name", 200000, "search_unavailable", "0 from 0 true, 10000 from 90000 false", true},
	} {
		m := &many{items: tt.items, short: tt.broken}
		env := manifest.Environments[0]
		v := answers(manifest, twin, m)
		v.Environments[env.ID].Items = cluster.New(env, twin, "site-1", 1, m)
		response, problem, err := v.Respond("/cda/rest/v1/site/contents?"+tt.query, nil)
		var got []string
		if problem != nil {
			got = append(got, problem.Code)
		} else {
			var page struct {
				Data       []struct{ N int }
				TotalItems int
			}
			if err := json.Unmarshal(response.Body, &page); err != nil || page.TotalItems != tt.items {
				t.Errorf("%s: %.200s %v", tt.query, response.Body, err)
			}
			for _, item := range page.Data {
				got = append(got, fmt.Sprint(item.N))
			}
		}
		if text := strings.Join(got, " "); text != tt.want || strings.Join(m.asked, ", ") != tt.asked {
			t.Errorf("%s: %s %v, asked %q", tt.query, text, err, m.asked)
		}
	}
}

// TestDeepApproximate tells why pages behind those that a cluster orders are approximate, as the first page does.
func TestDeepApproximate(t *testing.T) {
	manifest, twin, _ := play(t)
	x := cluster.New(manifest.Environments[0], twin, "site-1", 3, &many{items: 200000, more: 2})
	for _, from := range []int{0, 150000} {
		b := bodyOf(t, `{"query":{"match_phrase":{"Name":"the harbour"}},"sort":["CreatedAt"]}`)
		b.Window.From, b.Window.Size = from, 3
		found, err := x.Search(within(t.Context()), b, true)
		if err != nil || found.Len() != 3 || strings.Join(found.Approximate, ";") != "scores of phrases and spans" {
			t.Errorf("from %d: %+v %v", from, found, err)
		}
	}
}
