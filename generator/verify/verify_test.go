// These tests damage a release in one way each and expect to be told.

package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
	"contentedge/generator/checksums"
)

// sample builds a release of two environments and gives its directory.
func sample(t *testing.T) (root string, r *generator.Report) {
	t.Helper()
	content := t.TempDir()
	for i := range 25 {
		env := []string{"demo", "other"}[min(1, i/23)]
		text := fmt.Sprintf(`{"ContentID":"id%d","Name":"Név \"%d\"","TemplateName":"T%d","CreatedBy":"Ann\u00e9","CreatedAt":"2024-01-%02dT00:00:00Z","Data":{"n":%d}}`, i, i, i%3, 1+i%9, i)
		path := filepath.Join(content, env, fmt.Sprintf("%d.json", i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	out := t.TempDir()
	r, err := generator.Build(context.Background(), generator.BuildConfig{Content: content, Out: out, Lists: generator.DefaultLists + ",name"})
	if err != nil {
		t.Fatal(err)
	}
	return out, r
}

func verified(t *testing.T, dir string) *Report {
	t.Helper()
	r, err := Dir(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoodRelease(t *testing.T) {
	out, built := sample(t)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(out, "current"))); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{out, filepath.Join(out, "current"), copied} {
		r := verified(t, dir)
		if len(r.Problems) > 0 {
			t.Errorf("%s: %s", dir, strings.Join(r.Problems, "\n"))
		}
		if r.Build != built.Build || r.Files != built.Files || r.Bytes != built.Bytes || r.Items != 25 || r.Environments != 2 {
			t.Errorf("%s: verified %+v, built %+v", dir, r, built)
		}
		if want := built.Environments[0].Pages + built.Environments[1].Pages; r.Pages != want {
			t.Errorf("%s: %d pages, want %d", dir, r.Pages, want)
		}
	}
}

// edit changes a file's bytes.
func edit(name string, change func([]byte) []byte) func(root string) error {
	return func(root string) error {
		path := filepath.Join(root, name)
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, change(b), 0o644)
	}
}

// manifest changes the manifest and gives it the build id of its new content.
func manifest(change func(*release.Manifest)) func(root string) error {
	return edit(release.ManifestName, func(b []byte) []byte {
		m, err := release.Parse(b)
		if err != nil {
			panic(err)
		}
		change(m)
		return m.Encode()
	})
}

func flip(b []byte) []byte {
	b[len(b)/2] ^= 1
	return b
}

func cut(b []byte) []byte { return b[:len(b)-1] }

// snapshotOf returns the snapshot file of an environment.
func snapshotOf(root, env string) string {
	names, err := filepath.Glob(filepath.Join(root, "snapshots", env+"-*.snap"))
	if err != nil || len(names) != 1 {
		panic(fmt.Sprint(names, err))
	}
	return names[0]
}

const rest = "cda/rest/v1/demo/"

// TestVerify damages a release in one place, and shows what is said of it.
func TestVerify(t *testing.T) {
	const page = rest + "contents-list/template-_t1/sort-createdat-desc-10/page-1.json"
	const compressed = rest + "contents-list/sort-createdat-desc-10/page-1.json.gz"
	tests := []struct {
		name   string
		damage func(root string) error
		want   string
	}{
		{"a flipped bit of an item", edit(rest+"contents/id3.json", flip), "contents/id3.json: differs from the snapshot's item at byte"},
		{"an item that is cut", edit(rest+"contents/id3.json", cut), "contents/id3.json: differs"},
		{"an item that is missing", func(root string) error { return os.Remove(filepath.Join(root, rest+"contents/id3.json")) }, "contents/id3.json: the file is missing"},
		{"a flipped bit of a page", edit(rest+"contents-list/sort-createdat-desc-10/page-3.json", flip), "page-3.json: differs from what the snapshot answers"},
		{"a page that is missing", func(root string) error {
			return os.Remove(filepath.Join(root, rest+"contents-list/sort-createdat-desc-10/page-2.json"))
		}, "page-2.json: the file is missing"},
		{"a page in the place of another", func(root string) error {
			return os.Rename(filepath.Join(root, rest+"contents-list/sort-createdat-desc-10/page-1.json"), filepath.Join(root, rest+"contents-list/sort-createdat-desc-10/page-2.json"))
		}, "page-2.json: differs"},
		{"an item that nothing names", func(root string) error {
			return os.WriteFile(filepath.Join(root, rest+"contents/gone.json"), nil, 0o644)
		}, "contents/gone.json: nothing in the manifest"},
		{"a page that no list has", func(root string) error {
			return os.WriteFile(filepath.Join(root, rest+"contents-list/sort-createdat-desc-10/page-4.json"), nil, 0o644)
		}, "page-4.json: nothing in the manifest"},
		{"a signed pointer among the items", func(root string) error { return os.WriteFile(filepath.Join(root, "cda/current.json"), nil, 0o644) }, "cda/current.json: nothing"},
		{"a link in the place of a signed pointer", func(root string) error { return os.Symlink("/etc/passwd", filepath.Join(root, release.PointerName)) }, "current.json: it is not a regular file"},
		{"a file of an operating system", func(root string) error { return os.WriteFile(filepath.Join(root, "cda/.DS_Store"), nil, 0o644) }, "cda/.DS_Store: nothing"},
		{"a snapshot that nothing names", func(root string) error {
			return os.WriteFile(filepath.Join(root, "snapshots/demo-0123456789abcdef.snap"), nil, 0o644)
		}, "demo-0123456789abcdef.snap: nothing"},
		{"a link in the place of a file", func(root string) error { return os.Symlink("/etc/passwd", filepath.Join(root, rest+"contents/x.json")) }, "x.json: it is not a regular file"},
		{"a flipped bit of a precompressed file", edit(compressed, flip), "page-1.json.gz: its SHA-256 is"},
		{"a precompressed file that is cut", edit(compressed, cut), "page-1.json.gz: its SHA-256 is"},
		{"a precompressed file that is missing", func(root string) error { return os.Remove(filepath.Join(root, compressed)) }, "page-1.json.gz: "},
		{"a precompressed file that files.sha256 does not list", func(root string) error {
			return os.WriteFile(filepath.Join(root, rest+"contents/id3.json.br"), nil, 0o644)
		}, "contents/id3.json.br: files.sha256 does not list it"},
		{"a precompressed file of a coding that the manifest does not name", func(root string) error {
			return os.WriteFile(filepath.Join(root, rest+"contents/id3.json.zst"), nil, 0o644)
		}, "contents/id3.json.zst: nothing in the manifest"},
		{"a precompressed file of another page, with a right checksum", func(root string) error {
			b, err := os.ReadFile(filepath.Join(root, strings.Replace(compressed, "page-1", "page-2", 1)))
			return errors.Join(err, os.WriteFile(filepath.Join(root, compressed), b, 0o644), relist(root))
		}, "page-1.json.gz: it "},
		{"a precompressed file that cannot be decoded, with a right checksum", func(root string) error {
			return errors.Join(os.WriteFile(filepath.Join(root, compressed), []byte("x"), 0o644), relist(root))
		}, "page-1.json.gz: it cannot be decoded"},
		{"a flipped bit of files.sha256", edit(release.ChecksumsName, flip), "files.sha256: "},
		{"a release without files.sha256", func(root string) error { return os.Remove(filepath.Join(root, release.ChecksumsName)) }, "files.sha256: "},
		{"a flipped bit of a snapshot", func(root string) error { return edit("", flip)(snapshotOf(root, "demo")) }, "the manifest says"},
		{"a snapshot that is cut", func(root string) error { return edit("", cut)(snapshotOf(root, "demo")) }, "the manifest says"},
		{"a snapshot that is missing", func(root string) error { return os.Remove(snapshotOf(root, "demo")) }, "no such file"},
		{"a manifest that is cut", edit(release.ManifestName, func(b []byte) []byte { return b[:len(b)/2] }), "manifest.json: "},
		{"a wrong number in the manifest", edit(release.ManifestName, func(b []byte) []byte { return []byte(strings.Replace(string(b), `"files":`, `"files":1`, 1)) }), "manifest.json: "},
		{"a wrong total of a list", manifest(func(m *release.Manifest) { m.Environments[0].Lists[1].Values[1].TotalItems++ }),
			page[strings.LastIndex(page, "template"):] + ": the manifest says 9 items, the snapshot has 8"},
		{"a list in the manifest that has no items", manifest(func(m *release.Manifest) {
			v := &m.Environments[0].Lists[1].Values
			*v = append(*v, release.FamilyValue{Filters: map[string]string{"template": "Z"}})
		}), "template-_z/sort-createdat-desc-10/page-1.json: the file is missing"},
		{"a list that the manifest lacks", manifest(func(m *release.Manifest) {
			v := &m.Environments[0].Lists[1].Values
			*v = (*v)[:2]
		}), "template-_t2/sort-createdat-desc-10/page-1.json: nothing in the manifest"},
		{"a wrong count of files of an environment", manifest(func(m *release.Manifest) { m.Environments[1].Files++; m.Files++ }), "environment other: counts"},
		{"a wrong count of bytes of the release", manifest(func(m *release.Manifest) { m.Bytes++ }), "manifest.json: counts"},
		{"a wrong number of items", manifest(func(m *release.Manifest) { m.Environments[0].Items++ }), "it holds 23 items, the manifest says 24"},
		{"a wrong default order", manifest(func(m *release.Manifest) { m.Defaults.Sort = "Name" }), "its order is by CreatedAt"},
	}
	out, _ := sample(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "release")
			if err := errors.Join(os.CopyFS(root, os.DirFS(filepath.Join(out, "current"))), tt.damage(root)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(verified(t, root).Problems, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// relist writes the list of checksums of what is there now, and a manifest that vouches for it.
func relist(root string) error {
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err == nil && !d.IsDir() && name != release.ManifestName && name != release.ChecksumsName {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	var list bytes.Buffer
	w := checksums.NewWriter(&list)
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err := errors.Join(err, w.Add(name, sha256.Sum256(b))); err != nil {
			return err
		}
	}
	vouch := manifest(func(m *release.Manifest) {
		sum := sha256.Sum256(list.Bytes())
		m.Checksums = release.Checksums{Bytes: int64(list.Len()), SHA256: hex.EncodeToString(sum[:])}
	})
	return errors.Join(os.WriteFile(filepath.Join(root, release.ChecksumsName), list.Bytes(), 0o644), vouch(root))
}

// Whatever is damaged, and wherever, is found.
func TestEveryByteCounts(t *testing.T) {
	out, _ := sample(t)
	root := filepath.Join(t.TempDir(), "release")
	if err := os.CopyFS(root, os.DirFS(filepath.Join(out, "current"))); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || rnd.IntN(4) > 0 && !strings.HasSuffix(path, ".gz") {
			return err
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		at := rnd.IntN(len(whole))
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << rnd.IntN(8)
		for what, b := range map[string][]byte{"flipped": flipped, "cut": whole[:at]} {
			if err := os.WriteFile(path, b, 0o644); err != nil {
				return err
			}
			if len(verified(t, root).Problems) == 0 {
				t.Errorf("seed %d: %s, %s at byte %d: not found", seed, path, what, at)
			}
		}
		return os.WriteFile(path, whole, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := verified(t, root).Problems; len(p) > 0 {
		t.Errorf("mended: %s", strings.Join(p, "\n"))
	}
}

// TestAttributes: a missing link is a problem; other modes and times are warned of.
func TestAttributes(t *testing.T) {
	out, _ := sample(t)
	if r := verified(t, out); len(r.Problems)+len(r.Warnings)+len(r.Links) > 0 {
		t.Errorf("%v, %v", r.Problems, r.Warnings)
	}
	item, zipped := filepath.Join(out, "cda/rest/v1/demo/contents/id1.json"), filepath.Join(out, "cda/rest/v1/demo/contents-list/sort-createdat-desc-10/page-1.json.gz")
	now := time.Now()
	if err := errors.Join(os.Chmod(item, 0o600), os.Chtimes(zipped, now, now)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"files with another mode than manifest.json: 1 (first: cda/rest/v1/demo/contents/id1.json)",
		"files that lost their times, from which web servers derive ETags: 1 (first: cda/rest/v1/demo/contents-list/sort-createdat-desc-10/page-1.json.gz)",
	}
	if r := verified(t, out); len(r.Problems) > 0 || !slices.Equal(r.Warnings, want) {
		t.Errorf("%v\n%s", r.Problems, strings.Join(r.Warnings, "\n"))
	}
	if err := errors.Join(os.Remove(filepath.Join(out, "cda")), os.Remove(filepath.Join(out, "files.sha256")), os.WriteFile(filepath.Join(out, "files.sha256"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	problems := []string{filepath.Join(out, "cda") + ": the link is missing; the next build makes it", filepath.Join(out, "files.sha256") + ": it is not a link to current/files.sha256"}
	if r := verified(t, out); len(r.Problems) > 0 || !slices.Equal(r.Links, problems) {
		t.Errorf("%v, %v", r.Problems, r.Links)
	}
}

func TestNoRelease(t *testing.T) {
	if _, err := Dir(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no release") {
		t.Errorf("got %v", err)
	}
}

func TestCancelled(t *testing.T) {
	out, _ := sample(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Dir(ctx, out); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Environments that another release has with equal parts are not read: damage of the others is found, and files that
// belong to none.
func TestChanged(t *testing.T) {
	out, _ := sample(t)
	root, err := filepath.EvalSymlinks(filepath.Join(out, "current"))
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := releasedir.ReadManifest(root)
	if err != nil {
		t.Fatal(err)
	}
	var items []string
	for _, e := range m.Environments {
		names, err := filepath.Glob(filepath.Join(root, "cda/rest/v1", e.ID, "contents", "*.json"))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		name, _ := filepath.Rel(root, names[0])
		items = append(items, name)
		if err := edit(name, flip)(root); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "stray.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	other := *m
	other.Environments = []release.Environment{m.Environments[0]}
	for _, c := range []struct {
		published *release.Manifest
		found     []string
	}{{nil, items}, {m, nil}, {&other, items[1:]}} {
		r, err := Changed(t.Context(), out, c.published)
		if err != nil {
			t.Fatal(err)
		}
		problems := strings.Join(r.Problems, "\n")
		for _, name := range items {
			if found := strings.Contains(problems, name+":"); found != slices.Contains(c.found, name) {
				t.Errorf("%v: %s is found: %t\n%s", c.found, name, found, problems)
			}
		}
		if !strings.Contains(problems, "stray.json") {
			t.Errorf("%v: the stray file is not found: %s", c.found, problems)
		}
	}
}
