// These tests read files of lines that are larger than a part.

package model

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"contentedge/generator/visibility"
)

// onDisk lists a content folder with one file of lines.
func onDisk(t *testing.T, content string) (*source.Tree, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "e", "x.ndjson")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := source.List(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree, path
}

// meddler changes a file when the first item of it is kept.
type meddler struct {
	once sync.Once
	path string
	err  error
}

func (m *meddler) Put(*Text) (Span, error) {
	m.once.Do(func() {
		var f *os.File
		if f, m.err = os.OpenFile(m.path, os.O_APPEND|os.O_WRONLY, 0); m.err == nil {
			_, m.err = f.WriteString("\n")
			f.Close()
		}
	})
	return Span{}, m.err
}

func (m *meddler) Flush() error { return nil }

// A large file that changes while its parts are read is refused as a whole, whatever
// was wrong with it.
func TestLargeFileChanges(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	tree, path := onDisk(t, many(12_000, map[int]string{9000: "{"}))
	m := &meddler{path: path}
	site, diagnostics, err := Load(context.Background(), tree, Options{Sink: func() TextSink { return m }})
	if want := path + ": this file changed while it was read; run the build again"; site != nil || err != nil || said(diagnostics) != want {
		t.Errorf("%v, %v\n got %.500s\nwant %s", site, err, said(diagnostics), want)
	}
}

// Lines and blank parts of any length make the items that stand in them.
func TestLargeFileShapes(t *testing.T) {
	long := item(id1, `,"Data":{"text":"`+strings.Repeat("x", 3*documents.PartSize)+`"}`)
	blanks := strings.Repeat(" \n", documents.PartSize)
	for name, tt := range map[string]struct {
		content, want string
	}{
		"a line of three parts":  {long + "\n" + item(id2, ""), ""},
		"no end of line":         {blanks + item(id1, "") + "\n" + item(id2, ""), ""},
		"blank parts behind":     {item(id1, "") + "\n" + item(id2, "") + "\n" + blanks + blanks, ""},
		"byte order mark":        {"\ufeff" + item(id1, "") + "\n" + blanks + item(id2, ""), ""},
		"nothing but blanks":     {blanks, ":1:1: the file is empty\n  hint: write an item into it, or remove it"},
		"UTF-16":                 {"\xff\xfe" + blanks, ":1:1: the file is UTF-16, not UTF-8\n  hint: save the file as UTF-8"},
		"a clash in a late part": {item(id1, "") + "\n" + blanks + " " + item(id1, ""), ":1048578:15: the ContentID \"" + id1 + "\" is taken\n  hint: the other one is in PATH:1:14; give one item another id"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, path := onDisk(t, tt.content)
			site, diagnostics, err := Load(context.Background(), tree, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if tt.want != "" {
				want = path + strings.ReplaceAll(tt.want, "PATH", path)
			}
			if got := said(diagnostics); got != want {
				t.Errorf("\n got %.500s\nwant %s", got, want)
			}
			if want == "" && (len(site.Envs[0].Items) != 2 || site.Envs[0].Items[1].ContentID != id2) {
				t.Errorf("%d items", len(site.Envs[0].Items))
			}
		})
	}
}

// A line without an end is refused before all of it is in memory, whatever the file's size.
func TestEndlessLine(t *testing.T) {
	tree, path := onDisk(t, item(id1, "")+"\n"+item(id2, "")+"\n")
	if err := os.Truncate(path, 5<<30); err != nil {
		t.Skip("no sparse files here:", err)
	}
	site, diagnostics, err := Load(context.Background(), tree, Options{})
	want := path + ":3:1: this line has more than 33554432 bytes; an item may have 16777216\n  hint: in this kind of file each item is on one line"
	if site != nil || err != nil || said(diagnostics) != want {
		t.Errorf("%v, %v\n got %.500s\nwant %s", site, err, said(diagnostics), want)
	}
}

