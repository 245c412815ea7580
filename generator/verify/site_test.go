// These tests ask a web server for a release's files and let it answer wrongly in one
// way each.

package verify

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
)

// large builds a release with precompressed files and gives its directory.
func large(t *testing.T, text string) string {
	t.Helper()
	content, out := t.TempDir(), t.TempDir()
	for i := range 12 {
		item := fmt.Sprintf(`{"ContentID":"id%d","Name":"%d","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":%q}}`, i, i, strings.Repeat(text, 300*(i%2)))
		path := filepath.Join(content, "demo", fmt.Sprintf("%d.json", i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(item), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, Lists: "-", Compress: "gzip,br,zstd"}); err != nil {
		t.Fatal(err)
	}
	return out
}

// host is a server of files, with the precompressed ones beside them.
type host struct {
	dir string
	url string

	mu    sync.Mutex
	asked []string // name and coding
	wrong func(n int, w http.ResponseWriter, r *http.Request) bool
}

func newHost(t *testing.T, dir string) *host {
	h := &host{dir: dir}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	h.url = s.URL + "/below"
	return h
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, accept := strings.TrimPrefix(r.URL.Path, "/below/"), r.Header.Get("Accept-Encoding")
	h.mu.Lock()
	h.asked = append(h.asked, name+" "+accept)
	n, wrong := len(h.asked), h.wrong
	h.mu.Unlock()
	if wrong != nil && wrong(n, w, r) {
		return
	}
	for _, c := range contentcoding.Codings {
		if b, err := os.ReadFile(filepath.Join(h.dir, name+c.Suffix())); err == nil && accept == c.String() {
			w.Header().Set("Content-Encoding", c.String())
			_, _ = w.Write(b)
			return
		}
	}
	b, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write(b)
}

// requests are those so far; one that was cancelled may still come.
func (h *host) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.asked)
}

// site verifies the host.
func (h *host) site(t *testing.T, c SiteConfig) (*SiteReport, error) {
	t.Helper()
	h.mu.Lock()
	h.asked = nil
	h.mu.Unlock()
	c.URL = h.url
	return Site(t.Context(), c)
}

func TestSite(t *testing.T) {
	out := large(t, "some text ")
	h := newHost(t, filepath.Join(out, "current"))
	// 12 items, 2 pages and a snapshot; 6 items and both pages in three codings.
	for _, c := range []struct {
		name   string
		config SiteConfig
		beside int // requests: the manifest before and after, and the list of checksums
	}{
		{"its own list", SiteConfig{}, 3},
		{"a directory", SiteConfig{Against: out, Jobs: 1}, 2},
	} {
		r, err := h.site(t, c.config)
		if err != nil || len(r.Problems) > 0 {
			t.Fatalf("%s: %+v, %v", c.name, r, err)
		}
		if r.Files != 15 || r.Responses != 15+8*3 || r.Recompressed != 0 || r.Unserved != 0 || r.Bytes == 0 || !release.IsBuild(r.Build) {
			t.Errorf("%s: %+v", c.name, r)
		}
		if n := len(h.requests()); n != r.Responses+c.beside {
			t.Errorf("%s: %d requests: %q", c.name, n, h.requests())
		}
	}
	for n := 1; n <= 16; n += 5 {
		if r, err := h.site(t, SiteConfig{Sample: n}); err != nil || r.Files != min(n, 15) || len(r.Problems) > 0 {
			t.Errorf("a sample of %d: %+v, %v", n, r, err)
		}
	}
}

// TestSampleDrawsAll proves that no file is never drawn.
func TestSampleDrawsAll(t *testing.T) {
	h := newHost(t, filepath.Join(large(t, "x"), "current"))
	drawn := map[string]bool{}
	for range 200 {
		if _, err := h.site(t, SiteConfig{Sample: 2, Jobs: 1}); err != nil {
			t.Fatal(err)
		}
		for _, a := range h.requests() {
			drawn[strings.Fields(a)[0]] = true
		}
	}
	if len(drawn) != 15+2 { // with manifest and list
		t.Errorf("drawn: %v", drawn)
	}
}

