// These tests build whole releases from content written on the spot, and look at what
// readers of the output find.

package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/visibility"
)

// item writes an item's source.
func item(id, template, status, day string) string {
	return fmt.Sprintf(`{"ContentID":%q,"Name":"Name of %s","TemplateName":%q,"Status":%q,"CreatedBy":"Ann","CreatedAt":"2024-01-%sT00:00:00Z","Data":{"title":"T %s"}}`,
		id, id, template, status, day, id)
}

// small is content with two environments, one of them empty.
func small() map[string]string {
	return map[string]string{
		"demo/a.json":       item("a", "Page", "Published", "02"),
		"demo/more/b.json":  item("b", "Post", "Published", "03"),
		"demo/list.ndjson":  item("c", "Page", "Draft", "01") + "\n",
		"empty/.gitkeep":    "",
		"_ignored/x.json":   "not JSON",
		"demo/notes.txt":    "not content",
		"demo/.draft.json~": "not content",
	}
}

// write puts content into a new directory, in the order given.
func write(t *testing.T, files map[string]string, order []string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "content")
	for _, name := range order {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func content(t *testing.T, files map[string]string) string {
	t.Helper()
	return write(t, files, slices.Sorted(maps.Keys(files)))
}

func build(t *testing.T, c BuildConfig) *Report {
	t.Helper()
	r, err := Build(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tree reads every file below a directory; links are read as their targets.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			files[name] = "-> " + target
			return err
		}
		b, err := os.ReadFile(path)
		files[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// currentDir is the directory of the current release.
func currentDir(t *testing.T, out string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(filepath.Join(out, release.CurrentLink))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// current reads the files of the current release.
func current(t *testing.T, out string) map[string]string {
	t.Helper()
	return tree(t, currentDir(t, out))
}

const fragmentA = `{"Status":"Published","CreatedBy":"Ann","CreatedAt":"2024-01-02T00:00:00.000Z","Data":{"title":"T a"},"PublishedBy":"",` +
	`"UpdatedAt":"2024-01-02T00:00:00.000Z","Name":"Name of a","PublishedAt":"2024-01-02T00:00:00.000Z","UpdatedBy":"","TemplateName":"Page",`

// TestGenerator builds a small content folder, and shows the files of its release.
func TestGenerator(t *testing.T) {
	out := filepath.Join(t.TempDir(), "public")
	r := build(t, BuildConfig{Visible: visibility.Everything(), Content: content(t, small()), Out: out, PageSize: 2})
	files := current(t, out)
	var names []string
	for name := range files {
		if !strings.HasPrefix(name, "snapshots/") {
			names = append(names, strings.TrimPrefix(name, "cda/rest/v1/"))
		}
	}
	slices.Sort(names)
	want := []string{
		"demo/contents-list/createdby-_ann/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/createdby-_ann/sort-createdat-desc-2/page-2.json",
		"demo/contents-list/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/sort-createdat-desc-2/page-2.json",
		"demo/contents-list/status-_draft/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/status-_published/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/template-_page/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/template-_page/status-_draft/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/template-_page/status-_published/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/template-_post/sort-createdat-desc-2/page-1.json",
		"demo/contents-list/template-_post/status-_published/sort-createdat-desc-2/page-1.json",
		"demo/contents/a.json",
		"demo/contents/b.json",
		"demo/contents/c.json",
		"empty/contents-list/sort-createdat-desc-2/page-1.json",
		"files.sha256",
		"manifest.json",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	root := "cda/rest/v1/"
	if got := files[root+"demo/contents/a.json"]; !strings.HasPrefix(got, `{"status":200,"data":`+fragmentA) {
		t.Errorf("item: %s", got)
	}
	if got := files[root+"demo/contents-list/template-_page/status-_published/sort-createdat-desc-2/page-1.json"]; !strings.HasPrefix(got, `{"status":200,"data":[`+fragmentA) || !strings.HasSuffix(got, `],"totalItems":1}`) {
		t.Errorf("list: %s", got)
	}
	if got := files[root+"empty/contents-list/sort-createdat-desc-2/page-1.json"]; got != `{"status":200,"data":[],"totalItems":0}` {
		t.Errorf("empty list: %s", got)
	}
	checkManifest(t, r, files)
	if got := fmt.Sprint(r.Environments[0].Delivered, r.Environments[0].LeftOut.Items(), r.Environments[1].Delivered); got != "map[Draft:1 Published:2] 0 map[]" {
		t.Errorf("statuses %s", got)
	}
}

// What is reported is what lies on the disk, however it came there.
func TestReportCountsWhatIsThere(t *testing.T) {
	files, c := many(), BuildConfig{Visible: visibility.Everything(), Out: t.TempDir(), PageSize: 3}
	for i, step := range []func(){
		func() {},
		func() {}, // nothing changes
		func() { delete(files, "demo/0/item-000.json") },
		func() { files["demo/new.json"] = item("new", "Page", "Archived", "01") },
		func() { c.Visible.Statuses = []string{"Published", "Archived"} },
		func() { c.Compress, c.Visible = "none", visibility.Everything() },
		func() { c.Full = true },
	} {
		step()
		c.Content = content(t, files)
		r := build(t, c)
		checkManifest(t, r, current(t, c.Out))
		if r.Unchanged != (i == 1) {
			t.Errorf("step %d: unchanged is %t", i, r.Unchanged)
		}
	}
}

// isCoded reports whether a file is a precompressed file.
func isCoded(name string) bool {
	return slices.Contains([]string{".gz", ".br", ".zst"}, filepath.Ext(name))
}

// checkManifest compares the manifest and the report with the files of a release.
func checkManifest(t *testing.T, r *Report, files map[string]string) {
	t.Helper()
	m, err := release.Parse([]byte(files["manifest.json"]))
	if err != nil {
		t.Fatal(err)
	}
	n, size, all := 0, int64(0), int64(0)
	for name, text := range files {
		all += int64(len(text))
		if name != release.ManifestName && name != release.ChecksumsName && !isCoded(name) {
			size += int64(len(text))
			n++
		}
	}
	if m.Files != n || m.Bytes != size {
		t.Errorf("manifest counts %d files of %d bytes, there are %d of %d", m.Files, m.Bytes, n, size)
	}
	if r.Build != m.Build || len(r.Environments) != len(m.Environments) {
		t.Errorf("report %+v, manifest %+v", r, m)
	}
	if r.Files != len(files) || r.Bytes != all {
		t.Errorf("report counts %d files of %d bytes, there are %d of %d", r.Files, r.Bytes, len(files), all)
	}
	n, size = 2, int64(len(files[release.ManifestName])+len(files[release.ChecksumsName]))
	for _, e := range r.Environments {
		n += e.Files
		size += e.Bytes
	}
	if n != r.Files || size != r.Bytes {
		t.Errorf("the environments, list and manifest have %d files of %d bytes, all are %d of %d", n, size, r.Files, r.Bytes)
	}
}

// many is enough content for several workers and batches, spread over files.
func many() map[string]string {
	files := map[string]string{}
	for i := range 300 {
		id := fmt.Sprintf("item-%03d", i)
		name := fmt.Sprintf("demo/%d/%s.json", i%7, id)
		files[name] = item(id, fmt.Sprint("Template ", i%5), []string{"Published", "Draft"}[i%2], fmt.Sprintf("%02d", 1+i%28))
	}
	files["tiny/one.json"] = item("one", "Page", "Published", "01")
	return files
}

func TestBuildIsDeterministic(t *testing.T) {
	files := many()
	names := slices.Sorted(maps.Keys(files))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want map[string]string
	for i, procs := range []int{1, 2, 8, 2} {
		const seed = 7
		rand.New(rand.NewPCG(seed, uint64(i))).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		runtime.GOMAXPROCS(procs)
		out := filepath.Join(t.TempDir(), "public")
		build(t, BuildConfig{Content: write(t, files, names), Out: out})
		got := tree(t, out)
		delete(got, release.ReleasesDir+"/.inputs") // it says when the files changed
		if want == nil {
			want = got
			continue
		}
		for name := range maps.Keys(want) {
			if got[name] != want[name] {
				t.Errorf("%d processors, seed %d: %s differs", procs, seed, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d processors: %d files, want %d", procs, len(got), len(want))
		}
	}
}

// What one writer holds of the temporary file, and what is larger, come out alike.
func TestLargeItems(t *testing.T) {
	const extentSize = 256 << 10 // of the writer
	files, out := small(), t.TempDir()
	for i, size := range []int{extentSize / 3, extentSize, extentSize + 1, 3 * extentSize} {
		text := strings.Repeat(fmt.Sprint(i), size)
		for _, copy := range []string{"x", "y", "z"} {
			id := fmt.Sprint("large-", copy, i)
			files["demo/"+id+".json"] = strings.Replace(item(id, "Page", "Published", "05"), `"T `, `"T `+text, 1)
		}
	}
	build(t, BuildConfig{Content: content(t, files), Out: out, Memory: MinMemory})
	made := current(t, out)
	for name, text := range files {
		id, ok := strings.CutPrefix(name, "demo/large")
		if !ok {
			continue
		}
		_, data, _ := strings.Cut(text, `"Data":`)
		if got := made["cda/rest/v1/demo/contents/large"+id]; !strings.Contains(got, strings.TrimSuffix(data, "}")) {
			t.Errorf("%s has %d bytes and does not hold its %d", name, len(got), len(data))
		}
	}
}

func TestTakenOffItemsAreGone(t *testing.T) {
	files := small()
	out := t.TempDir()
	build(t, BuildConfig{Content: content(t, files), Out: out})
	delete(files, "demo/more/b.json")
	build(t, BuildConfig{Content: content(t, files), Out: out})
	for name, text := range current(t, out) {
		if strings.HasSuffix(name, "contents/b.json") || strings.Contains(text, "Name of b") {
			t.Errorf("%s still holds the item", name)
		}
	}
}

func TestStatusesKeepDraftsOut(t *testing.T) {
	out := t.TempDir()
	build(t, BuildConfig{Content: content(t, small()), Out: out, Visible: visibility.Rules{Statuses: []string{"Published"}}})
	files := current(t, out)
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for name, text := range files {
		if strings.HasSuffix(name, "contents/c.json") || strings.Contains(text, "Name of c") || strings.Contains(text, "Draft") {
			t.Errorf("%s holds the draft", name)
		}
	}
}

func TestEnvsChoose(t *testing.T) {
	out := t.TempDir()
	r := build(t, BuildConfig{Content: content(t, many()), Out: out, Envs: []string{"tiny"}})
	if len(r.Environments) != 1 || r.Environments[0].ID != "tiny" || r.Environments[0].Items != 1 {
		t.Errorf("%+v", r.Environments)
	}
}

// Whatever stops a build, the output is as it was.
func TestRefusalsLeaveTheOutputAlone(t *testing.T) {
	good := content(t, small())
	bad := small()
	bad["demo/bad.json"] = `{"ContentID":"bad",}`
	bad["demo/worse.json"] = `[`
	warned := small()
	warned["demo/unusual.json"] = strings.Replace(item("unusual", "Page", "Published", "04"), `"Name of unusual"`, `""`, 1)
	tests := []struct {
		name   string
		config BuildConfig
		kind   any
		want   string
	}{
		{"bad content", BuildConfig{Visible: visibility.Everything(), Content: content(t, bad)}, new(*ContentError), "worse.json:1:"},
		{"a warning, strictly", BuildConfig{Visible: visibility.Everything(), Content: content(t, warned), Strict: true}, new(*ContentError), "unusual.json:1:"},
		{"no content directory", BuildConfig{Visible: visibility.Everything(), Content: filepath.Join(good, "none")}, new(*ContentError), "does not exist"},
		{"a content directory without environments", BuildConfig{Visible: visibility.Everything(), Content: t.TempDir()}, new(*ContentError), "no environment"},
		{"an environment that is not there", BuildConfig{Visible: visibility.Everything(), Content: good, Envs: []string{"nope"}}, new(*ContentError), "nope"},
		{"a status that no item has", BuildConfig{Content: good, Visible: visibility.Rules{Statuses: []string{"published"}}}, new(*ContentError), "no item has"},
		{"over budget in files", BuildConfig{Visible: visibility.Everything(), Content: good, BudgetFiles: 3}, new(*BudgetError), "REFUSED: 10 list files (budget 3)"},
		{"over budget in bytes", BuildConfig{Visible: visibility.Everything(), Content: good, BudgetBytes: 1000}, new(*BudgetError), "REFUSED"},
		{"a bad environment id", BuildConfig{Visible: visibility.Everything(), Content: good, Envs: []string{"../x"}}, new(*UsageError), "--env"},
		{"an empty status", BuildConfig{Content: good, Visible: visibility.Rules{Statuses: []string{""}}}, new(*UsageError), "--status"},
		{"an unknown word for references", BuildConfig{Visible: visibility.Everything(), Content: good, BrokenRefs: "Warn"}, new(*UsageError), "--broken-refs"},
		{"bad lists", BuildConfig{Visible: visibility.Everything(), Content: good, Lists: "author"}, new(*UsageError), "--lists"},
		{"a bad order", BuildConfig{Visible: visibility.Everything(), Content: good, Order: "Title"}, new(*UsageError), "--default-order"},
		{"a bad page size", BuildConfig{Visible: visibility.Everything(), Content: good, PageSize: address.MaxSize + 1}, new(*UsageError), "--page-size"},
		{"a negative budget", BuildConfig{Visible: visibility.Everything(), Content: good, BudgetFiles: -1}, new(*UsageError), "--budget-files"},
		{"too little memory", BuildConfig{Visible: visibility.Everything(), Content: good, Memory: MinMemory - 1}, new(*UsageError), "--memory: 64.0 MiB is too little"},
		{"no content at all", BuildConfig{}, new(*UsageError), "--content"},
	}
	out := t.TempDir()
	build(t, BuildConfig{Visible: visibility.Everything(), Content: good, Out: out})
	before := tree(t, out)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config.Out = out
			_, err := Build(context.Background(), tt.config)
			if err == nil || !errors.As(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %T: %v", err, err)
			}
			if !maps.Equal(tree(t, out), before) {
				t.Error("the output changed")
			}
		})
	}
}

func TestOutInsideContentIsRefused(t *testing.T) {
	dir := content(t, small())
	for _, out := range []string{dir, filepath.Join(dir, "public"), dir + "/demo/../demo"} {
		var usage *UsageError
		if _, err := Build(context.Background(), BuildConfig{Content: dir, Out: out}); !errors.As(err, &usage) {
			t.Errorf("%s: %v", out, err)
		}
	}
}

func TestBudgetIsCheckedBeforeAnythingIsMade(t *testing.T) {
	out := filepath.Join(t.TempDir(), "public")
	if _, err := Build(context.Background(), BuildConfig{Content: content(t, small()), Out: out, BudgetFiles: 1}); err == nil {
		t.Fatal("built")
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was made", out)
	}
}

func TestPlanIsWhatBuildWrites(t *testing.T) {
	for _, lists := range []string{"", "-", "name,createdby+status", "name+template+status+createdby"} {
		t.Run(lists, func(t *testing.T) {
			c := BuildConfig{Content: content(t, many()), Lists: lists, PageSize: 7, Order: "Name:asc"}
			p, err := Plan(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			c.Out = t.TempDir()
			build(t, c)
			var items, lists int
			var itemBytes, listBytes int64
			for name, text := range current(t, c.Out) {
				switch {
				case isCoded(name):
				case strings.Contains(name, "/contents/"):
					items++
					itemBytes += int64(len(text))
				case strings.Contains(name, "/contents-list/"):
					lists++
					listBytes += int64(len(text))
				}
			}
			if p.ItemFiles != items || p.ItemBytes != itemBytes || p.ListFiles != lists || p.ListBytes != listBytes {
				t.Errorf("planned %+v, written %d items of %d bytes, %d pages of %d", p, items, itemBytes, lists, listBytes)
			}
		})
	}
}

func TestCancelledBuildLeavesTheOldRelease(t *testing.T) {
	out := t.TempDir()
	build(t, BuildConfig{Content: content(t, small()), Out: out})
	before := tree(t, out)
	dir := content(t, many())
	for _, stage := range []Stage{Reading, Writing, Syncing} {
		t.Run(string(stage), func(t *testing.T) {
			stop := errors.New("stop")
			ctx, cancel := context.WithCancelCause(context.Background())
			_, err := Build(ctx, BuildConfig{Content: dir, Out: out, Removal: Removal{Allow: true}, Progress: func(p Progress) {
				if p.Stage == stage {
					cancel(stop)
				}
			}})
			if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			if !maps.Equal(tree(t, out), before) {
				t.Error("the output changed")
			}
		})
	}
}

func TestProgressReachesItsTotals(t *testing.T) {
	var last Progress
	var stages []Stage
	r := build(t, BuildConfig{Visible: visibility.Everything(), Content: content(t, many()), Out: t.TempDir(), Progress: func(p Progress) {
		if p.Items < last.Items || p.Pages < last.Pages || p.Bytes < last.Bytes {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		stages = append(stages, p.Stage)
	}})
	if last.Items != 301 || last.Read != 301 || last.Items != last.TotalItems || last.Pages != last.TotalPages || last.Bytes != last.TotalBytes {
		t.Errorf("ended at %+v", last)
	}
	if pages := r.Environments[0].Pages + r.Environments[1].Pages; last.Pages != pages {
		t.Errorf("%d pages, the report says %d", last.Pages, pages)
	}
	if got := slices.Compact(stages); !slices.Equal(got, []Stage{Reading, Writing, Syncing}) {
		t.Errorf("stages %v", got)
	}
}

func TestLockedOutputIsRefused(t *testing.T) {
	out, dir := t.TempDir(), content(t, small())
	var inner error
	build(t, BuildConfig{Content: dir, Out: out, Progress: func(p Progress) {
		if p.Stage == Syncing {
			_, inner = Build(context.Background(), BuildConfig{Content: dir, Out: out})
		}
	}})
	if inner == nil || !strings.Contains(inner.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("second build: %v", inner)
	}
}
