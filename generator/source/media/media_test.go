package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

// picture returns an image of a size as a file of a kind.
func picture(t testing.TB, kind string, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	pixels := image.NewGray(image.Rect(0, 0, width, height))
	err := map[string]func() error{
		"png": func() error { return png.Encode(&b, pixels) }, "jpeg": func() error { return jpeg.Encode(&b, pixels, nil) },
		"gif": func() error { return gif.Encode(&b, pixels, nil) },
	}[kind]()
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tinyWebP is a lossless WebP of 2 × 3 pixels: its head says 1 and 2.
const tinyWebP = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x01\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMedia shows which URLs lead to which files, and what is known of them.
func TestMedia(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"site/posts/img/A b.PNG": picture(t, "png", 30, 20), "site/posts/a.jpg": picture(t, "jpeg", 7, 5), "site/posts/a.gif": picture(t, "gif", 2, 9),
		"site/a.webp": tinyWebP, "site/a.svg": "<svg/>", "site/a.pdf": "%PDF", "site/bad.png": "no png", "site/short.jpeg": picture(t, "jpeg", 7, 5)[:20],
		"site/_drafts/a.png": "x", "site/.git/a.png": "x", "site/posts/page.html": "x", "site/empty.png": "", "other/a.png": "x", "site/dir.png/x.txt": "x",
		"site/100%.png": picture(t, "png", 1, 1),
	}
	put(t, dir, files)
	for link, target := range map[string]string{
		"site/in.png": "posts/img/A b.PNG", "site/out.png": "../other/a.png", "site/far.png": "/etc/hostname", "site/drafts.png": "_drafts/a.png",
		"site/nowhere.png": "nothing.png", "site/loop.png": "loop.png", "site/up": "..", "site/hidden": "_drafts", "site/plain": "posts/img", "site/posts/far": "../hidden",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "site/pipe.png"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := NewResolver(dir)
	r.Begin()
	for _, tt := range []struct {
		url, path, name string
		kind            string
		width, height   int
		fragment        string
	}{
		{"./img/A%20b.PNG", "site/posts/img/A b.PNG", "a-b.png", "image/png", 30, 20, ""},
		{"./img/A b.PNG", "site/posts/img/A b.PNG", "a-b.png", "image/png", 30, 20, ""},
		{"img/../a.jpg?v=2", "site/posts/a.jpg", "a.jpg", "image/jpeg", 7, 5, ""},
		{"./a.gif#top", "site/posts/a.gif", "a.gif", "image/gif", 2, 9, "#top"},
		{"../a.webp", "site/a.webp", "a.webp", "image/webp", 2, 3, ""},
		{"../a.svg?x#y?z", "site/a.svg", "a.svg", "image/svg+xml", 0, 0, "#y?z"},
		{"../a.pdf#page=3", "site/a.pdf", "a.pdf", "application/pdf", 0, 0, "#page=3"},
		{"../in.png", "site/in.png", "in.png", "image/png", 30, 20, ""},
		{"../plain/A b.PNG", "site/plain/A b.PNG", "a-b.png", "image/png", 30, 20, ""},
		{"../bad.png", "site/bad.png", "bad.png", "image/png", 0, 0, ""},
		{"../short.jpeg", "site/short.jpeg", "short.jpeg", "image/jpeg", 0, 0, ""},
		{"../100%.png", "site/100%.png", "100.png", "image/png", 1, 1, ""},
		{"../../site/a.svg", "site/a.svg", "a.svg", "image/svg+xml", 0, 0, ""},
	} {
		f, target, err := r.Resolve(t.Context(), "site", "site/posts/a.md", tt.url)
		if err != nil {
			t.Errorf("%s: %v", tt.url, err)
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, tt.path))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if want := "/" + address.MediaFile("site", sum, tt.name); f.Address != want || target != want+tt.fragment {
			t.Errorf("%s: %s, %s, want %s", tt.url, f.Address, target, want)
		}
		if f.Path != tt.path || f.Type != tt.kind || f.Size != int64(len(text)) || f.SHA256 != sum || f.Width != tt.width || f.Height != tt.height {
			t.Errorf("%s: %+v", tt.url, f)
		}
		if damaged := strings.Contains(tt.url, "bad") || strings.Contains(tt.url, "short"); f.Damaged != damaged {
			t.Errorf("%s: damaged %t", tt.url, f.Damaged)
		}
	}
	for url, want := range map[string]string{
		"./none.png": "does not exist", "a.jpg/x.png": "does not exist", "./img/a%20b.png": "does not exist", "../_drafts/a.png": `begins with "." or "_"`, "../.git/a.png": `begins with "." or "_"`,
		"./page.html": "not media", "./x.md": "not media", "../dir.png": "a folder", "../dir.png/": "not media", "../empty.png": "empty", "../pipe.png": "a pipe",
		"../../other/a.png": "outside of its environment", "../../../../etc/passwd.png": "outside of its environment", "%2e%2e/%2e%2e/other/a.png": "outside of its environment",
		"../out.png": "leaves its environment", "../far.png": "leaves its environment", "../up/other/a.png": "leaves its environment", "../drafts.png": `begins with "." or "_"`,
		"../hidden/a.png": `begins with "." or "_"`, "./far/a.png": `begins with "." or "_"`, "../hidden/none.png": "does not exist",
		"../nowhere.png": "leads nowhere", "../loop.png": "leads nowhere", "//site/a.svg": "not the path", "": "not the path", "#a.png": "not the path", "a%00.png": "not the path",
		`..\a.png`: "not the path", "/site/a.svg": "does not exist", strings.Repeat("a", 300) + ".png": "no name of a file",
	} {
		_, _, err := r.Resolve(t.Context(), "site", "site/posts/a.md", url)
		var fault *Fault
		if !errors.As(err, &fault) || !strings.Contains(fault.Message, want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	for url, want := range map[string]bool{"a.png": true, "./a": true, "../a": true, "a/b.png?x": true, "/a.png": false, "//h/a.png": false, "https://h/a.png": false,
		"data:image/png;base64,x": false, "#a": false, "?a": false, "": false, "a:b.png": false, "./a:b.png": true, "mailto:a@b": false} {
		if documents.RelativeURL(url) != want {
			t.Errorf("%q is relative: %t", url, !want)
		}
	}
	if !documents.HasMediaExtension("a/b%2epng?x=y.md#z") || documents.HasMediaExtension("a.md?b.png") || documents.HasMediaExtension("a/") {
		t.Error("extensions of URLs")
	}
}

// TestLoads changes files between Loads: each Load sees files of one moment, and reads only those that
// changed.
func TestLoads(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"site/a.png": picture(t, "png", 3, 4)})
	r := NewResolver(dir)
	look := func(name string) (*File, string) {
		f, _, err := r.Resolve(t.Context(), "site", "site/a.md", name)
		var fault *Fault
		if err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
		in := documents.Input{Env: "site", Path: "a.md", Ask: func(q documents.Question) string {
			answer, err := r.Answer(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}}
		answer, ok := documents.AskMedia(in, name)
		if ok != (f != nil) || ok && answer != f.Address {
			t.Errorf("%s: answer %q, %t, of %+v", name, answer, ok, f)
		}
		return f, answer
	}
	r.Begin()
	was, answer := look("a.png")
	for deadline := time.Now().Add(time.Minute); r.files["site/a.png"].state.Young(); was, _ = look("a.png") {
		if r.Begin(); time.Now().After(deadline) {
			t.Fatal("the file stays young")
		}
	}
	_, none := look("c.png")
	r.Begin()
	if again, _ := look("a.png"); again != was {
		t.Error("a file that stayed was read again")
	}
	put(t, dir, map[string]string{"site/a.png": picture(t, "png", 5, 4), "site/c.png": picture(t, "png", 1, 1)})
	if again, _ := look("a.png"); again != was {
		t.Error("a Load looked twice")
	}
	r.Begin()
	if f, now := look("a.png"); f == nil || f.Width != 5 || now == answer {
		t.Errorf("the file is still %+v", f)
	}
	if f, now := look("c.png"); f == nil || f.Width != 1 || now == none {
		t.Errorf("the new file is %+v", f)
	}
	if err := os.Remove(filepath.Join(dir, "site/a.png")); err != nil {
		t.Fatal(err)
	}
	r.Begin()
	if f, _ := look("a.png"); f != nil {
		t.Errorf("the removed file is %+v", f)
	}
	if r.Forget(); r.files["site/a.png"] == nil || r.files["site/c.png"] != nil {
		t.Errorf("%v are remembered", r.files)
	}
}

// TestStreams: a large file is read in a stream, and not at all once the context ended.
func TestStreams(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"site/a.mp4": "", "site/b.mp4": ""})
	for name, size := range map[string]int64{"site/a.mp4": 64 << 20, "site/b.mp4": address.MaxMedia + 1} {
		if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
			t.Fatal(err)
		}
	}
	r := NewResolver(dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.Resolve(ctx, "site", "site/x.md", "a.mp4"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	f, _, err := r.Resolve(t.Context(), "site", "site/x.md", "a.mp4")
	if err != nil || f.Size != 64<<20 {
		t.Fatal(f, err)
	}
	if _, _, err := r.Resolve(t.Context(), "site", "site/x.md", "b.mp4"); err == nil || !strings.Contains(err.Error(), "a media file may have") {
		t.Error(err)
	}
	in, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := os.Remove(filepath.Join(dir, "site/a.mp4")); err != nil {
		t.Fatal(err)
	}
	var problem *source.Problem
	if _, err := f.Open(); !errors.As(err, &problem) {
		t.Error(err)
	}
}
