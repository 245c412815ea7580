// These tests run web servers with the configurations written for them, and send them
// requests byte by byte: no client between would leave the targets as they are.

package hosts

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// program finds a host's binary, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: what is written for it is not tested here (%v)", name, err)
	}
	return path
}

// start runs a host until the test ends, and waits until it takes connections.
func start(t *testing.T, addr, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it starts ends with it
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-done
		if t.Failed() {
			t.Logf("%s:\n%.4000s", name, log.String())
		}
	})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return
		}
		select {
		case <-done:
			t.Fatalf("%s ended: %s", name, log.String())
		default:
		}
	}
	t.Fatalf("%s does not listen at %s", name, addr)
}

// serverHost runs a web server for a release's files.
type serverHost struct {
	name  string
	start func(t *testing.T, addr string, config []byte)
}

var servers = []serverHost{{"nginx", startNginx}, {"caddy", startCaddy}}

func startNginx(t *testing.T, addr string, config []byte) {
	bin, dir := program(t, "nginx"), t.TempDir()
	write(t, filepath.Join(dir, "contentedge.conf"), config)
	write(t, filepath.Join(dir, "nginx.conf"), fmt.Appendf(nil, "daemon off; master_process off; pid %s/pid; error_log stderr;\nevents {}\nhttp {\n access_log off;\n client_body_temp_path %s/body; proxy_temp_path %s/proxy; fastcgi_temp_path %s/f; uwsgi_temp_path %s/u; scgi_temp_path %s/s;\n include %s/contentedge.conf;\n}\n", dir, dir, dir, dir, dir, dir, dir))
	start(t, addr, bin, "-p", dir, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
}

func startCaddy(t *testing.T, addr string, config []byte) {
	bin, dir := program(t, "caddy"), t.TempDir()
	write(t, filepath.Join(dir, "contentedge.caddy"), config)
	write(t, filepath.Join(dir, "Caddyfile"), []byte("{\n\tadmin off\n\tauto_https off\n}\nimport contentedge.caddy\n"))
	start(t, addr, bin, "run", "--config", filepath.Join(dir, "Caddyfile"), "--adapter", "caddyfile")
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// serve runs a server over a tree and gives what asks it.
func (h serverHost) serve(t *testing.T, m *release.Manifest, root, edge string) *client {
	t.Helper()
	program(t, h.name)
	addr := freeport.Addr(t)
	files, err := Generate(h.name, Deployment{Manifest: m, Edge: edge, Root: root, Listen: addr})
	if err != nil {
		t.Fatal(err)
	}
	h.start(t, addr, files[0].Body)
	return &client{addr: addr}
}

// client sends requests over one connection as long as it lasts.
type client struct {
	addr string
	conn net.Conn
	in   *bufio.Reader
}

func (c *client) ask(t *testing.T, method, target string) reply {
	t.Helper()
	return c.send(t, method, target, "")
}

// send sends a request with more header lines, each ending in CRLF.
func (c *client) send(t *testing.T, method, target, lines string) reply {
	t.Helper()
	for attempt := 0; ; attempt++ {
		resp, err := c.try(method, target, lines)
		if err == nil {
			return c.read(t, resp)
		}
		if c.conn != nil {
			c.conn.Close()
			c.conn = nil
		}
		if attempt == 2 {
			t.Fatalf("%s %s: %v", method, target, err)
		}
	}
}

func (c *client) try(method, target, lines string) (*http.Response, error) {
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			return nil, err
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(c.conn, "%s %s HTTP/1.1\r\nHost: example.org\r\n%s\r\n", method, target, lines); err != nil {
		return nil, err
	}
	return http.ReadResponse(c.in, &http.Request{Method: method})
}

func (c *client) read(t *testing.T, resp *http.Response) reply {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	if resp.Close {
		c.conn.Close()
		c.conn = nil
	}
	asked, err := url.QueryUnescape(resp.Header.Get("X-Edge"))
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: resp.StatusCode, header: func(name string) string { return joined(resp.Header[name]) }, body: string(b), length: resp.Header.Get("Content-Length"), asked: asked}
}

// joined shows a header that is there twice.
func joined(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	return fmt.Sprint(values)
}

func TestServers(t *testing.T) {
	w := readWorld(t)
	root, m := w.lay(t), w.manifest()
	// nginx itself refuses the one path that spells a NUL.
	want := map[string]tally{"nginx": {exact: 267, refused: 1}, "caddy": {exact: 268}}
	for _, h := range servers {
		t.Run(h.name, func(t *testing.T) {
			t.Run("with an edge server", func(t *testing.T) {
				c := h.serve(t, m, root, standIn(t))
				vectorsPass(t, w, c.ask, false, want[h.name])
				if got := randomPass(t, w, c.ask, 3000); got.missed > 0 {
					t.Errorf("%d requests for files went to the edge server", got.missed)
				}
				nothingElse(t, w, c)
				longRefused(t, w, c, false)
				pinnedAsked(t, w, c, nil)
				longValuesAsked(t, w, c)
				largeRefused(t, w, c)
			})
			t.Run("alone", func(t *testing.T) {
				c := h.serve(t, m, root, "")
				vectorsPass(t, w, c.ask, true, want[h.name])
				nothingElse(t, w, c)
				longRefused(t, w, c, true)
				headersRight(t, w, c)
				selfNamed(t, w, c.ask)
				mediaRight(t, w, c, root)
				ownAnswers(t, w, c)
				preflightsAnswered(t, w, c)
				pinnedAlone(t, w, c)
			})
			t.Run("compressed", func(t *testing.T) { variantsServed(t, w, h) })
			t.Run("edge server down", func(t *testing.T) { edgeDown(t, w, h, root) })
		})
	}
}

// longRefused sends a query of a hundred thousand bytes, which nobody looks through.
func longRefused(t *testing.T, w *world, c *client, alone bool) {
	t.Helper()
	target := "/cda/rest/v1/" + w.env + "/contents?x=" + strings.Repeat("a", 100_000)
	r := c.ask(t, "GET", target)
	if r.status != 414 && r.asked != "GET "+target && (!alone || r.status != 404) {
		t.Errorf("a long query: %d, edge asked %.100q, %.100s", r.status, r.asked, r.body)
	}
}

// longValuesAsked sends filters about as long as the edge server takes, and longer: none
// has a file, and which of them are an error the edge server says.
func longValuesAsked(t *testing.T, w *world, c *client) {
	t.Helper()
	for _, param := range address.ParameterNames()[:len(filters)] {
		for _, n := range []int{200, 201, address.MaxValue, address.MaxValue + 1, 3000} {
			target := "/cda/rest/v1/" + w.env + "/contents?" + param + "=" + strings.Repeat("a", n)
			if r := c.ask(t, "GET", target); r.status != 200 || r.asked != "GET "+target {
				t.Errorf("%s of %d letters: %d, edge asked %.100q", param, n, r.status, r.asked)
			}
		}
	}
}

// largeRefused sends bodies about as long as the edge server takes, by Content-Length and in
// a chunk. The refusal of a longer one is the one that the edge server would send.
func largeRefused(t *testing.T, w *world, c *client) {
	t.Helper()
	target := "/cda/es/v1/" + w.env
	for n, want := range map[int]int{256 << 10: 200, 256<<10 + 1: 413, 900 << 10: 413} {
		body := strings.Repeat(" ", n)
		for _, lines := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n%s", n, body), fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n", n, body)} {
			c := &client{addr: c.addr}
			r := c.send(t, "POST", target, lines)
			if r.status != want || want == 413 && !strings.HasPrefix(r.body, `{"status":413,"error":{"code":"body_too_large",`) || want == 200 && r.asked != "POST "+target {
				t.Errorf("a body of %d bytes, %.20q: %d %.100s", n, lines, r.status, r.body)
			}
		}
	}
}

