package pattern

import "testing"

func TestContinued(t *testing.T) {
	for _, c := range []struct {
		m    Matcher
		term string
		want bool
	}{
		{BytePrefix("caf"), "caf", true},
		{BytePrefix("caf"), "café", true},
		{BytePrefix("caf"), "ca", false},
		{BytePrefix("caf"), "cafę", false},
		{BytePrefix("é"), "été", false},
		{BytePrefix("é"), "Ã©té", true},
		{BytePrefix(""), "a", true},
		{LongerBy("né", 1), "né", true},
		{LongerBy("né", 1), "née", true},
		{LongerBy("né", 1), "néeé", false},
		{LongerBy("né", 1), "n", false},
	} {
		if got := c.m.Match([]byte(c.term)); got != c.want {
			t.Errorf("%q matches %q: %v", c.m.Prefix(), c.term, got)
		}
	}
}
