// These tests build content, edit it and build it again: a release that takes files from the one before and from a
// removed one equals a release that takes none.

package writer_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/spill"
	"contentedge/generator/verify"
	"contentedge/generator/writer"
)

// item is a line of content that refers to others and to a picture.
func item(n int, name, picture string, refs ...string) string {
	return fmt.Sprintf(`{"ContentID":"i%d","Name":%q,"TemplateName":"Page","CreatedAt":"2024-01-%02dT00:00:00Z","Data":{"text":"words of %d","pic":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./%s"},"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["%s"]}}}`+"\n",
		n, name, 1+n%28, n, picture, strings.Join(refs, `","`))
}

// content is a site of two environments. The items of one include others; its lists have more than ten pages.
func content() map[string]string {
	files := map[string]string{"demo/_environment.yaml": "include: {Page: 2}\nused-in: true\n", "demo/one.svg": "<svg>1</svg>", "demo/two.svg": "<svg>2</svg>", "other/one.svg": "<svg>o</svg>"}
	for n := range 25 {
		file := "demo/items.ndjson"
		if n > 20 {
			file = "other/items.ndjson"
		}
		files[file] += item(n, fmt.Sprint("Item ", n), "one.svg", fmt.Sprint("i", (n+1)%21), fmt.Sprint("i", n*7%25))
	}
	return files
}

// write replaces a directory's files.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// release returns the files of the current release.
func release(t *testing.T, out string) map[string]string {
	t.Helper()
	all := map[string]string{}
	dir, err := output.Current(out)
	if err == nil {
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			all[strings.TrimPrefix(path, dir+"/")] = string(b)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// edits are made one after another; each is built.
var edits = []struct {
	name      string
	most      int // files that are written
	edit      func(files map[string]string)
	configure func(c *generator.BuildConfig)
}{
	{"first build", 1000, func(map[string]string) {}, nil},
	{"an item that others include", 60, func(files map[string]string) { replace(files, `"Name":"Item 7"`, `"Name":"Seven"`) }, nil},
	{"an item that refers to others", 60, func(files map[string]string) { replace(files, `["i9","i6"]`, `["i12"]`) }, nil},
	{"other words", 40, func(files map[string]string) { replace(files, "words of 3", "phrases of 3") }, nil},
	{"a picture", 100, func(files map[string]string) { files["demo/one.svg"] = "<svg>one</svg>" }, nil},
	{"another picture for an item", 60, func(files map[string]string) { files["demo/items.ndjson"] += item(40, "Forty", "two.svg", "i1") }, nil},
	{"an item less", 60, func(files map[string]string) { replace(files, item(40, "Forty", "two.svg", "i1"), "") }, nil},
	{"other rules", 100, func(files map[string]string) { files["demo/_environment.yaml"] = "include: {Page: 1}\n" }, nil},
	{"an environment less", 40, func(files map[string]string) {
		maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "other/") })
	}, nil},
	{"no precompressed files", 1000, func(files map[string]string) { replace(files, "words of 4", "phrases of 4") }, func(c *generator.BuildConfig) { c.Compress = "none" }},
}

func replace(files map[string]string, from, to string) {
	files["demo/items.ndjson"] = strings.Replace(files["demo/items.ndjson"], from, to, 1)
}

