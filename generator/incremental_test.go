// These tests edit content again and again: whatever the edit, a build that takes files
// over from the release before makes the bytes that a build without one makes.

package generator

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// site is content that is edited: items by environment and id, and the files they are
// written to.
type site struct {
	rnd   *rand.Rand
	items map[string]*edited // by environment/id
	next  int
	saved int    // tells versions of the saved searches apart
	media [4]int // versions of the media files
	rules string // of the paths that a leaves out of its index
	refs  string // which references a includes, and which items have a list of those that refer to them

	dir     string            // with the content
	written map[string]string // files in it, by path
}

// edited is an item of a site.
type edited struct {
	file                                  string // where it is written
	name, template, status, creator, data string
	created, updated                      int // days
}

// pick gives one of some values.
func (s *site) pick(values ...string) string { return values[s.rnd.IntN(len(values))] }

// one returns an item, as items stand in a fixed order.
func (s *site) one() *edited {
	keys := slices.Sorted(maps.Keys(s.items))
	return s.items[keys[s.rnd.IntN(len(keys))]]
}

func (s *site) add(env string) {
	s.next++
	s.items[fmt.Sprintf("%s/%s", env, s.pick("item", "item-", "a", "a-b-")+fmt.Sprint(s.next))] = &edited{
		file: s.pick("x", "y", "z"), name: s.pick("One", "Two", "A name that is longer than others"),
		template: s.pick("Page", "Post"), status: s.pick("Published", "Draft"), creator: s.pick("Ann", "Bob", ""),
		created: 1 + s.rnd.IntN(28), updated: 1 + s.rnd.IntN(28), data: s.randomData(),
	}
}

// randomData is an item's Data; the type of x depends on which item comes first.
func (s *site) randomData() string {
	words := make([]string, s.rnd.IntN(120))
	for i := range words {
		words[i] = s.pick("alpha", "beta", "gamma", "delta", "epsilon")
	}
	x := s.pick(`1`, `1.5`, `"2024-01-01"`, `"text"`, `true`, `[1,"2"]`, `null`)
	when := s.pick("2024-01-01", "2024-01-01T00:00:00Z", "2024-01-01T01:00+01:00", "2023-12", "2024-01-01T00:00:00.5Z", "2024-01-02T23:00:00+23:00")
	if s.rnd.IntN(100) == 0 {
		when = s.pick("soon", "-2024-01-01", "2024")
	}
	pic := fmt.Sprintf(`{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./m%d.svg"}`, s.rnd.IntN(len(s.media)))
	ids := make([]string, s.rnd.IntN(4))
	for i, keys := 0, slices.Sorted(maps.Keys(s.items)); i < len(ids); i++ {
		ids[i] = fmt.Sprintf("%q", s.pick("item", "a")+fmt.Sprint(s.rnd.IntN(60)))
		if len(keys) > 0 && s.rnd.IntN(4) > 0 {
			_, id, _ := strings.Cut(keys[s.rnd.IntN(len(keys))], "/")
			ids[i] = fmt.Sprintf("%q", id)
		}
	}
	pic += fmt.Sprintf(`,"refs":[{"%s":{"Type":"Reference","ReferenceType":"Content","ContentIDs":[%s]}}]`, s.pick("to", "see"), strings.Join(ids, ","))
	return fmt.Sprintf(`{"title":%q,"text":%q,"x":%s,"n":%d,"when":%q,"pic":`+pic+`}`, s.pick("T", "A title of more than sixteen bytes"), strings.Join(words, " "), x, s.rnd.IntN(5), when)
}

