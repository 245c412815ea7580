package edgeserve

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// mediaPublic is a public directory with a release that has media, and the release before it.
type mediaPublic struct {
	t   *testing.T
	dir string
}

// release writes a release with media by name, makes it current, and returns their addresses.
func (p mediaPublic) release(note string, media map[string]string) map[string]string {
	p.t.Helper()
	temp := filepath.Join(p.dir, release.ReleasesDir, "new")
	build := fixture{env: "demo", names: []string{"Ada", "Bo"}, note: note}.write(p.t, temp)
	addresses := map[string]string{}
	for name, text := range media {
		file := address.MediaFile("demo", sha256.Sum256([]byte(text)), name)
		writeFile(p.t, filepath.Join(temp, file), []byte(text))
		addresses[name] = "/" + file
	}
	if err := os.Rename(temp, filepath.Join(p.dir, release.ReleasesDir, build)); err != nil {
		p.t.Fatal(err)
	}
	current := filepath.Join(p.dir, release.CurrentLink)
	if old, err := os.Readlink(current); err == nil {
		p.link(old, release.PreviousLink)
	}
	p.link(release.ReleasesDir+"/"+build, release.CurrentLink)
	p.link(release.CurrentLink+"/"+release.ManifestName, release.ManifestName)
	return addresses
}

func (p mediaPublic) link(target, name string) {
	p.t.Helper()
	_ = os.Remove(filepath.Join(p.dir, name))
	if err := os.Symlink(target, filepath.Join(p.dir, name)); err != nil {
		p.t.Fatal(err)
	}
}

