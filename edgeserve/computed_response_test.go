package edgeserve

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// startSnapshotOnly serves a site whose files were not fetched.
func startSnapshotOnly(t *testing.T, site fixture, change func(*ServerConfig)) (*Server, string) {
	t.Helper()
	dir := t.TempDir()
	site.write(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, release.FilesLink)); err != nil {
		t.Fatal(err)
	}
	s, addr := startServer(t, func(c *ServerConfig) {
		c.Public, c.PollInterval = dir, 0
		if change != nil {
			change(c)
		}
	})
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s, addr
}

// largeSite has items that count as large.
func largeSite() fixture {
	large := site
	large.note = strings.Repeat("x", bodies.Large)
	return large
}

// A list of a release without files is searched for once in each coding, and once more
// before it is known to be asked for again; it is kept in no coding that nobody builds.
func TestBuiltOnceInEachCoding(t *testing.T) {
	s, addr := startSnapshotOnly(t, largeSite(), nil)
	for i, accept := range []string{"", "gzip", "zstd", "br", "br, gzip", "gzip;q=0.5, zstd;q=0.1"} {
		for range 3 {
			head := ""
			if accept != "" {
				head = "Accept-Encoding: " + accept + "\r\n"
			}
			a, _ := ask(t, addr, "GET", listRoot, head, "")
			want := map[string]string{"gzip": "gzip", "zstd": "zstd", "br, gzip": "gzip", "gzip;q=0.5, zstd;q=0.1": "gzip"}[accept]
			if a.StatusCode != 200 || a.Header.Get("Content-Encoding") != want {
				t.Errorf("%q: %d %v", accept, a.StatusCode, a.Header)
			}
		}
		if want := fmt.Sprintf(`contentedge_searches_total{kind="list"} %d`, min(i+2, 4)); !strings.Contains(string(s.metricsText()), want+"\n") {
			t.Errorf("%q: not %s", accept, want)
		}
	}
	f := s.current.Served.Load().Cache.GetTarget([]byte(listRoot))
	if f == nil || f.Responses[contentcoding.Brotli].Load() != respcache.Absent {
		t.Errorf("kept %+v", f)
	}
}

// A search is evaluated twice, the first and the second time that it is asked for, and a
// list too; one that depends on the time each time.
func TestKeptWhenAskedForAgain(t *testing.T) {
	s, addr, _ := startSite(t, site)
	for _, c := range []struct {
		method, target, body string
		kept                 bool
	}{
		{"POST", esRoot, `{"query":{"match":{"Name":"bee"}}}`, true},
		{"POST", esRoot + "?Name=Bee", `{"query":{"match":{"Name":"bee"}}}`, true},
		{"POST", esRoot, "", true},
		{"POST", esRoot, `{"query":{"range":{"CreatedAt":{"lte":"now"}}}}`, false},
		{"POST", esRoot, `{"size":1` + strings.Repeat(" ", respcache.MaxComputedKey) + `}`, false},
		{"GET", listRoot + "?pageSize=1", "", true},
		{"GET", listRoot + "?page=10000000", "", true},
		{"GET", listRoot + "?page=99&pageSize=1", "", true},
	} {
		evaluated := func() (n int) {
			for line := range strings.Lines(string(s.metricsText())) {
				if name, value, _ := strings.Cut(line, "} "); strings.HasPrefix(name, "contentedge_searches_total{") {
					v, _ := strconv.Atoi(strings.TrimSpace(value))
					n += v
				}
			}
			return n
		}
		before, want := evaluated(), 5
		if c.kept {
			want = 2
		}
		first := ""
		for range 5 {
			a, body := ask(t, addr, c.method, c.target, "", c.body)
			if first == "" {
				first = body
			}
			if a.StatusCode != 200 || body != first || a.Header.Get("ETag") != wantTag(false, body) {
				t.Errorf("%s %s: %d %v", c.target, c.body, a.StatusCode, a.Header)
			}
		}
		if got := evaluated() - before; got != want {
			t.Errorf("%s %.80s: evaluated %d times, want %d", c.target, c.body, got, want)
		}
	}
}