// nothingElse asks for what lies in the public directory and is no answer.
func nothingElse(t *testing.T, w *world, c *client) {
	t.Helper()
	for _, file := range forbidden(w.env) {
		if r := c.ask(t, "GET", file); r.asked == "" && r.status != 404 || r.body == "secret" {
			t.Errorf("%s: %d %s", file, r.status, r.body)
		}
	}
	if r := c.ask(t, "POST", "/cda/es/v1/"+w.env); r.asked == "" && r.status != 405 {
		t.Errorf("a search: %d %s", r.status, r.body)
	}
}

// someItem is the name of an item's file.
func (w *world) someItem() string {
	item := ""
	for file := range w.files {
		if isItem(file) && file > item {
			item = file
		}
	}
	return item
}

// pinnedAsked sends requests for files that have to be of a certain release: the edge
// server is asked and may refuse. Otherwise is what it is asked for in place of some of
// them, or "" for a host's own answer.
func pinnedAsked(t *testing.T, w *world, c *client, otherwise map[string]string) {
	t.Helper()
	item, list := w.someItem(), "/cda/rest/v1/"+w.env+"/contents"
	targets := []string{item, strings.TrimSuffix(item, ".json"), list, list + "?page=2", list + "-list/sort-updatedat-desc-20/page-2.json", "/manifest.json", "/current.json"}
	for _, target := range targets {
		asked, other := otherwise[target]
		if !other && target != "/manifest.json" && target != "/current.json" {
			asked = target
		}
		want := 200
		if asked != "" {
			asked, want = "GET "+asked, 412
		}
		for _, name := range []string{httpfield.Release, "x-release"} {
			if r := c.send(t, "GET", target, name+": /0011223344556677\r\n"); r.status != want || r.asked != asked {
				t.Errorf("%s of a release: %d, edge asked %q, want %d, %q", target, r.status, r.asked, want, asked)
			}
		}
		if r := c.ask(t, "GET", target); r.status != 200 || r.asked != "" {
			t.Errorf("%s of any release: %d, edge asked %q", target, r.status, r.asked)
		}
	}
}

