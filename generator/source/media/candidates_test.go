package media

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCandidates shows where the file of a URL may be: each place wins as long as none before it has the file.
func TestCandidates(t *testing.T) {
	for _, tt := range []struct{ from, url, places string }{
		{"events/social.md", "../K.webp", "K.webp events/K.webp static/events/K.webp static/K.webp public/events/K.webp public/K.webp assets/events/K.webp assets/K.webp"},
		{"events/social.mdx", "./K.webp", "events/K.webp events/social/K.webp static/events/social/K.webp static/events/K.webp"},
		{"events/index.md", "../K.webp", "K.webp static/K.webp public/K.webp assets/K.webp"},
		{"events/_index.md", "K.webp", "events/K.webp static/events/K.webp"},
		{"a.md", "../../K.webp", "K.webp static/K.webp"}, // browsers stay below the root of the site
		{"a/b/c.md", "/img/K.webp", "img/K.webp static/img/K.webp public/img/K.webp assets/img/K.webp"},
		{"a/b/c.md", "/static/K.webp", "static/K.webp static/static/K.webp"},
		{"a.md", "/x/../../../K%2Ewebp?v=1#top", "K.webp static/K.webp"},
		{"a.json", "./K.webp", "K.webp"},
		{"a/b.yaml", "../K.webp", "K.webp"},
	} {
		dir := t.TempDir()
		places := strings.Fields(tt.places)
		for _, place := range slices.Backward(places) {
			put(t, dir, map[string]string{"site/" + place: tinyWebP, "other/K.webp": tinyWebP, "K.webp": tinyWebP})
			r := NewResolver(dir)
			r.Begin()
			if f, _, err := r.Resolve(t.Context(), "site", "site/"+tt.from, tt.url); err != nil || f.Path != "site/"+place {
				t.Errorf("%s in %s: %+v, %v, want %s", tt.url, tt.from, f, err, place)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "site")); err != nil {
			t.Fatal(err)
		}
		put(t, dir, map[string]string{"site/" + tt.from: ""})
		r := NewResolver(dir)
		r.Begin()
		if f, _, err := r.Resolve(t.Context(), "site", "site/"+tt.from, tt.url); err == nil {
			t.Errorf("%s in %s: %+v", tt.url, tt.from, f)
		}
	}
}

// TestFirstCandidate: an error is about the first place and names the others; a file that exists but cannot be delivered
// is never passed over.
func TestFirstCandidate(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"site/static/empty.png": "", "site/static/empty2.png": tinyWebP, "site/events/empty2.png": "", "site/static/_a/x.png": tinyWebP})
	r := NewResolver(dir)
	r.Begin()
	for url, want := range map[string]string{
		"../none.png":      "this file does not exist (add the file, or take the reference out; names are case-sensitive; it is not at site/events/none.png, site/static/events/none.png, site/static/none.png, site/public/events/none.png, and the same in public and assets either)",
		"../../none.png":   "this file lies outside of its environment (copy it into the folder of the environment; it is not at site/none.png, site/static/none.png, site/public/none.png, site/assets/none.png either)",
		"../empty.png":     "site/static/empty.png: this file is empty (add its bytes, or take the reference out)",
		"../../empty2.png": "site/static/empty2.png",
		"./empty2.png":     "this file is empty (add its bytes, or take the reference out)",
		"/_a/x.png":        `a name on the path of this file begins with "." or "_"`,
	} {
		f, _, err := r.Resolve(t.Context(), "site", "site/events/social.md", url)
		var fault *Fault
		got := ""
		if errors.As(err, &fault) {
			got = fault.Message + " (" + fault.Hint + ")"
		} else if f != nil {
			got = f.Path
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// TestEarlierCandidate: a Load finds a file that has appeared at an earlier place, and the later one again once it is gone.
func TestEarlierCandidate(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"site/static/K.webp": tinyWebP})
	r := NewResolver(dir)
	for _, step := range []struct{ add, remove, want string }{
		{"", "", "site/static/K.webp"}, {"site/a/K.webp", "", "site/a/K.webp"}, {"site/K.webp", "", "site/K.webp"}, {"", "site/K.webp", "site/a/K.webp"}, {"", "site/a/K.webp", "site/static/K.webp"},
	} {
		if step.add != "" {
			put(t, dir, map[string]string{step.add: tinyWebP})
		}
		if step.remove != "" {
			if err := os.Remove(filepath.Join(dir, step.remove)); err != nil {
				t.Fatal(err)
			}
		}
		r.Begin()
		if f, _, err := r.Resolve(t.Context(), "site", "site/a.md", "./K.webp"); err != nil || f.Path != step.want {
			t.Errorf("%+v: %+v, %v", step, f, err)
		}
		r.Forget()
	}
}
