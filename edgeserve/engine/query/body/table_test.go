// This file tests that tables refuse rows that contradict each other, and that no type is both known and refused.

package body

import (
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/strictjson"
)

func TestTablesRefuseAmbiguousRows(t *testing.T) {
	parse := func(*parser, *int, *strictjson.Value) {}
	for _, c := range []struct {
		name string
		rows []option[int]
	}{
		{"two rows of one name", []option[int]{{"a", optional, parse}, {"b", optional, parse}, {"a", required, parse}}},
		{"another spelling that is listed too", []option[int]{{"a", optional, parse}, {"a", unlisted, parse}}},
		{"a row without a parser", []option[int]{{"a", optional, nil}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, `the option "a" of it`) {
					t.Errorf("got %q", text)
				}
			}()
			newTable("it", c.rows)
		})
	}
}

// TestMembersHaveOneRow checks the same of the table of a body's members, and that each row parses or refuses.
func TestMembersHaveOneRow(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range bodyMembers {
		if seen[m.name] || (m.parse == nil) == (m.refused == "") || m.code == "" {
			t.Errorf("%+v", m)
		}
		seen[m.name] = true
	}
}

// TestNoTypeIsKnownAndRefused: a type that is parsed leaves the list of refused types.
func TestNoTypeIsKnownAndRefused(t *testing.T) {
	for name := range refusedQueries {
		if _, known := queryTypes[name]; known {
			t.Errorf("the query %s is parsed: take it out of refused.go", name)
		}
	}
	for name := range aggInstead {
		if aggParserOf(name) != nil {
			t.Errorf("the aggregation %s is parsed: take it out of agg_refused.go", name)
		}
	}
}