// pinnedAlone sends such requests to a host without an edge server, which neither looks
// at the header nor claims a release.
func pinnedAlone(t *testing.T, w *world, c *client) {
	t.Helper()
	for _, target := range []string{w.someItem(), "/cda/rest/v1/" + w.env + "/contents"} {
		if r := c.send(t, "GET", target, httpfield.Release+": 0011223344556677\r\n"); r.status != 200 || r.header(httpfield.Release) != "[]" {
			t.Errorf("%s: %d, of release %s", target, r.status, r.header(httpfield.Release))
		}
	}
}

// headersRight looks at the headers of each class of file.
func headersRight(t *testing.T, w *world, c *client) {
	t.Helper()
	item, list := w.someItem(), "/cda/rest/v1/"+w.env+"/contents"
	for target, class := range map[string]release.Class{
		"/manifest.json": release.ClassManifest, "/current.json": release.ClassManifest, item: release.ClassItem, item[:len(item)-5]: release.ClassItem,
		list: release.ClassList, list + "?page=2": release.ClassList, list + "-list/sort-updatedat-desc-20/page-2.json": release.ClassList,
	} {
		r := c.ask(t, "GET", target)
		want := append(ownHeaders(class), header{"Content-Type", release.ContentType})
		for _, h := range want {
			if got := r.header(http.CanonicalHeaderKey(h.Name)); got != h.Value {
				t.Errorf("%s: %s is %q, want %q", target, h.Name, got, h.Value)
			}
		}
		if got := r.header("Last-Modified"); got != "[]" {
			t.Errorf("%s: last modified %s", target, got)
		}
		tag := r.header("Etag")
		if again := c.send(t, "GET", target, "If-None-Match: "+tag+"\r\n"); tag == "" || again.status != 304 {
			t.Errorf("%s: asked again with the tag %q: %d", target, tag, again.status)
		}
	}
}

