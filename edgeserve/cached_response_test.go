package edgeserve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// coded writes the coded files beside a file of the site.
func coded(t *testing.T, dir, name string, codings ...contentcoding.Coding) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range codings {
		writeFile(t, path+c.Suffix(), compression.ForFiles.Encode(c, nil, body))
	}
}

const firstPage = "cda/rest/v1/demo/contents-list/sort-createdat-desc-2/page-1.json"

// openSite is startSite without a listener; call gives it a request and returns the
// answer.
func openSite(t testing.TB, dir string, change func(*ServerConfig)) *Server {
	t.Helper()
	cfg := Defaults()
	cfg.Public = dir
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Swap(nil) })
	return s
}

// newRequest makes what the engine hands to the server.
func newRequest(t testing.TB, method, target string, fields ...string) *fasthttp.RequestCtx {
	t.Helper()
	raw := method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n"
	ctx := new(fasthttp.RequestCtx)
	if err := ctx.Request.Read(bufio.NewReader(strings.NewReader(raw))); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// What a raw writer sends is what the engine sends, but for Date.
func TestPreparedHead(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	item := address.ItemFile("demo", "Content_1")
	coded(t, dir, item, contentcoding.Gzip, contentcoding.Brotli)
	coded(t, dir, firstPage, contentcoding.Zstd)
	for _, origins := range [][]string{{"*"}, {"https://b"}} {
		s := openSite(t, dir, func(c *ServerConfig) { c.Origins = origins })
		name := string(s.current.Served.Load().ReleaseLine)
		for _, target := range []string{listRoot + "/Content_1", listRoot, "/" + firstPage} {
			s.handle(newRequest(t, "GET", target)) // the second request is cached
			for _, accept := range []string{"", "gzip", "br, gzip", "zstd"} {
				ctx := newRequest(t, "GET", target, "Accept-Encoding: "+accept)
				s.handle(ctx)
				f := s.current.Served.Load().Cache.GetTarget([]byte(target))
				if f == nil {
					t.Fatalf("%s has no alias", target)
				}
				a, _, p := s.current.Served.Load().FromEntry(f, acceptOf(accept), 0, nil)
				if p != nil || a == nil {
					t.Fatal(a, p)
				}
				compareHeads(t, target+" "+accept, string(a.Head)+name, ctx)

				ctx = newRequest(t, "GET", target, "Accept-Encoding: "+accept, "If-None-Match: "+string(a.Meta.ETag))
				s.handle(ctx)
				compareHeads(t, target+" "+accept+", not modified", respond.NotModifiedLine+name+string(a.Head[a.NotModifiedFrom:]), ctx)
			}
		}
	}
}

func acceptOf(header string) *contentcoding.Accept {
	var a contentcoding.Accept
	a.Read([]byte(header))
	return &a
}

func compareHeads(t *testing.T, name, head string, ctx *fasthttp.RequestCtx) {
	t.Helper()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	ctx.Response.Header.SetNoDefaultContentType(true) // as the server sets it
	if err := ctx.Response.Write(w); err != nil || w.Flush() != nil {
		t.Fatal(err)
	}
	parse := func(raw string) *http.Response {
		resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(raw)), nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, raw)
		}
		resp.Header.Del("Date")
		return resp
	}
	prepared, sent := parse(head+"\r\n"), parse(b.String())
	if prepared.Status != sent.Status || fmt.Sprint(prepared.Header) != fmt.Sprint(sent.Header) {
		t.Errorf("%s: prepared\n%s %v\nsent\n%s %v", name, prepared.Status, prepared.Header, sent.Status, sent.Header)
	}
}

func TestCodedFiles(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	item := address.ItemFile("demo", "Content_1")
	coded(t, dir, item, contentcoding.Gzip, contentcoding.Brotli)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public = dir })
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	plain := site.item(1)
	for _, c := range []struct {
		accept string
		want   contentcoding.Coding
	}{
		{"", contentcoding.Identity}, {"gzip", contentcoding.Gzip}, {"br", contentcoding.Brotli}, {"zstd", contentcoding.Identity}, {"gzip, deflate, br, zstd", contentcoding.Brotli},
		{"zstd, gzip;q=0.5", contentcoding.Gzip}, {"identity;q=0", contentcoding.Identity}, {"identity;q=0, gzip", contentcoding.Gzip}, {"br;q=0, *", contentcoding.Gzip},
	} {
		for _, form := range []string{listRoot + "/Content_1", "/" + item} {
			for range 2 { // the second is answered from memory
				a, body := ask(t, addr, "GET", form, "Accept-Encoding: "+c.accept+"\r\n", "")
				coding := a.Header.Get("Content-Encoding")
				want := compression.ForFiles.Encode(c.want, nil, []byte(plain))
				if a.StatusCode != 200 || body != string(want) || (c.want != contentcoding.Identity) != (coding == c.want.String()) {
					t.Errorf("%q: %d %q in %q", c.accept, a.StatusCode, body, coding)
				}
				if a.Header.Get("Etag") != release.ETag(want) || a.Header.Get("Vary") != "Accept-Encoding" {
					t.Errorf("%q: headers %v", c.accept, a.Header)
				}
				head, _ := ask(t, addr, "HEAD", form, "Accept-Encoding: "+c.accept+"\r\n", "")
				if head.ContentLength != int64(len(want)) || head.Header.Get("Content-Encoding") != coding || head.Header.Get("Etag") != a.Header.Get("Etag") {
					t.Errorf("%q: HEAD says %v", c.accept, head.Header)
				}
			}
		}
	}
}

