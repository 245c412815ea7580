package snapshot

import (
	"slices"
	"testing"

	"contentedge/edgeserve/leftout"
)

// TestFieldsOnly shows what a Reader without documents has. Package search compares what it refuses.
func TestFieldsOnly(t *testing.T) {
	fields := []FieldType{
		{"ContentID", Text, []Sub{SubKeyword}},
		{"Data.price", Float, []Sub{SubKeyword, SubLong, SubDouble}},
		{"Data.title", Text, []Sub{SubKeyword, SubDate}},
		{"Data.title.date", Date, []Sub{SubKeyword, SubDate}},
	}
	r, err := FieldsOnly(Meta{Env: "shop", Sort: "CreatedAt", Items: 7}, leftout.Rules{Exclude: []string{"Data.body"}}, fields)
	if err != nil {
		t.Fatal(err)
	}
	if field, asc := r.DefaultOrder(); r.Env() != "shop" || r.Items() != 0 || field != "CreatedAt" || asc || r.LeftOut().Rule("Data.body") == "" {
		t.Errorf("environment %q of %d items, order %s %t, left out %v", r.Env(), r.Items(), field, asc, r.LeftOut())
	}
	same := func(a, b FieldType) bool { return a.Path == b.Path && a.Type == b.Type && slices.Equal(a.Subs, b.Subs) }
	if got := r.FieldTypes(); !slices.EqualFunc(got, fields, same) {
		t.Errorf("fields %v, want %v", got, fields)
	}
	if f := r.Field("Data.title"); f.Strings().Len() != 0 || f.Terms().Len() != 0 || f.Sub(SubKeyword) != &f.Values || !f.Hidden(SubDate) {
		t.Errorf("a text has values: %+v", f)
	}
	if _, found := r.Lookup("A"); found || r.Close() != nil {
		t.Error("an item is found, or the Reader cannot be closed")
	}
	for _, name := range []string{IndexField, TypeField, NumberField} {
		if r.Metadata(name) == nil {
			t.Errorf("no field %s", name)
		}
	}
	for name, wrong := range map[string][]FieldType{
		"order":     {{"b", Text, nil}, {"a", Text, nil}},
		"twice":     {{"a", Text, nil}, {"a", Text, nil}},
		"type":      {{"a", Boolean + 1, nil}},
		"sub-field": {{"a", Text, []Sub{SubCount}}},
	} {
		if _, err := FieldsOnly(Meta{}, leftout.Rules{}, wrong); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
