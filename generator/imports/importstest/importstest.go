// Package importstest imports exports that tests write, and shows the results.
package importstest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
)

// Result is the result of an import.
type Result struct {
	*imports.Report
	Err     error
	Content string // the content directory

	items map[string]*jsontree.Value
}

// Import imports an export: one file, or several as a folder. An option that is zero has a value of
// the test's own.
func Import(t testing.TB, system imports.System, files map[string]string, o imports.Options) *Result {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, "export", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.Path = filepath.Join(dir, "export")
	if len(files) == 1 {
		for name := range files {
			o.Path = filepath.Join(o.Path, name)
		}
	}
	if o.Content == "" {
		o.Content = filepath.Join(dir, "content")
	}
	if o.Env == "" {
		o.Env = "site"
	}
	report, err := imports.Run(t.Context(), system, o)
	r := &Result{Report: report, Err: err, Content: o.Content, items: map[string]*jsontree.Value{}}
	if err == nil {
		r.read(t)
	}
	return r
}

func (r *Result) read(t testing.TB) {
	t.Helper()
	for _, f := range r.Files {
		text, err := os.ReadFile(f.Name)
		if r.DryRun {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			v, err := jsontree.Parse(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			r.items[f.Env+"/"+v.Get(imports.FieldSource, "ID").Str()] = v
		}
	}
}

// Names lists the items as ENV/ID, in order.
func (r *Result) Names() []string { return slices.Sorted(maps.Keys(r.items)) }

// Item returns the item of an id in the source as JSON text, or what a path in it leads to. The id may
// begin with an environment and a slash.
func (r *Result) Item(t testing.TB, id string, path ...string) string {
	t.Helper()
	v := r.items[id]
	if v == nil {
		v = r.items["site/"+id]
	}
	if v == nil {
		t.Fatalf("no item %s of %v; %v", id, r.Names(), r.Err)
	}
	if v = v.Get(path...); v == nil {
		return ""
	}
	return string(v.Append(nil))
}

// Account returns the rows of the report, a line each.
func (r *Result) Account() string {
	var b strings.Builder
	for _, row := range r.Rows {
		what := "skipped"
		switch {
		case row.Items:
			what = "item"
		case row.Merged:
			what = "merged"
		}
		fmt.Fprintf(&b, "%d %s %s: %s %s\n", row.Count, row.Kind, what, row.Becomes, row.Status)
	}
	return b.String()
}

// Warned returns the warnings, a line each.
func (r *Result) Warned() string {
	var b strings.Builder
	for _, w := range r.Warnings {
		b.WriteString(w.String() + "\n")
	}
	return b.String()
}

// Tar returns a tar archive of files, in the order of their names.
func Tar(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Gzip returns a text compressed.
func Gzip(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
