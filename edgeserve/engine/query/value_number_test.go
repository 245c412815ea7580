package query

import (
	"strings"
	"testing"
)

// Integers beyond 64 bits give their last ones, at a cost that grows with their length alone.
func TestLongOfAnyLength(t *testing.T) {
	for text, want := range map[string]int64{
		"9223372036854775808":                     -1 << 63,
		"18446744073709551621":                    5,
		"-18446744073709551621":                   -5,
		"-9223372036854775809":                    1<<63 - 1,
		"340282366920938463463374607431768211457": 1,
		"1" + strings.Repeat("0", 64):             0,
		strings.Repeat("0", 200_000) + "7":        7,
		"-1844674407370955":                       -1844674407370955,
	} {
		v := Value{Kind: Number, Text: text}
		if n, ok := v.Long(); n != want || !ok {
			t.Errorf("%.40s: %d, %v, want %d", text, n, ok, want)
		}
	}
	long := Value{Kind: Number, Text: strings.Repeat("7", 200_000)}
	if n := testing.AllocsPerRun(1, func() { long.Long() }); n > 4 {
		t.Errorf("%v allocations", n)
	}
}
