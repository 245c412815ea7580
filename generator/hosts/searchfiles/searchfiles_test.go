package searchfiles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// bodyOf returns n bytes that compress, different for each seed.
func bodyOf(n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = "content "[rng.IntN(8)]
	}
	return b
}

// publish writes a release with files of the given bodies.
func publish(t *testing.T, dir, build string, precompress bool, bodies map[string][]byte) Pointer {
	t.Helper()
	write := func(name string, body []byte) error { return os.WriteFile(name, body, 0o644) }
	w, err := NewWriter(dir, write, precompress)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := Pointer{Build: build, Files: map[string]File{}}
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		if p.Files[name], err = w.Add(name, ".snap", bodies[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Two programs that write releases into one directory would remove each other's files.
func TestWriterIsAlone(t *testing.T) {
	dir := t.TempDir()
	w, err := NewWriter(dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewWriter(dir, nil, false); err == nil || !strings.Contains(err.Error(), "another program is writing into "+dir) {
		t.Errorf("a second Writer says %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	publish(t, dir, "a", false, map[string][]byte{"a": bodyOf(100, 1)})
}

// names lists the files below Immutable.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, Immutable))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestSearchFiles: parts joined are the file, their names have their digests, and the files beside them are compressed.
func TestSearchFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes int
		parts int
	}{
		{"empty", 0, 1}, {"one byte", 1, 1}, {"just a part", PartBytes, 1}, {"a byte more", PartBytes + 1, 2}, {"three", 2*PartBytes + PartBytes/2, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, body := t.TempDir(), bodyOf(c.bytes, 1)
			p := publish(t, dir, "b", c.bytes < PartBytes, map[string][]byte{"site": body})
			f := p.Files["site"]
			var joined []byte
			for _, part := range f.Parts {
				b, err := os.ReadFile(filepath.Join(dir, Immutable, part.File))
				if err != nil {
					t.Fatal(err)
				}
				if len(b) != part.Bytes || part.Bytes > PartBytes || release.HexSHA256(b) != part.SHA256 || part.File != "site-"+part.SHA256[:shortDigest]+".snap" {
					t.Errorf("%+v has %d bytes", part, len(b))
				}
				joined = append(joined, b...)
			}
			if len(f.Parts) != c.parts || f.Bytes != int64(c.bytes) || !bytes.Equal(joined, body) {
				t.Errorf("%d parts of %d bytes, %d joined", len(f.Parts), f.Bytes, len(joined))
			}
		})
	}
}

func TestCompressedFilesBesideParts(t *testing.T) {
	dir, body := t.TempDir(), bodyOf(100_000, 1)
	noise := make([]byte, 1000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	p := publish(t, dir, "b", true, map[string][]byte{"site": body, "noise": noise})
	part := p.Files["site"].Parts[0]
	check := func() {
		t.Helper()
		for coding, size := range map[contentcoding.Coding]int{contentcoding.Gzip: part.Gzip, contentcoding.Brotli: part.Brotli} {
			b, err := os.ReadFile(filepath.Join(dir, Immutable, part.File+map[contentcoding.Coding]string{contentcoding.Gzip: ".gz", contentcoding.Brotli: ".br"}[coding]))
			if err != nil || len(b) != size || size == 0 {
				t.Fatalf("%v: %d bytes, want %d, %v", coding, len(b), size, err)
			}
			if plain, err := compression.Decode(coding, b, len(body)); err != nil || !bytes.Equal(plain, body) {
				t.Errorf("%v: other bytes, %v", coding, err)
			}
		}
	}
	check()
	if other := p.Files["noise"].Parts[0]; other.Gzip != 0 || other.Brotli != 0 || len(names(t, dir)) != 4 {
		t.Errorf("%+v in %v", other, names(t, dir))
	}
	// A damaged file of an earlier run is written anew.
	for _, extension := range []string{"", ".gz", ".br"} {
		if err := os.WriteFile(filepath.Join(dir, Immutable, part.File+extension), []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, dir, "b", true, map[string][]byte{"site": body, "noise": noise})
	check()
}

// TestOldFiles: the files of the release before stay, also if a release is written twice. Those of older releases go,
// others are not touched.
func TestOldFiles(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, Immutable, "my-file.txt")
	program := filepath.Join(dir, Immutable, "engine-0123456789abcdef.mjs")
	releases := make([]Pointer, 3)
	for i := range releases {
		for range 2 {
			releases[i] = publish(t, dir, fmt.Sprint("b", i), true, map[string][]byte{"site": bodyOf(5000, uint64(i)), "same": bodyOf(5000, 9)})
		}
		for _, name := range []string{own, program} {
			if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := names(t, dir)
	for i, p := range releases {
		for name, f := range p.Files {
			for _, extension := range []string{"", ".gz", ".br"} {
				if there := slices.Contains(got, f.Parts[0].File+extension); there != (i > 0 || name == "same") {
					t.Errorf("release %d: %s%s is there: %t", i, f.Parts[0].File, extension, there)
				}
			}
		}
	}
	if !slices.Contains(got, filepath.Base(own)) || !slices.Contains(got, filepath.Base(program)) {
		t.Errorf("files of others are gone: %v", got)
	}
	var p Pointer
	text, err := os.ReadFile(filepath.Join(dir, PointerName))
	if err != nil || json.Unmarshal(text, &p) != nil || p.Format != PointerFormat || p.Files["site"].Parts[0] != releases[2].Files["site"].Parts[0] {
		t.Errorf("%s, %v", text, err)
	}
	// A damaged pointer is replaced.
	if err := os.WriteFile(filepath.Join(dir, PointerName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	publish(t, dir, "b", true, map[string][]byte{"site": bodyOf(5000, 7)})
	if got := names(t, dir); len(got) != 5 {
		t.Errorf("%v", got)
	}
}

// TestFailure: a release that cannot be written whole does not become current.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	publish(t, dir, "old", false, map[string][]byte{"site": bodyOf(100, 1)})
	before, err := os.ReadFile(filepath.Join(dir, PointerName))
	if err != nil {
		t.Fatal(err)
	}
	full := func(name string, body []byte) error {
		if strings.HasSuffix(name, ".json") {
			t.Error("the pointer is written")
		}
		return os.ErrPermission
	}
	w, err := NewWriter(dir, full, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Add("site", ".snap", bodyOf(100, 2)); err == nil {
		t.Error("no error")
	}
	if after, err := os.ReadFile(filepath.Join(dir, PointerName)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%s, %v", after, err)
	}
}

func TestJoinItems(t *testing.T) {
	joined, err := JoinItems([]Item{{"a.json", []byte("{}")}, {"é.json", []byte("{\n}")}})
	if want := "[[\"a.json\",2],[\"é.json\",3]]\n{}{\n}"; err != nil || string(joined) != want {
		t.Errorf("%q, %v", joined, err)
	}
	if joined, err = JoinItems(nil); err != nil || string(joined) != "[]\n" {
		t.Errorf("%q, %v", joined, err)
	}
}