// A client that has the plain body is not told that its coded body is the same.
func TestTagOfAnotherCoding(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	coded(t, dir, firstPage, contentcoding.Gzip)
	s := openSite(t, dir, nil)
	plain := newRequest(t, "GET", listRoot)
	s.handle(plain)
	tag := "If-None-Match: " + string(plain.Response.Header.Peek("ETag"))
	for accept, want := range map[string]int{"identity": 304, "gzip": 200} {
		ctx := newRequest(t, "GET", listRoot, tag, "Accept-Encoding: "+accept)
		if s.handle(ctx); ctx.Response.StatusCode() != want {
			t.Errorf("%s: %d, want %d", accept, ctx.Response.StatusCode(), want)
		}
	}
}

// A request for a file that was asked for before allocates nothing and touches no file;
// nor does one for what was built because there are no files.
func TestFilesAllocateNothing(t *testing.T) {
	dir, bare := t.TempDir(), t.TempDir()
	site.write(t, dir)
	coded(t, dir, firstPage, contentcoding.Brotli)
	askAgain(t, openSite(t, dir, nil))
	site.write(t, bare)
	if err := os.RemoveAll(filepath.Join(bare, release.FilesLink)); err != nil {
		t.Fatal(err)
	}
	askAgain(t, openSite(t, bare, nil))
}

func askAgain(t *testing.T, s *Server) {
	t.Helper()
	for _, target := range []string{listRoot + "/Content_1", listRoot, "/" + firstPage, listRoot + "?page=1&utm_source=x"} {
		for _, fields := range [][]string{nil, {"Accept-Encoding: gzip, deflate, br, zstd"}, {`If-None-Match: "x", "y"`}, {"Origin: https://b", "Range: bytes=-99999"}} {
			ctx := newRequest(t, "GET", target, fields...)
			s.handle(ctx)
			if ctx.Response.StatusCode() != 200 {
				t.Fatalf("%s: %d", target, ctx.Response.StatusCode())
			}
			n := testing.AllocsPerRun(100, func() {
				ctx.Response.Reset()
				s.handle(ctx)
			})
			if n != 0 && !raceDetector {
				t.Errorf("%s with %q: %v allocations", target, fields, n)
			}
		}
	}
}

// What is not there is looked for twice, as what is asked for once is not kept.
func TestAbsenceIsRemembered(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	s := openSite(t, dir, nil)
	ask := func(target string) *fasthttp.RequestCtx {
		ctx := newRequest(t, "GET", target, "Accept-Encoding: gzip, br")
		s.handle(ctx)
		return ctx
	}
	second, item := listRoot+"?page=2", listRoot+"/Content_1"
	for range 2 {
		ask(second)
		ask(item)
	}
	for _, target := range []string{second, item} {
		ctx := newRequest(t, "GET", target, "Accept-Encoding: gzip, br")
		n := testing.AllocsPerRun(100, func() { // a look at the disk allocates
			ctx.Response.Reset()
			s.handle(ctx)
		})
		if n != 0 && !raceDetector || ctx.Response.StatusCode() != 200 {
			t.Errorf("%s: %d, %v allocations", target, ctx.Response.StatusCode(), n)
		}
	}
	s.current.Served.Swap(nil)
}

func BenchmarkFile(b *testing.B) {
	for _, bare := range []bool{false, true} {
		b.Run(fmt.Sprintf("bare=%t", bare), func(b *testing.B) {
			dir := b.TempDir()
			site.write(b, dir)
			if bare && os.RemoveAll(filepath.Join(dir, release.FilesLink)) != nil {
				b.Fatal("files stay")
			}
			s := openSite(b, dir, nil)
			ctx := newRequest(b, "GET", listRoot+"/Content_1", "Accept-Encoding: gzip, deflate, br, zstd", "User-Agent: x", "Accept: */*")
			handle := s.fiber.app.Server().Handler
			b.ReportAllocs()
			for b.Loop() {
				ctx.Response.Reset()
				handle(ctx)
			}
		})
	}
}
