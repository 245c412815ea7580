// These tests show what the literals of this package become, so that other packages'
// tests can rely on it.

package snaptest_test

import (
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/snapshot"
	"contentedge/edgeserve/snapshot/snaptest"
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
