// These tests check the queries: all families are present, all runs are equal, and the
// search endpoint accepts them.

package queries

import (
	"path/filepath"
	"reflect"
	"testing"

	"bench/corpus"
	"contentedge/edgeserve/engine/query/body"
)

func draw(t *testing.T) []Query {
	t.Helper()
	items := corpus.Synthetic(300)
	corpus.Sort(items)
	qs, _, err := Draw(items, corpus.Detect(items), "", 5)
	if err != nil {
		t.Fatal(err)
	}
	return qs
}

func TestDrawHasEveryFamily(t *testing.T) {
	names, groups := Families(draw(t))
	if want := len(families) + len(searches); len(names) != want {
		t.Errorf("%d families, not %d: %q", len(names), want, names)
	}
	for i, g := range groups {
		if len(g) != 5 {
			t.Errorf("%s has %d queries", names[i], len(g))
		}
	}
}

func TestDrawIsTheSameAlways(t *testing.T) {
	if !reflect.DeepEqual(draw(t), draw(t)) {
		t.Error("two draws differ")
	}
}

func TestBodiesParse(t *testing.T) {
	for _, q := range draw(t) {
		if !q.Kind.Common() {
			continue // our engine reports what it refuses
		}
		if _, err := body.Parse([]byte(q.Body)); err != nil {
			t.Errorf("%s: %s: %v", q.Family, q.Body, err)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	qs := draw(t)
	path := filepath.Join(t.TempDir(), "queries")
	if err := Save(path, qs); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, qs) {
		t.Error("what was loaded is not what was saved")
	}
}

func TestNoTextIsAnError(t *testing.T) {
	items := [][]byte{[]byte(`{"ContentID":"a","Data":{"n":1}}`)}
	if _, _, err := Draw(items, corpus.Detect(items), "", 5); err == nil {
		t.Error("words were drawn from nothing")
	}
}
