package generator

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/verify"
	"contentedge/generator/visibility"
)

// withPicture is an item that names a file.
func withPicture(id, status, url string) string {
	return fmt.Sprintf(`{"ContentID":%q,"Name":%[1]q,"TemplateName":"Page","Status":%q,"CreatedAt":"2024-01-02T00:00:00Z","Data":{"pic":{"Type":"Reference","ReferenceType":"Media","MediaUrl":%q}}}`, id, status, url)
}

func picture(t *testing.T, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// illustrated is content with media.
func illustrated(t *testing.T) map[string]string {
	return map[string]string{
		"demo/a.json":        withPicture("a", "Published", "./img/one.png"),
		"demo/deep/b.json":   withPicture("b", "Draft", "../img/two.png"),
		"demo/c.json":        withPicture("c", "Published", "https://media.example.org/three.png"),
		"demo/img/one.png":   picture(t, 3),
		"demo/img/two.png":   picture(t, 5),
		"demo/img/three.png": picture(t, 7),
		"other/a.json":       withPicture("a", "Published", "./a clip.MP4"),
		"other/a clip.MP4":   strings.Repeat("film", 100000),
	}
}

// mediaOf lists the names of a release's media, without their digests.
func mediaOf(files map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, release.MediaDir+"/") {
			parts := strings.Split(name, "/")
			names = append(names, parts[2]+"/"+parts[4])
		}
	}
	return names
}

