package writer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDecimals(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 1234} {
		var got []string
		for i := range decimals(n) {
			got = append(got, fmt.Sprintf("page-%d.json", i))
		}
		if len(got) != n || !slices.IsSorted(got) {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestCompareNames(t *testing.T) {
	names := []string{"a", "a-", "a-b", "a0", "aA", "a_", "aa", "b", "-", "0"}
	for _, a := range names {
		for _, b := range names {
			if got, want := compareNames(a, b), strings.Compare(a+".", b+"."); got != want {
				t.Errorf("%q, %q: %d, want %d", a, b, got, want)
			}
		}
	}
}
