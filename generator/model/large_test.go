// These tests read files of lines that are larger than a part.

package model

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"contentedge/generator/source"
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

func (m *meddler) Keep(*Text) (Place, error) {
	m.once.Do(func() {
		var f *os.File
		if f, m.err = os.OpenFile(m.path, os.O_APPEND|os.O_WRONLY, 0); m.err == nil {
			_, m.err = f.WriteString("\n")
			f.Close()
		}
	})
	return Place{}, m.err
}

func (m *meddler) Flush() error { return nil }

// A large file that changes while its parts are read is refused as a whole, whatever
// was wrong with it.
func TestLargeFileChanges(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	tree, path := onDisk(t, many(12_000, map[int]string{9000: "{"}))
	m := &meddler{path: path}
	site, diagnostics, err := Load(context.Background(), tree, Options{Keeper: func() Keeper { return m }})
	if want := path + ": this file changed while it was read; run the build again"; site != nil || err != nil || said(diagnostics) != want {
		t.Errorf("%v, %v\n got %.500s\nwant %s", site, err, said(diagnostics), want)
	}
}

// Lines and blank parts of any length make the items that stand in them.
func TestLargeFileShapes(t *testing.T) {
	long := item(id1, `,"Data":{"text":"`+strings.Repeat("x", 3*partSize)+`"}`)
	blanks := strings.Repeat(" \n", partSize)
	for name, tt := range map[string]struct {
		content, want string
	}{
		"a line of three parts":  {long + "\n" + item(id2, ""), ""},
		"no end of line":         {blanks + item(id1, "") + "\n" + item(id2, ""), ""},
		"blank parts behind":     {item(id1, "") + "\n" + item(id2, "") + "\n" + blanks + blanks, ""},
		"byte order mark":        {"\ufeff" + item(id1, "") + "\n" + blanks + item(id2, ""), ""},
		"nothing but blanks":     {blanks, ":1:1: the file is empty\n  hint: write an item into it, or remove it"},
		"UTF-16":                 {"\xff\xfe" + blanks, ":1:1: the file is UTF-16, not UTF-8\n  hint: save the file as UTF-8"},
		"a clash in a late part": {item(id1, "") + "\n" + blanks + " " + item(id1, ""), ":1048578:15: the ContentID \"" + id1 + "\" is taken\n  hint: the other one is in PATH:1:14; give one of them another id"},
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