func verified(t *testing.T, out string) []string {
	t.Helper()
	r, err := verify.Dir(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	for _, p := range r.Problems {
		problems = append(problems, fmt.Sprint(p))
	}
	return problems
}

// TestMedia builds content with media: files that delivered items name are in the release, and no others.
func TestMedia(t *testing.T) {
	files := illustrated(t)
	for _, c := range []BuildConfig{{Visible: visibility.Everything()}, {SnapshotOnly: true, Visible: visibility.Everything()}, {}} {
		c.Content, c.Out, c.NoSync = content(t, files), filepath.Join(t.TempDir(), "public"), true
		r := build(t, c)
		got := current(t, c.Out)
		want := []string{"demo/one.png", "demo/two.png", "other/a-clip.mp4"}
		if len(c.Visible.Statuses) == 0 {
			want = []string{"demo/one.png", "other/a-clip.mp4"}
		}
		if names := mediaOf(got); !slices.Equal(names, want) && !slices.Equal(names, []string{want[1], want[0], want[len(want)-1]}) {
			t.Errorf("media %q, want %q", names, want)
		}
		if r.Environments[0].Media != len(want)-1 || r.Environments[1].Media != 1 || r.Files != len(got) {
			t.Errorf("%+v: %d files", r, len(got))
		}
		checkSums(t, got)
		checkDates(t, c.Out)
		if problems := verified(t, c.Out); !c.SnapshotOnly && len(problems) > 0 {
			t.Error(problems)
		}
		m, err := release.Parse([]byte(got[release.ManifestName]))
		if err != nil || m.Format != 7 || m.Environments[1].Media.Files != 1 || m.Environments[1].Media.Bytes != 400000 {
			t.Errorf("%+v, %v", m, err)
		}
		for _, e := range m.Environments {
			if sum := release.HexSHA256([]byte(mediaLines(got[release.ChecksumsName], e.ID))); e.Media.SHA256 != sum {
				t.Errorf("the lines of the media of %s have the SHA-256 %s, the manifest says %s", e.ID, sum, e.Media.SHA256)
			}
		}
		checkMediaDigest(t, c.Out, m)
		// The same bytes from a full build, and nothing to do for the next.
		full := c
		full.Out, full.Full = filepath.Join(t.TempDir(), "public"), true
		build(t, full)
		if !maps.Equal(current(t, full.Out), got) {
			t.Error("a full build differs")
		}
		if r := build(t, c); !r.Unchanged {
			t.Error("the second build writes")
		}
		plan, err := Plan(t.Context(), c)
		if err != nil || plan.Media != len(want) || !c.SnapshotOnly && plan.MediaBytes != m.Environments[0].Media.Bytes+400000 {
			t.Errorf("%+v, %v", plan, err)
		}
	}
}

// TestMediaOfEditedContent edits media between builds.
func TestMediaOfEditedContent(t *testing.T) {
	files := illustrated(t)
	c := BuildConfig{Visible: visibility.Everything(), Content: content(t, files), Out: filepath.Join(t.TempDir(), "public"), NoSync: true, CheckFiles: true}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(c.Content, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := build(t, c)
	before, was := current(t, c.Out), inodes(t, c.Out)
	if err := os.Remove(filepath.Join(c.Out, release.PreviousLink)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the first release has one before: %v", err)
	}
	put("demo/img/one.png", picture(t, 30))
	r := build(t, c)
	after := current(t, c.Out)
	if r.Unchanged || !slices.Equal(mediaOf(after), []string{"demo/one.png", "demo/two.png", "other/a-clip.mp4"}) && !slices.Equal(mediaOf(after), []string{"demo/two.png", "demo/one.png", "other/a-clip.mp4"}) {
		t.Errorf("%+v, media %q", r, mediaOf(after))
	}
	now := inodes(t, c.Out)
	for name := range after {
		if strings.Contains(name, "/media/") && (after[name] == before[name]) != (now[name] == was[name]) {
			t.Errorf("%s: the same bytes: %t; linked: %t", name, after[name] == before[name], now[name] == was[name])
		}
	}
	if link, err := os.Readlink(filepath.Join(c.Out, release.PreviousLink)); err != nil || link != "releases/"+first.Build {
		t.Errorf("the release before is %q, %v", link, err)
	}
	if got := tree(t, filepath.Join(c.Out, release.ReleasesDir, first.Build)); !maps.Equal(got, before) {
		t.Errorf("the release before changed: %d files", len(got))
	}
	// An editor that writes in place changes no release.
	put("other/a clip.MP4", strings.Repeat("FILM", 100000))
	if problems := verified(t, c.Out); len(problems) > 0 {
		t.Error(problems)
	}
	build(t, c)
	// A damaged or missing media file is written anew.
	for name := range current(t, c.Out) {
		if strings.HasSuffix(name, ".mp4") {
			path := filepath.Join(currentDir(t, c.Out), name)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(strings.Repeat("X", int(info.Size()))), 0o644), os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
				t.Fatal(err)
			}
		} else if strings.HasSuffix(name, "two.png") {
			if err := os.Remove(filepath.Join(currentDir(t, c.Out), name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if problems := verified(t, c.Out); len(problems) < 2 {
		t.Error("damage is not found:", problems)
	}
	if r := build(t, c); r.Repaired != 2 {
		t.Errorf("%d files repaired", r.Repaired)
	}
	if problems := verified(t, c.Out); len(problems) > 0 {
		t.Error(problems)
	}
	// Without the file the reference is broken.
	if err := os.Remove(filepath.Join(c.Content, "demo/img/two.png")); err != nil {
		t.Fatal(err)
	}
	c.BrokenRefs = "error"
	if _, err := Build(t.Context(), c); err == nil || !strings.Contains(err.Error(), `demo/deep/b.json:1:`) || !strings.Contains(err.Error(), `Data.pic.MediaUrl names the file "../img/two.png": this file does not exist`) {
		t.Error(err)
	}
	c.BrokenRefs = "ignore"
	if r := build(t, c); len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0].Message, "1 file of a kind no source reads: 1 .png") || r.Environments[0].Media != 1 {
		t.Errorf("%+v", r)
	}
}

// TestMediaLimits: media count for budgets and targets.
// TestMediaPlaces: a session notices a file that appears at a place where the file of a URL is looked for earlier, and one
// that is gone again. A URL that is relative to the root of the site and leads to no file is not an error.
func TestMediaPlaces(t *testing.T) {
	files := map[string]string{
		"demo/events/social.md": "---\ndate: 2024-01-02\n---\n![a](../k.png) ![b](/img/a.png) [c](/img/none.pdf) ![d](https://e.example/img/a.png) ![e](//e.example/img/a.png)\n",
		"demo/events/k.png":     picture(t, 1),
	}
	c := BuildConfig{Visible: visibility.Everything(), Content: content(t, files), Out: filepath.Join(t.TempDir(), "public"), NoSync: true, BrokenRefs: "error", Removal: Removal{Allow: true}}
	s, err := NewSession(c)
	if err != nil {
		t.Fatal(err)
	}
	digest := func(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(files[name])))[:32] }
	for _, step := range []struct {
		name string
		want []string // the files of the release
	}{
		{"", []string{"demo/events/k.png"}},
		{"demo/static/img/a.png", []string{"demo/events/k.png", "demo/static/img/a.png"}},
		{"demo/img/a.png", []string{"demo/events/k.png", "demo/img/a.png"}},
		{"demo/k.png", []string{"demo/k.png", "demo/img/a.png"}},
		{"-demo/k.png", []string{"demo/events/k.png", "demo/img/a.png"}},
		{"-demo/img/a.png", []string{"demo/events/k.png", "demo/static/img/a.png"}},
	} {
		path, remove := strings.CutPrefix(step.name, "-")
		if files[path] == "" {
			files[path] = picture(t, len(files)+1)
		}
		switch at := filepath.Join(c.Content, path); {
		case path == "":
		case remove:
			err = os.Remove(at)
		default:
			err = errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(files[path]), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), View{})
		if err != nil {
			t.Fatal(err)
		}
		got := current(t, c.Out)
		if names := mediaOf(got); len(names) != len(step.want) {
			t.Errorf("%q: media %q, %+v", step.name, names, r.Warnings)
		}
		html := ""
		for name, text := range got {
			if strings.HasSuffix(name, ".json") {
				html += text
			}
		}
		for _, name := range step.want {
			if !strings.Contains(html, digest(name)) {
				t.Errorf("%q: the html does not name %s: %s", step.name, name, html)
			}
		}
		if rooted := strings.Contains(html, `src=\"/img/a.png`); rooted != (len(step.want) == 1) || !strings.Contains(html, `href=\"/img/none.pdf`) || !strings.Contains(html, `src=\"//e.example/img/a.png`) {
			t.Errorf("%q: %s", step.name, html)
		}
	}
}

