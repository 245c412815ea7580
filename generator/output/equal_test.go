package output

import (
	"os"
	"path/filepath"
	"strings"
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
	const block = 64 << 10 // files are compared in blocks
	long := strings.Repeat("0123456789abcdef", 2*block/16)
	b := file("long", long, 0o644, day)
	odd := file("odd", long+"x", 0o644, day)
	for _, c := range []struct {
		name, one, other string
		times, want      bool
	}{
		{"itself", a, a, true, true},
		{"the same", a, file("b", "text", 0o644, day), true, true},
		{"another time", a, file("c", "text", 0o644, day.Add(time.Second)), true, false},
		{"another time that does not count", a, file("d", "text", 0o644, day.Add(time.Second)), false, true},
		{"another mode", a, file("e", "text", 0o640, day), false, false},
		{"other bytes", a, file("f", "tex!", 0o644, day), false, false},
		{"more bytes", a, file("g", "texts", 0o644, day), false, false},
		{"nothing", a, filepath.Join(dir, "none"), false, false},
		{"long ones", b, file("h", long, 0o644, day), true, true},
		{"long ones with other last bytes", b, file("i", long[:len(long)-1]+"x", 0o644, day), true, false},
		{"long ones with other bytes in the middle", b, file("j", long[:block]+"x"+long[block+1:], 0o644, day), true, false},
		{"long ones that end within a block", odd, file("k", long+"x", 0o644, day), true, true},
	} {
		if got, err := equalFiles(c.one, c.other, c.times); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}
