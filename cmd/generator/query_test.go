// This file tests what query prints for people.

package main

import (
	"strings"
	"testing"
)

func TestPrintHits(t *testing.T) {
	var b strings.Builder
	err := printHits(&b, []byte(`{"hits":{"total":{"value":12},"hits":[
		{"_id":"Content_a","_score":1.5,"_source":{"Name":"A\u001b[2J"},"highlight":{"Data.title":["<em>a</em> b"]}},{"_id":"Content_b","_score":null}]},
		"aggregations":{"t":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"x","doc_count":2,"m":{"value":1.5}},{"key":5,"key_as_string":"2024","doc_count":1}]},
		"f":{"buckets":{"one":{"doc_count":3}}},"r":{"buckets":[{"from":1.0,"doc_count":7}]},"s":{"count":1,"min":2.0},"c":{"value":4}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `12 matches, 2 shown
id         Name        score
Content_a  A\u001b[2J  1.5
  Data.title: <em>a</em> b
Content_b              -

aggregation  key   value
t            x     2
t.m          x     1.5
t            2024  1
f            one   3
r.from       [0]   1.0
r            [0]   7
s.count            1
s.min              2.0
c                  4
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, tt := range []struct {
		text, shown string
		at, mark    int
	}{
		{"ab\ncd\nef", "cd", 4, 1},
		{"a\tb", "a b", 2, 2},
		{"", "", 0, 0},
		{long + "x" + long, "…" + long[:120] + "x" + long[:118] + "…", 200, 61},
	} {
		if shown, mark := excerpt(tt.text, tt.at); shown != tt.shown || mark != tt.mark {
			t.Errorf("%q at %d: %q, %d", tt.text, tt.at, shown, mark)
		}
	}
}
