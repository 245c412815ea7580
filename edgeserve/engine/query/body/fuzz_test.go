// This file fuzzes bodies and query strings. Nothing may panic, limits must hold, and
// parsing a printed body must give an equal body.

package body

import (
	"errors"
	"reflect"
	"testing"

	"contentedge/edgeserve/engine/query"
)

func FuzzBody(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := Parse(raw)
		var e *query.Error
		if err != nil {
			if !errors.As(err, &e) || b != nil || e.Code == "" || e.Position > len(raw) {
				t.Fatalf("%v, %+v", b, err)
			}
			return
		}
		if b.Window.From < 0 || b.Window.Size < 0 || b.Window.From+b.Window.Size > query.MaxWindow || len(b.Order.Keys) > maxSortKeys || len(b.Aggs) > maxAggs {
			t.Fatalf("beyond a limit: %+v", b)
		}
		text := printBody(b)
		again, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if printBody(again) != text {
			t.Fatalf("%s reads back as %s", text, printBody(again))
		}
		if keepsText(b.Query) && !reflect.DeepEqual(again.Query, b.Query) {
			t.Fatalf("%s reads back as %#v, not %#v", text, again.Query, b.Query)
		}
	})
}

// keepsText reports whether printing keeps the text of every clause in n.
func keepsText(n query.Node) bool {
	switch n.(type) {
	case *query.Term, *query.Terms, *query.Range, *query.Wildcard, *query.Prefix, *query.Exists, *query.IDs, *query.Match, *query.MatchPhrase, *query.MultiMatch, *query.Fuzzy, *query.Regexp, *query.MatchBoolPrefix:
		return true
	}
	return false
}
