// This file fuzzes query strings. Nothing may panic, limits must hold, and parsing a printed group must
// give an equal group.

package lucene

import "testing"

func FuzzQueryString(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text, MaxNodes)
		if err != nil {
			if err.Position < 0 || err.Position > len(text) || g != nil {
				t.Fatalf("position %d of %q, %v", err.Position, text, g)
			}
			return
		}
		checkLimits(t, g, 0)
		if g.Size() > MaxNodes {
			t.Fatalf("%d clauses", g.Size())
		}
		checkReparse(t, g)
		for _, and := range []bool{false, true} {
			if g, err := ParseSimple(text, and, AllOperators, MaxNodes); err == nil {
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
	if len(g.Clauses) == 0 || len(g.Clauses) > MaxClauses || depth > 2*maxParens || !(g.Boost >= 0) {
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