func TestMediaLimits(t *testing.T) {
	c := BuildConfig{Visible: visibility.Everything(), Content: content(t, illustrated(t)), Out: filepath.Join(t.TempDir(), "public"), NoSync: true}
	big := filepath.Join(c.Content, "other/a clip.MP4")
	if err := os.Truncate(big, 26<<20); err != nil {
		t.Fatal(err)
	}
	c.Target = "cloudflare-pages"
	if _, err := Build(t.Context(), c); err == nil || !strings.Contains(err.Error(), "a-clip.mp4 could have 27262976") || !strings.Contains(err.Error(), "deliver a media file from elsewhere") {
		t.Error(err)
	}
	c.Target, c.BudgetBytes = "", 20<<20
	if _, err := Build(t.Context(), c); err == nil || !strings.Contains(err.Error(), "including 3 of media with 26") {
		t.Error(err)
	}
}

// mediaLines returns the lines of a list of checksums that name media of an environment.
func mediaLines(list, env string) (lines string) {
	for line := range strings.Lines(list) {
		if strings.Contains(line, "  cda/media/"+env+"/") {
			lines += line
		}
	}
	return lines
}

// checkMediaDigest fails unless verify finds a wrong digest of the lines of media.
func checkMediaDigest(t *testing.T, out string, m *release.Manifest) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "release")
	wrong := *m
	wrong.Environments = slices.Clone(m.Environments)
	wrong.Environments[0].Media.SHA256 = wrong.Environments[1].Media.SHA256
	if err := errors.Join(os.CopyFS(dir, os.DirFS(filepath.Join(out, release.CurrentLink))), os.WriteFile(filepath.Join(dir, release.ManifestName), wrong.Encode(), 0o644)); err != nil {
		t.Fatal(err)
	}
	if problems := strings.Join(verified(t, dir), "; "); !strings.Contains(problems, "of the lines of its media") {
		t.Errorf("a wrong digest of media: %q", problems)
	}
}