// TestMedia shows how both adapters send media: the same bytes and fields.
func TestMedia(t *testing.T) {
	p := mediaPublic{t, t.TempDir()}
	long := strings.Repeat("0123456789abcdef", 8<<10)
	gone := p.release("one", map[string]string{"gone.gif": "gone"})["gone.gif"]
	at := p.release("two", map[string]string{"a.png": long, "b.svg": "<svg/>", "c.pdf": "%PDF", "d.vtt": "WEBVTT"})
	fast, fastAddr := startServer(t, func(c *ServerConfig) { c.Public = p.dir })
	engine, engineAddr := startEngine(t, func(c *ServerConfig) { c.Public = p.dir })
	for _, s := range []*Server{fast, engine} {
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tag := `"` + strings.Split(at["a.png"], "/")[4] + `"`
	none := strings.Replace(at["a.png"], tag[1:9], "00000000", 1)
	for _, c := range []struct {
		method, target, fields string
		status                 int
		body                   string
		want                   map[string]string
	}{
		{"GET", at["a.png"], "", 200, long, map[string]string{"Content-Type": "image/png", "Etag": tag, "Cache-Control": "public, max-age=31536000, immutable", "Accept-Ranges": "bytes", "Content-Disposition": "", "Content-Encoding": ""}},
		{"GET", at["a.png"] + "?v=2", "Accept-Encoding: gzip, br\r\n", 200, long, map[string]string{"Content-Type": "image/png", "Content-Encoding": ""}},
		{"HEAD", at["a.png"], "", 200, "", map[string]string{"Content-Length": fmt.Sprint(len(long)), "Etag": tag}},
		{"GET", at["a.png"], "Range: bytes=16-31\r\n", 206, long[:16], map[string]string{"Content-Range": fmt.Sprintf("bytes 16-31/%d", len(long)), "Content-Type": "image/png"}},
		{"GET", at["a.png"], "Range: bytes=-5\r\n", 206, "bcdef", nil},
		{"GET", at["a.png"], "Range: bytes=999999-\r\n", 416, "bad_range", map[string]string{"Content-Range": fmt.Sprintf("bytes */%d", len(long))}},
		{"GET", at["a.png"], "Range: bytes=0-3\r\nIf-Range: \"x\"\r\n", 200, long, nil},
		{"GET", at["a.png"], "Range: bytes=0-3\r\nIf-Range: " + tag + "\r\n", 206, "0123", nil},
		{"GET", at["a.png"], "If-None-Match: " + tag + "\r\n", 304, "", map[string]string{"Etag": tag, "Cache-Control": "public, max-age=31536000, immutable", "Content-Type": ""}},
		{"GET", at["a.png"], "If-Match: \"x\"\r\n", 412, "precondition_failed", nil},
		{"GET", at["a.png"], "X-Release: 0123456789abcdef\r\n", 412, "release_mismatch", nil},
		{"GET", at["b.svg"], "", 200, "<svg/>", map[string]string{"Content-Type": "image/svg+xml", "Content-Disposition": ""}},
		{"GET", at["c.pdf"], "", 200, "%PDF", map[string]string{"Content-Type": "application/pdf", "Content-Disposition": "attachment"}},
		{"GET", at["d.vtt"], "Origin: https://a.example\r\n", 200, "WEBVTT", map[string]string{"Content-Type": "text/vtt; charset=utf-8"}},
		{"GET", gone, "", 200, "gone", map[string]string{"Content-Type": "image/gif"}},
		{"GET", none, "", 404, "unknown_media", map[string]string{"Cache-Control": "public, max-age=10", "Content-Type": "application/json"}},
		{"HEAD", none, "", 404, "", nil},
		{"GET", at["a.png"] + ".gz", "", 404, "unknown_route", nil},
		{"GET", strings.Replace(at["a.png"], "a.png", "A.png", 1), "", 404, "unknown_route", nil},
		{"GET", strings.Replace(at["a.png"], "a.png", "../a.png", 1), "", 404, "unknown_route", nil},
		{"GET", strings.Replace(at["a.png"], "a.png", "a.html", 1), "", 404, "unknown_route", nil},
		{"PUT", at["a.png"], "", 405, "method_not_allowed", map[string]string{"Allow": address.AllowRead}},
		{"OPTIONS", at["a.png"], "", 204, "", map[string]string{"Allow": address.AllowRead}},
	} {
		raw := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\nX-Request-Id: t\r\n%s\r\n", c.method, c.target, c.fields)
		want := wholeResponse(t, engineAddr, raw)
		for range 2 {
			if got := wholeResponse(t, fastAddr, raw); got != want {
				t.Fatalf("%s: the fast path sends\n%.1000s\nFiber\n%.1000s", raw, got, want)
			}
		}
		a, body := ask(t, fastAddr, c.method, c.target, c.fields, "")
		if a.StatusCode != c.status || c.status < 400 && body != c.body || !strings.Contains(body, c.body) {
			t.Errorf("%s: %d %.200s", raw, a.StatusCode, body)
		}
		for name, value := range c.want {
			if got := a.Header.Get(name); got != value {
				t.Errorf("%s: %s: %q, want %q", raw, name, got, value)
			}
		}
		if sandbox := a.Header.Get("Content-Security-Policy"); (sandbox == release.MediaPolicy) != (c.status < 400 && c.status != 204) {
			t.Errorf("%s: Content-Security-Policy: %q", raw, sandbox)
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", raw, a.Header)
		}
	}
	if text := string(fast.metricsText()); !strings.Contains(text, `requests_total{route="media",code="200"}`) {
		t.Error("media are not counted")
	}
}

// TestMediaOfTwoReleases: media of the release before stay served, and no longer.
func TestMediaOfTwoReleases(t *testing.T) {
	p := mediaPublic{t, t.TempDir()}
	s, addr := startServer(t, func(c *ServerConfig) { c.Public = p.dir })
	var at []string
	for i := range 4 {
		name := fmt.Sprintf("n%d.png", i)
		at = append(at, p.release(name, map[string]string{name: name})[name])
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		for j := range at {
			want := 200
			if j < i-1 {
				want = 404
			}
			if a, _ := ask(t, addr, "GET", at[j], "", ""); a.StatusCode != want {
				t.Errorf("release %d, media of %d: %d, want %d", i, j, a.StatusCode, want)
			}
		}
	}
	// A build that reuses the directory of the release before removes its manifest first.
	previous, err := filepath.EvalSymlinks(filepath.Join(p.dir, release.PreviousLink))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(previous, release.ManifestName)); err != nil {
		t.Fatal(err)
	}
	if a, _ := ask(t, addr, "GET", at[2], "", ""); a.StatusCode != 404 {
		t.Errorf("media of a release that was removed: %d", a.StatusCode)
	}
}

