package checksums

import (
	"bytes"
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func write(t testing.TB, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, name := range names {
		if err := w.Add(name, sha256.Sum256([]byte(name))); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestChecksums writes files.sha256 and reads it back, name by name in order.
func TestChecksums(t *testing.T) {
	names := []string{"a-b/x.json", "a/x.json", "a/x.json.br", "b c"}
	r := NewReader(strings.NewReader(write(t, names...)))
	var got []string
	for r.Next() {
		got = append(got, string(r.Name()))
		if r.Sum() != sha256.Sum256(r.Name()) {
			t.Errorf("%s has another sum", r.Name())
		}
	}
	if r.Err() != nil || strings.Join(got, "|") != strings.Join(names, "|") {
		t.Errorf("%q, %v", got, r.Err())
	}
}

func TestWriterRefusesDisorder(t *testing.T) {
	w := NewWriter(new(bytes.Buffer))
	for i, name := range []string{"b", "b", "a", ""} {
		if err := w.Add(name, Sum{}); (err == nil) != (i == 0) {
			t.Errorf("%d %q: %v", i, name, err)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	good := write(t, "a", "b")
	tests := map[string]string{
		"cut":           good[:len(good)-1],
		"cut in a sum":  good[:70],
		"disorder":      write(t, "b") + write(t, "a"),
		"twice":         write(t, "a") + write(t, "a"),
		"no name":       write(t, "a") + good[:66] + "\n",
		"one space":     strings.Replace(good, "  a", " a", 1),
		"capitals":      strings.ToUpper(good[:64]) + good[64:],
		"empty line":    "\n" + good,
		"no sum at all": strings.Repeat("x", 64) + "  a\n",
		"long line":     good[:66] + strings.Repeat("x", maxLine) + "\n",
	}
	for name, text := range tests {
		r := NewReader(strings.NewReader(text))
		for r.Next() {
		}
		if r.Err() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The form is another program's.
func TestSha256sumReads(t *testing.T) {
	program, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("no sha256sum here")
	}
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(program, "-c", "--strict", "-")
	c.Dir, c.Stdin = dir, strings.NewReader(write(t, "a", "b"))
	if out, err := c.CombinedOutput(); err != nil || string(out) != "a: OK\nb: OK\n" {
		t.Errorf("%s%v", out, err)
	}
}

// What is read is what would be written.
func FuzzReader(f *testing.F) {
	f.Add([]byte(write(f, "a", "b/c.json", "b/c.json.gz")))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var b bytes.Buffer
		w, r := NewWriter(&b), NewReader(bytes.NewReader(text))
		for r.Next() {
			if err := w.Add(string(r.Name()), r.Sum()); err != nil {
				t.Fatal(err)
			}
		}
		if r.Err() == nil && !bytes.Equal(b.Bytes(), text) {
			t.Errorf("%q was read as %q", text, b.Bytes())
		}
	})
}

// A file's precompressed files come with it; what only looks like one is a file of its own.
func TestFileReader(t *testing.T) {
	f := NewEntryReader(NewReader(strings.NewReader(write(t, "a.json", "a.json.br", "a.json.zst", "a.json.zst.gz", "b.json.gz", "c"))))
	var got []string
	for f.Next() {
		got = append(got, strings.Join(f.Names(f.Name), "+"))
		err := f.Each(f.Name, func(name string, sum Sum) error {
			if sum != sha256.Sum256([]byte(name)) {
				t.Errorf("%s has another sum", name)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if want := "a.json+a.json.br+a.json.zst|a.json.zst.gz|b.json.gz|c"; f.Err() != nil || strings.Join(got, "|") != want {
		t.Errorf("%q, %v, want %s", got, f.Err(), want)
	}
}

// A file before a line that cannot be read may not be whole.
func TestFileReaderError(t *testing.T) {
	f := NewEntryReader(NewReader(strings.NewReader(write(t, "a", "b") + "x")))
	n := 0
	for f.Next() {
		n++
	}
	if n != 1 || f.Err() == nil {
		t.Errorf("%d files, %v", n, f.Err())
	}
}
