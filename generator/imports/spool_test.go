package imports

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestInstallAllOrNothing: where one file cannot get its name, those before it get their old text back,
// or vanish if they were new.
func TestInstallAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"old.ndjson": "old", ".import-1.ndjson": "new", ".import-2.ndjson": "new", ".import-3.ndjson": "new"} {
		if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(path("taken.ndjson/full"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := &fileWriter{}
	for i, name := range []string{"old.ndjson", "fresh.ndjson", "taken.ndjson"} {
		w.staged = append(w.staged, staged{WrittenFile: WrittenFile{Name: path(name)}, temp: path(".import-" + string(rune('1'+i)) + ".ndjson")})
	}
	if err := w.install(); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	if err := w.clean(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path("old.ndjson")); string(text) != "old" {
		t.Errorf("the old file is %q, %v", text, err)
	}
	if _, err := os.Stat(path("fresh.ndjson")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the new file is there: %v", err)
	}
	if left, _ := filepath.Glob(path(".import-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
