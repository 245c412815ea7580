// Package snaptest builds snapshots from literals, for tests. It finds fields and sub-fields in the
// items' JSON as the generator does; its default words and dates are simpler. Verify and Check have
// accepted every returned snapshot.
//
//	r := snaptest.Open(t, snaptest.Env{Items: []string{
//		`{"ContentID":"a","Name":"Red chair","Data":{"price":12}}`,
//		`{"ContentID":"b","Name":"Blue table"}`,
//	}})
package snaptest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/leftout"
)

// Env is an environment. The zero value is named "demo" and has no items.
type Env struct {
	Name  string   // "demo" if empty
	Items []string // compact JSON objects, in the default order
	Sort  string   // sort field of that order; if empty, CreatedAt descending
	Asc   bool

	// Types overrides the types that follow from the values. By default CreatedAt,
	// UpdatedAt and PublishedAt are dates.
	Types map[string]snapshot.Type

	// Grams gives every text field a gram index, even with few values.
	Grams bool

	LeftOut leftout.Rules // of the paths that have no field

	Analysis Analysis
}

// Analysis converts texts to terms: package snapshot cannot. Nil functions have simple defaults.
type Analysis struct {
	Version int
	Words   func(text string) []string            // nil splits at spaces, in lower case
	Length  func(tokens int) byte                 // nil: the number, at most 255
	Factors func(average float32) [256]float32    // nil: BM25 with k1 1.2 and b 0.75 over the default Length
	Date    func(text string) (ms int64, ok bool) // of a value; nil: ISO 8601, whole or in part
	IsDate  func(text string) bool                // reports whether a value makes its path a date; nil means texts that Date parses, except integers
	Fold    func(r rune) rune                     // nil means unicode.ToLower

	// ListDate parses the dates of paths that lists order by instant. Nil if no path has this order.
	ListDate func(path, text string) (ms int64, ok bool)
}

// Bytes returns the snapshot file of the environment.
func Bytes(t testing.TB, e Env) []byte {
	t.Helper()
	e.fill()
	var b bytes.Buffer
	w := snapshot.NewWriter(&b, snapshot.Meta{Env: e.Name, Sort: e.Sort, Asc: e.Asc, Analysis: e.Analysis.Version, Items: len(e.Items)})
	w.LeaveOut(e.LeftOut)
	for i, item := range e.Items {
		if !json.Valid([]byte(item)) {
			t.Fatalf("snaptest: item %d is not JSON: %s", i, item)
		}
		w.Fragment([]byte(item))
	}
	for _, f := range fields(&e) {
		w.Field(snapshot.EncodeField(f, len(e.Items)))
	}
	if err := w.Close(); err != nil {
		t.Fatalf("snaptest: %v", err)
	}
	return b.Bytes()
}

// Open returns the environment's snapshot and closes it when the test ends.
func Open(t testing.TB, e Env) *snapshot.Reader {
	t.Helper()
	r, err := snapshot.OpenBytes(Bytes(t, e))
	if err != nil {
		t.Fatalf("snaptest: %v", err)
	}
	Prove(t, r)
	t.Cleanup(func() { r.Close() })
	return r
}

// File writes the environment's snapshot to a temporary directory of the test and returns the path.
func File(t testing.TB, e Env) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "env.snap")
	if err := os.WriteFile(path, Bytes(t, e), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Prove fails the test unless Verify and Check accept the snapshot.
func Prove(t testing.TB, r *snapshot.Reader) {
	t.Helper()
	if err := r.Verify(nil); err != nil {
		t.Fatalf("snaptest: %v", err)
	}
	if err := r.Check(); err != nil {
		t.Fatalf("snaptest: %v", err)
	}
}

func (e *Env) fill() {
	if e.Name == "" {
		e.Name = "demo"
	}
	if e.Sort == "" {
		e.Sort = "CreatedAt"
	}
	a := &e.Analysis
	if a.Words == nil {
		a.Words = func(text string) []string { return strings.Fields(strings.ToLower(text)) }
	}
	if a.Length == nil {
		a.Length = func(tokens int) byte { return byte(min(tokens, 255)) }
	}
	if a.Factors == nil {
		a.Factors = factors
	}
	if a.Date == nil {
		a.Date = iso
	}
	if a.ListDate == nil {
		a.ListDate = func(string, string) (int64, bool) { return 0, false }
	}
	if a.IsDate == nil {
		a.IsDate = func(text string) bool { return isDate(a.Date, text) }
	}
	if a.Fold == nil {
		a.Fold = unicode.ToLower
	}
}
