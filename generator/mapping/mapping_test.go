package mapping_test

import (
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
)

// TestMapping shows the type that a path gets from its values, in whatever order they come. Counts are
// those of strings, numbers and booleans.
func TestMapping(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   snapshot.Type
		count  [mapping.Kinds]int
	}{
		{"strings are text", []string{`"a"`, `""`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"strings are dates if all of them are", []string{`"2021-04-23"`, `"2021-04-23T10:00:00.000Z"`, `"2021-04"`}, snapshot.Date, [mapping.Kinds]int{3, 0, 0}},
		{"one other string makes dates text", []string{`"2021-04-23"`, `"soon"`, `"2022-01-01"`}, snapshot.Text, [mapping.Kinds]int{3, 0, 0}},
		{"an empty string is no date", []string{`"2021-04-23"`, `""`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"escapes in dates mean what they stand for", []string{`"2021\u002d04-23"`, `"2021-04-24"`}, snapshot.Date, [mapping.Kinds]int{2, 0, 0}},
		{"a day that no month has is no date", []string{`"2021-02-30"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 0}},
		{"a year is no date", []string{`"2021"`, `"2022"`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"nor is a year beside dates", []string{`"2021-04-23"`, `"2021"`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"date math is no date", []string{`"2021-04-23||+1d"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 0}},
		{"nor is a text that is too long", []string{`"2021-04-23` + strings.Repeat(" ", 300) + `"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 0}},
		{"numbers in quotes are text", []string{`"1"`, `"2.5"`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"integers are longs", []string{`1`, `-2`, `0`}, snapshot.Long, [mapping.Kinds]int{0, 3, 0}},
		{"one fraction makes all numbers doubles", []string{`1`, `2.5`, `3`}, snapshot.Float, [mapping.Kinds]int{0, 3, 0}},
		{"so does an exponent", []string{`1e3`, `2`}, snapshot.Float, [mapping.Kinds]int{0, 2, 0}},
		{"so does an exponent in a capital letter", []string{`1E3`}, snapshot.Float, [mapping.Kinds]int{0, 1, 0}},
		{"true and false are booleans", []string{`true`, `false`}, snapshot.Boolean, [mapping.Kinds]int{0, 0, 2}},
		{"one string makes numbers text", []string{`1`, `"2"`, `3`}, snapshot.Text, [mapping.Kinds]int{1, 2, 0}},
		{"one number makes dates text", []string{`"2021-04-23"`, `2021`}, snapshot.Text, [mapping.Kinds]int{1, 1, 0}},
		{"booleans and numbers are text", []string{`true`, `0`}, snapshot.Text, [mapping.Kinds]int{0, 1, 1}},
		{"booleans and strings are text", []string{`true`, `"false"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 1}},
		{"all kinds together are text", []string{`true`, `"x"`, `1`, `2.5`}, snapshot.Text, [mapping.Kinds]int{1, 2, 1}},
		{"null, empty arrays and empty objects are no values", []string{`null`, `1`, `[]`, `{}`}, snapshot.Long, [mapping.Kinds]int{0, 1, 0}},
		{"elements of arrays are values of the path", []string{`[1,2]`, `[[3],"x"]`}, snapshot.Text, [mapping.Kinds]int{1, 3, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, order := range orders(tt.values) {
				items := make([]string, len(order))
				for i, v := range order {
					items[i] = `{"v":` + v + `}`
				}
				got := surveyed(items...)
				if len(got) != 1 || got[0].Path != "Data.v" || got[0].Type != tt.want || got[0].Count != tt.count {
					t.Fatalf("%s: fields %v, want %s with %d", order, got, tt.want, tt.count)
				}
				if some := slices.Max(tt.count[:]); got[0].Mixed() != (some < tt.count[0]+tt.count[1]+tt.count[2]) {
					t.Errorf("%s: mixed %t", order, got[0].Mixed())
				}
			}
		})
	}
}
