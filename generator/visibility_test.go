// These tests build content whose items appear and expire.

package generator

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/visibility"
)

// timeline is content of two environments whose items refer to each other, at days of a year.
type timeline struct {
	t       *testing.T
	rnd     *rand.Rand
	dir     string
	content map[string]string
}

const days = 30

func day(n int) time.Time { return time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC) }

func (l *timeline) pick(words ...string) string { return words[l.rnd.IntN(len(words))] }

// write writes an item anew, or takes it away.
func (l *timeline) write(env string, n int) {
	name := fmt.Sprintf("%s/%d.json", env, n)
	path := filepath.Join(l.dir, name)
	if l.rnd.IntN(8) == 0 {
		delete(l.content, name)
		_ = os.Remove(path) // it may be gone already
		return
	}
	members := ""
	if l.rnd.IntN(3) == 0 {
		members += fmt.Sprintf(`,"PublishedAt":%q`, day(l.rnd.IntN(days)).Format(time.RFC3339))
	}
	if l.rnd.IntN(3) == 0 {
		members += fmt.Sprintf(`,"ExpiresAt":%q`, day(l.rnd.IntN(days)).Format(time.RFC3339))
	}
	l.content[name] = fmt.Sprintf(`{"ContentID":"Content_%d","Name":"n%d","TemplateName":"Page","Status":%q,"CreatedAt":"2025-01-01T00:00:00Z","Data":{"n":%d,"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["Content_%d"]}}%s}`,
		n, l.rnd.IntN(3), l.pick("Published", "Published", "Published", "Draft"), l.rnd.IntN(3), l.rnd.IntN(8), members)
	if err := os.WriteFile(path, []byte(l.content[name]), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// builder makes releases of a timeline into one directory, each from the previous one.
type builder struct {
	c      BuildConfig
	before string // the build of the last release
}

// newBuilders returns a builder of releases without files, which is quick, and one of releases with all files.
func (l *timeline) newBuilders() (snapshots, files *builder) {
	c := BuildConfig{Content: l.dir, Lists: "-,template", Compress: "none", NoSync: true, Removal: Removal{Allow: true}}
	snapshots, files = &builder{c: c}, &builder{c: c}
	snapshots.c.SnapshotOnly = true
	snapshots.c.Out, files.c.Out = filepath.Join(l.t.TempDir(), "snapshots"), filepath.Join(l.t.TempDir(), "files")
	return snapshots, files
}

// follow builds at a time, from the previous release, and reports whether the release is another.
func (l *timeline) follow(b *builder, at time.Time) (changed bool) {
	l.t.Helper()
	b.c.At = at
	got := l.build(b.c)
	changed, b.before = got != b.before, got
	return changed
}

// check compares the last release with a fresh one.
func (l *timeline) check(b *builder) {
	l.t.Helper()
	c := b.c
	c.Full, c.Out = true, filepath.Join(l.t.TempDir(), "fresh")
	if want := l.build(c); b.before != want || !maps.Equal(current(l.t, b.c.Out), current(l.t, c.Out)) {
		l.t.Fatalf("at %s the build makes %s, a fresh one %s of\n%s", c.At, b.before, want, strings.Join(slices.Sorted(maps.Values(l.content)), "\n"))
	}
}

func (l *timeline) build(c BuildConfig) string {
	l.t.Helper()
	r, err := Build(l.t.Context(), c)
	if err != nil {
		l.t.Fatal(err)
	}
	return r.Build
}

// fewer returns n, or a tenth of it for the race detector: a build runs the same code each time, at a tenth of the speed.
func fewer(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestBuildsFollowTime edits content and looks at it at random times. Incremental builds equal fresh ones at the same
// time, every time in the interval gives the same release, and the interval ends where another one begins. Each build
// starts from the previous release, so a fault that one leaves shows in a later comparison. Few releases have all files,
// because those take most of the time.
func TestBuildsFollowTime(t *testing.T) {
	edits := fewer(500)
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // the builds are small and many
	l := newTimeline(t)
	snapshots, files := l.newBuilders()
	changes := 0
	for edit := range edits {
		edited := l.rnd.IntN(3) > 0
		if edited {
			l.write(l.pick("a", "b"), l.rnd.IntN(8))
		}
		at := day(l.rnd.IntN(days)).Add(-time.Duration(l.rnd.IntN(2)) * time.Millisecond)
		if l.follow(snapshots, at) && !edited {
			changes++
		}
		if edit%2 == 0 {
			l.check(snapshots)
		}
		if edit%10 == 0 {
			l.follow(files, at)
			l.check(files)
		}
		if edit%20 == 0 {
			l.checkInterval(snapshots)
		}
	}
	if t.Logf("%d changes of visibility without an edit", changes); changes < edits/25 {
		t.Errorf("only %d changes", changes)
	}
}

// newTimeline writes the first content.
func newTimeline(t *testing.T) *timeline {
	t.Helper()
	l := &timeline{t: t, rnd: rand.New(rand.NewPCG(7, 44)), dir: t.TempDir(), content: map[string]string{}}
	for _, env := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(l.dir, env), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(l.dir, env, "_environment.yaml"), []byte("include:\n  Page: [Data.to]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for n := range 8 {
			l.write(env, n)
		}
	}
	return l
}

// checkInterval builds at the ends of the interval of the last release, and just outside of it.
func (l *timeline) checkInterval(b *builder) {
	l.t.Helper()
	m := manifestOf(l.t, b.c.Out)
	from, until := m.Visible.Ends()
	c := b.c
	c.Out = filepath.Join(l.t.TempDir(), "other")
	at := func(ms int64) string {
		c.At = time.UnixMilli(ms)
		return l.build(c)
	}
	if from != nil && (at(*from) != b.before || at(*from-1) == b.before) {
		l.t.Errorf("%s is not the release from %s on", b.before, m.Visible.From)
	}
	if until != nil && (at(*until-1) != b.before || at(*until) == b.before) {
		l.t.Errorf("%s is not the release until %s", b.before, m.Visible.Until)
	}
}

func manifestOf(t *testing.T, out string) *release.Manifest {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(out, release.CurrentLink, release.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := release.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestHiddenItemsLeaveNoByte looks for what is left out in every file of a release: its words are nowhere.
func TestHiddenItemsLeaveNoByte(t *testing.T) {
	hidden := map[string]string{"draft": `"Status":"Draft"`, "private": `"Status":"Private"`, "slip": `"Status":"Publishd"`, "later": `"PublishedAt":"2999-01-01T00:00:00Z"`, "over": `"ExpiresAt":"2025-01-01T00:00:00Z"`}
	refer := func(id string) string {
		return `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["` + id + `"]}`
	}
	files := map[string]string{
		"demo/_environment.yaml":      "include:\n  Page: [Data.to]\n",
		"demo/_searches/all.json":     `{"query":{"match_all":{}},"aggs":{"by":{"terms":{"field":"Data.word.keyword"}}}}`,
		"demo/_searches/suggest.json": `{"suggest":{"s":{"text":"xsecre","term":{"field":"Data.word","suggest_mode":"always"}}}}`,
		"demo/_searches/marked.json":  `{"query":{"query_string":{"query":"xsecre*"}},"highlight":{"fields":{"*":{}}}}`,
		"demo/open.json":              `{"ContentID":"Content_open","Name":"Open","TemplateName":"Page","CreatedAt":"2024-01-01T00:00:00Z","Data":{"word":"bread","to":` + refer("Content_draft") + `}}`,
		"demo/referred.json":          `{"ContentID":"Content_referred","Name":"Referred","TemplateName":"Page","CreatedAt":"2024-01-01T00:00:00Z","Data":{"word":"bread"}}`,
	}
	for id, members := range hidden {
		files["demo/"+id+".json"] = `{"ContentID":"Content_` + id + `","Name":"xsecret name","TemplateName":"Xsecret` + id + `","CreatedBy":"xsecret person","CreatedAt":"2024-01-01T00:00:00Z","Data":{"word":"xsecret","xsecret":{"path":1},"to":` + refer("Content_referred") + `,"img":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./xsecret.png"}},` + members + `}`
	}
	files["demo/xsecret.png"] = "xsecret bytes"
	c := BuildConfig{Content: content(t, files), Out: filepath.Join(t.TempDir(), "public"), NoSync: true, Compress: "none"}
	r := build(t, c)
	if r.Environments[0].Items != 2 {
		t.Fatalf("%d items", r.Environments[0].Items)
	}
	for name, text := range current(t, c.Out) {
		if strings.Contains(strings.ToLower(name+text), "xsecret") {
			t.Errorf("%s shows what is left out", name)
		}
		for id := range hidden {
			if id != "draft" && strings.Contains(text, "Content_"+id) {
				t.Errorf("%s names Content_%s", name, id)
			}
		}
	}
	// The same content, delivered: the test would see the words.
	c.Visible, c.Out = visibility.Everything(), filepath.Join(t.TempDir(), "all")
	build(t, c)
	seen := 0
	for name, text := range current(t, c.Out) {
		if strings.Contains(strings.ToLower(name+text), "xsecret") {
			seen++
		}
	}
	if seen < 10 {
		t.Errorf("only %d files have the words where all is delivered", seen)
	}
}
