// These tests compare the search for a block with a linear scan. Lookups alone would not
// reveal a wrong block: they would only be slower.

package snapshot

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

func TestBlockIndexFind(t *testing.T) {
	many := func(format string, n int) (firsts []string) {
		for i := range n {
			firsts = append(firsts, fmt.Sprintf(format, i*3))
		}
		return firsts
	}
	tests := []struct {
		name   string
		prefix string
		firsts []string
	}{
		{"none", "", nil},
		{"one", "", []string{"b"}},
		{"one with a prefix", "bcd", []string{"bcde"}},
		{"apart", "", []string{"", "a", "b", "c\x00", "d"}},
		{"zeros", "", []string{"", "\x00", "\x00\x00", "\x00\x00\x00"}},
		{"few ties", "", append(many("same head %04d", 7), "z")},
		{"many ties", "", append(append([]string{"a"}, many("same head %04d", 100)...), "z", "zz")},
		{"only ties", "same ", many("same head at last %04d", 40)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var firsts [][]byte
			for _, f := range tt.firsts {
				firsts = append(firsts, []byte(f))
			}
			var w headWriter
			for _, f := range firsts {
				w.add(f)
			}
			d := &decoder{b: w.appendTo(nil, []byte(tt.prefix))}
			x := d.blockIndex(len(firsts) * blockLen)
			for _, key := range probes(tt.firsts) {
				want := -1
				for i, f := range firsts {
					if bytes.Compare(f, key) <= 0 {
						want = i
					}
				}
				if got := x.find(key, func(b int) int { return bytes.Compare(key, firsts[b]) }); got != want {
					t.Errorf("block of %q is %d, want %d", key, got, want)
				}
			}
		})
	}
}

// probes returns keys equal to, before, after and between the given ones.
func probes(keys []string) (out [][]byte) {
	for _, k := range append(slices.Clone(keys), "", "a", "same", "same head", "same z", "zzz") {
		out = append(out, []byte(k), []byte(k+"\x00"), []byte(k+"5"))
		if n := len(k); n > 0 {
			out = append(out, []byte(k[:n-1]), []byte(k[:n-1]+string(rune(k[n-1]-1))), []byte(k[:n-1]+string(rune(k[n-1]+1))))
		}
	}
	return out
}
