package export

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func archive(t testing.TB, headers ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		text := h.Name
		if h.Mode = 0o644; h.Typeflag == 0 || h.Typeflag == tar.TypeReg {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(text))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			_, _ = io.WriteString(w, text)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// list reads all files of an export, as NAME=TEXT.
func list(ctx context.Context, name string) (string, error) {
	e, err := Open(name)
	if err != nil {
		return "", err
	}
	var all []string
	err = e.Files(ctx, func(f *File) error {
		text, err := f.All(1 << 10)
		all = append(all, f.Name+"="+string(text))
		return err
	})
	return strings.Join(all, " "), err
}

// TestExport: a file, a folder and an archive, each also compressed, have the same files.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b/two": "2", "one.gz": zipped(t, "1"), ".hidden/x": "", "b/._two": "", "__MACOSX/y": ""} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	members := archive(t, tar.Header{Name: "./a/one"}, tar.Header{Name: "a/._one"}, tar.Header{Name: "dir/", Typeflag: tar.TypeDir}, tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, tar.Header{Name: "../../etc/two"})
	for _, tt := range []struct{ name, path, want string }{
		{"a file", file(t, "x.json", "\ufeff{}"), "x.json={}"}, {"a compressed file", file(t, "x.json.gz", zipped(t, "{}")), "x.json={}"}, {"whatever its name", file(t, "x.json", zipped(t, "{}")), "x.json={}"},
		{"a folder", dir, "b/two=2 one=1"}, {"an archive", file(t, "x", members), "a/one=./a/one etc/two=../../etc/two"}, {"a compressed archive", file(t, "x.tgz", zipped(t, members)), "a/one=./a/one etc/two=../../etc/two"},
	} {
		for range 2 { // it may be read again
			if got, err := list(t.Context(), tt.path); got != tt.want || err != nil {
				t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	linked := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(linked, "passwd")); err != nil {
		t.Fatal(err)
	}
	one := archive(t, tar.Header{Name: "one"})
	for _, tt := range []struct{ name, path, want string }{
		{"nothing", "none", "no such file"}, {"an empty file", file(t, "x", ""), "is empty"}, {"a device", os.DevNull, "neither a file nor a folder"}, {"a link", linked, "links are not followed"},
		{"UTF-16", file(t, "x", "\xff\xfex\x00"), "UTF-16"}, {"a large file", file(t, "x", strings.Repeat("x", 2<<10)), "more than 1.0 KiB"}, {"zstd", file(t, "x", "\x28\xb5\x2f\xfdxx"), "compressed with zstd"},
		{"a cut archive", file(t, "x.tar", one[:513]), "it is cut off"}, {"no archive", file(t, "x.tar", strings.Repeat("text ", 300)), "not a tar archive"}, {"a name twice", file(t, "x", archive(t, tar.Header{Name: "a"}, tar.Header{Name: "./a"})), "x:a: the archive has this file twice"},
		{"a long name", file(t, "x", archive(t, tar.Header{Name: strings.Repeat("n/", 3000) + "x"})), "name of more than 4096"}, {"cut gzip", file(t, "x", zipped(t, one)[:40]), "the file is cut off"}, {"a header alone", file(t, "x", "\x1f\x8b"), "the file is cut off"},
	} {
		if _, err := list(t.Context(), tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, path := range []string{file(t, "x", one), file(t, "x", zipped(t, one)), linked} {
		if _, err := list(ended, path); !errors.Is(err, context.Canceled) {
			t.Errorf("after its context ended: %v", err)
		}
	}
	changing := file(t, "x", "1\n2\n")
	e, err := Open(changing)
	if err == nil {
		err = e.Files(t.Context(), func(f *File) error { return os.WriteFile(changing, []byte("1\n2\n3\n"), 0o644) })
	}
	if err == nil || !strings.Contains(err.Error(), "changed while it was read") {
		t.Error(err)
	}
}

// TestBombs: what decodes to a lot ends at a bound, in little time and memory.
func TestBombs(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	zeros := make([]byte, 1<<20)
	for range 100 {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	start := time.Now()
	e, err := Open(file(t, "x", b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Files(t.Context(), func(f *File) error { return f.Lines(func(int, []byte) error { return nil }) }); err == nil || !strings.Contains(err.Error(), "this line has more than") {
		t.Error(err)
	}
	if err := e.Files(t.Context(), func(f *File) error { _, err := f.All(1 << 20); return err }); err == nil || !strings.Contains(err.Error(), "more than 1.0 MiB") {
		t.Error(err)
	}
	g := &guard{ctx: t.Context(), r: strings.NewReader("xx"), show: "x", n: MaxDecoded - 1}
	if _, err := g.Read(make([]byte, 8)); err == nil || !strings.Contains(err.Error(), "decodes to more than 16.0 GiB") {
		t.Error(err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Error(took)
	}
}

func TestLines(t *testing.T) {
	e, err := Open(file(t, "x", "\ufeffa\r\n\n  b \n"+strings.Repeat("c", 200_000)+"\nlast"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = e.Files(t.Context(), func(f *File) error {
		return f.Lines(func(n int, text []byte) error {
			got = append(got, fmt.Sprintf("%d:%.4s:%d", n, text, len(text)))
			return nil
		})
	})
	if want := "1:a:1 3:  b:3 4:cccc:200000 5:last:4"; strings.Join(got, " ") != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzExport: whatever a file holds, reading ends with texts or one error.
func FuzzExport(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(archive(f, tar.Header{Name: "a"}, tar.Header{Name: "b"})))
	f.Add([]byte(zipped(f, archive(f, tar.Header{Name: "a"}))))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<20 {
			return
		}
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := list(t.Context(), path)
		if err != nil && err.Error() == "" {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