// edits are what authors do.
var edits = map[string]func(*site){
	"add":            func(s *site) { s.add(s.pick("a", "a-b")) },
	"data":           func(s *site) { s.one().data = s.randomData() },
	"timestamp":      func(s *site) { s.one().updated = 1 + s.rnd.IntN(28) },
	"created":        func(s *site) { s.one().created = 1 + s.rnd.IntN(28) },
	"status":         func(s *site) { s.one().status = s.pick("Published", "Draft", "Archived") },
	"creator":        func(s *site) { s.one().creator = s.pick("Ann", "Bob", "Cy", "") },
	"name":           func(s *site) { s.one().name = s.pick("One", "Two", "Three") },
	"move":           func(s *site) { s.one().file = s.pick("x", "y", "z") },
	"nothing":        func(*site) {},
	"saved searches": func(s *site) { s.saved++ },
	"media":          func(s *site) { s.media[s.rnd.IntN(len(s.media))]++ },
	"paths left out": func(s *site) {
		s.rules = s.pick("", "{exclude: [Data.text]}", "{exclude: [Data], include: [Data.when]}", "{exclude: [Data.x, Data.when]}", "{exclude: [Data.title, Data.n]}")
	},
	"references": func(s *site) {
		s.refs = s.pick("", "include: {Page: 1}", "include: {Page: 2, Post: [Data.refs.to]}", "used-in: true", "include: {Page: 3, Post: 1, Article: {paths: [Data.refs.see], levels: 2}}\nused-in: [Page, Article]", "used-in: [Post]")
	},
	"add environment": func(s *site) { s.add("b") },
	"remove": func(s *site) {
		delete(s.items, slices.Sorted(maps.Keys(s.items))[s.rnd.IntN(len(s.items))])
	},
	"remove environment": func(s *site) {
		maps.DeleteFunc(s.items, func(key string, _ *edited) bool { return strings.HasPrefix(key, "b/") })
	},
	"reorder": func(s *site) {
		for _, item := range s.items {
			item.file = map[string]string{"x": "z", "y": "x", "z": "y"}[item.file]
		}
	},
	"rename template": func(s *site) {
		for _, item := range s.items {
			if item.template == "Post" {
				item.template = "Article"
			}
		}
	},
}

func init() { // one leaves a list, another enters it
	edits["swap"] = func(s *site) { s.add("a"); edits["remove"](s) }
}

