// This file has bodies that are costly on large items.

package searchtest

import (
	"fmt"
	"strings"
)

// The names of environments of snaptest.WideItems and snaptest.LongItems.
const Wide, Long = "wide", "long"

// LargeBodies are searches of Wide and Long whose cost lies where it is easily left uncounted.
func LargeBodies() map[string][]string {
	repeat := func(n int, part string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(part, "#", fmt.Sprint(i))
		}
		return strings.Join(parts, ",")
	}
	return map[string][]string{
		Wide: {
			`{"size":0,"fields":[` + repeat(100, `"*"`) + `]}`,
			`{"fields":["*"],"explain":true,"query":{"query_string":{"query":"bread river"}}}`,
			`{"query":{"match_all":{}},"highlight":{"require_field_match":false,"fields":{"*":{}},"highlight_query":{"query_string":{"query":"bread river"}}}}`,
			`{"query":{"bool":{"should":[` + repeat(150, `{"multi_match":{"query":"bread #","fields":["*","Data.p*#*"]}}`) + `]}}}`,
			`{"query":{"bool":{"should":[` + repeat(30, `{"more_like_this":{"fields":["*"],"like":["bread of # rivers",{"_id":"L001"}],"min_term_freq":1,"min_doc_freq":1}}`) + `]}}}`,
			`{"size":0,"aggs":{` + repeat(90, `"a#":{"top_hits":{"size":12}}`) + `}}`,
		},
		Long: {
			`{"query":{"match":{"Data.body":"bread"}},"highlight":{"pre_tags":["` + strings.Repeat("<", 250) + `"],"post_tags":[">"],"number_of_fragments":0,"fields":{"Data.body":{}}}}`,
			`{"query":{"match_all":{}},"highlight":{"require_field_match":false,"fields":{"Data.*":{}},"highlight_query":{"fuzzy":{"Data.body":"bread"}}}}`,
			`{"query":{"match":{"Data.body":"the"}},"highlight":{"type":"plain","fields":{"Data.body":{"fragment_size":1}}}}`,
			`{"_source":false,"sort":[` + repeat(32, `"Data.body.keyword"`) + `]}`,
			`{"query":{"bool":{"should":[` + repeat(1000, `{"prefix":{"Data.body.keyword":"The bread of the garden#"}}`) + `]}}}`,
			`{"size":0,"aggs":{"a":{"terms":{"field":"Data.body.keyword","include":[` + repeat(10000, `"bread #"`) + `]}}}}`,
			`{"query":{"bool":{"should":[` + repeat(20, `{"wildcard":{"Data.body":"*`+strings.Repeat("?", 200)+`#*"}}`) + `]}}}`,
			`{"query":{"match":{"Data.body":"bread"}},"highlight":{"fields":{"Data.body":{"highlight_query":{"bool":{"should":[` + repeat(20, `{"wildcard":{"Data.body":"*`+strings.Repeat("?", 200)+`#*"}}`) + `]}}}}}}`,
			`{"query":{"bool":{"should":[` + repeat(100, `{"match_phrase":{"Data.body":{"query":"bread","slop":9#}}}`) + `]}}}`,
			`{"size":0,"aggs":{` + repeat(50, `"a#":{"terms":{"field":"Data.body.keyword"}}`) + `}}`,
		},
	}
}
