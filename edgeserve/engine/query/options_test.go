// This file tests fuzziness, minimum_should_match and Java's number syntax.

package query

import "testing"

func TestParseFuzziness(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Fuzziness
		ok   bool
	}{
		{"AUTO", Fuzziness{Auto: true, Low: 3, High: 6}, true},
		{"auto", Fuzziness{Auto: true, Low: 3, High: 6}, true},
		{"Auto:2,4", Fuzziness{Auto: true, Low: 2, High: 4}, true},
		{"AUTO:4,4", Fuzziness{Auto: true, Low: 4, High: 4}, true},
		{"AUTO:4,2", Fuzziness{}, false},
		{"AUTO:-1,2", Fuzziness{}, false},
		{"AUTO:2", Fuzziness{}, false},
		{"AUTO:", Fuzziness{}, false},
		{"0", Fuzziness{}, true},
		{"1", Fuzziness{Edits: 1}, true},
		{"2", Fuzziness{Edits: 2}, true},
		{"999999999", Fuzziness{Edits: 2}, true},
		{"0.8", Fuzziness{}, true},
		{"1.9", Fuzziness{Edits: 1}, true},
		{"-1", Fuzziness{Edits: -1}, true},
		{"-0.5", Fuzziness{}, true},
		{"NaN", Fuzziness{}, true},
		{"x", Fuzziness{}, false},
		{"", Fuzziness{}, false},
	} {
		got, err := ParseFuzziness(c.in)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: got %+v, %v", c.in, got, err)
		}
	}
}

func TestMinMatch(t *testing.T) {
	for _, c := range []struct {
		spec string
		n    int
		want int
		ok   bool
	}{
		{"2", 5, 2, true},
		{"-2", 5, 3, true},
		{"-9", 5, 0, true},
		{"9", 5, 9, true},
		{" +1 ", 5, 1, true},
		{"75%", 4, 3, true},
		{"75%", 3, 2, true},
		{"-25%", 4, 3, true},
		{"-25%", 3, 3, true},
		{"100%", 3, 3, true},
		{"2<75%", 2, 2, true},
		{"2<75%", 4, 3, true},
		{"2 < 75%", 4, 3, true},
		{"2<-1 5<4", 2, 2, true},
		{"2<-1 5<4", 5, 4, true},
		{"2<-1 5<4", 6, 4, true},
		{"2<-1  5 <3", 9, 3, true},
		{"", 3, 0, false},
		{"x", 3, 0, false},
		{"%", 3, 0, false},
		{"1.5", 3, 0, false},
		{"2<", 3, 0, false},
		{"2<x", 3, 0, false},
		{"2<x", 2, 2, true},
		{"x<2", 3, 0, false},
		{"75%%", 3, 0, false},
		{"99999999999", 3, 0, false},
	} {
		got, err := MinMatch(c.spec, c.n)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%q of %d: got %d, %v", c.spec, c.n, got, err)
		}
	}
}
