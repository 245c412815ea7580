package address

import (
	"slices"
	"strings"
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

// TestPathComponents writes the directories of a list by one path, if the path and the value have tokens.
func TestPathComponents(t *testing.T) {
	long := strings.Repeat("x", MaxToken+1)
	for _, tt := range []struct{ path, value, want string }{
		{"Data.color", "red", "path-color/value-red/"},
		{"Data.Color", "a b", "path-_color/value-a-b/"},
		{"Data.a.b", "1", "path-a.2e_b/value-1/"},
		{"Data.a", long, ""},
		{"Data." + long, "a", ""},
		{"Data.a", "\x00", ""},
		{"Data.\xff", "a", ""},
		{"Data.", "a", ""},
		{"Data.a", "", ""},
	} {
		got, ok := PathComponents(tt.path, tt.value)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%.20q = %.20q: %q, %v, want %q", tt.path, tt.value, got, ok, tt.want)
		}
	}
}

// TestEscapedDataPath finds paths of Data by the names of parameters, however they are escaped.
func TestEscapedDataPath(t *testing.T) {
	for name, want := range map[string]bool{
		"Data.a": true, "%44ata.a": true, "D%61ta.a": true, "Data%2Ea": true, "%44%61%74%61%2e%61": true,
		"": false, "Data": false, "%": false, "%44": false, "data.a": false, "%64ata.a": false, "xData.a": false, "%00Data.a": false, "%zzData.a": false,
		"%44ata." + strings.Repeat("%61", maxNameLength): false,
	} {
		if got := isDataPath(name); got != want {
			t.Errorf("%.40q: %v, want %v", name, got, want)
		}
	}
}
