// This file checks what became of an export.

package importstest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
)

// Checks are expectations about a Result. A wrong one fails the test.
type Checks struct {
	*Result
	t testing.TB
}

// Try imports an export as Import does, for Checks.
func Try(t testing.TB, system imports.System, files map[string]string, o imports.Options) *Checks {
	t.Helper()
	return &Checks{Import(t, system, files, o), t}
}

// OK fails the test if the import failed, or if its account does not add up.
func (r *Checks) OK() *Checks {
	r.t.Helper()
	if r.Err != nil {
		r.t.Fatal(r.Err)
	}
	if r.Report.Read != r.Report.Items+r.Report.Merged+r.Report.Skipped {
		r.t.Fatal(r.Report.Account())
	}
	return r
}

// Fails fails the test unless the import failed with a message that holds all of some texts, and left
// no file.
func (r *Checks) Fails(texts ...string) {
	r.t.Helper()
	if r.Err == nil {
		r.t.Fatalf("the import did not fail: %s", r.Report.Account())
	}
	for _, text := range texts {
		if !strings.Contains(r.Err.Error(), text) {
			r.t.Errorf("the error lacks %q: %v", text, r.Err)
		}
	}
	if left := r.Text(); left != "" {
		r.t.Errorf("after an error there is a file: %s", left)
	}
}

// Text returns the text of all files that were written.
func (r *Checks) Text() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.Content, "*", "*"))
	if err != nil {
		r.t.Fatal(err)
	}
	var text bytes.Buffer
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		text.Write(b)
	}
	return text.String()
}

// Items returns the items of an environment in the order of their file; "" is site.
func (r *Checks) Items(env string) []*jsontree.Value {
	r.t.Helper()
	if env == "" {
		env = "site"
	}
	files, _ := filepath.Glob(filepath.Join(r.Content, env, "*.ndjson"))
	var items []*jsontree.Value
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			v, err := jsontree.Parse(line)
			if err != nil {
				r.t.Fatal(err)
			}
			items = append(items, v)
		}
	}
	return items
}

// Named returns the item of site with a Name.
func (r *Checks) Named(name string) *jsontree.Value {
	r.t.Helper()
	for _, v := range r.Items("") {
		if v.Get(address.FieldName).Str() == name {
			return v
		}
	}
	r.t.Fatalf("no item %q in\n%s", name, r.Text())
	return nil
}

// Is compares the JSON text of a value of an item, at a path like Data.title.
func (r *Checks) Is(item *jsontree.Value, path, want string) {
	r.t.Helper()
	v := item.Get(strings.Split(path, ".")...)
	got := "nothing"
	if v != nil {
		got = string(v.Append(nil))
	}
	if got != want {
		r.t.Errorf("%s: %s is %s, want %s", item.Get(address.FieldName).Str(), path, got, want)
	}
}

// Count compares how many things of a kind became what, for which describe is part of the row.
func (r *Checks) Count(kind, becomes string, want int) {
	r.t.Helper()
	n := 0
	for _, row := range r.Rows {
		if row.Kind == kind && strings.Contains(row.Becomes, becomes) {
			n += row.Count
		}
	}
	if n != want {
		r.t.Errorf("%d of %q became %q, want %d: %+v", n, kind, becomes, want, r.Rows)
	}
}

// Warned compares how often a warning came that holds a text.
func (r *Checks) Warned(text string, want int) {
	r.t.Helper()
	n := 0
	for _, w := range r.Warnings {
		if strings.Contains(w.Message, text) {
			n += w.Count
		}
	}
	if n != want {
		r.t.Errorf("%d warnings %q, want %d: %v", n, text, want, r.Warnings)
	}
}

// Lacks fails the test if a text came along.
func (r *Checks) Lacks(texts ...string) {
	r.t.Helper()
	all := strings.ToLower(r.Text())
	for _, text := range texts {
		if strings.Contains(all, strings.ToLower(text)) {
			r.t.Errorf("%q came along in\n%s", text, r.Text())
		}
	}
}