// mediaRight looks at the headers of media, at those of the release before, and at a range.
func mediaRight(t *testing.T, w *world, c *client, root string) {
	t.Helper()
	dir := "/cda/media/" + w.env + "/" + mediaDigest + "/"
	if err := os.MkdirAll(root+"/"+release.PreviousLink+dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, root+"/"+release.PreviousLink+dir+"old.svg", []byte(body(dir+"old.svg")))
	mediaHeaders(t, c.ask, dir, "a.png", "a-b_2.mp4", "c.pdf", "old.svg")
	if r := c.send(t, "GET", dir+"a.png", "Range: bytes=0-3\r\n"); r.status != 206 || r.body != body(dir + "a.png")[:4] || r.header("Content-Type") != "image/png" {
		t.Errorf("a range: %d %q", r.status, r.body)
	}
	if r := c.ask(t, "GET", "/"+release.PreviousLink+dir+"old.svg"); r.status != 404 {
		t.Errorf("the release before has addresses of its own: %d", r.status)
	}
}

// mediaHeaders looks at the headers of some media.
func mediaHeaders(t *testing.T, host ask, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		r := host(t, "GET", dir+name)
		want := append(ownHeaders(release.ClassMedia), header{"Content-Type", address.MediaType(name)})
		want = append(want, headersOf(release.MediaFields(name))...)
		for _, h := range want {
			if got := r.header(http.CanonicalHeaderKey(h.Name)); got != h.Value {
				t.Errorf("%s: %s is %q, want %q", name, h.Name, got, h.Value)
			}
		}
		if got := r.header("Content-Disposition"); r.status != 200 || r.body != body(dir+name) || len(release.MediaFields(name)) == 1 && got != "[]" {
			t.Errorf("%s: %d %q, Content-Disposition %q", name, r.status, r.body, got)
		}
	}
}

// ownAnswers looks at what a host says without an edge server.
func ownAnswers(t *testing.T, w *world, c *client) {
	t.Helper()
	list := "/cda/rest/v1/" + w.env + "/contents"
	for _, tt := range []struct {
		method, target string
		status         int
		headers        []header
	}{
		{"GET", list + "?page=0", 404, ownHeaders(release.ClassNotFound)},
		{"GET", "/nowhere", 404, ownHeaders(release.ClassNotFound)},
		{"HEAD", list + "?page=0", 404, ownHeaders(release.ClassNotFound)},
		{"DELETE", list, 405, append(ownHeaders(release.ClassError), header{"Allow", address.AllowRead})},
		{"OPTIONS", list, 204, preflight("").Headers},
	} {
		r := c.ask(t, tt.method, tt.target)
		if r.status != tt.status {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.target, r.status, tt.status)
		}
		if r.status != 204 {
			tt.headers = append(tt.headers, header{"Content-Type", release.ContentType})
		}
		for _, h := range tt.headers {
			if got := r.header(http.CanonicalHeaderKey(h.Name)); got != h.Value {
				t.Errorf("%s %s: %s is %q, want %q", tt.method, tt.target, h.Name, got, h.Value)
			}
		}
	}
}

// preflightsAnswered asks a host without an edge server what a page may send. Hosts that
// have tables take names as they are listed, or none.
func preflightsAnswered(t *testing.T, w *world, c *client) {
	t.Helper()
	for asked, want := range map[string][]string{
		"content-type":            {"*,Authorization,content-type"},
		"x-a,content-type, x-b$c": {"*,Authorization,x-a,content-type,x-b$c"},
		"x-a,x{b}":                {"*,Authorization", "*,Authorization,x-a"},
		`x-a,"; }`:                {"*,Authorization", "*,Authorization,x-a"},
		strings.Repeat("a", release.MaxRequestHeaders):          {"*,Authorization," + strings.Repeat("a", release.MaxRequestHeaders)},
		"x-a," + strings.Repeat("a", release.MaxRequestHeaders): {"*,Authorization"},
	} {
		r := c.send(t, "OPTIONS", "/cda/rest/v1/"+w.env+"/contents", "Origin: https://a.example\r\n"+httpfield.RequestHeaders+": "+asked+"\r\n")
		got := strings.ReplaceAll(r.header("Access-Control-Allow-Headers"), " ", "")
		if r.status != 204 || !slices.Contains(want, got) || r.header("Vary") != release.PreflightVary(release.Vary) {
			t.Errorf("asked for %.80s: %d, %.120s, Vary %s", asked, r.status, got, r.header("Vary"))
		}
	}
}

