// These tests give surveys values in every order and in parts, and look at the types,
// counts and first places that come out: neither order nor parts may matter.

package mapping_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
)

// surveyed gives the fields of items, each a file of its own with some bytes before it.
func surveyed(items ...string) []mapping.Field {
	s := mapping.NewSurvey()
	for i, item := range items {
		survey(s, i, item)
	}
	return mapping.Result(s)
}

func survey(s *mapping.Survey, file int, item string) {
	s.Member("Data", []byte(item), 0, mapping.Place{File: file, Offset: 100})
}

// orders are all orders of some values.
func orders(values []string) (out [][]string) {
	if len(values) < 2 {
		return [][]string{values}
	}
	for i, v := range values {
		rest := slices.Delete(slices.Clone(values), i, i+1)
		for _, o := range orders(rest) {
			out = append(out, append([]string{v}, o...))
		}
	}
	return out
}

func TestTypes(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   snapshot.Type
		count  [mapping.Kinds]int
	}{
		{"words", []string{`"a"`, `""`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"dates", []string{`"2021-04-23"`, `"2021-04-23T10:00:00.000Z"`, `"2021-04"`}, snapshot.Date, [mapping.Kinds]int{3, 0, 0}},
		{"dates and a word", []string{`"2021-04-23"`, `"soon"`, `"2022-01-01"`}, snapshot.Text, [mapping.Kinds]int{3, 0, 0}},
		{"dates and an empty string", []string{`"2021-04-23"`, `""`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"date with escapes", []string{`"2021\u002d04-23"`, `"2021-04-24"`}, snapshot.Date, [mapping.Kinds]int{2, 0, 0}},
		{"date that is none", []string{`"2021-02-30"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 0}},
		{"years in strings", []string{`"2021"`, `"2022"`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"dates and a year", []string{`"2021-04-23"`, `"2021"`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"date with math", []string{`"2021-04-23||+1d"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 0}},
		{"text too long for a date", []string{`"2021-04-23` + strings.Repeat(" ", 300) + `"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 0}},
		{"numbers in strings", []string{`"1"`, `"2.5"`}, snapshot.Text, [mapping.Kinds]int{2, 0, 0}},
		{"integers", []string{`1`, `-2`, `0`}, snapshot.Long, [mapping.Kinds]int{0, 3, 0}},
		{"integers and a fraction", []string{`1`, `2.5`, `3`}, snapshot.Float, [mapping.Kinds]int{0, 3, 0}},
		{"exponents", []string{`1e3`, `2`}, snapshot.Float, [mapping.Kinds]int{0, 2, 0}},
		{"exponents in capitals", []string{`1E3`}, snapshot.Float, [mapping.Kinds]int{0, 1, 0}},
		{"booleans", []string{`true`, `false`}, snapshot.Boolean, [mapping.Kinds]int{0, 0, 2}},
		{"numbers and a string", []string{`1`, `"2"`, `3`}, snapshot.Text, [mapping.Kinds]int{1, 2, 0}},
		{"dates and a number", []string{`"2021-04-23"`, `2021`}, snapshot.Text, [mapping.Kinds]int{1, 1, 0}},
		{"booleans and a number", []string{`true`, `0`}, snapshot.Text, [mapping.Kinds]int{0, 1, 1}},
		{"booleans and a string", []string{`true`, `"false"`}, snapshot.Text, [mapping.Kinds]int{1, 0, 1}},
		{"all kinds", []string{`true`, `"x"`, `1`, `2.5`}, snapshot.Text, [mapping.Kinds]int{1, 2, 1}},
		{"null beside integers", []string{`null`, `1`, `[]`, `{}`}, snapshot.Long, [mapping.Kinds]int{0, 1, 0}},
		{"array", []string{`[1,2]`, `[[3],"x"]`}, snapshot.Text, [mapping.Kinds]int{1, 3, 0}},
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

// The types of what every item has follow from no value.
func TestScalarTypes(t *testing.T) {
	s := mapping.NewSurvey()
	s.Item([]byte(`{"CreatedAt":"soon","Name":"2021-04-23","TemplateID":5,"Data":{"Name":"2021-04-23"}}`))
	want := map[string]snapshot.Type{"CreatedAt": snapshot.Date, "Name": snapshot.Text, "TemplateID": snapshot.Text, "Data.Name": snapshot.Date}
	got := map[string]snapshot.Type{}
	for _, f := range mapping.Result(s) {
		got[f.Path] = f.Type
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("types %v, want %v", got, want)
	}
}

func TestFieldsByPath(t *testing.T) {
	var got []string
	for _, f := range surveyed(`{"b":1,"a":{"z":1},"a.b":1}`, `{"Z":1,"a":{"b":"x"}}`) {
		got = append(got, f.Path)
	}
	if want := []string{"Data.Z", "Data.a.b", "Data.a.z", "Data.b"}; !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
}

// The first place of a kind is its least, whatever order files are read in: where the
// value begins, with its quote.
func TestFirstPlaces(t *testing.T) {
	files := []string{`{"v":[true,"x\n","y",1,2]}`, `{"v":"z","w":1}`, `{"v":[3]}`}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		s := mapping.NewSurvey()
		for _, i := range order {
			survey(s, i, files[i])
		}
		v := mapping.Result(s)[0]
		want := [mapping.Kinds]mapping.Place{
			mapping.String:  {File: 0, Offset: 100 + int64(strings.Index(files[0], `"x`))},
			mapping.Number:  {File: 0, Offset: 100 + int64(strings.Index(files[0], `1`))},
			mapping.Boolean: {File: 0, Offset: 100 + int64(strings.Index(files[0], `true`))},
		}
		if v.Path != "Data.v" || v.First != want {
			t.Errorf("files in order %d: %s first at %v, want %v", order, v.Path, v.First, want)
		}
	}
}

// Several surveys of parts are one of all, however the parts are cut and merged.
func TestMergedSurveys(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		items := randomItems(rnd)
		want := surveyed(items...)
		parts := make([]*mapping.Survey, 1+rnd.IntN(4))
		for i := range parts {
			parts[i] = mapping.NewSurvey()
		}
		for _, i := range rnd.Perm(len(items)) {
			survey(parts[rnd.IntN(len(parts))], i, items[i])
		}
		if got := mapping.Result(parts...); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d parts of %s: %v, want %v", len(parts), items, got, want)
		}
		if got := mapping.Result(parts...); !reflect.DeepEqual(got, want) {
			t.Fatalf("asked again: %v, want %v", got, want)
		}
	}
}