// write writes what changed.
func (s *site) write(t *testing.T) string {
	t.Helper()
	files := map[string]*bytes.Buffer{"a/none.ndjson": {}, "a-b/none.ndjson": {}}
	for _, key := range slices.Sorted(maps.Keys(s.items)) {
		it := s.items[key]
		env, id, _ := strings.Cut(key, "/")
		name := env + "/" + it.file + ".ndjson"
		if files[name] == nil {
			files[name] = new(bytes.Buffer)
			for i, version := range s.media {
				files[fmt.Sprintf("%s/m%d.svg", env, i)] = bytes.NewBufferString(fmt.Sprintf("<svg>%d</svg>", version%3))
			}
		}
		fmt.Fprintf(files[name], `{"ContentID":%q,"Name":%q,"TemplateName":%q,"Status":%q,"CreatedBy":%q,"CreatedAt":"2024-01-%02dT00:00:00Z","UpdatedAt":"2024-02-%02dT00:00:00Z","Data":%s}`+"\n",
			id, it.name, it.template, it.status, it.creator, it.created, it.updated, it.data)
	}
	for _, env := range []string{"a", "a-b"} {
		for _, name := range []string{"new", "new-2", "n"}[:3-s.saved%4] {
			files[env+"/_searches/"+name+".json"] = bytes.NewBufferString(fmt.Sprintf(`{"pages":12,"size":%d,"query":{"match":{"Data.text":"alpha"}}}`, 1+s.saved%3))
		}
	}
	if s.rules+s.refs != "" {
		files["a/_environment.yaml"] = bytes.NewBufferString(s.refs + "\n")
		if s.rules != "" {
			fmt.Fprintf(files["a/_environment.yaml"], "search: %s\n", s.rules)
		}
	}
	if s.dir == "" || s.rnd.IntN(8) == 0 { // or a fresh copy, as a build server has it
		s.dir, s.written = t.TempDir(), map[string]string{}
	}
	written := map[string]string{}
	for name, b := range files {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		if b.Len() == 0 {
			path = filepath.Join(filepath.Dir(path), ".keep")
		}
		if written[path] = b.String(); s.written[path] == b.String() && b.Len() > 0 {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path := range s.written {
		if _, ok := written[path]; ok {
			continue
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		for dir := filepath.Dir(path); dir != s.dir && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
	}
	s.written = written
	return s.dir
}

// inodes gives those of the current release by file.
func inodes(t *testing.T, out string) map[string]uint64 {
	t.Helper()
	dir := currentDir(t, out)
	nodes := map[string]uint64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			nodes[strings.TrimPrefix(path, dir+"/")] = fi.Sys().(*syscall.Stat_t).Ino
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

// configs are builds that edits are tried on.
var configs = []BuildConfig{
	{PageSize: 3, Compress: "gzip,br,zstd"},
	{PageSize: 2, Order: "Name:asc", Compress: "gzip", Lists: "-,name,template+status,createdby+status"},
	{PageSize: 25, Order: "UpdatedAt:desc", Compress: "none"},
}

func TestIncrementalIsFull(t *testing.T) {
	steps := 30 // each run has a seed of its own
	if testing.Short() {
		steps = 12
	}
	for i, c := range configs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			s := &site{rnd: rand.New(rand.NewPCG(seed, 0)), items: map[string]*edited{}}
			for range 45 { // the first environment has more than a page of each configuration
				s.add(s.pick("a", "a", "a", "a", "a-b", "b"))
			}
			c.NoSync, c.Removal.Allow = true, true
			c.Out = t.TempDir()
			before, nodes := map[string]string{}, make([]map[string]uint64, 3) // of the releases before, the last one first
			names := slices.Sorted(maps.Keys(edits))
			for step := range steps {
				done := "first"
				for range s.rnd.IntN(3) + min(step, 1) {
					done = s.pick(names...)
					edits[done](s)
				}
				c.Content = s.write(t)
				r := build(t, c)
				full := c
				full.Out, full.Full = t.TempDir(), true
				build(t, full)
				got, want, now := current(t, c.Out), current(t, full.Out), inodes(t, c.Out)
				if !maps.Equal(got, want) {
					for name := range want {
						if got[name] != want[name] {
							t.Errorf("seed %d, step %d, %s: %s differs", seed, step, done, name)
						}
					}
					t.Fatalf("seed %d, step %d, %s: not what a full build makes", seed, step, done)
				}
				if r.Unchanged != maps.Equal(got, before) {
					t.Errorf("seed %d, step %d, %s: unchanged is %t", seed, step, done, r.Unchanged)
				}
				for name, node := range now {
					same, linked := got[name] == before[name], nodes[0][name] == node
					if same { // the spare has one of the same bytes, which need not be the last release's
						linked = slices.ContainsFunc(nodes, func(n map[string]uint64) bool { return n[name] == node })
					}
					if !r.Unchanged && same != linked && strings.HasPrefix(name, release.FilesLink) {
						t.Errorf("seed %d, step %d, %s: %s: same %t, linked %t", seed, step, done, name, same, linked)
					}
				}
				checkSums(t, got)
				checkDates(t, c.Out)
				if !r.Unchanged {
					before, nodes = got, slices.Insert(nodes[:2:2], 0, now)
				}
			}
		})
	}
}

// TestCodingsChange has builds begin with files of a removed release that were compressed
// differently.
func TestCodingsChange(t *testing.T) {
	s := &site{rnd: rand.New(rand.NewPCG(3, 4)), items: map[string]*edited{}}
	for range 30 {
		s.add("a")
	}
	c := BuildConfig{PageSize: 3, NoSync: true, Out: t.TempDir()}
	for step, codings := range []string{"gzip,br", "gzip,br", "gzip,br", "gzip", "gzip", "gzip", "none", "none", "none", "br", "br", "br"} {
		s.add("a")
		c.Content, c.Compress = s.write(t), codings
		build(t, c)
		full := c
		full.Out, full.Full = t.TempDir(), true
		build(t, full)
		if got, want := current(t, c.Out), current(t, full.Out); !maps.Equal(got, want) {
			t.Errorf("step %d, %s: %d files, want %d", step, codings, len(got), len(want))
		}
	}
}

// checkDates proves that files have the dates that their bytes give them.
func checkDates(t *testing.T, out string) {
	t.Helper()
	dir := filepath.Join(out, release.FilesLink) + "/"
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body := path
		for _, c := range contentcoding.Codings {
			body = strings.TrimSuffix(body, c.Suffix())
		}
		b, err := os.ReadFile(body)
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if want := release.FileTime(sha256.Sum256(b)); err == nil && !fi.ModTime().Equal(want) {
			t.Errorf("%s is dated %v, want %v", path, fi.ModTime(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLostDates changes the date of a page, as a copy does: the next release has it
// right, and the old one is not touched.
func TestLostDates(t *testing.T) {
	s := &site{rnd: rand.New(rand.NewPCG(1, 2)), items: map[string]*edited{}}
	for range 30 {
		s.add("a")
	}
	c := BuildConfig{PageSize: 3, Compress: "gzip", NoSync: true, Out: t.TempDir(), Content: s.write(t)}
	build(t, c)
	checkDates(t, c.Out)
	old := currentDir(t, c.Out)
	page, now := filepath.Join(old, "cda/rest/v1/a/contents-list/sort-createdat-desc-3/page-1.json"), time.Unix(1_800_000_000, 0)
	if err := os.Chtimes(page, now, now); err != nil {
		t.Fatal(err)
	}
	s.add("b")
	c.Content = s.write(t)
	r := build(t, c)
	checkDates(t, c.Out)
	if fi, err := os.Stat(page); err != nil || !fi.ModTime().Equal(now) {
		t.Errorf("the old release: %v, %v", fi, err)
	}
	if r.Written < 2 || r.Written > 20 {
		t.Errorf("%d files written", r.Written)
	}
}

// checkSums holds the list of checksums and the precompressed files against the files of a release.
func checkSums(t *testing.T, files map[string]string) {
	t.Helper()
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == release.ManifestName || name == release.ChecksumsName {
			continue
		}
		sum := sha256.Sum256([]byte(files[name]))
		fmt.Fprintf(&want, "%s  %s\n", hex.EncodeToString(sum[:]), name)
		for _, c := range contentcoding.Codings {
			body, ok := files[strings.TrimSuffix(name, c.Suffix())]
			if !ok || !strings.HasSuffix(name, c.Suffix()) {
				continue
			}
			if got, err := compression.Decode(c, []byte(files[name]), len(body)); err != nil || string(got) != body {
				t.Errorf("%s does not hold the body: %v", name, err)
			}
			if len(body) < 1024 || len(files[name])*10 > len(body)*9 {
				t.Errorf("%s: %d bytes for %d are not worth it", name, len(files[name]), len(body))
			}
		}
	}
	if files[release.ChecksumsName] != want.String() {
		t.Errorf("%s is\n%s\nwant\n%s", release.ChecksumsName, files[release.ChecksumsName], want.String())
	}
}

// Items in other files are the same items: the type of a path follows from all values,
// whichever comes first.
func TestSourceOrderAlone(t *testing.T) {
	number := strings.Replace(item("a", "Page", "Published", "02"), `{"title"`, `{"x":1,"title"`, 1)
	text := strings.Replace(item("b", "Page", "Published", "03"), `{"title"`, `{"x":"text","title"`, 1)
	out, full := t.TempDir(), t.TempDir()
	build(t, BuildConfig{Content: content(t, map[string]string{"demo/1.json": number, "demo/2.json": text}), Out: out, NoSync: true})
	c := BuildConfig{Content: content(t, map[string]string{"demo/1.json": text, "demo/2.json": number}), Out: out, NoSync: true}
	if r := build(t, c); !r.Unchanged {
		t.Errorf("unchanged is %t, %d files written", r.Unchanged, r.Written)
	}
	c.Out, c.Full = full, true
	build(t, c)
	if !maps.Equal(current(t, out), current(t, full)) {
		t.Error("not what a full build makes")
	}
}

// One value of another kind changes the type of its path in all items, and so the index
// of items that did not change.
func TestTypeChanges(t *testing.T) {
	with := func(id, value string) string {
		return strings.Replace(item(id, "Page", "Published", "02"), `{"title"`, `{"x":`+value+`,"title"`, 1)
	}
	first := map[string]string{"demo/1.json": with("a", `"2021-04-23"`), "demo/2.json": with("b", `"2022"`), "demo/3.json": with("c", `"2021-05-01"`)}
	values := []string{`"soon"`, `3`, `"2021-01-01"`, `true`, `null`, `["2021-01-01", 7]`, `"2021-04-24T12:00:00+20:00"`, `"-2021-04-23"`}
	out := t.TempDir()
	for _, v := range values {
		build(t, BuildConfig{Content: content(t, first), Out: out, NoSync: true})
		first["demo/2.json"] = with("b", v)
		c := BuildConfig{Content: content(t, first), Out: out, NoSync: true}
		build(t, c)
		got := current(t, out)
		c.Out = t.TempDir()
		build(t, c)
		if !maps.Equal(got, current(t, c.Out)) {
			t.Errorf("%s: not what a first build makes", v)
		}
	}
}

// A build over a release of an older format, whose lists order dates by text, takes nothing from it.
func TestOlderFormat(t *testing.T) {
	c := BuildConfig{Content: content(t, map[string]string{"demo/1.json": item("a", "Page", "Published", "02")}), Out: t.TempDir(), NoSync: true}
	build(t, c)
	want := current(t, c.Out)
	path := filepath.Join(currentDir(t, c.Out), release.ManifestName)
	m, err := release.Parse([]byte(want[release.ManifestName]))
	if err != nil {
		t.Fatal(err)
	}
	m.Format = release.OldestFormat
	if err := errors.Join(os.Remove(path), os.WriteFile(path, m.Encode(), 0o644)); err != nil {
		t.Fatal(err)
	}
	if r := build(t, c); r.Unchanged || r.Written != r.Environments[0].Items+r.Environments[0].Pages {
		t.Errorf("unchanged %t, %d files written of %d items and %d pages", r.Unchanged, r.Written, r.Environments[0].Items, r.Environments[0].Pages)
	}
	if !maps.Equal(current(t, c.Out), want) {
		t.Error("not what a first build makes")
	}
	if r := build(t, c); !r.Unchanged {
		t.Error("the next build writes files again")
	}
}
