package output

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestEqualFiles tells files apart by mode, bytes and, where they count, times.
func TestEqualFiles(t *testing.T) {
	dir := t.TempDir()
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	file := func(name, text string, mode os.FileMode, at time.Time) string {
		path := filepath.Join(dir, name)
		for _, err := range []error{os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode), os.Chtimes(path, at, at)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	a := file("a", "text", 0o644, day)
	for _, c := range []struct {
		name, other string
		times, want bool
	}{
		{"itself", a, true, true},
		{"the same", file("b", "text", 0o644, day), true, true},
		{"another time", file("c", "text", 0o644, day.Add(time.Second)), true, false},
		{"another time that does not count", file("d", "text", 0o644, day.Add(time.Second)), false, true},
		{"another mode", file("e", "text", 0o640, day), false, false},
		{"other bytes", file("f", "tex!", 0o644, day), false, false},
		{"more bytes", file("g", "texts", 0o644, day), false, false},
		{"nothing", filepath.Join(dir, "none"), false, false},
	} {
		if got, err := equalFiles(a, c.other, c.times); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}
