package edgeserve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/release"
)

// fixture is a release to be written: one environment whose items are made from their
// names. The files among its addresses exist, the others are the snapshot's to answer.
type fixture struct {
	env   string
	names []string // in default order: the first is the newest
	note  string   // in every item, to tell builds apart

	searches []release.Search
}

func (f fixture) id(i int) string { return fmt.Sprintf("Content_%d", i) }

func (f fixture) fragment(i int) []byte {
	return fmt.Appendf(nil, `{"CreatedAt":%q,"Data":{"note":%q},"Name":%q,"ContentID":%q}`, f.created(i).Format(time.RFC3339), f.note, f.names[i], f.id(i))
}

func (f fixture) created(i int) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(i) * time.Hour)
}

func (f fixture) item(i int) string { return string(envelope.AppendItem(nil, f.fragment(i))) }

// list is the body of a list of the items with these numbers.
func (f fixture) list(total int, items ...int) string {
	var fragments [][]byte
	for _, i := range items {
		fragments = append(fragments, f.fragment(i))
	}
	return string(envelope.AppendList(nil, fragments, total))
}

// write makes the release's directory and returns its build.
func (f fixture) write(t testing.TB, dir string) string {
	t.Helper()
	return f.writeWith(t, dir, f.snapshot(t))
}

// writeWith is write with a given snapshot.
func (f fixture) writeWith(t testing.TB, dir string, snap []byte) string {
	t.Helper()
	sum := sha256.Sum256(snap)
	m := &release.Manifest{
		Format:   release.Format,
		Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 2},
		Environments: []release.Environment{{
			ID: f.env, Items: len(f.names),
			Snapshot: release.Snapshot{File: release.SnapshotName(f.env, sum), Bytes: int64(len(snap)), SHA256: hex.EncodeToString(sum[:])},
			Lists:    []release.Family{{Sort: "CreatedAt", PageSize: 2, Values: []release.FamilyValue{{TotalItems: len(f.names)}}}},
		}},
		Checksums:   release.Checksums{SHA256: hex.EncodeToString(sum[:])},
		Compression: []release.Compression{{Coding: "br"}, {Coding: "gzip"}, {Coding: "zstd"}}, // tests write such files
	}
	if f.searches != nil {
		m.Environments[0].Searches = f.searches
	}
	writeFile(t, filepath.Join(dir, release.SnapshotName(f.env, sum)), snap)
	for i := range f.names {
		writeFile(t, filepath.Join(dir, address.ItemFile(f.env, f.id(i))), []byte(f.item(i)))
	}
	first, _ := address.ParseList("", address.Defaults{Sort: "CreatedAt", Size: 2})
	if name, ok := first.File(f.env); ok { // other pages are missing, so that the snapshot answers
		writeFile(t, filepath.Join(dir, name), []byte(f.list(len(f.names), 0, 1)))
	}
	writeFile(t, filepath.Join(dir, release.ManifestName), m.Encode())
	return m.Build
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f fixture) snapshot(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := snapshot.NewWriter(&b, snapshot.Meta{Env: f.env, Sort: "CreatedAt", Items: len(f.names)})
	ids := make([]string, len(f.names))
	created := &snapshot.FieldData{Path: "CreatedAt", Type: snapshot.Date}
	for i := range f.names {
		w.Fragment(f.fragment(i))
		ids[i] = f.id(i)
		oldest := len(f.names) - 1 - i
		created.Ints = append(created.Ints, f.created(oldest).UnixMilli())
		created.Column.Docs = append(created.Column.Docs, []snapshot.DocID{snapshot.DocID(oldest)})
	}
	for _, field := range []*snapshot.FieldData{textField("ContentID", ids), created, textField("Name", f.names)} {
		w.Field(snapshot.EncodeField(field, len(f.names)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// textField indexes one word a document, under its whole value and in lower case.
func textField(path string, values []string) *snapshot.FieldData {
	f := &snapshot.FieldData{Path: path, Type: snapshot.Text, Docs: len(values), Tokens: len(values)}
	terms := map[string][]snapshot.Posting{}
	docs := map[string][]snapshot.DocID{}
	for i, v := range values {
		d := snapshot.DocID(i)
		f.Norms = append(f.Norms, snapshot.Norm{Doc: d, Length: 1})
		docs[v] = append(docs[v], d)
		word := strings.ToLower(v)
		terms[word] = append(terms[word], snapshot.Posting{Doc: d, Positions: []uint32{0}})
	}
	var list []snapshot.StringValue
	for _, v := range sorted(docs) {
		list = append(list, snapshot.StringValue{Text: []byte(v), Doc: docs[v][0], Docs: docs[v]})
	}
	f.Strings = slices.Values(list)
	f.Terms = func(add func([]byte, []snapshot.Posting)) {
		for _, word := range sorted(terms) {
			add([]byte(word), terms[word])
		}
	}
	return f
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