// descriptors counts the open files of the process that are below a directory.
func descriptors(dir string) (n int) {
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

func TestRelease(t *testing.T) {
	files, dir, out := content(), t.TempDir(), filepath.Join(t.TempDir(), "out")
	for _, e := range edits {
		e.edit(files)
		write(t, dir, files)
		c := generator.BuildConfig{Content: dir, Out: out, NoSync: true, PageSize: 2, Compress: "gzip", Removal: generator.Removal{Allow: true}}
		if e.configure != nil {
			e.configure(&c)
		}
		r, err := generator.Build(t.Context(), c)
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		if r.Written > e.most {
			t.Errorf("%s: %d files were written, want at most %d", e.name, r.Written, e.most)
		}
		c.Out = t.TempDir()
		if _, err := generator.Build(t.Context(), c); err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		differ(t, e.name, release(t, out), release(t, c.Out))
		v, err := verify.Dir(t.Context(), out)
		if err != nil || len(v.Problems) > 0 {
			t.Errorf("%s: %v, %v", e.name, err, v.Problems)
		}
		if gz := slices.ContainsFunc(slices.Collect(maps.Keys(release(t, out))), func(name string) bool { return strings.HasSuffix(name, ".gz") }); gz != (c.Compress == "gzip") {
			t.Errorf("%s: with --compress %s there are precompressed files: %v", e.name, c.Compress, gz)
		}
		if n := descriptors(out); n > 0 {
			t.Errorf("%s: %d files stay open", e.name, n)
		}
	}
}

// differ reports the files that two releases do not share.
func differ(t *testing.T, name string, got, want map[string]string) {
	t.Helper()
	for file := range want {
		if text, ok := got[file]; !ok || text != want[file] {
			t.Errorf("%s: %s: %v, %.300q\nwant %.300q", name, file, ok, text, want[file])
		}
	}
	for file := range got {
		if _, ok := want[file]; !ok {
			t.Errorf("%s: %s is left from another release", name, file)
		}
	}
}

// TestMediaThatChange: media that get other bytes while a build runs make it fail, and the current release stays.
func TestMediaThatChange(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"other bytes": func(path string) error { return os.WriteFile(path, []byte("<svg>2</svg>"), 0o644) },
		"more bytes":  func(path string) error { return os.WriteFile(path, []byte("<svg>one and more</svg>"), 0o644) },
		"fewer bytes": func(path string) error { return os.Truncate(path, 3) },
		"removed":     os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir, out := t.TempDir(), t.TempDir()
			write(t, dir, content())
			c := generator.BuildConfig{Content: dir, Out: out, NoSync: true}
			c.Progress = func(p generator.Progress) {
				if p.Stage == generator.Writing && p.Written == 0 {
					if err := change(filepath.Join(dir, "demo/one.svg")); err != nil && !os.IsNotExist(err) {
						t.Error(err)
					}
				}
			}
			if _, err := generator.Build(t.Context(), c); err == nil || !strings.Contains(err.Error(), "one.svg") {
				t.Errorf("got %v, want an error that names the file", err)
			}
			if dir, err := output.Current(out); dir != "" || err != nil {
				t.Errorf("a release is current: %s, %v", dir, err)
			}
		})
	}
}

// TestUnreadableFragments: an item whose text cannot be read again makes New fail, and is not taken for a changed item.
func TestUnreadableFragments(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	write(t, dir, content())
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: dir, Out: out, NoSync: true}); err != nil {
		t.Fatal(err)
	}
	baseline, err := output.Current(out)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := output.Begin(out, output.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Abort()
	texts, err := spill.Create(out, "texts-")
	if err != nil {
		t.Fatal(err)
	}
	if err := texts.Close(); err != nil {
		t.Fatal(err)
	}
	env := writer.Env{Plan: &plan.Env{ID: "demo", Docs: []int32{0}}, Summary: &plan.Summary{}, Items: []model.Item{{ContentID: "i7", Text: model.Span{Size: 9}}}}
	w, err := writer.New(tx, writer.ReleaseConfig{Fragments: texts, Baseline: baseline, Defaults: address.Standard, Progress: func(writer.Progress) {}}, []writer.Env{env})
	if err == nil {
		w.Close()
	}
	if err == nil || !strings.HasPrefix(err.Error(), "item i7: ") {
		t.Errorf("got %v", err)
	}
	if n := descriptors(baseline); runtime.GOOS == "linux" && n > 0 {
		t.Errorf("%d files of the baseline stay open", n)
	}
}