// TestDamagedMedia: a node sends the file of the release before for one that is damaged, and never an empty
// file, which clients would hold for ever.
func TestDamagedMedia(t *testing.T) {
	damages := map[string]func(file string) error{
		"emptied":    func(file string) error { return os.Truncate(file, 0) },
		"a folder":   func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
		"a link out": func(file string) error { return errors.Join(os.Remove(file), os.Symlink("/dev/null", file)) },
	}
	for what, damage := range damages {
		p := mediaPublic{t, t.TempDir()}
		at := p.release("one", map[string]string{"a.png": "picture"})["a.png"]
		p.release("two", map[string]string{"a.png": "picture"})
		fast, fastAddr := startServer(t, func(c *ServerConfig) { c.Public = p.dir })
		engine, engineAddr := startEngine(t, func(c *ServerConfig) { c.Public = p.dir })
		for _, s := range []*Server{fast, engine} {
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			link   string
			status int
			body   string
		}{{release.CurrentLink, 200, "picture"}, {release.PreviousLink, 503, "media_unreachable"}} {
			if err := damage(filepath.Join(p.dir, c.link, at)); err != nil {
				t.Fatal(err)
			}
			for _, addr := range []string{fastAddr, engineAddr} {
				if a, body := ask(t, addr, "GET", at, "", ""); a.StatusCode != c.status || !strings.Contains(body, c.body) {
					t.Errorf("%s, damaged in %s: %d %.200s", what, c.link, a.StatusCode, body)
				}
			}
		}
	}
}

// TestLargeMedia: clients that read slowly hold no memory, only a buffer each.
func TestLargeMedia(t *testing.T) {
	const size, clients = 64 << 20, 20
	p := mediaPublic{t, t.TempDir()}
	at := p.release("one", map[string]string{"film.mp4": strings.Repeat("f", 100)})["film.mp4"]
	if err := os.Truncate(filepath.Join(p.dir, release.CurrentLink, at), size); err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]func(*testing.T, func(*ServerConfig)) (*Server, string){"fast path": startServer, "Fiber": startEngine} {
		t.Run(name, func(t *testing.T) {
			s, addr := start(t, func(c *ServerConfig) { c.Public = p.dir })
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := heapInUse()
			for range clients {
				conn, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", at); err != nil {
					t.Fatal(err)
				}
				_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
				if _, err := io.ReadFull(conn, make([]byte, 4096)); err != nil {
					t.Fatal(err)
				}
			}
			if grown := heapInUse() - before; grown > clients*256<<10 {
				t.Errorf("%d clients hold %d bytes", clients, grown)
			}
			a, body := ask(t, addr, "GET", at, fmt.Sprintf("Range: bytes=%d-\r\n", size-3), "")
			if a.StatusCode != 206 || len(body) != 3 {
				t.Errorf("beside them: %d, %d bytes", a.StatusCode, len(body))
			}
		})
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// TestFetchedMedia: a node sends what it fetches, and says when that may succeed later.
func TestFetchedMedia(t *testing.T) {
	p := mediaPublic{t, t.TempDir()}
	p.release("one", nil)
	writeFile(t, filepath.Join(p.dir, "elsewhere"), []byte("picture"))
	at := func(name string) string { return "/" + address.MediaFile("demo", sha256.Sum256(nil), name) }
	var mu sync.Mutex // guards asked
	var asked []string
	s, addr := startServer(t, func(c *ServerConfig) {
		c.Public = p.dir
		c.FetchMedia = func(name string) (bodies.File, int64, error) {
			mu.Lock()
			asked = append(asked, name)
			mu.Unlock()
			switch filepath.Base(name) {
			case "none.png":
				return nil, 0, fs.ErrNotExist
			case "down.png":
				return nil, 0, io.ErrUnexpectedEOF
			}
			f, err := os.Open(filepath.Join(p.dir, "elsewhere"))
			return f, 7, err
		}
	})
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a, body := ask(t, addr, "GET", at("a.png"), "Range: bytes=3-\r\n", ""); a.StatusCode != 206 || body != "ture" || a.Header.Get("Content-Type") != "image/png" {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	if a, body := ask(t, addr, "GET", at("none.png"), "", ""); a.StatusCode != 404 || !strings.Contains(body, "unknown_media") {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	if a, body := ask(t, addr, "GET", at("down.png"), "", ""); a.StatusCode != 503 || !strings.Contains(body, "media_unreachable") || a.Header.Get("Retry-After") == "" || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v %s", a.StatusCode, a.Header, body)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := at("a.png")[1:]; len(asked) != 3 || asked[0] != want {
		t.Errorf("asked for %q", asked)
	}
}
