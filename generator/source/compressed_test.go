// These tests read compressed files: right, cut off, damaged, and made to fill memories.

package source

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/record/recordtest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(text string) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func zstdCompressed(text string, options ...zstd.EOption) string {
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// compressedFile is a file in memory.
func compressedFile(t *testing.T, name, content string) (*Reader, error) {
	t.Helper()
	file, err := fstest.MapFS{"x": {Data: []byte(content), Mode: 0o644}}.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	return File{Name: name, Path: name, Format: documents.FormatOf(name)}.reader(file)
}

// text returns the text of a file, or the message of its fault.
func text(t *testing.T, name, content string) string {
	t.Helper()
	r, err := compressedFile(t, name, content)
	if err == nil {
		defer r.Close()
		var all []byte
		if all, err = r.All(); err == nil {
			return string(all)
		}
	}
	var problem *Problem
	var fault *documents.FileFault
	switch {
	case errors.As(err, &problem):
		return problem.Error()
	case errors.As(err, &fault):
		return fault.Message
	}
	t.Fatal(err)
	return ""
}

func TestCompressed(t *testing.T) {
	const long = `{"a": "text of some length, that is there to be cut off in the middle of it"}`
	gz, zst := gzipped(long), zstdCompressed(long)
	damaged := func(data string, at int) string { return data[:at] + string(data[at]^0x55) + data[at+1:] }
	tests := []struct{ what, name, content, want string }{
		{"gzip", "a.json.gz", gz, long},
		{"zstd", "a.ndjson.zst", zst, long},
		{"names in other letters", "a.JSONL.GZ", gz, long},
		{"two gzip files in a row", "a.ndjson.gz", gz + gz, long + long},
		{"two zstd files in a row", "a.ndjson.zst", zst + zst, long + long},
		{"nothing in it", "a.json.gz", gzipped(""), ""},
		{"an empty file", "a.json.gz", "", "the file is empty"},
		{"an empty zstd file", "a.json.zst", "", "the file is empty"},
		{"no gzip", "a.json.gz", long, "a.json.gz: this is no gzip file"},
		{"no zstd", "a.json.zst", long, "a.json.zst: this is no zstd file"},
		{"the other compression", "a.json.zst", gz, "a.json.zst: this is no zstd file"},
		{"gzip cut off", "a.json.gz", gz[:len(gz)-20], "a.json.gz: this gzip file is cut off"},
		{"gzip without its sum", "a.json.gz", gz[:len(gz)-3], "a.json.gz: this gzip file is cut off"},
		{"a beginning of gzip", "a.json.gz", gz[:5], "a.json.gz: this gzip file is cut off"},
		{"zstd cut off", "a.json.zst", zst[:len(zst)-9], "a.json.zst: this zstd file is cut off"},
		{"a wrong sum of gzip", "a.json.gz", damaged(gz, len(gz)-6), "a.json.gz: this gzip file is damaged: gzip: invalid checksum"},
		{"a wrong sum of zstd", "a.json.zst", damaged(zst, len(zst)-2), "a.json.zst: this zstd file is damaged: invalid checksum: 0x"},
		{"more behind gzip", "a.json.gz", gz + "more text than a header has", "a.json.gz: something else follows the gzip data of this file"},
		{"more behind zstd", "a.json.zst", zst + "more text", "a.json.zst: something else follows the zstd data of this file"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			if got := text(t, tt.name, tt.content); got != tt.want && !(strings.HasSuffix(tt.want, "0x") && strings.Contains(got, "damaged")) {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// zeros reads as many zero bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestCompressedBombs: little files of much text are refused within bounds of time and memory.
func TestCompressedBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("it compresses a gigabyte")
	}
	var gz, zst bytes.Buffer
	g, _ := gzip.NewWriterLevel(&gz, gzip.BestSpeed)
	_, _ = io.Copy(g, zeros(200<<20))
	_ = g.Close()
	z, _ := zstd.NewWriter(&zst)
	_, _ = io.Copy(z, zeros(1<<30))
	_ = z.Close()
	window := zstdCompressed(strings.Repeat("abc", 30<<20), zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(true))
	for _, tt := range []struct{ name, content, want string }{
		{"a.json.zst", zst.String(), "times as many as the file"},
		{"a.ndjson.zst", zst.String(), "times as many as the file"},
		{"a.json.gz", gz.String(), "times as many as the file"},
		{"a.json.zst", window, "needs more than 33554432 bytes of memory"},
	} {
		recordtest.Bounded(t, 4*time.Second, 128<<20, func() {
			if got := text(t, tt.name, tt.content); !strings.Contains(got, tt.want) {
				t.Errorf("%s of %d bytes: %.200q", tt.name, len(tt.content), got)
			}
		})
	}
}

// TestCompressedLarge: a text that is read twice, as it is large, is the same text.
func TestCompressedLarge(t *testing.T) {
	for _, size := range []int{smallText - 1, smallText, smallText + 1} {
		want := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		var gz bytes.Buffer
		w, _ := gzip.NewWriterLevel(&gz, gzip.BestSpeed)
		_, _ = io.WriteString(w, want)
		_ = w.Close()
		for name, content := range map[string]string{"a.json.gz": gz.String(), "a.json.zst": zstdCompressed(want, zstd.WithEncoderLevel(zstd.SpeedFastest))} {
			if got := text(t, name, content); got != want {
				t.Errorf("%s of %d bytes: %d bytes, %.100q", name, size, len(got), got)
			}
		}
	}
}

// TestCompressedBeside: a compressed file beside the same file is passed over, in one line.
func TestCompressedBeside(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"e/a.json": "", "e/a.json.gz": "", "e/a.json.zst": "", "e/b.ndjson.gz": "", "e/b.ndjson.zst": "", "e/c.jsonl.zst": "", "e/d/a.json.gz": "", "e/x.md.gz": "",
		"e/_searches/s.json": "", "e/_searches/s.json.gz": "", "e/_searches/t.json.gz": ""})
	tree, err := List(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var paths, skipped []string
	for _, f := range append(tree.Files, tree.Searches...) {
		paths = append(paths, f.Path)
	}
	for _, p := range tree.Skipped {
		skipped = append(skipped, p.Message)
	}
	if got := strings.Join(paths, " "); got != "e/a.json e/b.ndjson.gz e/c.jsonl.zst e/d/a.json.gz e/_searches/s.json" {
		t.Error(got)
	}
	want := "compressed files with their text next to them are passed over: e/_searches/s.json.gz, e/a.json.gz, e/a.json.zst, e/b.ndjson.zst; 2 files of kinds no source reads: 2 .gz"
	if got := strings.Join(skipped, "; "); got != want || len(tree.Problems) > 0 {
		t.Errorf("\n got %s\nwant %s %v", got, want, tree.Problems)
	}
}

// TestCompressedChanges: a file that changes while it is read is refused, whatever its decoder makes of it.
func TestCompressedChanges(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"e/a.ndjson.gz": gzipped(strings.Repeat("{}\n", 100))})
	tree, err := List(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tree.Files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.WriteFile(filepath.Join(dir, "e/a.ndjson.gz"), []byte("other bytes of another size, which are more than there were before, whatever they are"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.All(); err == nil || !strings.Contains(err.Error(), changed) {
		t.Error(err)
	}
}

// FuzzCompressed: bytes are a text or a fault, and gzip is read as the standard library reads it.
func FuzzCompressed(f *testing.F) {
	for _, seed := range []string{gzipped("{}\n"), zstdCompressed("{}\n"), gzipped("{}")[:12], zstdCompressed(strings.Repeat("abc", 1000)), gzipped("a") + gzipped("b"), ""} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, gz bool) {
		name := "x.ndjson.zst"
		if gz {
			name = "x.ndjson.gz"
		}
		r, err := compressedFile(t, name, string(data))
		var all []byte
		if err == nil {
			defer r.Close()
			all, err = r.All()
		}
		var problem *Problem
		if err != nil && !errors.As(err, &problem) && !errors.Is(err, documents.ErrEmpty) {
			t.Errorf("%v is no fault of the content", err)
		}
		if int64(len(all)) > smallText+maxGrowth*int64(len(data)) {
			t.Errorf("%d bytes became %d", len(data), len(all))
		}
		if gz && err == nil {
			std, err := stdgzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if want, err := io.ReadAll(std); err != nil || !bytes.Equal(want, all) {
				t.Errorf("the standard library: %v, %d bytes; here %d", err, len(want), len(all))
			}
		}
	})
}
