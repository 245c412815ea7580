// These tests load small contents given as literals and compare items and
// diagnostics with what a person would read.

package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

// tree writes files, given by path, and lists them. Their names are their paths.
func tree(t testing.TB, files map[string]string) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		name := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := source.List(context.Background(), dir, nil)
	if err != nil || len(found.Files) != len(files) && len(found.Skipped) == 0 {
		t.Fatalf("%d files of %d, %v", len(found.Files), len(files), err)
	}
	for i := range found.Skipped {
		found.Skipped[i].Path = found.Skipped[i].Env
	}
	for i := range found.Files {
		found.Files[i].Name = found.Files[i].Path
	}
	return found
}

// load loads files, which the machine must not fail at.
func load(t testing.TB, files map[string]string, opts Options) (*Site, []Diagnostic) {
	t.Helper()
	opts.Sink = func() TextSink { return &kept }
	site, diagnostics, err := Load(context.Background(), tree(t, files), opts)
	if err != nil {
		t.Fatal(err)
	}
	return site, diagnostics
}

// shelf keeps the texts of all items that tests load.
type shelf struct {
	mu    sync.Mutex
	texts []*Text
}

var kept shelf

func (s *shelf) Put(t *Text) (Span, error) {
	own := &Text{Extra: bytes.Clone(t.Extra)}
	for i, raw := range t.Raw {
		own.Raw[i] = bytes.Clone(raw)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, own)
	return Span{Offset: int64(len(s.texts) - 1)}, nil
}

func (s *shelf) Flush() error { return nil }

// textOf is the text of an item.
func textOf(it *Item) *Text {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	return kept.texts[it.Text.Offset]
}

// text is an item on one line as it would be delivered.
func text(it *Item) string {
	var b strings.Builder
	for i, raw := range textOf(it).Raw {
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], FieldNames[i], raw)
	}
	return b.String() + string(textOf(it).Extra) + "}"
}