// Items that lie far behind the first two GiB of a file keep their places.
func TestPlacesInHugeFiles(t *testing.T) {
	file := source.File{Env: "e", Path: "e/x.ndjson", Name: "e/x.ndjson", Format: documents.FormatOf("x.ndjson")}
	const size, lines = 3 << 30, 1<<31 + 5
	d := Diagnostic{File: file.Name, Line: 2, Col: 1, Message: "m"}
	l := &loader{opts: Options{At: time.Unix(1, 0)}, files: []source.File{file}, results: []result{{parts: []part{
		{size: size, lines: lines},
		{size: size, lines: lines},
		{items: []Item{{Labels: &Labels{Status: visibility.Published}, Line: 2, idAt: 7, references: 1, ExpiresAt: visibility.Never}}, references: []reference{{at: 9}}, report: report{kept: []Diagnostic{d}}, repeats: repeats{{kind: otherID, count: 1, first: d}}},
	}}}}
	env := &l.site([]string{"e"}).Envs[0]
	it := env.Items[0]
	if it.Line != 2*lines+2 || it.idAt != 2*size+7 {
		t.Errorf("the item is at %d in line %d", it.idAt, it.Line)
	}
	env.Items[0].ContentID = id1
	broken := l.resolver(env, false)(&l.results[0])
	if len(broken) != 1 || broken[0].at != 2*size+9 {
		t.Errorf("the reference is %+v", broken)
	}
	if d := l.results[0].report.kept[0]; d.Line != 2*lines+2 || l.repeats[0].first.Line != 2*lines+2 {
		t.Errorf("said of lines %d and %d", d.Line, l.repeats[0].first.Line)
	}
}

// TestHugeFile reads items before and behind 2 GiB of blank lines. It writes them all, so
// it runs only when it is asked for.
func TestHugeFile(t *testing.T) {
	if os.Getenv("TEST_CONTENTEDGE_HUGE") == "" {
		t.Skip("TEST_CONTENTEDGE_HUGE is not set")
	}
	tree, path := onDisk(t, item(id1, "")+"\n")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const blanks = 1<<31 + 1<<20
	chunk := []byte(strings.Repeat("\n", 1<<20))
	for written := 0; written < blanks; written += len(chunk) {
		if _, err := f.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteString(item(id1, "") + "\n" + data(id2, `{"a":`+refers(`"gone"`)+`}`) + "\n"); err != nil {
		t.Fatal(err)
	}
	_, diagnostics, err := Load(context.Background(), tree, Options{})
	const line = blanks + 2
	for _, want := range []string{
		fmt.Sprintf("%s:%d:14: the ContentID %q is taken\n  hint: the other one is in %s:1:14", path, line, id1, path),
		fmt.Sprintf("%s:%d:202: warning: Data.a refers to \"gone\"", path, line+1),
	} {
		if err != nil || !strings.Contains(said(diagnostics), want) {
			t.Errorf("%v\n got %.1000s\nwant %s", err, said(diagnostics), want)
		}
	}
}

// A compressed file gives the same items and faults as its text, whole and in parts, and from a cache.
func TestCompressedFile(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	line := func(i int) string {
		return fmt.Sprintf(`{"ContentID":"Content_%d","Name":"N","TemplateName":"T","CreatedAt":"2024-01-02T03:04:05Z","Data":{"x":%d,"r":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["gone"]}}}`+"\n", i, i)
	}
	for name, n := range map[string]int{"small": 3, "large": 12_000} {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		b.WriteString(`{"Name":1}` + "\n")
		content := b.String()
		var gz, zst bytes.Buffer
		g, z := gzip.NewWriter(&gz), must(zstd.NewWriter(&zst))
		_, _ = g.Write([]byte(content))
		_, _ = z.Write([]byte(content))
		_, _ = g.Close(), z.Close()
		var plain string
		for _, file := range []struct{ name, content string }{{"e/x.ndjson", content}, {"e/x.ndjson.gz", gz.String()}, {"e/x.ndjson.zst", zst.String()}} {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "e"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file.name), []byte(file.content), 0o644); err != nil {
				t.Fatal(err)
			}
			cache := NewParseCache(1<<30, func() TextSink { return &discard{} })
			for range 2 {
				tree := must(source.List(context.Background(), dir, nil))
				_, diagnostics, err := Load(context.Background(), tree, Options{Cache: cache})
				if err != nil {
					t.Fatal(err)
				}
				var found strings.Builder
				for _, d := range diagnostics {
					d.File = strings.TrimPrefix(d.File, filepath.Join(dir, "e/x.ndjson"))
					d.File = "x" + strings.TrimSuffix(strings.TrimSuffix(d.File, ".gz"), ".zst")
					found.WriteString(d.String() + "\n")
				}
				if plain == "" {
					plain = found.String()
				}
				if got := found.String(); got != plain || !strings.Contains(got, fmt.Sprintf("x:%d:", n+1)) {
					t.Errorf("%s %s:\n got %.500s\nwant %.500s", name, file.name, got, plain)
				}
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type discard struct{}

func (discard) Put(*Text) (Span, error) { return Span{}, nil }
func (discard) Flush() error            { return nil }
