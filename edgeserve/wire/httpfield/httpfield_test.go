package httpfield

import "testing"

func TestTrimSpace(t *testing.T) {
	for in, want := range map[string]string{"": "", " \t": "", "a": "a", " \ta b\t ": "a b", "\u00a0a": "\u00a0a", "\na": "\na"} {
		if got := string(TrimSpace([]byte(in))); got != want {
			t.Errorf("TrimSpace(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFoldEqual(t *testing.T) {
	for _, c := range []struct {
		value, lower string
		want         bool
	}{
		{"", "", true},
		{"GZip", "gzip", true},
		{"gzip ", "gzip", false},
		{"gzi", "gzip", false},
		{"\u212a", "k", false}, // the Kelvin sign
		{"[", "{", false},      // one bit apart, like the two cases of a letter
		{"@", "`", false},
	} {
		if got := FoldEqual([]byte(c.value), c.lower); got != c.want {
			t.Errorf("FoldEqual(%q, %q) = %v", c.value, c.lower, got)
		}
	}
}

// TestHTTPField shows which bytes a token may contain.
func TestHTTPField(t *testing.T) {
	const symbols = "!#$%&'*+-.^_`|~"
	for c := range 256 {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		want := letter
		for _, s := range []byte(symbols) {
			want = want || byte(c) == s
		}
		if got := IsToken([]byte{byte(c)}); got != want {
			t.Errorf("IsToken(%q) = %v", rune(c), got)
		}
	}
	if IsToken(nil) || IsToken([]byte("a b")) || TokenLength([]byte("ab=c")) != 2 {
		t.Error("a token is not empty, has no space and ends before =")
	}
}