// said is the diagnostics as a terminal shows them.
func said(diagnostics []Diagnostic) string {
	var lines []string
	for _, d := range diagnostics {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

const (
	id1 = "Content_00000000-0000-4000-8000-000000000001"
	id2 = "Content_00000000-0000-4000-8000-000000000002"
)

// item writes an item with an id and some more members.
func item(id, more string) string {
	return `{"ContentID":"` + id + `","Name":"n","TemplateName":"t","CreatedAt":"2025-01-31T09:00:00.000Z"` + more + `}`
}

func TestItemFields(t *testing.T) {
	site, _ := load(t, map[string]string{"e/x.json": "\n" + item(id1, `,"Status":"D\u0072aft","CreatedBy":"Ann","UpdatedBy":"B\u00f6b","UpdatedAt":"1969-12-31T23:59:59.999Z"`)}, Options{Rules: visibility.Everything()})
	got := site.Envs[0].Items[0]
	want := Item{ContentID: id1, Name: "n", Labels: &Labels{TemplateName: "t", TemplateID: TemplateID("t"), Status: "Draft", CreatedBy: "Ann", UpdatedBy: "B\u00f6b"},
		CreatedAt: 1738314000000, UpdatedAt: -1, PublishedAt: -1, derived: true, ExpiresAt: visibility.Never, File: got.File, Line: 2}
	if got.File.Name != "e/x.json" {
		t.Errorf("written in %s", got.File.Name)
	}
	got.Text, got.idAt = want.Text, want.idAt
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestTimestamps(t *testing.T) {
	tests := []struct{ in, want string }{
		{"2025-01-31T09:00:00Z", "2025-01-31T09:00:00.000Z"},
		{"2025-01-31T09:00:00.1Z", "2025-01-31T09:00:00.100Z"},
		{"2025-01-31T09:00:00.123456789+02:00", "2025-01-31T07:00:00.123Z"},
		{"2025-01-31T23:00:00-05:00", "2025-02-01T04:00:00.000Z"},
		{"1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"},
		{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"},
		{"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
		{"2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"},
		{"2025-02-29T00:00:00.000Z", "write it like"},
		{"2025-13-01T00:00:00.000Z", "write it like"},
		{"2025-00-01T00:00:00.000Z", "write it like"},
		{"2025-01-31T24:00:00.000Z", "write it like"},
		{"2025-01-31T09:00:00,000Z", "write it like"},
		{"2025-01-31T9:00:00Z", "write it like"},
		{"2025-01-31T09:00:00+24:00", "write it like"},
		{"0000-01-01T00:00:00Z", "outside of the years"},
		{"0001-01-01T00:00:00+01:00", "outside of the years"},
		{"9999-12-31T23:59:59-01:00", "outside of the years"},
		{"2016-12-31T23:59:60Z", "leap seconds"},
		{"2025-01-31", "a time of day and a zone are missing"},
		{"2025-01-31T09:00:00", "the zone is missing"},
		{"2025-01-31t09:00:00z", "capital letters"},
		{"", "write it like"},
		{"yesterday", "write it like"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			site, diagnostics := load(t, map[string]string{"e/x.json": item(id1, `,"UpdatedAt":"`+tt.in+`"`)}, Options{})
			if site == nil {
				if got := said(diagnostics); !strings.Contains(got, tt.want) || len(diagnostics) != 1 {
					t.Errorf("%s\nwant %q", got, tt.want)
				}
				return
			}
			it := &site.Envs[0].Items[0]
			if got := string(textOf(it).Raw[fieldUpdatedAt]); got != `"`+tt.want+`"` {
				t.Errorf("got %s, want %q", got, tt.want)
			}
			if want, _ := parseTime(tt.want); it.UpdatedAt != want.UnixMilli() {
				t.Errorf("got %d, want %d", it.UpdatedAt, want.UnixMilli())
			}
		})
	}
}

func TestMissingTimestamps(t *testing.T) {
	const c, u, p = `"CreatedAt":"2021-01-01T00:00:00Z",`, `"UpdatedAt":"2022-01-01T00:00:00Z",`, `"PublishedAt":"2023-01-01T00:00:00Z",`
	for in, want := range map[string]string{c: "1 1 1", u: "2 2 2", p: "3 3 3", c + u: "1 2 2", c + p: "1 3 3", u + p: "3 2 3", c + u + p: "1 2 3"} {
		site, diagnostics := load(t, map[string]string{"e/x.json": "{" + in + `"ContentID":"` + id1 + `","Name":"n","TemplateName":"t"}`}, Options{})
		if site == nil {
			t.Fatal(said(diagnostics))
		}
		raw := textOf(&site.Envs[0].Items[0]).Raw
		got := fmt.Sprintf("%c %c %c", raw[fieldCreatedAt][4], raw[fieldUpdatedAt][4], raw[fieldPublishedAt][4])
		if got != want {
			t.Errorf("%s: created, updated, published come out as %s, want %s", in, got, want)
		}
	}
}

func TestTemplateID(t *testing.T) {
	// The id of a template must never change, so it is pinned here.
	if got, want := TemplateID("Page"), "Template_07628be1-58e5-5d82-805c-6ec5bcc64571"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if TemplateID("Page") == TemplateID("page") {
		t.Error("two templates share an id")
	}
}

func TestSourceOrder(t *testing.T) {
	site, diagnostics := load(t, map[string]string{
		"b/x.json":   "[" + item("a2", "") + "," + item("a1", "") + "]",
		"a/y.json":   item("b9", ""),
		"a/x/y.json": item("b5", ""),
		"a/x.json":   item("b7", ""),
		"c/x.json":   "[]",
	}, Options{})
	if site == nil {
		t.Fatal(said(diagnostics))
	}
	var got []string
	for _, env := range site.Envs {
		got = append(got, env.ID+":")
		for _, it := range env.Items {
			got = append(got, it.ContentID)
		}
	}
	if want := "a: b7 b5 b9 b: a2 a1 c:"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestSameIDInTwoEnvironments(t *testing.T) {
	site, diagnostics := load(t, map[string]string{"a/x.json": item(id1, ""), "b/x.json": item(id1, "")}, Options{})
	if site == nil || len(diagnostics) > 0 {
		t.Error(said(diagnostics))
	}
}

func TestStatuses(t *testing.T) {
	files := map[string]string{"e/x.ndjson": item("a1", "") + "\n" + item("a2", `,"Status":"Draft"`) + "\n" + item("a3", `,"Status":"published"`)}
	tests := []struct {
		name, want, warning string
		statuses            []string
	}{
		{"the default", "a1", "", nil},
		{"all", "a1 a2 a3", "", []string{"all"}},
		{"published", "a1", "", []string{"Published"}},
		{"two", "a1 a2", "", []string{"Draft", "Published"}},
		{"nobody's", "", `warning: no item has the status "Publised"` + "\n  hint: " + `did you mean "Published"? the statuses of the content are "Draft", "Published", "published"`, []string{"Publised"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site, diagnostics := load(t, files, Options{Rules: visibility.Rules{Statuses: tt.statuses}})
			var got []string
			for _, it := range site.Envs[0].Items {
				got = append(got, it.ContentID)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
			diagnostics = slices.DeleteFunc(diagnostics, func(d Diagnostic) bool { return d.File != "" })
			if said(diagnostics) != tt.warning {
				t.Errorf("got %s\nwant %s", said(diagnostics), tt.warning)
			}
		})
	}
}

// TestDraftsAreChecked: an item that is left out is checked all the same.
func TestDraftsAreChecked(t *testing.T) {
	files := map[string]string{"e/x.ndjson": item(id1, "") + "\n" + item(strings.ToUpper(id1), `,"Status":"Draft"`)}
	site, diagnostics := load(t, files, Options{Rules: visibility.Rules{Statuses: []string{"Published"}}})
	if site != nil || !strings.Contains(said(diagnostics), "differs only by case") {
		t.Error(said(diagnostics))
	}
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		item   string
		passes bool // strictly; without, both pass
	}{{item(id1, `,"Status":""`), false}, {item("a1", ""), true}} {
		files := map[string]string{"e/x.json": c.item}
		site, diagnostics := load(t, files, Options{})
		if site == nil || len(diagnostics) != 1 || !diagnostics[0].Warning {
			t.Errorf("%s", said(diagnostics))
		}
		site, diagnostics = load(t, files, Options{Strict: true})
		if (site != nil) != c.passes || len(diagnostics) != 1 || diagnostics[0].Warning != c.passes {
			t.Errorf("strictly: %s", said(diagnostics))
		}
	}
}

func TestLoadCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Load(ctx, tree(t, map[string]string{"e/x.json": item(id1, "")}), Options{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// many is a file of many parts, with something wrong in the lines named.
func many(n int, wrong map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		line, ok := wrong[i]
		if !ok {
			line = item(fmt.Sprintf("Content_%08x-0000-4000-8000-000000000000", i), `,"Data":{"text":"`+strings.Repeat("ä", 500)+`"}`)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func TestManyParts(t *testing.T) {
	const n = 3000
	last := 0
	site, diagnostics := load(t, map[string]string{"e/x.ndjson": many(n, nil)}, Options{Progress: func(items int) { last = items }})
	if site == nil || len(site.Envs[0].Items) != n || last != n {
		t.Fatalf("%d items told\n%s", last, said(diagnostics))
	}
	for i, it := range site.Envs[0].Items {
		if want := fmt.Sprintf("Content_%08x-0000-4000-8000-000000000000", i+1); it.ContentID != want || int(it.Line) != i+1 {
			t.Fatalf("item %d is %s in line %d", i, it.ContentID, it.Line)
		}
	}
	twin := item("Content_00000001-0000-4000-8000-000000000000", "")
	_, diagnostics = load(t, map[string]string{"e/x.ndjson": many(n, map[int]string{2000: twin, 2800: "{"})}, Options{})
	want := "e/x.ndjson:2000:14: the ContentID \"Content_00000001-0000-4000-8000-000000000000\" is taken\n  hint: the other one is in e/x.ndjson:1:14; give one item another id\n" +
		"e/x.ndjson:2800:2: the line ends in the middle of an item\n  hint: in this kind of file each item is on one line"
	if said(diagnostics) != want {
		t.Errorf("\n got %s\nwant %s", said(diagnostics), want)
	}
}

// TestSameWithAnyNumberOfWorkers compares items and diagnostics of loads with
// one worker and with eight.
func TestSameWithAnyNumberOfWorkers(t *testing.T) {
	files := map[string]string{"e/big.ndjson": many(2500, map[int]string{7: `{"Name":1}`}), "f/big.ndjson": many(1200, nil)}
	for i := range 50 {
		files[fmt.Sprintf("e/%d.json", i)] = item(fmt.Sprintf("Content_1000%04x-0000-4000-8000-000000000000", i/2), "")
	}
	run := func(workers int) ([]Diagnostic, *Site) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		site, diagnostics := load(t, files, Options{})
		delete(files, "e/big.ndjson")
		good, _ := load(t, map[string]string{"f/big.ndjson": files["f/big.ndjson"]}, Options{})
		files["e/big.ndjson"] = many(2500, map[int]string{7: `{"Name":1}`})
		if site != nil {
			t.Error("a site with errors")
		}
		return diagnostics, good
	}
	d1, s1 := run(1)
	d8, s8 := run(8)
	if !reflect.DeepEqual(d1, d8) || len(d1) < 25 {
		t.Errorf("one worker:\n%s\neight:\n%s", said(d1), said(d8))
	}
	s1, t1 := withTexts(s1)
	s8, t8 := withTexts(s8)
	if !reflect.DeepEqual(s1, s8) || !slices.Equal(t1, t8) {
		t.Error("items differ")
	}
}

// withTexts takes the spans and folders out of a site's items and returns their texts.
func withTexts(s *Site) (*Site, []string) {
	var texts []string
	for i := range s.Envs {
		for j := range s.Envs[i].Items {
			it := &s.Envs[i].Items[j]
			texts = append(texts, text(it))
			it.Text = Span{}
			it.File = &source.File{Name: it.File.Name} // loads of one content have folders of their own
		}
	}
	return s, texts
}

func TestFromDisk(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"e/good.json": item(id1, ""), "e/gone.json": item(id2, ""), "outside.json": "{}"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := source.List(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "e/gone.json")); err != nil {
		t.Fatal(err)
	}
	site, diagnostics, err := Load(context.Background(), found, Options{})
	want := dir + "/e/gone.json: this file cannot be read: it vanished; run the build again\n" +
		dir + "/outside.json: this file is not in an environment\n  hint: move it into the folder of its environment"
	if site != nil || err != nil || said(diagnostics) != want {
		t.Errorf("%v\n got %s\nwant %s", err, said(diagnostics), want)
	}
}

// TestMachineFails: a file that cannot be opened because the machine has no more
// descriptors is no fault of the content, and must not be left out in silence.
func TestMachineFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "e"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "e/x.json"), []byte(item(id1, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := source.List(context.Background(), dir, nil)
	if err != nil || len(found.Files) != 1 {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip("no limits here:", err)
	}
	none := limit
	none.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Skip("no limits here:", err)
	}
	site, diagnostics, err := Load(context.Background(), found, Options{})
	if restored := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); restored != nil {
		t.Fatal(restored)
	}
	if site != nil || len(diagnostics) > 0 || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%v, %q, %v", site, said(diagnostics), err)
	}
}

// TestClashesReadOnce: a file with many clashing ids is read again once, not for each of them.
func TestClashesReadOnce(t *testing.T) {
	const n = 30
	found := tree(t, map[string]string{"e/x.json": "[" + strings.Repeat(item(id1, "")+",\n", n-1) + item(id1, "") + "]"})
	readers := 0
	format := *found.Files[0].Format
	found.Files[0].Format = &format
	newReader := format.NewReader
	format.NewReader = func() documents.Reader { readers++; return newReader() }
	_, diagnostics, err := Load(context.Background(), found, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(diagnostics); strings.Count(got, "is taken") != maxErrors || !strings.Contains(got, "x.json:20:") {
		t.Errorf("%s", got)
	}
	if readers > 3 {
		t.Errorf("%d readers", readers)
	}
}
