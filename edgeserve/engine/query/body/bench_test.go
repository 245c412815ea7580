// This file measures the parsing of bodies.

package body

import "testing"

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"match", `{"query":{"match":{"Data.title":"harvest festival"}}}`},
		{"options", `{"query":{"multi_match":{"query":"harvest","fields":["Data.title^2","Data.body"],"type":"best_fields","tie_breaker":0.3}}}`},
		{"query_string", `{"query":{"query_string":{"query":"title:(harvest AND festival) OR tag:a* -x","default_operator":"AND","lenient":true}},"from":10,"size":10}`},
		{"page", `{"query":{"bool":{"must":[{"match":{"Data.title":{"query":"harvest","operator":"and","fuzziness":"AUTO"}}}],"filter":[{"term":{"Status":"published"}},{"range":{"CreatedAt":{"gte":"2021","lt":"2022"}}}]}},"sort":[{"CreatedAt":"desc"}],"aggs":{"by":{"terms":{"field":"Data.tag.keyword","size":20}}},"_source":["ContentID","Data.title"]}`},
	} {
		raw := []byte(c.body)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
