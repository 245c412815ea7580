package address

import (
	"slices"
	"testing"
)

// TestDataFilters reads filters back as they were set, in whatever order, and ends where the reader does.
func TestDataFilters(t *testing.T) {
	f := DataFilters("").with("Data.b", "x&y=z").with("Data.a", "1").with("Data.é", "ü").with("Data.none", "")
	var paths []string
	for path, value := range f.All() {
		if paths = append(paths, path); f.Value(path) != value {
			t.Errorf("%s: %q, and %q by its name", path, value, f.Value(path))
		}
	}
	if slices.Sort(paths); !slices.Equal(paths, []string{"Data.a", "Data.b", "Data.é"}) || f.Value("Data.b") != "x&y=z" || f.Value("Data.none") != "" {
		t.Errorf("%q has %q", f, paths)
	}
	seen := 0
	for range f.All() {
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("%d filters after the first one", seen)
	}
	if _, _, ok := f.Only(); ok {
		t.Error("three filters are one")
	}
	if path, value, ok := DataFilters("").with("Data.b", "x").Only(); !ok || path != "Data.b" || value != "x" {
		t.Errorf("%q %q %v", path, value, ok)
	}
	if _, ok := f.appendFile(nil); ok {
		t.Error("a list by three filters has a file")
	}
}
