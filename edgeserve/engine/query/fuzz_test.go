// This file fuzzes bodies and query strings. Nothing may panic, limits must hold, and
// parsing a printed body must give an equal body.

package query

import (
	"errors"
	"reflect"
	"testing"
)

func FuzzQueryString(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		g, err := parseQueryString(text, maxNodes)
		if err != nil {
			if err.Position < 0 || err.Position > len(text) || g != nil {
				t.Fatalf("position %d of %q, %v", err.Position, text, g)
			}
			return
		}
		checkLimits(t, g, 0)
		if g.size() > maxNodes {
			t.Fatalf("%d clauses", g.size())
		}
		checkReparse(t, g)
		for _, and := range []bool{false, true} {
			if g, err := parseSimple(text, and, simpleAll, maxNodes); err == nil {
				checkLimits(t, g, 0)
			}
		}
	})
}

// checkLimits walks g, which is nested in depth parentheses.
func checkLimits(t *testing.T, g *Group, depth int) {
	if g == nil {
		return
	}
	if len(g.Clauses) == 0 || len(g.Clauses) > maxClauses || depth > 2*maxParens || !(g.Boost >= 0) {
		t.Fatalf("%d clauses, boost %v, depth %d", len(g.Clauses), g.Boost, depth)
	}
	for _, c := range g.Clauses {
		if (c.Leaf == nil) == (c.Group == nil) {
			t.Fatalf("not one of leaf and group: %+v", c)
		}
		if c.Leaf != nil && (!(c.Leaf.Boost >= 0) || c.Leaf.Slop < -1) {
			t.Fatalf("leaf %+v", c.Leaf)
		}
		checkLimits(t, c.Group, depth+1)
	}
}

func FuzzBody(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := Parse(raw)
		var e *Error
		if err != nil {
			if !errors.As(err, &e) || b != nil || e.Code == "" || e.Position > len(raw) {
				t.Fatalf("%v, %+v", b, err)
			}
			return
		}
		if b.From < 0 || b.Size < 0 || b.From+b.Size > MaxWindow || len(b.Sort) > maxSortKeys || len(b.Aggs) > maxAggs {
			t.Fatalf("beyond a limit: %+v", b)
		}
		text := b.String()
		again, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again.String() != text {
			t.Fatalf("%s reads back as %s", text, again)
		}
		if keepsText(b.Query) && !reflect.DeepEqual(again.Query, b.Query) {
			t.Fatalf("%s reads back as %#v, not %#v", text, again.Query, b.Query)
		}
	})
}

// keepsText reports whether printing keeps the text of every clause in n.
func keepsText(n Node) bool {
	switch n.(type) {
	case *Term, *Terms, *Range, *Wildcard, *Prefix, *Exists, *IDs, *Match, *MatchPhrase, *MultiMatch, *Fuzzy, *Regexp, *MatchBoolPrefix:
		return true
	}
	return false
}
