// These tests check the snapshots that this package builds from literals, so that other
// tests can rely on them.

package snaptest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

func chairs() snaptest.Env {
	return snaptest.Env{
		Items: []string{
			`{"ContentID":"b","Name":"Red chair, red","CreatedAt":"2024-05-01T00:00:00Z","Data":{"price":12,"new":true,"tags":["wood","red paint"]}}`,
			`{"ContentID":"a","Name":"Blue \"chair\" from the sm\u00e5 island","CreatedAt":"2024-04-01T00:00:00Z","Data":{"price":-3,"weight":1.5}}`,
			`{"ContentID":"c","Name":null,"CreatedAt":"2024-03-01T00:00:00Z","Data":{"price":12,"tags":["wood","wood"]}}`,
		},
		Grams: true,
	}
}

func TestOpen(t *testing.T) {
	r := snaptest.Open(t, chairs())
	var fields []string
	for _, f := range r.Fields() {
		fields = append(fields, f.Path+" "+f.Type.String())
	}
	want := []string{"ContentID text", "CreatedAt date", "Data.new boolean", "Data.price long", "Data.tags text", "Data.weight float", "Name text"}
	if !slices.Equal(fields, want) {
		t.Errorf("fields %q, want %q", fields, want)
	}
	if field, asc := r.DefaultOrder(); r.Env() != "demo" || field != "CreatedAt" || asc {
		t.Errorf("environment %s by %s %t", r.Env(), field, asc)
	}
	if d, ok := r.Lookup("a"); !ok || d != 1 {
		t.Errorf("Lookup(a) = %d, %t", d, ok)
	}
	if ms := r.Field("CreatedAt").Numbers().Int(2); ms != 1714521600000 {
		t.Errorf("latest date %d", ms)
	}
	if v := r.Field("Name").Strings().At(0, nil); string(v) != `Blue "chair" from the små island` {
		t.Errorf("value %q", v)
	}
}

func TestColumns(t *testing.T) {
	r := snaptest.Open(t, chairs())
	c := r.Field("Data.price").Column()
	if c.Distinct != 2 || c.Count(1) != 2 || c.Doc(c.Start(1)) != 0 || c.Doc(c.Start(1)+1) != 2 {
		t.Errorf("prices: %d values, 12 in %d documents: %d, %d", c.Distinct, c.Count(1), c.Doc(c.Start(1)), c.Doc(c.Start(1)+1))
	}
	tags := r.Field("Data.tags").Column()
	if tags.Distinct != 2 || tags.Single || tags.Least(0) != 0 || tags.Greatest(0) != 1 || tags.Has(1) {
		t.Errorf("tags: %d values, single %t", tags.Distinct, tags.Single)
	}
	key := snapshot.GramKey('w', 'o', 'o')
	if v := r.Field("Data.tags").Grams().Values([]uint64{key}, nil); !slices.Equal(v, []uint32{1}) {
		t.Errorf("grams: values %d", v)
	}
}

func TestWords(t *testing.T) {
	e := chairs()
	tests := []struct {
		name  string
		words func(string) []string
		field string
		term  string
		doc   snapshot.DocID
		at    []uint32
	}{
		{"at spaces", nil, "Name", "chair,", 0, []uint32{1}},
		{"in lower case", nil, "Name", "blue", 1, []uint32{0}},
		{"gap between values", nil, "Data.tags", "paint", 0, []uint32{102}},
		{"each occurrence", nil, "Data.tags", "wood", 2, []uint32{0, 101}},
		{"own words", func(s string) []string { return strings.Split(s, "a") }, "Name", "ir, red", 0, []uint32{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.Analysis.Words = tt.words
			terms := snaptest.Open(t, e).Field(tt.field).Terms()
			info, ok := terms.Lookup([]byte(tt.term))
			if !ok {
				t.Fatalf("no term %q", tt.term)
			}
			var p snapshot.Postings
			p.Reset(terms, info)
			if d := p.Seek(tt.doc); d != tt.doc {
				t.Fatalf("document %d, want %d", d, tt.doc)
			}
			if at := p.Positions(nil); !slices.Equal(at, tt.at) {
				t.Errorf("positions %d, want %d", at, tt.at)
			}
		})
	}
}

func TestFile(t *testing.T) {
	r, err := snapshot.Open(snaptest.File(t, snaptest.Env{Name: "empty"}))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	snaptest.Prove(t, r)
	if r.Items() != 0 || r.Env() != "empty" {
		t.Errorf("%d items in %s", r.Items(), r.Env())
	}
}

// subs describes the sub-fields of a path: each value and its number of items.
func subs(f *snapshot.Field) (out []string) {
	for s := snapshot.SubKeyword; s < snapshot.SubCount; s++ {
		v := f.Sub(s)
		for ord := 0; v != nil && ord < v.Column().Distinct; ord++ {
			text := ""
			switch n := v.Numbers(); {
			case n == nil:
				text = string(v.Strings().At(ord, nil))
			case s == snapshot.SubDouble:
				text = fmt.Sprint(n.Float(ord))
			default:
				text = fmt.Sprint(n.Int(ord))
			}
			out = append(out, fmt.Sprintf("%s %s in %d", s, text, v.Column().Count(ord)))
		}
	}
	return out
}