const page1 = "cda/rest/v1/demo/contents-list/sort-createdat-desc-10/page-1.json"

// on answers wrongly if a file is asked for in a coding.
func on(name, coding string, answer func(w http.ResponseWriter)) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, name) || r.Header.Get("Accept-Encoding") != coding {
			return false
		}
		answer(w)
		return true
	}
}

func gzipped(w http.ResponseWriter, text io.Reader) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, _ = io.Copy(z, text)
	_ = z.Close()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestWrongSites(t *testing.T) {
	out := large(t, "some text ")
	h := newHost(t, filepath.Join(out, "current"))
	page, err := os.ReadFile(filepath.Join(h.dir, page1))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		wrong func(int, http.ResponseWriter, *http.Request) bool
		want  string // part of the problem; "": none
	}{
		"other bytes":            {on(page1, "identity", func(w http.ResponseWriter) { fmt.Fprint(w, "[]") }), page1 + ", asked for as identity: the body (identity, 2 bytes"},
		"missing":                {on("id3.json", "identity", func(w http.ResponseWriter) { w.WriteHeader(404) }), "id3.json, asked for as identity: the site answers 404"},
		"redirect":               {on("id3.json", "identity", func(w http.ResponseWriter) { w.Header().Set("Location", "/"); w.WriteHeader(302) }), "the site answers 302"},
		"failing for good":       {on("id3.json", "br", func(w http.ResponseWriter) { w.WriteHeader(503) }), "id3.json, asked for as br: the site answers 503"},
		"other compressed bytes": {on("id3.json", "gzip", func(w http.ResponseWriter) { gzipped(w, strings.NewReader("[]")) }), "id3.json, asked for as gzip: the body (gzip,"},
		"no coding":              {on("id3.json", "gzip", func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip"); fmt.Fprint(w, "{}") }), "asked for as gzip: "},
		"unknown coding":         {on("id3.json", "gzip", func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "x") }), `the Content-Encoding is "x"`},
		"cut":                    {on(page1, "identity", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "9"); fmt.Fprint(w, "[") }), "unexpected EOF"},
		"endless":                {on(page1, "gzip", func(w http.ResponseWriter) { gzipped(w, io.LimitReader(zeros{}, maxBody+2)) }), "too long"},
		"another release": {on(page1, "identity", func(w http.ResponseWriter) {
			w.Header().Set(httpfield.Release, "0011223344556677")
			_, _ = w.Write(page)
		}), `release "0011223344556677"`},
		"compressed by the host": {on(page1, "zstd", func(w http.ResponseWriter) { gzipped(w, strings.NewReader(string(page))) }), ""},
		"compressed for nobody":  {on(page1, "identity", func(w http.ResponseWriter) { gzipped(w, strings.NewReader(string(page))) }), ""},
		"not compressed":         {on(page1, "zstd", func(w http.ResponseWriter) { _, _ = w.Write(page) }), ""},
		"no snapshots":           {on(".snap", "identity", func(w http.ResponseWriter) { w.WriteHeader(404) }), ""},
		"failing at times": {func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%7 == 3 {
				w.WriteHeader([]int{429, 500, 502, 503}[n%4])
			}
			return n%7 == 3
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, h.dir)
			h.wrong = test.wrong
			r, err := h.site(t, SiteConfig{Against: out})
			if err != nil {
				t.Fatal(err)
			}
			if (len(r.Problems) > 0) != (test.want != "") || test.want != "" && !strings.Contains(r.Problems[0], test.want) {
				t.Errorf("%q", r.Problems)
			}
			if recompressed := strings.HasPrefix(name, "compressed "); (r.Recompressed > 0) != recompressed || (r.Unserved > 0) != (name == "no snapshots") {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestSitesAtNoRelease(t *testing.T) {
	out, other := large(t, "some text "), large(t, "other text ")
	h := newHost(t, filepath.Join(out, "current"))
	ask := func(name string, wrong func(int, http.ResponseWriter, *http.Request) bool, against, want string) {
		t.Helper()
		h.wrong = wrong
		if r, err := h.site(t, SiteConfig{Against: against}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	absent := func(w http.ResponseWriter) { w.WriteHeader(404) }
	ask("another", nil, other, "its manifest differs from release")
	ask("no manifest", on("manifest.json", "identity", absent), "", "name the release to compare the site with")
	ask("no list", on("files.sha256", "identity", absent), "", "name the release to hold the site against")
	ask("a page for everything", on("manifest.json", "identity", func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }), "", "bad manifest")
	ask("damaged list", on("files.sha256", "identity", func(w http.ResponseWriter) { fmt.Fprint(w, "x") }), "", "not what the manifest says")
	ask("endless list", on("files.sha256", "identity", func(w http.ResponseWriter) { _, _ = io.CopyN(w, zeros{}, 1<<20) }), "", "too long")
	first := true
	ask("moving", on("manifest.json", "identity", func(w http.ResponseWriter) {
		dir := out
		if !first {
			dir = other
		}
		first = false
		b, _ := os.ReadFile(filepath.Join(dir, "manifest.json"))
		_, _ = w.Write(b)
	}), out, "its manifest changed meanwhile")
	h.wrong = on("manifest.json", "identity", absent)
	if r, err := h.site(t, SiteConfig{Against: out}); err != nil || r.Files != 15 || len(r.Problems) > 0 {
		t.Errorf("an edge server: %+v, %v", r, err)
	}
	for _, url := range []string{"", "host", "ftp://host/", "http://", "http://host/?x", "http://host/#x", "http://%"} {
		if _, err := Site(t.Context(), SiteConfig{URL: url}); !errors.Is(err, ErrAddress) {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := Site(t.Context(), SiteConfig{URL: h.url, Against: t.TempDir()}); err == nil {
		t.Error("held against nothing")
	}
}

func TestSiteEnds(t *testing.T) {
	out := large(t, "some text ")
	h := newHost(t, filepath.Join(out, "current"))
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	h.wrong = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 9 {
			cancel(stop)
		}
		return false
	}
	if _, err := Site(ctx, SiteConfig{URL: h.url, Against: out}); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if n := len(h.requests()); n > 9+DefaultJobs {
		t.Errorf("%d requests", n)
	}
}

// TestSiteMedia: media come with a sandbox, whatever release a cache had them from.
func TestSiteMedia(t *testing.T) {
	content, out := t.TempDir(), t.TempDir()
	item := `{"ContentID":"a","Name":"a","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":{"p":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./a.svg"}}}`
	if err := errors.Join(os.MkdirAll(filepath.Join(content, "demo"), 0o755), os.WriteFile(filepath.Join(content, "demo/a.json"), []byte(item), 0o644),
		os.WriteFile(filepath.Join(content, "demo/a.svg"), []byte("<svg/>"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, Compress: "none"}); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, filepath.Join(out, "current"))
	r, err := h.site(t, SiteConfig{Against: out})
	if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], `Content-Security-Policy is "", without "sandbox"`) {
		t.Fatalf("%+v, %v", r, err)
	}
	sandboxed := func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/media/") {
			w.Header().Set(httpfield.ContentSecurityPolicy, release.MediaPolicy)
		}
		return false
	}
	h.wrong = sandboxed
	if r, err = h.site(t, SiteConfig{Against: out}); err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], `X-Content-Type-Options is "", not "nosniff"`) {
		t.Fatalf("%+v, %v", r, err)
	}
	h.wrong = func(n int, w http.ResponseWriter, r *http.Request) bool {
		sandboxed(n, w, r)
		if strings.Contains(r.URL.Path, "/media/") {
			w.Header().Set(httpfield.ContentTypeOptions, release.NoSniff)
			w.Header().Set(httpfield.Release, "0123456789abcdef")
		}
		return false
	}
	if r, err = h.site(t, SiteConfig{Against: out}); err != nil || len(r.Problems) > 0 || r.Files < 3 {
		t.Errorf("%+v, %v", r, err)
	}
}
