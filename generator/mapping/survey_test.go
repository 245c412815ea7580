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

// surveyed returns the fields of items, each a file of its own with some bytes before it.
func surveyed(items ...string) []mapping.Field {
	s := mapping.NewSurvey()
	for i, item := range items {
		survey(s, i, item)
	}
	return mapping.Result(s)
}

func survey(s *mapping.Survey, file int, item string) {
	s.Member("Data", []byte(item), 0, mapping.Place{File: file, Offset: 100}, nil)
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
			r.Member("Data", []byte(item), 0, mapping.Place{}, nil)
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