// What nobody asks for again takes next to no memory from what is asked for.
func TestAskedForOnceIsNotKept(t *testing.T) {
	s, addr := startSnapshotOnly(t, largeSite(), func(c *ServerConfig) { c.CacheBytes = 1 << 20 })
	for range 2 {
		ask(t, addr, "GET", listRoot+"?pageSize=1", "", "")
	}
	for i := range 300 {
		ask(t, addr, "POST", esRoot, "", fmt.Sprintf(`{"size":3%*s}`, i, ""))
	}
	if s.current.Served.Load().Cache.GetTarget([]byte(listRoot+"?pageSize=1")) == nil {
		t.Error("what is in use was pushed out")
	}
}

// An answer that is kept holds no more memory than it is counted for, though its buffer
// was for whole items.
func TestKeptIsNoLongerThanItIs(t *testing.T) {
	s, addr, _ := startSite(t, largeSite())
	const body = `{"_source":false}`
	for range 3 {
		ask(t, addr, "POST", esRoot, "", body)
	}
	f := s.current.Served.Load().Cache.GetSearch([]byte(esRoot), []byte(body))
	if f == nil || f.Responses[contentcoding.Identity].Load() == nil {
		t.Fatal("not kept")
	}
	if b := f.Responses[contentcoding.Identity].Load().Body; cap(b) > 2*len(b) {
		t.Errorf("%d bytes are kept in a buffer of %d", len(b), cap(b))
	}
}

// A coding that was looked for in vain as a file is built once there are no files.
func TestCodedOnceFilesAreGone(t *testing.T) {
	dir := t.TempDir()
	long := largeSite()
	long.write(t, dir)
	item := address.ItemFile("demo", "Content_1")
	coded(t, dir, item, contentcoding.Gzip)
	s := openSite(t, dir, nil)
	for i, coding := range []contentcoding.Coding{contentcoding.Gzip, contentcoding.Zstd, contentcoding.Zstd, contentcoding.Zstd, contentcoding.Gzip} {
		if i == 1 {
			remove(t, filepath.Join(dir, release.ManifestName))
		}
		ctx := newRequest(t, "GET", listRoot+"/Content_1", "Accept-Encoding: "+coding.String())
		s.handle(ctx)
		body, err := compression.Decode(coding, ctx.Response.Body(), 1<<20)
		if err != nil || string(body) != long.item(1) || len(ctx.Response.Header.Peek("ETag")) == 0 {
			t.Errorf("answer %d: %s%.50s %v", i, ctx.Response.Header.String(), body, err)
		}
	}
}

// A long list costs the cache no more than a short one, if it is asked for once.
func TestLongListIsNotKept(t *testing.T) {
	s, addr, _ := startSite(t, site)
	for name, cached := range map[string]bool{"n": true, strings.Repeat("n", respcache.MaxComputedKey): false} {
		target := listRoot + "?searchByName=" + name
		for range 3 {
			ask(t, addr, "GET", target, "", "")
		}
		if got := s.current.Served.Load().Cache.GetTarget([]byte(target)) != nil; got != cached {
			t.Errorf("a name of %d bytes: cached: %t", len(name), got)
		}
	}
}

// Many who ask at once for what is not built yet get the same bytes, and all memory that
// was taken is given back, though hardly anything is kept.
func TestBuiltAtOnce(t *testing.T) {
	client := http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	for _, budget := range []int64{0, 100 << 10, DefaultCacheBytes} {
		s, addr := startSnapshotOnly(t, largeSite(), func(c *ServerConfig) { c.CacheBytes = budget })
		var all sync.WaitGroup
		for worker := range 8 {
			all.Go(func() {
				for i := range 40 {
					size := 1 + (i+worker)%5
					target := fmt.Sprintf("%s?pageSize=%d", listRoot, size)
					a, err := client.Get("http://" + addr + target)
					if err != nil {
						t.Error(err)
						return
					}
					body, err := io.ReadAll(a.Body)
					_ = a.Body.Close()
					if err != nil || a.StatusCode != 200 || a.Header.Get("ETag") != wantTag(size == 2, string(body)) /* lists of a family may be files */ {
						t.Errorf("%s: %d %v", target, a.StatusCode, err)
					}
				}
			})
		}
		all.Wait()
		waitFor(t, "all memory is given back", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
	}
}

// wantTag is the entity tag of a body: its SHA-256 if it may be a file, else its XXH64.
func wantTag(filed bool, body string) string {
	if filed {
		return release.ETag([]byte(body))
	}
	return `"` + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, xxhash.Sum64String(body))) + `"`
}