// Records of items are surveyed as the items are, with the numbers that no type holds.
func TestRecordedSurveys(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	outside := 0
	for range 300 {
		items := randomItems(rnd)
		want := surveyed(items...)
		r, s := mapping.NewRecorder(), mapping.NewSurvey()
		for i, item := range items {
			base := mapping.Place{File: i, Offset: 100}
			r.Member("Data", []byte(item), 0, mapping.Place{})
			s.Add(r, r.Append(nil), base)
		}
		got := mapping.Result(s)
		for i := range got {
			got[i].Items = 0 // surveys of items count values only
			outside += got[i].Outside
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %v, want %v", items, got, want)
		}
	}
	if outside == 0 {
		t.Error("no number was out of range")
	}
}

// randomItems have few paths, each mostly of one kind.
func randomItems(rnd *rand.Rand) []string {
	values := [][]string{{`1`, `99999999999999999999`, []string{`3.5`, `-1e39`}[rnd.IntN(2)]}, {`"2021-01-01"`, `"2022-01-01"`, `"x"`}, {`true`, `false`, `null`}}
	items := make([]string, rnd.IntN(8))
	for i := range items {
		var b bytes.Buffer
		b.WriteString("{")
		for p := range 1 + rnd.IntN(4) {
			kind := p % len(values)
			if rnd.IntN(8) == 0 {
				kind = rnd.IntN(len(values))
			}
			if p > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `"p%d":[%s,%s]`, p, values[kind][rnd.IntN(2)], values[kind][rnd.IntN(3)])
		}
		items[i] = b.String() + "}"
	}
	return items
}
