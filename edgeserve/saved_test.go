package edgeserve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// saved has a search of two pages and one of one page.
var saved = fixture{env: "demo", names: site.names, note: "<first>", searches: []release.Search{
	{Name: "apes", Body: json.RawMessage(`{"query":{"match":{"Name":"ape"}},"aggs":{"n":{"value_count":{"field":"Name.keyword"}}}}`), TotalItems: 2, Files: 1, Bytes: 1},
	{Name: "pairs", Body: json.RawMessage(`{"from":1,"size":2}`), TotalItems: 5, Files: 2, Bytes: 1},
}}

// savedBodies are the bodies by page.
func savedBodies() map[string]string {
	return map[string]string{
		"apes.json":    strings.TrimSuffix(saved.list(2, 0, 3), "}") + `,"aggregations":{"n":{"value":2}}}`,
		"pairs.json":   saved.list(5, 1, 2),
		"pairs.2.json": saved.list(5, 3, 4),
	}
}

const savedRoot = "/cda/rest/v1/demo/searches/"

// TestSavedSearches: a file, the snapshot in its place, and a node without files send the same.
func TestSavedSearches(t *testing.T) {
	links := map[string]string{
		"apes.json":    "",
		"pairs.json":   `<pairs.json>; rel="first", <pairs.2.json>; rel="next", <pairs.2.json>; rel="last"`,
		"pairs.2.json": `<pairs.json>; rel="first", <pairs.json>; rel="prev", <pairs.2.json>; rel="last"`,
	}
	bodies := map[string]string{"apes": string(saved.searches[0].Body), "pairs": string(saved.searches[1].Body)}
	for name, prepare := range map[string]func(dir string){
		"files":    func(dir string) { writeSaved(t, dir) },
		"no files": func(string) {},
		"snapshot only": func(dir string) {
			if err := os.RemoveAll(filepath.Join(dir, release.FilesLink)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, fast := range []string{"auto", "off"} {
			t.Run(name+" "+fast, func(t *testing.T) {
				dir := t.TempDir()
				saved.write(t, dir)
				prepare(dir)
				s, addr := startServer(t, func(c *ServerConfig) { c.Public, c.FastPath = dir, fast })
				if err := s.Reload(t.Context()); err != nil {
					t.Fatal(err)
				}
				for page, want := range savedBodies() {
					for range 3 { // from the disk or the snapshot, then from the cache
						a, body := ask(t, addr, "GET", savedRoot+page, "", "")
						if a.StatusCode != 200 || body != want {
							t.Fatalf("%s: %d %s, want %s", page, a.StatusCode, body, want)
						}
						if a.Header.Get("Etag") != release.ETag([]byte(want)) || a.Header.Get("Cache-Control") != release.CacheControl(release.ClassList) ||
							a.Header.Get("Link") != links[page] || a.Header.Get("Accept-Ranges") != "bytes" {
							t.Errorf("%s: headers %v", page, a.Header)
						}
						checkCommon(t, a)
					}
					if a, _ := ask(t, addr, "GET", savedRoot+page, "If-None-Match: "+release.ETag([]byte(want))+"\r\n", ""); a.StatusCode != 304 {
						t.Errorf("%s: %d with its tag", page, a.StatusCode)
					}
					if a, body := ask(t, addr, "HEAD", savedRoot+page, "", ""); a.StatusCode != 200 || body != "" || a.ContentLength != int64(len(want)) {
						t.Errorf("%s: HEAD %d, %d bytes", page, a.StatusCode, a.ContentLength)
					}
					if a, body := ask(t, addr, "GET", savedRoot+page, "Range: bytes=1-3\r\n", ""); a.StatusCode != 206 || body != want[1:4] {
						t.Errorf("%s: range %d %s", page, a.StatusCode, body)
					}
					if search, _, _ := strings.Cut(page, "."); page == search+".json" {
						if _, body := ask(t, addr, "POST", esRoot, "", bodies[search]); body != want {
							t.Errorf("%s: the search answers %s", page, body)
						}
					}
				}
				for _, page := range []string{"none.json", "apes.2.json", "pairs.3.json"} {
					if a, body := ask(t, addr, "GET", savedRoot+page, "", ""); a.StatusCode != 404 || !strings.Contains(body, `"unknown_search"`) {
						t.Errorf("%s: %d %s", page, a.StatusCode, body)
					}
				}
				for _, page := range []string{"apes", "apes.1.json", "pairs.02.json", "apes.json/", ""} {
					if a, body := ask(t, addr, "GET", savedRoot+page, "", ""); a.StatusCode != 404 || !strings.Contains(body, `"unknown_route"`) {
						t.Errorf("%q: %d %s", page, a.StatusCode, body)
					}
				}
				if a, _ := ask(t, addr, "POST", savedRoot+"apes.json", "", "{}"); a.StatusCode != 405 || a.Header.Get("Allow") != address.AllowRead {
					t.Errorf("POST: %d %v", a.StatusCode, a.Header)
				}
				if a, body := ask(t, addr, "GET", "/cda/rest/v1/other/searches/apes.json", "", ""); a.StatusCode != 404 || !strings.Contains(body, `"unknown_environment"`) {
					t.Errorf("another environment: %d %s", a.StatusCode, body)
				}
			})
		}
	}
}

func writeSaved(t *testing.T, dir string) {
	t.Helper()
	for page, body := range savedBodies() {
		name, number := strings.TrimSuffix(page, ".json"), 1
		if rest, paged := strings.CutSuffix(name, ".2"); paged {
			name, number = rest, 2
		}
		writeFile(t, filepath.Join(dir, filepath.FromSlash(address.SavedFile("demo", name, number))), []byte(body))
	}
}
