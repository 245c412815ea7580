// These tests take media from the content to clients, with the programs: through a build, a store, and nodes
// that follow it.

package cmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	releases "contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

// mediaSite is content with media, its releases, and a store that may fail.
type mediaSite struct {
	*publisher
	service *storetest.Service
	wire    *storetest.Proxy
	public  string
	text    map[string]string // of each file that was ever in the content, by its address
	at      map[string]string // the address, by name
}

func newMediaSite(t *testing.T) *mediaSite {
	service := storetest.Serve(t)
	wire := storetest.NewProxy(t, service.Addr)
	p := newPublisher(t, wire.URL)
	return &mediaSite{publisher: p, service: service, wire: wire, public: filepath.Join(p.dir, "public"), text: map[string]string{}, at: map[string]string{}}
}

// release builds and publishes a release with some media. Each third one is an image of a text, the others are
// references: to a film beside it and, up from a folder, to an image.
func (m *mediaSite) release(media map[string]string) {
	m.t.Helper()
	dir := filepath.Join(m.dir, "content")
	if err := os.RemoveAll(dir); err != nil {
		m.t.Fatal(err)
	}
	put := func(name, text string) {
		name = filepath.Join(dir, "site", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
	for i, name := range slices.Sorted(maps.Keys(media)) {
		put("img/"+name, media[name])
		item := "---\ntitle: Item\ndate: 2026-01-02\n---\n![A](./img/" + name + ")\n"
		if i%3 > 0 {
			item = "---\ntitle: Item\ndate: 2026-01-02\ncover: {Type: Reference, ReferenceType: Media, MediaUrl: " + []string{"../img/", "./../img/"}[i%2] + name + "}\n---\n"
		}
		put(fmt.Sprintf("%s/item-%d.md", []string{".", "posts", "posts"}[i%3], i), item)
		m.at[name] = "/" + address.MediaFile("site", sha256.Sum256([]byte(media[name])), name)
		m.text[m.at[name]] = media[name]
	}
	m.must("build", "--content", dir, "--out", m.public, "--quiet", "--no-sync", "--broken-refs", "error", "--max-removed", "100%")
	m.publisher.publish(m.public)
}

// ask sends a request for a media file with a header field, or none, and returns the response with its body.
func (m *mediaSite) ask(base, method, target, name, value string) (*http.Response, string) {
	m.t.Helper()
	req, err := http.NewRequest(method, base+target, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	if name != "" {
		req.Header.Set(name, value)
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		m.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	if r.Header.Get("X-Content-Type-Options") != "nosniff" {
		m.t.Errorf("%s %s: %d without nosniff", method, target, r.StatusCode)
	}
	return r, string(b)
}

// serves waits until a node sends a file, and checks its bytes.
func (m *mediaSite) serves(base string, names ...string) {
	m.t.Helper()
	for _, name := range names {
		target := m.at[name]
		storetest.WaitFor(m.t, name, func() bool {
			r, body := m.ask(base, "GET", target, "", "")
			if r.StatusCode == http.StatusOK && body != m.text[target] {
				m.t.Fatalf("%s: %d other bytes", name, len(body))
			}
			return r.StatusCode == http.StatusOK
		})
	}
}

// refuses waits until a node says that it has no such file.
func (m *mediaSite) refuses(base string, names ...string) {
	m.t.Helper()
	for _, name := range names {
		storetest.WaitFor(m.t, "no "+name, func() bool {
			r, body := m.ask(base, "GET", m.at[name], "", "")
			return r.StatusCode == http.StatusNotFound && strings.Contains(body, "unknown_media") && r.Header.Get("Cache-Control") == "public, max-age=10"
		})
	}
}

// unreachable checks that a node cannot send a file now.
func (m *mediaSite) unreachable(base, name string) {
	m.t.Helper()
	r, body := m.ask(base, "GET", m.at[name], "", "")
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || r.Header.Get("Cache-Control") != "no-store" || !strings.Contains(body, "media_unreachable") {
		m.t.Errorf("%s: %d %v %.100s", name, r.StatusCode, r.Header, body)
	}
}

// neverWhole asks for a file that the store has wrong. Its response is cut before the last bytes, or is an error.
func (m *mediaSite) neverWhole(base, name string) {
	m.t.Helper()
	r, err := http.Get(base + m.at[name])
	if err != nil {
		return
	}
	defer r.Body.Close()
	if body, err := io.ReadAll(r.Body); err == nil && r.StatusCode != http.StatusServiceUnavailable {
		m.t.Errorf("%s: %d, %d bytes", name, r.StatusCode, len(body))
	}
}

// speaksHTTP checks one file's responses to requests of all kinds.
func (m *mediaSite) speaksHTTP(base, name, kind string) {
	m.t.Helper()
	target, text := m.at[name], m.text[m.at[name]]
	tag := `"` + strings.Split(target, "/")[4] + `"`
	for _, c := range []struct {
		method, name, value string
		status              int
		body                string
	}{
		{"GET", "", "", 200, text}, {"HEAD", "", "", 200, ""}, {"GET", "Range", "bytes=2-5", 206, text[2:6]}, {"GET", "Range", "bytes=-3", 206, text[len(text)-3:]},
		{"GET", "If-None-Match", tag, 304, ""}, {"GET", "If-None-Match", "W/" + tag, 304, ""}, {"GET", "If-None-Match", `"x"`, 200, text}, {"GET", "Range", "bytes=999999999-", 416, "bad_range"},
	} {
		r, body := m.ask(base, c.method, target, c.name, c.value)
		if r.StatusCode != c.status || c.status < 400 && body != c.body || !strings.Contains(body, c.body) {
			m.t.Errorf("%s %s %s %s: %d %.60q", c.method, name, c.name, c.value, r.StatusCode, body)
		}
		if c.status < 400 && (r.Header.Get("Etag") != tag || r.Header.Get("Content-Security-Policy") != releases.MediaPolicy || r.Header.Get("Cache-Control") != releases.CacheControl(releases.ClassMedia)) {
			m.t.Errorf("%s %s %s: %v", c.method, name, c.value, r.Header)
		}
		if got := r.Header.Get("Content-Type"); c.status < 300 && got != kind || c.status == 416 && got != releases.ContentType {
			m.t.Errorf("%s %s %s: a body of type %q", c.method, name, c.value, got)
		}
	}
}

var mediaAddress = regexp.MustCompile(`/cda/media/site/[0-9a-f]{32}/[a-z0-9_-]+\.[a-z0-9]+`)

// TestMediaFromContentToClients takes three releases with media through a store to nodes that fetch them on
// demand or all at once.
func TestMediaFromContentToClients(t *testing.T) {
	t.Parallel()
	m := newMediaSite(t)
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(document.domain)</script></svg>`
	m.release(map[string]string{"all.svg": svg, "first.png": "<html>first</html>", "film.mp4": strings.Repeat("film", 50_000)})
	lazy, eager := m.follow(filepath.Join(m.dir, "lazy")), m.follow(filepath.Join(m.dir, "eager"), "--media")
	local := serve(t, m.bin["edgeserve"], m.public, "--poll", "50ms")
	waitReady(t, lazy.base)
	waitReady(t, eager.base)
	n := m.countMedia(nil)
	for _, base := range []string{local, eager.base, lazy.base} {
		named := mediaAddress.FindAllString(get(t, base+"/cda/rest/v1/site/contents?pageSize=9"), -1)
		slices.Sort(named)
		if want := slices.Sorted(maps.Keys(m.text)); !slices.Equal(slices.Compact(named), want) {
			t.Errorf("items name %q, want %q", named, want)
		}
		if base == lazy.base && n.Load() != 0 {
			t.Errorf("%d media were fetched by nodes that need none", n.Load())
		}
		m.speaksHTTP(base, "all.svg", "image/svg+xml")
		m.speaksHTTP(base, "first.png", "image/png")
		m.speaksHTTP(base, "film.mp4", "video/mp4")
	}
	if n.Load() != 3 {
		t.Errorf("%d requests for three media", n.Load())
	}
	m.release(map[string]string{"all.svg": svg, "second.png": "second"})
	for _, base := range []string{local, eager.base, lazy.base} {
		m.serves(base, "second.png", "first.png", "film.mp4", "all.svg")
	}
	m.release(map[string]string{"all.svg": svg, "third.png": "third"})
	for _, base := range []string{local, eager.base, lazy.base} {
		m.serves(base, "third.png", "second.png", "all.svg")
		m.refuses(base, "first.png", "film.mp4")
	}
	m.must("releases", "rollback", storeURL)
	m.must("releases", "gc", storeURL, "--keep", "1")
	fresh := m.follow(filepath.Join(m.dir, "fresh"))
	waitReady(t, fresh.base)
	for _, n := range []*node{lazy, eager, fresh} {
		m.serves(n.base, "second.png", "third.png", "all.svg")
		m.refuses(n.base, "first.png")
	}
	m.must("verify", fresh.base, "--against", filepath.Join(m.public, releases.PreviousLink))
}

// countMedia counts the requests for media that reach the store, and makes them fail.
func (m *mediaSite) countMedia(fault func(*http.Request) storetest.Fault) *atomic.Int64 {
	var n atomic.Int64
	m.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if !strings.Contains(r.URL.Path, "/"+releases.MediaDir+"/") || r.Method != http.MethodGet {
			return storetest.Fault{}
		}
		n.Add(1)
		if fault == nil {
			return storetest.Fault{}
		}
		return fault(r)
	})
	return &n
}

// TestMediaFaults damages and stops the store, kills a node, and fills its directory: no client ever gets other
// bytes than those of the address, and all is well afterwards.
func TestMediaFaults(t *testing.T) {
	t.Parallel()
	m := newMediaSite(t)
	media := map[string]string{}
	for i := range 6 {
		media[fmt.Sprintf("a%d.png", i)] = strings.Repeat(fmt.Sprint(i), 100_000)
	}
	m.release(media)
	dir := filepath.Join(m.dir, "node")
	n := m.follow(dir, "--media-cache", "250000")
	waitReady(t, n.base)

	object := filepath.Join(m.service.Dir, storetest.Bucket, "site", "live", releases.ReleasesDir, m.build(), m.at["a0.png"])
	if err := os.WriteFile(object, bytes.Repeat([]byte("x"), 100_000), 0o644); err != nil {
		t.Fatal(err)
	}
	m.neverWhole(n.base, "a0.png")
	m.unreachable(n.base, "a0.png")

	m.serves(n.base, "a1.png")
	m.service.Stop()
	m.unreachable(n.base, "a2.png")
	m.serves(n.base, "a1.png")
	m.service.Run(t)
	m.serves(n.base, "a2.png")

	asked := m.countMedia(func(*http.Request) storetest.Fault { return storetest.Fault{Drip: time.Millisecond} })
	go func() { _, _ = http.Get(n.base + m.at["a3.png"]) }() // the node is killed
	storetest.WaitFor(t, "the node to fetch", func() bool { return asked.Load() > 0 && m.temporary(dir) > 0 })
	n.kill()
	m.wire.Set(nil)
	n = m.follow(dir, "--media-cache", "250000")
	waitReady(t, n.base)
	m.serves(n.base, "a3.png", "a1.png")

	m.serves(n.base, "a1.png", "a2.png", "a3.png", "a4.png", "a5.png", "a1.png")
	if kept := m.kept(dir); kept > 250_000 {
		t.Errorf("the node keeps %d bytes", kept)
	}
	m.must("releases", "repair", storeURL, "--public", m.public)
	media["more.png"] = "more"
	m.release(media) // and nothing is remembered of the one before
	m.serves(n.base, "more.png", "a0.png")

	// Without a directory to write to, a file is sent while it is fetched, or refused for now if it was fetched before the
	// response began. Afterwards it is sent as ever.
	blocked := filepath.Join(dir, "media", "site")
	storetest.WaitFor(t, "the node to keep what it has sent", func() bool { return os.RemoveAll(blocked) == nil })
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r, body := m.ask(n.base, "GET", m.at["a1.png"], "", "")
	sent := r.StatusCode == http.StatusOK && body == m.text[m.at["a1.png"]]
	if refused := r.StatusCode == http.StatusServiceUnavailable && strings.Contains(body, "media_unreachable"); !sent && !refused {
		t.Errorf("a1.png: %d %.100s", r.StatusCode, body)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	m.serves(n.base, "a1.png")
}

// build is the current release's.
func (m *mediaSite) build() string {
	m.t.Helper()
	target, err := os.Readlink(filepath.Join(m.public, releases.CurrentLink))
	if err != nil {
		m.t.Fatal(err)
	}
	return filepath.Base(target)
}

// temporary is how many bytes of unfinished downloads a node has.
func (m *mediaSite) temporary(dir string) int64 { return m.bytes(dir, true) }

// kept is how many bytes of media a node keeps.
func (m *mediaSite) kept(dir string) int64 { return m.bytes(dir, false) }

func (m *mediaSite) bytes(dir string, unfinished bool) (n int64) {
	_ = filepath.WalkDir(filepath.Join(dir, "media"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), releases.TempPrefix) != unfinished {
			return nil
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

// TestMediaMemory: clients that read a large file slowly cost a node with little memory nearly nothing, whether
// it has the file or fetches it.
func TestMediaMemory(t *testing.T) {
	const size, clients, limit = 112 << 20, 60, 96 << 20
	m := newMediaSite(t)
	m.release(map[string]string{"film.mp4": strings.Repeat("0123456789abcde\n", size/16)})
	for name, flags := range map[string][]string{"fast path": nil, "Fiber": {"--fast-path", "off"}} {
		e := startEdge(t, m.bin["edgeserve"], m.public, append(flags, "--memory-limit", "96MiB")...)
		m.slowly(t, name, e, clients, limit)
	}
	n := m.follow(filepath.Join(m.dir, "node"), "--memory-limit", "96MiB")
	waitReady(t, n.base)
	m.slowly(t, "follower", edge{addr: strings.TrimPrefix(n.base, "http://"), pid: n.Process.Pid}, clients, limit)
}

// slowly reads the beginning of the film with many clients, and its end with one.
func (m *mediaSite) slowly(t *testing.T, name string, e edge, clients, limit int) {
	t.Helper()
	target := m.at["film.mp4"]
	text := m.text[target]
	var conns []net.Conn
	for range clients {
		conns = append(conns, e.dial(t, "GET "+target+" HTTP/1.1\r\nHost: a\r\n\r\n"))
	}
	most := 0
	for _, conn := range conns {
		head := make([]byte, 12)
		if _, err := io.ReadFull(conn, head); err != nil || string(head) != "HTTP/1.1 200" {
			t.Fatalf("%s: %q, %v", name, head, err)
		}
		most = max(most, e.anonymous(t))
	}
	if r, body := m.ask("http://"+e.addr, "GET", target, "Range", fmt.Sprintf("bytes=%d-", len(text)-100)); r.StatusCode != 206 || body != text[len(text)-100:] {
		t.Errorf("%s: beside them: %d %.40q", name, r.StatusCode, body)
	}
	sum, n := sha256.New(), int64(0)
	r, err := http.Get("http://" + e.addr + target)
	if err == nil {
		n, err = io.Copy(sum, r.Body)
		r.Body.Close()
	}
	most = max(most, e.anonymous(t))
	if want := strings.Split(target, "/")[4]; err != nil || n != int64(len(text)) || hex.EncodeToString(sum.Sum(nil))[:len(want)] != want {
		t.Errorf("%s: %d bytes, %v", name, n, err)
	}
	t.Logf("%s: at most %d MiB", name, most>>20)
	if most > limit {
		t.Errorf("%s: %d MiB in memory", name, most>>20)
	}
	for _, conn := range conns {
		conn.Close()
	}
}
