package aggs

import "testing"

// TestMurmur3 compares with the hashes of the reference implementation.
func TestMurmur3(t *testing.T) {
	for _, c := range []struct {
		text string
		seed uint32
		want uint32
	}{
		{"", 0, 0}, {"", 1, 0x514e28b7}, {"\x00", 0, 0x514e28b7}, {"!Ce", 0, 0x7e4a8634}, {"!Ce\x87", 0, 0xf55b516b},
		{"hello, world", 0, 0x149bbb7f}, {"The quick brown fox jumps over the lazy dog", 0x9747b28c, 0x2fa826cd},
	} {
		if got := uint32(murmur3([]byte(c.text), c.seed)); got != c.want {
			t.Errorf("%q, seed %#x: %#x, want %#x", c.text, c.seed, got, c.want)
		}
	}
}