// TestSubFields checks the type of a path and its sub-fields.
func TestSubFields(t *testing.T) {
	tests := []struct {
		name   string
		values []string // one per item
		typ    snapshot.Type
		want   []string
	}{
		{"words", []string{`"a"`, `"b"`, `"a"`}, snapshot.Text, []string{"keyword a in 2", "keyword b in 1"}},
		{"integers", []string{`7`, `-7`}, snapshot.Long, []string{"keyword -7 in 1", "keyword 7 in 1", "long -7 in 1", "long 7 in 1",
			"double -7 in 1", "double 7 in 1", "date 7 in 1"}},
		{"an integer and a string", []string{`1`, `"x"`}, snapshot.Text, []string{"keyword 1 in 1", "keyword x in 1", "long 1 in 1", "double 1 in 1", "date 1 in 1"}},
		{"numbers in strings", []string{`"204800"`, `"1.5"`, `"+.5e1"`, `"0x10"`, `"inf"`, `"1_0"`, `" 1"`}, snapshot.Text, []string{
			"keyword  1 in 1", "keyword +.5e1 in 1", "keyword 0x10 in 1", "keyword 1.5 in 1", "keyword 1_0 in 1", "keyword 204800 in 1", "keyword inf in 1",
			"long 1 in 1", "long 5 in 1", "long 204800 in 1", "double 1.5 in 1", "double 5 in 1", "double 204800 in 1", "date 204800 in 1"}},
		{"fractions", []string{`0.1`, `1`, `1.0`, `-1.9`}, snapshot.Float, []string{
			"keyword -1.9 in 1", "keyword 0.1 in 1", "keyword 1 in 1", "keyword 1.0 in 1", "long -1 in 1", "long 0 in 1", "long 1 in 2",
			"double -1.9 in 1", "double 0.1 in 1", "double 1 in 2", "date 1 in 1"}},
		{"booleans", []string{`true`, `false`}, snapshot.Boolean, []string{"keyword false in 1", "keyword true in 1", "boolean 0 in 1", "boolean 1 in 1"}},
		{"a boolean in a string", []string{`"true"`, `"True"`}, snapshot.Text, []string{"keyword True in 1", "keyword true in 1", "boolean 1 in 1"}},
		{"dates", []string{`"1970-01-01"`, `"1970-01-01T00:00:01Z"`}, snapshot.Date, []string{
			"keyword 1970-01-01 in 1", "keyword 1970-01-01T00:00:01Z in 1", "date 0 in 1", "date 1000 in 1"}},
		{"years in strings", []string{`"1970"`}, snapshot.Text, []string{"keyword 1970 in 1", "long 1970 in 1", "double 1970 in 1", "date 0 in 1"}},
		{"beyond int64", []string{`9007199254740993`, `1e19`, `9223372036854775807`}, snapshot.Float, []string{
			"keyword 1e19 in 1", "keyword 9007199254740993 in 1", "keyword 9223372036854775807 in 1",
			"long 9007199254740993 in 1", "long 9223372036854775807 in 1",
			"double 9.007199254740992e+15 in 1", "double 9.223372036854776e+18 in 1", "double 1e+19 in 1",
			"date 9007199254740993 in 1", "date 9223372036854775807 in 1"}},
		{"negative zero", []string{`-0.0`, `0`}, snapshot.Float, []string{"keyword -0.0 in 1", "keyword 0 in 1", "long 0 in 2", "double 0 in 2", "date 0 in 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := snaptest.Open(t, items(tt.values)).Field("v")
			if got := subs(f); f.Type != tt.typ || !slices.Equal(got, tt.want) {
				t.Errorf("%s with\n%q, want %s with\n%q", f.Type, got, tt.typ, tt.want)
			}
		})
	}
}

func items(values []string) (e snaptest.Env) {
	for i, v := range values {
		e.Items = append(e.Items, fmt.Sprintf(`{"ContentID":"%02d","v":%s}`, i, v))
	}
	return e
}

// TestRestOrder checks REST order: numbers by value, then booleans, then strings by their
// bytes.
func TestRestOrder(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   []int // rank of each value
	}{
		{"strings", []string{`"b"`, `"a"`, `"10"`, `"9"`}, []int{3, 2, 0, 1}},
		{"numbers", []string{`10`, `9`, `9.0`, `-1`}, []int{2, 1, 1, 0}},
		{"numbers beyond doubles", []string{`9007199254740993`, `9007199254740992`}, []int{1, 0}},
		{"each kind", []string{`"0"`, `true`, `5`, `false`, `10`}, []int{4, 3, 0, 2, 1}},
		{"dates", []string{`"2021-04-23"`, `"2021-04-22T12:00:00Z"`}, []int{1, 0}},
		{"dates by their texts", []string{`"2021-01-01T00:30:00+01:00"`, `"2021-01-01T00:00:00Z"`}, []int{1, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := snaptest.Open(t, items(tt.values)).Field("v").SortColumn()
			var got []int
			for d := range tt.values {
				got = append(got, c.Least(snapshot.DocID(d)))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("places %d, want %d", got, tt.want)
			}
		})
	}
}
