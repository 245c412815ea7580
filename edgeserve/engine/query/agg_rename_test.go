package query_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// TestRenameAggs renames the aggregations of a body by their places. Paths follow, and the body keeps its names.
func TestRenameAggs(t *testing.T) {
	b, err := body.Parse([]byte(`{"aggs":{
		"t":{"terms":{"field":"F","order":[{"d.max":"asc"},{"f>m":"desc"},{"p.99.9":"asc"},{"_count":"asc"}]},"aggs":{
			"s":{"min":{"field":"G"}}, "d":{"stats":{"field":"G"}}, "p":{"percentiles":{"field":"G","percents":[99.9]}},
			"f":{"filter":{"match_all":{}},"aggs":{"m":{"max":{"field":"G"}}}},
			"b":{"bucket_script":{"buckets_path":{"x":"f>m","y":"f.m","z":"f>_count"},"script":"params.x + params.y + params.z"}},
			"o":{"bucket_sort":{"sort":[{"b":"desc"},{"p[99.9]":"asc"},"_key"]}}}},
		"a":{"avg_bucket":{"buckets_path":"t>d.avg"}}, "c":{"sum_bucket":{"buckets_path":"t.s"}}, "n":{"max_bucket":{"buckets_path":"t._count"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(b.Aggs)
	list := query.RenameAggs(b.Aggs, func(i int) string { return "n" + strconv.Itoa(i) })
	if after, _ := json.Marshal(b.Aggs); string(after) != string(before) {
		t.Errorf("the list itself changes to %s", after)
	}
	var paths []string
	for _, k := range list[0].Buckets.Order {
		paths = append(paths, k.Path)
	}
	for _, a := range append(list[0].Subs, list[1:]...) {
		if p, ok := a.Options.(*query.Pipeline); ok {
			paths = append(paths, p.Path)
			for _, path := range p.Paths {
				paths = append(paths, path.Name+"="+path.Path)
			}
			for _, k := range p.Sort {
				paths = append(paths, k.Path)
			}
		}
	}
	got, _ := json.Marshal(paths)
	if want := `["n1.max","n3\u003en0","n2.99.9","_count","","x=n3\u003en0","y=n3\u003en0","z=n3\u003e_count","","n4","n2[99.9]","_key","n0\u003en1.avg","n0\u003en0","n0\u003e_count"]`; string(got) != want {
		t.Errorf("paths are\n%s\nbut wanted\n%s", got, want)
	}
}
