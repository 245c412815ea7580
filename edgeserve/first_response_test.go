package edgeserve

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// A first response has the bytes of later ones, which the cache has, on both paths. Without files it has the
// bytes that it has with them, unless it is compressed.
func TestFirstResponses(t *testing.T) {
	f := fixture{env: "demo", names: []string{"Ada", "Bo", "Cy", "Di", "Ed"}, note: strings.Repeat("x", contentcoding.MinBody)}
	files, bare := t.TempDir(), t.TempDir()
	f.write(t, files)
	f.write(t, bare)
	if err := os.RemoveAll(filepath.Join(bare, release.FilesLink)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{listRoot + "/Content_1.json", listRoot + "/Content_2.json", "/" + firstPage} {
		for _, suffix := range []string{".gz", ".br"} {
			writeFile(t, files+name+suffix, []byte("some bytes in"+suffix))
		}
	}
	serve := func(start func(*testing.T, func(*ServerConfig)) (*Server, string), dir string, cache int64) string {
		s, addr := start(t, func(c *ServerConfig) { c.Public, c.CacheBytes, c.PollInterval = dir, cache, 0 })
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		return addr
	}
	first := map[string]string{"Fiber": serve(startEngine, files, 0), "fast path": serve(startServer, files, 0)}
	later := map[string]string{"cached, Fiber": serve(startEngine, files, 1<<20), "cached, fast path": serve(startServer, files, 1<<20)}
	without := map[string]string{"no files, Fiber": serve(startEngine, bare, 0), "no files, fast path": serve(startServer, bare, 0)}
	tags := regexp.MustCompile(`(?i)\r\nEtag: ("[^"]+")`)
	for _, target := range []string{
		listRoot + "/Content_0", listRoot + "/Content_1", listRoot + "/Content_2.json", listRoot + "/Content_9", listRoot + "/Content_9.json",
		listRoot, listRoot + "?page=2", listRoot + "?page=9", "/" + firstPage, strings.Replace("/"+firstPage, "page-1", "page-9", 1), "/cda/rest/v1/other/contents/Content_1",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, accept := range []string{"", "br", "gzip, br, zstd", "identity;q=0.5, gzip;q=0.1"} {
				head := method + " " + target + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: " + accept + "\r\n"
				tag := ""
				if found := tags.FindStringSubmatch(wholeResponse(t, first["Fiber"], head+"\r\n")); found != nil {
					tag = found[1]
				}
				for _, fields := range []string{"", "If-None-Match: " + tag + "\r\n", "If-None-Match: \"x\"\r\n", "Range: bytes=2-5\r\n", "Range: bytes=-3\r\nIf-Range: " + tag + "\r\n", "Range: bytes=999999-\r\n", "If-Match: \"x\"\r\n"} {
					if method == "HEAD" && strings.Contains(fields, "Range") {
						continue
					}
					raw := head + fields + "\r\n"
					want := wholeResponse(t, first["Fiber"], raw)
					same := func(name, addr string) {
						t.Helper()
						if got := wholeResponse(t, addr, raw); got != want {
							t.Errorf("%s: %q gets\n%.500s\nwant\n%.500s", name, raw, got, want)
						}
					}
					same("fast path", first["fast path"])
					for name, addr := range later {
						same(name, addr) // from the third request for the target on, from the cache
					}
					if accept == "" {
						for name, addr := range without {
							same(name, addr)
						}
					}
				}
			}
		}
	}
	if want := []byte("some bytes in.br"); !bytes.HasSuffix([]byte(wholeResponse(t, first["fast path"], "GET "+listRoot+"/Content_1 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br\r\n\r\n")), want) {
		t.Error("the compressed file is not sent")
	}
}
