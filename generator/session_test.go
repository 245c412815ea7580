// These tests edit content again and again, and build it with one Session: whatever the
// edits, the release and what is said about the content are those of a build that knows
// nothing of the ones before.

package generator

import (
	"contentedge/generator/visibility"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// folder is a content directory under edits.
type folder struct {
	t    *testing.T
	rnd  *rand.Rand
	dir  string
	next int
	ids  []string // some of them are in use
}

func newFolder(t *testing.T, seed uint64) *folder {
	f := &folder{t: t, rnd: rand.New(rand.NewPCG(seed, 23)), dir: filepath.Join(t.TempDir(), "content")}
	for range 40 {
		f.put(f.name("json"), f.item())
	}
	f.put("a/lines.ndjson", f.item()+"\n"+f.item()+"\n\n"+f.item())
	f.put("a/_searches/words.json", `{"pages":3,"size":2,"query":{"match":{"Data.text":"bread"}}}`)
	f.put("b/list.json", "["+f.item()+",\n"+f.item()+"]")
	return f
}

func (f *folder) pick(values ...string) string { return values[f.rnd.IntN(len(values))] }

func (f *folder) name(extension string) string {
	f.next++
	return fmt.Sprintf("%s/%sx%d.%s", f.pick("a", "a", "a", "a", "b"), f.pick("", "", "sub/", "-sub/deep/"), f.next, extension)
}

func (f *folder) put(name, text string) {
	path := filepath.Join(f.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		f.t.Fatal(err)
	}
}

// words is a text of some words, most of them frequent.
func (f *folder) words(n int) string {
	var b strings.Builder
	for range 1 + f.rnd.IntN(n) {
		b.WriteString(f.pick("the", "the", "bread", "pot", "Größe", `\u00e9t\u00e9`, "and", "<b>", `\"x\"`, "w"+strconv.Itoa(f.rnd.IntN(60))) + " ")
	}
	return b.String()
}

// item is a new item, now and then with an id that another one had or has.
func (f *folder) item() string {
	id := fmt.Sprintf("Content_%08d-0000-4000-8000-000000000000", f.rnd.IntN(1<<20))
	if len(f.ids) > 0 && f.rnd.IntN(60) == 0 {
		id = f.pick(f.ids...)
	}
	f.ids = append(f.ids, id)
	data := fmt.Sprintf(`"title":"%s","body":"%s","n":%d`, f.words(6), f.words(80), f.rnd.IntN(9))
	if f.rnd.IntN(2) == 0 {
		data += fmt.Sprintf(`,"price":%s,"free":%s,"on":"2026-0%d-01","rare":%s`, f.pick("1", "2.5", "-3e2", "12345678901234567890123"),
			f.pick("true", "false"), 1+f.rnd.IntN(9), f.pick(`"x"`, `"2026-01-01"`, "7", "null", `["a",{"deep":1.5}]`, "true"))
	}
	if f.rnd.IntN(3) == 0 {
		data += fmt.Sprintf(`,"more":{"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["%s","%s"]}}`, f.pick(f.ids...), f.pick(f.ids...))
	}
	if f.rnd.IntN(9) == 0 {
		data += fmt.Sprintf(`,"only%d":"%s"`, f.rnd.IntN(4), f.words(3))
	}
	expires := ""
	if f.rnd.IntN(3) == 0 {
		expires = fmt.Sprintf(`,"ExpiresAt":"%s"`, f.time())
	}
	return fmt.Sprintf("{\"ContentID\":%q,\"Name\":\"%s\",\"TemplateName\":%q,\"Status\":%q,\"CreatedBy\":%q,\"CreatedAt\":\"2026-03-%02dT10:00:00Z\",\"PublishedAt\":\"%s\",\"Data\":{%s}%s}",
		id, f.words(4), f.pick("Page", "Post", "page"), f.pick("Published", "Published", "Draft", "Pubished"), f.pick("Ann", "Bob", ""),
		1+f.rnd.IntN(28), f.time(), data, expires)
}

// time is a time at which an item appears or expires.
func (f *folder) time() string {
	return fmt.Sprintf("%d-0%d-%sT00:00:00Z", 2024+f.rnd.IntN(5), 1+f.rnd.IntN(9), f.pick("01", "08", "15", "22"))
}

// files returns the files of items there are.
func (f *folder) files() (names []string) {
	for name := range tree(f.t, f.dir) {
		if !strings.Contains(name, "/_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// edit changes the content once.
func (f *folder) edit() {
	names := f.files()
	name := f.pick(names...)
	path := filepath.Join(f.dir, name)
	text, err := os.ReadFile(path)
	switch f.rnd.IntN(13) {
	case 0:
		f.put(f.name("json"), f.item())
	case 1:
		if len(names) > 30 {
			err = errors.Join(err, os.Remove(path))
		}
	case 2:
		to := filepath.Join(f.dir, f.name("json"))
		if filepath.Ext(path) == ".json" {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(path, to))
		}
	case 3:
		f.put(name, string(text[:len(text)-1])) // until the next edit of the file
	case 4:
		f.put("a/lines.ndjson", f.item()+"\n"+f.item()+"\n"+string(text[:0])+f.item())
	case 5:
		f.put(fmt.Sprintf("new%d/x.json", f.rnd.IntN(3)), f.item())
	case 6:
		err = errors.Join(err, os.RemoveAll(filepath.Join(f.dir, fmt.Sprintf("new%d", f.rnd.IntN(3)))))
	case 7, 8:
		f.put(name, strings.Replace(string(text), "bread", f.pick("toast", "bread bread", "b"), 1))
	case 9:
		f.put(name, strings.Replace(string(text), `"n":`, `"n":1`, 1))
	case 10:
		same := strings.Map(func(r rune) rune { // of the same size, and with the same time
			if '1' <= r && r <= '8' {
				return r + 1
			}
			return r
		}, string(text))
		info, e := os.Stat(path)
		f.put(name, strings.Replace(same, "Content_", "Content_", 1))
		err = errors.Join(err, e, os.Chtimes(path, info.ModTime(), info.ModTime()))
	case 11:
		f.put("a/_environment.yaml", f.pick("# nothing", "search: {exclude: [Data.body]}", "search: {exclude: [Data], include: [Data.more, Data.on]}", "search: {exclude: [Data.rare, Data.price]}"))
	default:
		f.put(name, f.item())
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// mend replaces every file that cannot be read as an item.
func (f *folder) mend() {
	for i, name := range f.files() {
		f.put(name, strings.Replace(f.item(), "Content_0", fmt.Sprintf("Content_%d-", i), 1))
	}
}

func (f *folder) view() View {
	v := View{}
	if f.rnd.IntN(2) == 0 {
		v.Visible = &visibility.Rules{Statuses: []string{f.pick("Published", "Draft", "none", visibility.AllStatuses)}, Scheduled: f.rnd.IntN(3) == 0, Expired: f.rnd.IntN(2) == 0}
	}
	if f.rnd.IntN(2) == 0 {
		v.At = time.Date(2024+f.rnd.IntN(5), time.Month(1+f.rnd.IntN(9)), 1, 0, 0, 0, -f.rnd.IntN(2)*int(time.Millisecond), time.UTC)
	}
	return v
}

// check builds a view with the session and with one that knows nothing, and compares.
func (f *folder) check(s *Session, v View) bool {
	f.t.Helper()
	c := s.c
	c.Out, c.Full, c.Removal.Allow = filepath.Join(f.t.TempDir(), "fresh"), true, true
	v.AllowRemoval = true // an environment may become empty
	fresh, err := NewSession(c)
	if err != nil {
		f.t.Fatal(err)
	}
	was, hadOne := releaseOf(f.t, s.c.Out)
	got, gotErr := s.Build(context.Background(), v)
	want, wantErr := fresh.Build(context.Background(), v)
	if v.At.IsZero() && wantErr == nil && total(want) > 0 {
		if v.Visible != nil {
			c.Visible = *v.Visible // the same by other means
		}
		if want, err = Build(context.Background(), c); err != nil {
			f.t.Fatalf("view %+v: a build fails where a session does not: %v", v, err)
		}
		want.Unchanged = false
	}
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
		f.t.Fatalf("view %+v\n got %v\nwant %v", v, gotErr, wantErr)
	}
	if gotErr != nil {
		if is, has := releaseOf(f.t, s.c.Out); has != hadOne || !maps.Equal(is, was) {
			f.t.Fatal("the failed build changed the release")
		}
		return false
	}
	if !reflect.DeepEqual(got.Warnings, want.Warnings) {
		f.t.Fatalf("view %+v: warnings\n got %v\nwant %v", v, got.Warnings, want.Warnings)
	}
	got.Unchanged, got.Written, want.Written = false, 0, 0
	if !reflect.DeepEqual(got, want) {
		f.t.Fatalf("view %+v: report\n got %+v\nwant %+v", v, got, want)
	}
	is, _ := releaseOf(f.t, s.c.Out)
	expected, _ := releaseOf(f.t, c.Out)
	for name, text := range expected {
		if is[name] != text {
			f.t.Fatalf("view %+v: %s differs", v, name)
		}
	}
	if len(is) != len(expected) {
		f.t.Fatalf("view %+v: %d files, want %d", v, len(is), len(expected))
	}
	if got, want := s.NextChange(), f.nextChange(v.rules(&s.c)); !got.Equal(want) {
		f.t.Fatalf("view %+v: the next change is at %s, want %s", v, got, want)
	}
	for _, e := range want.Environments {
		if got, want := s.Fields(e.ID), fresh.Fields(e.ID); !reflect.DeepEqual(got, want) {
			f.t.Fatalf("view %+v: fields of %s\n got %+v\nwant %+v", v, e.ID, got, want)
		}
	}
	return true
}

// total counts the items of a release.
func total(r *Report) (n int) {
	for _, e := range r.Environments {
		n += e.Items
	}
	return n
}

// releaseOf returns the files of the current release.
func releaseOf(t *testing.T, out string) (map[string]string, bool) {
	if _, err := os.Stat(filepath.Join(out, "current")); err != nil {
		return nil, false
	}
	return current(t, out), true
}

// sessionSteps is how many edits TestSession makes with each seed.
func sessionSteps(t *testing.T) (seeds, steps int) {
	if text := os.Getenv("TEST_CONTENTEDGE_EDITS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return 10, n / 10
	}
	return 2, 12
}

// TestSession edits, looks through another view, breaks and mends.
func TestSession(t *testing.T) {
	seeds, steps := sessionSteps(t)
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			f := newFolder(t, seed)
			f.mend()
			c := BuildConfig{Content: f.dir, Out: filepath.Join(t.TempDir(), "public"), SnapshotOnly: seed%2 == 0, NoSync: true, Removal: Removal{Allow: true}}
			if seed%3 == 1 {
				c.BrokenRefs = "ignore"
			}
			s, err := NewSession(c)
			if err != nil {
				t.Fatal(err)
			}
			good := 0
			for step := range steps {
				if step > 0 {
					f.edit()
				}
				ok := f.check(s, View{})
				if !ok && f.rnd.IntN(2) == 0 {
					f.mend()
					ok = f.check(s, View{})
				}
				if ok {
					good++
				}
				if ok && f.rnd.IntN(2) == 0 {
					f.check(s, f.view())
				}
			}
			if good < steps/3 {
				t.Errorf("only %d of %d builds were good", good, steps)
			}
		})
	}
}

// session makes a session of a content directory.
func session(t *testing.T, dir string) *Session {
	t.Helper()
	s, err := NewSession(BuildConfig{Visible: visibility.Everything(), Content: dir, Out: filepath.Join(t.TempDir(), "public"), SnapshotOnly: true, NoSync: true, Removal: Removal{Allow: true}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// read returns the bytes of texts that a session has read so far.
func (s *Session) read() int64 {
	used, garbage := s.cache.Garbage()
	return used + garbage
}

// TestSessionReadsWhatChanged: of other files, and of the other parts of a large one,
// nothing is read again; for another view, nothing at all.
func TestSessionReadsWhatChanged(t *testing.T) {
	f := newFolder(t, 1)
	f.mend()
	var lines strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&lines, "%s\n", strings.Replace(f.item(), "Content_0", fmt.Sprintf("Content_x%d-", i), 1))
	}
	f.put("a/lines.ndjson", lines.String())
	s := session(t, f.dir)
	f.check(s, View{})
	for { // until no file is young
		before := s.read()
		if f.check(s, View{}); s.read() == before {
			break
		}
	}
	all := s.read()
	f.check(s, View{Visible: &visibility.Rules{Statuses: []string{"Draft"}}})
	if n := s.read() - all; n != 0 {
		t.Errorf("%d of %d bytes were read for another view", n, all)
	}
	f.check(s, View{})
	text := lines.String()
	at := strings.Index(text[len(text)/3:], `"Name":"`) + len(text)/3 + len(`"Name":"`)
	f.put("a/lines.ndjson", text[:at]+"another "+text[at:])
	f.check(s, View{})
	if n := s.read() - all; n == 0 || n > int64(len(text))/2 {
		t.Errorf("%d of %d bytes were read after an edit of one line", n, all)
	}
	if changes := s.Changes(); len(changes.Environments) != 1 || len(changes.Environments[0].Items) != 1 {
		t.Errorf("changes %+v", changes)
	}
}

// TestSessionLimit: beyond the limit a session reads again, and builds the same.
func TestSessionLimit(t *testing.T) {
	f := newFolder(t, 2)
	f.mend()
	s := session(t, f.dir)
	f.check(s, View{})
	kept := s.Memory()
	s = session(t, f.dir)
	s.limit = 10_000
	for range 3 {
		f.check(s, View{})
		f.put(f.name("json"), f.item())
	}
	if s.cache.Memory() > s.limit || s.Memory() >= kept {
		t.Errorf("%d bytes are kept, with a limit of %d; without it %d", s.Memory(), s.limit, kept)
	}
}

// TestSessionGarbage: texts that no item has any more do not pile up.
func TestSessionGarbage(t *testing.T) {
	f := newFolder(t, 3)
	f.mend()
	s := session(t, f.dir)
	s.garbage = 0
	f.check(s, View{})
	first := s.file
	for range 3 {
		f.mend()
		f.check(s, View{})
	}
	if s.file == first {
		t.Error("the file of the texts stays")
	}
}

// TestSessionAnswers asks about the items of a small site.
func TestSessionAnswers(t *testing.T) {
	refer := func(id string) string {
		return fmt.Sprintf(`{"Type":"Reference","ReferenceType":"Content","ContentIDs":[%q]}`, id)
	}
	item := func(id, status, data string) string {
		return fmt.Sprintf("{\"ContentID\":%q,\"Name\":\"Name of %s\",\"TemplateName\":\"Page\",\"Status\":%q,\"CreatedAt\":\"2026-01-01T00:00:00Z\",\"Data\":{%s}}", id, id, status, data)
	}
	dir := content(t, map[string]string{
		"e/a.json": "[" + item("a", "Published", `"n":1,"to":`+refer("b")+`,"gone":[`+refer("nowhere")+`]`) + ",\n" + item("b", "Published", `"n":"x"`) + "]",
		"e/c.json": item("c", "Draft", `"more":{"to":`+refer("b")+`}`),
	})
	s := session(t, dir)
	if _, ok := s.Item("e", "a"); ok || s.Fields("e") != nil {
		t.Error("there is an item before the first build")
	}
	if _, err := s.Build(context.Background(), View{}); err != nil {
		t.Fatal(err)
	}
	got, ok := s.Item("e", "a")
	want := ItemInfo{ID: "a", Name: "Name of a", Template: "Page", Status: "Published", File: filepath.Join(dir, "e/a.json"), Line: 1, References: []Reference{
		{"Data.to", "b", "Name of b", "Page", true}, {"Data.gone[0]", "nowhere", "", "", false}}}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("a is %+v, %v", got, ok)
	}
	got, _ = s.Item("e", "b")
	if got.Line != 2 || got.ReferredByTotal != 2 || !reflect.DeepEqual(got.ReferredBy, []Reference{{"Data.to", "a", "Name of a", "Page", true}, {"Data.more.to", "c", "Name of c", "Page", true}}) {
		t.Errorf("b is %+v", got)
	}
	for _, f := range s.Fields("e") {
		switch f.Path {
		case "Data.n":
			if len(f.Mixed) != 2 || f.Items != 2 || f.Kind != "text" || f.Mixed[1].ID != "b" && f.Mixed[0].ID != "b" || f.Mixed[0].ID == f.Mixed[1].ID {
				t.Errorf("n is %+v", f)
			}
		case "Name":
			if f.Items != 3 || f.Mixed != nil {
				t.Errorf("Name is %+v", f)
			}
		}
	}
	if len(s.Changes().Environments) > 0 {
		t.Errorf("the first build changed %+v", s.Changes())
	}
	if _, err := s.Build(context.Background(), View{Visible: &visibility.Rules{Statuses: []string{"Published"}}}); err != nil {
		t.Fatal(err)
	}
	if got, _ = s.Item("e", "b"); got.ReferredByTotal != 1 {
		t.Errorf("b without drafts is %+v", got)
	}
	if want := (Changes{[]EnvChanges{{"e", []ItemChange{{"c", "Name of c", Removed}}, true, nil}}}); !reflect.DeepEqual(s.Changes(), want) {
		t.Errorf("changes %+v", s.Changes())
	}
}

// Each build of a Session, and a Plan, names its stage from the beginning on.
func TestSessionProgress(t *testing.T) {
	var stages []Stage
	c := BuildConfig{Content: content(t, many()), Out: t.TempDir(), Progress: func(p Progress) { stages = append(stages, p.Stage) }}
	s, err := NewSession(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]Stage{{Reading, Writing, Syncing}, {Reading}} { // the second build changes nothing
		stages = nil
		if _, err := s.Build(t.Context(), View{}); err != nil {
			t.Fatal(err)
		}
		if got := slices.Compact(stages); !slices.Equal(got, want) {
			t.Errorf("stages %q, want %q", got, want)
		}
	}
	stages = nil
	if _, err := Plan(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := slices.Compact(stages); !slices.Equal(got, []Stage{Reading}) {
		t.Errorf("stages of a plan %q", got)
	}
}
