package release

import (
	"strings"
	"testing"
)

// Each key is read as what it was made of, and nothing else is a key.
func TestFormKeys(t *testing.T) {
	a, b := Snapshot{SHA256: strings.Repeat("ab", 32)}, Snapshot{SHA256: strings.Repeat("01", 32)}
	if got, want := CompressedKey("news-1", a), "patches/news-1/abababababababab.snap.zst"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := PatchKey("news-1", b, a), "patches/news-1/abababababababab-0101010101010101.patch"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	for _, key := range []string{CompressedKey("news-1", a), PatchKey("a", b, a)} {
		if k, ok := ParseFormKey(key); !ok || k.String() != key {
			t.Errorf("%s was read as %+v", key, k)
		}
	}
	for _, key := range []string{"", "patches/", "patches/a/", "patches/abababababababab.snap.zst", "patches/a/b/abababababababab.snap.zst", "patches/../abababababababab.snap.zst",
		"patches/a/abababababababab.snap", "patches/a/ABABABABABABABAB.snap.zst", "patches/a/abababababababab-.patch", "patches/a/ab-0101010101010101.patch",
		"snapshots/a/abababababababab.snap.zst", "patches/a/abababababababab.patch"} {
		if k, ok := ParseFormKey(key); ok {
			t.Errorf("%s was read as %+v", key, k)
		}
	}
}