// variantsServed checks that a file's compressed sibling is sent to who takes it.
func variantsServed(t *testing.T, w *world, h serverHost) {
	root := w.lay(t)
	file := "/cda/rest/v1/" + w.env + "/contents-list/sort-updatedat-desc-20/page-1.json"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(body(file)))
	_ = z.Close()
	write(t, filepath.Join(root, file+".gz"), b.Bytes())
	c := h.serve(t, w.manifest(), root, "")
	target := "/cda/rest/v1/" + w.env + "/contents"
	if r := c.send(t, "GET", target, "Accept-Encoding: gzip\r\n"); r.header("Content-Encoding") != "gzip" || r.body != b.String() ||
		r.header("Vary") != release.Vary || r.header("Content-Type") != release.ContentType {
		t.Errorf("with gzip: %d, encoding %s, vary %s, type %s", r.status, r.header("Content-Encoding"), r.header("Vary"), r.header("Content-Type"))
	}
	if r := c.ask(t, "GET", target); r.header("Content-Encoding") != "[]" || r.body != body(file) {
		t.Errorf("without: %d, encoding %s", r.status, r.header("Content-Encoding"))
	}
	if r := c.ask(t, "GET", file+".gz"); r.status != 404 {
		t.Errorf("by its own name: %d", r.status)
	}
}

// edgeDown checks the answer to a miss when nobody listens behind.
func edgeDown(t *testing.T, w *world, h serverHost, root string) {
	c := h.serve(t, w.manifest(), root, "http://"+freeport.Addr(t))
	r := c.ask(t, "GET", "/cda/rest/v1/"+w.env+"/contents?page=0")
	if r.status != 503 || r.header("Cache-Control") != "no-store" || r.header("Retry-After") != "1" || r.header("Content-Type") != release.ContentType ||
		!bytes.Contains([]byte(r.body), []byte(`"code":"edge_unreachable"`)) {
		t.Errorf("%d %s, cache %s", r.status, r.body, r.header("Cache-Control"))
	}
}

func isItem(file string) bool { return filepath.Base(filepath.Dir(file)) == "contents" }

// selfNamed checks that the file of a list by a path of Data names the parameter, and that no other file does.
func selfNamed(t *testing.T, w *world, host ask) {
	t.Helper()
	lists := "/cda/rest/v1/" + w.env + "/contents"
	for query, want := range map[string]string{
		"?Data.slug=hello-world":          "Data.slug=hello-world",
		"?page=1&Data.slug=A%26%20%c3%A9": "Data.slug=A& \u00e9",
		"?Data.a+b.x=1":                   "Data.a b.x=1",
		"?Data.slug=":                     "",
		"?utm_source=x":                   "",
		"":                                "",
	} {
		r := host(t, "GET", lists+query)
		link := strings.TrimPrefix(r.header("Link"), "[]") // the text of no field
		target, self := strings.CutSuffix(link, `>; rel="self"`)
		got, err := url.QueryUnescape(strings.TrimPrefix(target, "<?"))
		if r.status != 200 || r.asked != "" || err != nil || got != want || self != (want != "") {
			t.Errorf("%s: %d, asked %q, Link %q, want %s", query, r.status, r.asked, link, want)
		}
	}
}
