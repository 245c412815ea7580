package releasedir

import (
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

func TestFieldsOnly(t *testing.T) {
	m := &release.Manifest{Defaults: release.Defaults{Sort: "Name", Asc: true}}
	env := &release.Environment{ID: "shop", Items: 3, Fields: []release.Field{
		{Path: "Data.n", Type: "long", SubFields: []string{"keyword", "double"}}, {Path: "Name", Type: "text", SubFields: []string{"keyword"}},
	}}
	r, err := FieldsOnly(m, env)
	if err != nil {
		t.Fatal(err)
	}
	field, asc := r.DefaultOrder()
	types := r.FieldTypes()
	if r.Env() != "shop" || field != "Name" || !asc || r.Items() != 0 || len(types) != 2 || types[0].Type != snapshot.Long ||
		!slices.Equal(types[0].Subs, []snapshot.Sub{snapshot.SubKeyword, snapshot.SubDouble}) {
		t.Errorf("environment %s in order of %s, fields %v", r.Env(), field, types)
	}
	for name, f := range map[string]release.Field{
		`the type "blob"`: {Path: "a", Type: "blob"}, `the sub-field "blob"`: {Path: "a", Type: "text", SubFields: []string{"blob"}},
	} {
		if _, err := FieldsOnly(m, &release.Environment{Fields: []release.Field{f}}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
