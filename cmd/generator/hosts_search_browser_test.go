package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"contentedge/cmd/browsertest"
	"contentedge/cmd/wasm/module"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/hosts/searchfiles"
)

// staticHost serves directories as a CDN does: files by their names, nothing else.
type staticHost struct {
	*httptest.Server

	mu     sync.Mutex
	dirs   []string
	down   bool                                         // it closes connections, as if there were no network
	alter  func(name string, body []byte) (int, []byte) // what is sent instead of a file
	asked  []string
	policy string // the field Content-Security-Policy
}

func newStaticHost(t *testing.T, dirs ...string) *staticHost {
	h := &staticHost{dirs: dirs}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

// ServeHTTP implements http.Handler.
func (h *staticHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	dirs, down, alter, policy := h.dirs, h.down, h.alter, h.policy
	h.asked = append(h.asked, strings.TrimPrefix(r.URL.Path, "/"))
	h.mu.Unlock()
	if down {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close()
		}
		return
	}
	if policy != "" {
		w.Header().Set("Content-Security-Policy", policy)
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>site</title>")
		return
	}
	types := map[string]string{".mjs": "text/javascript", ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm"}
	for _, dir := range dirs {
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		status := http.StatusOK
		if alter != nil {
			status, body = alter(name, body)
		}
		if typ := types[filepath.Ext(name)]; typ != "" {
			w.Header().Set("Content-Type", typ)
		} else {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
		return
	}
	http.NotFound(w, r)
}

// set changes what the host does.
func (h *staticHost) set(change func(*staticHost)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(h)
}

// count returns how many requests had a part of their name, and forgets all.
func (h *staticHost) count(part string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range h.asked {
		if strings.Contains(name, part) {
			n++
		}
	}
	h.asked = nil
	return n
}

// searchTab is a tab at a site.
type searchTab struct {
	*testing.T
	ctx  context.Context
	base string
}

func openTab(t *testing.T, browser context.Context, base string, options ...chromedp.ContextOption) *searchTab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser, options...)
	t.Cleanup(end)
	b := &searchTab{t, ctx, base}
	b.load()
	return b
}

func (b *searchTab) load() {
	b.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(b.base+"/")); err != nil {
		b.Fatal(err)
	}
}

// run runs the body of an asynchronous function in the page, and returns what it returns as JSON.
func (b *searchTab) run(body string) string {
	b.Helper()
	ctx, end := context.WithTimeout(b.ctx, time.Minute)
	defer end()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => { try { return JSON.stringify(await (async () => {`+body+`})()) ?? ""; } catch (e) { return "error " + (e.code ?? e.name) + ": " + e.message; } })()`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", body, err)
	}
	return text
}

// Programs of pages. Those that end without a return value go before others.
const (
	open     = `const { open } = await import("/contentedge/search.mjs"); const edge = globalThis.edge = await open({ environments: ["site"] }); `
	register = `const { register } = await import("/contentedge/search.mjs"); await register({ offline: ["site", "events"] }); `
	bread    = `const r = await edge.fetch("/cda/es/v1/site?q=bread&size=50", { method: "POST" }); return [r.status, r.headers.get("X-Release"), (await r.json()).totalItems];`
	fetched  = `const r = await fetch("/cda/es/v1/site?q=bread&size=50", { method: "POST" }); return [r.status, r.headers.get("X-Release"), (await r.json()).totalItems];`
)

// searchRelease is a release with its search.
type searchRelease struct{ public, out, build string }

// answer is what bread and fetched return for a release.
func (p searchRelease) answer(t *testing.T, total int) string {
	return fmt.Sprintf(`[200,%q,%d]`, p.build, total)
}

func (p searchRelease) serve(t *testing.T) *staticHost {
	return newStaticHost(t, p.out, filepath.Join(p.public, release.CurrentLink))
}

func publishContent(t *testing.T, content string, files []module.File) searchRelease {
	t.Helper()
	p := searchRelease{public: filepath.Join(t.TempDir(), "public"), out: filepath.Join(t.TempDir(), "out")}
	buildSample(t, content, p.public)
	t.Log(publishSample(t, "static", p.public, p.out, files))
	m, err := readManifest(p.public)
	if err != nil {
		t.Fatal(err)
	}
	p.build = m.Build
	return p
}

// editedContent is the sample with one more article about bread.
func editedContent(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "content")
	if err := os.CopyFS(dir, os.DirFS("../../content")); err != nil {
		t.Fatal(err)
	}
	articles := filepath.Join(dir, "site", "articles")
	b, err := os.ReadFile(filepath.Join(articles, "bread-for-people-with-jobs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var item map[string]any
	if err := json.Unmarshal(b, &item); err != nil {
		t.Fatal(err)
	}
	item["ContentID"] = "00000000-0000-4000-8000-000000000001"
	if b, err = json.Marshal(item); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(articles, "more-bread.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The hits of bread in the sample, and in the edited content.
const inSample, inEdited = 3, 4

func TestStaticSearchInBrowser(t *testing.T) {
	files := moduleFiles(t)
	chromium := browsertest.Find(t)
	s := &searchSuite{browser: browsertest.Start(t, chromium)}
	s.old = publishContent(t, "../../content", files)
	s.edited = publishContent(t, editedContent(t), files)
	for _, c := range []struct {
		name string
		test func(*testing.T, *searchSuite)
	}{
		{"FirstAndSecondLoad", testFirstAndSecondLoad}, {"NoNetwork", testNoNetwork}, {"Hostile", testHostile}, {"PolicyWithoutWasm", testPolicy},
		{"StorageFull", testStorageFull}, {"NewRelease", testNewRelease}, {"DamagedNewRelease", testDamagedNewRelease}, {"Abort", testAbort},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, s) })
	}
}

type searchSuite struct {
	browser     context.Context
	old, edited searchRelease
}

// visit opens a tab in a profile of its own.
func (s *searchSuite) visit(t *testing.T, h *staticHost) *searchTab {
	t.Helper()
	return openTab(t, s.browser, h.URL, chromedp.WithNewBrowserContext())
}

// isEqual fails the test for another result.
func (b *searchTab) isEqual(program, want string) {
	b.Helper()
	if got := b.run(program); got != want {
		b.Errorf("%s\n got %s\nwant %s", program, got, want)
	}
}

func testFirstAndSecondLoad(t *testing.T, s *searchSuite) {
	h := s.old.serve(t)
	b := s.visit(t, h)
	start := time.Now()
	b.isEqual(open+bread, s.old.answer(t, inSample))
	t.Logf("first load: %v", time.Since(start))
	if n := h.count("immutable/site-"); n == 0 {
		t.Error("the snapshot was not loaded")
	}
	b.load()
	start = time.Now()
	b.isEqual(open+bread, s.old.answer(t, inSample))
	t.Logf("second load: %v", time.Since(start))
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range h.asked {
		if strings.HasPrefix(name, searchfiles.Immutable) && !strings.HasSuffix(name, ".mjs") {
			t.Errorf("the second load asked for %s", name)
		}
	}
}

// testNoNetwork: a page that fetches addresses of a node works without a network.
func testNoNetwork(t *testing.T, s *searchSuite) {
	h := s.old.serve(t)
	b := s.visit(t, h)
	b.isEqual(register+fetched, s.old.answer(t, inSample))
	online := map[string]string{}
	targets := []string{"/cda/rest/v1/site/contents", "/cda/rest/v1/site/contents?pageSize=3&page=2", "/cda/rest/v1/site/contents?searchByTemplateName=Article&sort=Name&sortAsc=true",
		"/cda/rest/v1/events/contents", "/cda/es/v1/site/_search?q=bread", "/cda/rest/v1/site/searches/bread.json", "/cda/rest/v1/site/contents/none"}
	const get = `const r = await fetch(%q); return [r.status, (await r.text()).replace(/"took":\d+/, "")];`
	items := b.run(`const r = await fetch("/cda/rest/v1/site/contents?pageSize=100"); return (await r.json()).data.map((item) => "/cda/rest/v1/site/contents/" + item.ContentID);`)
	var ids []string
	if err := json.Unmarshal([]byte(items), &ids); err != nil || len(ids) < 50 {
		t.Fatalf("%s: %v", items, err)
	}
	for _, target := range append(targets, ids[:10]...) {
		online[target] = b.run(fmt.Sprintf(get, target))
	}
	h.set(func(h *staticHost) { h.down = true })
	for target, want := range online {
		if got := b.run(fmt.Sprintf(get, target)); got != want || !strings.HasPrefix(got, "[200,") && !strings.HasSuffix(target, "/none") {
			t.Errorf("%s without a network:\n got %.300s\nwant %.300s", target, got, want)
		}
	}
	b.isEqual(open+bread, s.old.answer(t, inSample)) // the worker thread of a page too
}

// testHostile: files that are damaged, exchanged, missing or of another version make clear errors.
func testHostile(t *testing.T, s *searchSuite) {
	var pointer searchfiles.Pointer
	text, err := os.ReadFile(filepath.Join(s.old.out, searchfiles.PointerName))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &pointer); err != nil {
		t.Fatal(err)
	}
	body := func(f searchfiles.File) []byte {
		b, err := os.ReadFile(filepath.Join(s.old.out, searchfiles.Immutable, f.Parts[0].File))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	site, events := pointer.Files[pointer.Snapshots["site"].File], pointer.Files[pointer.Snapshots["events"].File]
	replaced := func(text, old, new string) []byte {
		if !strings.Contains(text, old) {
			t.Fatalf("the pointer has no %s", old)
		}
		return []byte(strings.ReplaceAll(text, old, new))
	}
	h := s.old.serve(t)
	b := s.visit(t, h)
	for _, c := range []struct {
		name, file, code string
		alter            func(body []byte) (int, []byte)
	}{
		{"damaged module", "immutable/contentedge-", "damaged", func(b []byte) (int, []byte) { b[len(b)/2] ^= 1; return 200, b }},
		{"damaged snapshot", site.Parts[0].File, "damaged", func(b []byte) (int, []byte) { b[len(b)/2] ^= 1; return 200, b }},
		{"cut off", site.Parts[0].File, "damaged", func(b []byte) (int, []byte) { return 200, b[:len(b)/2] }},
		{"too long", site.Parts[0].File, "damaged", func(b []byte) (int, []byte) { return 200, append(b, b...) }},
		{"exchanged snapshot", site.Parts[0].File, "damaged", func([]byte) (int, []byte) { return 200, body(events) }},
		{"start page instead", site.Parts[0].File, "damaged", func([]byte) (int, []byte) { return 200, []byte("<!doctype html>") }},
		{"missing snapshot", site.Parts[0].File, "missing", func([]byte) (int, []byte) { return 404, nil }},
		{"pointer of a later version", "search.json", "version", func([]byte) (int, []byte) { return 200, replaced(string(text), `"format":1`, `"format":2`) }},
		{"pointer to another release", "search.json", "mixed", func([]byte) (int, []byte) { return 200, replaced(string(text), pointer.Build, "0123456789abcdef") }},
		{"no pointer", "search.json", "missing", func([]byte) (int, []byte) { return 404, nil }},
		{"damaged pointer", "search.json", "damaged", func([]byte) (int, []byte) { return 200, text[:len(text)/2] }},
		{"start page for the pointer", "search.json", "damaged", func([]byte) (int, []byte) { return 200, []byte("<!doctype html>") }},
		{"pointer without members", "search.json", "damaged", func([]byte) (int, []byte) { return 200, []byte(`{"format":1}`) }},
	} {
		h.set(func(h *staticHost) {
			h.alter = func(name string, body []byte) (int, []byte) {
				if strings.Contains(name, c.file) && !strings.HasSuffix(name, ".mjs") {
					return c.alter(body)
				}
				return http.StatusOK, body
			}
		})
		if got := b.run(`await caches.delete("contentedge-1"); ` + open + bread); !strings.HasPrefix(got, "error "+c.code+":") {
			t.Errorf("%s: %s, want the code %s", c.name, got, c.code)
		}
	}
	h.set(func(h *staticHost) { h.alter = nil })
	b.load()
	b.isEqual(open+bread, s.old.answer(t, inSample)) // nothing of the damage was kept
}

// testPolicy: a page whose policy forbids the module gets an error that says what is missing.
func testPolicy(t *testing.T, s *searchSuite) {
	h := s.old.serve(t)
	h.policy = "default-src 'self'; script-src 'self' 'unsafe-eval'"
	b := s.visit(t, h)
	b.isEqual(open+bread, s.old.answer(t, inSample))
	h.set(func(h *staticHost) { h.policy = "default-src 'self'" })
	b = s.visit(t, h)
	if got := b.run(open + bread); !strings.HasPrefix(got, "error module:") || !strings.Contains(got, "wasm-unsafe-eval") {
		t.Error(got)
	}
}

// testStorageFull: searches are answered though the browser keeps nothing, and what cannot work says so.
func testStorageFull(t *testing.T, s *searchSuite) {
	h := s.old.serve(t)
	b := s.visit(t, h)
	size := float64(100_000)
	if _, err := chromedp.Call(b.ctx, storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{Origin: h.URL, QuotaSize: &size}); err != nil {
		t.Fatal(err)
	}
	b.isEqual(open+`globalThis.stored = edge.stored; `+bread, s.old.answer(t, inSample))
	b.isEqual(`return stored;`, `false`)
	if got := b.run(register + fetched); !strings.HasPrefix(got, "error storage:") {
		t.Error(got)
	}
	b.isEqual(fetched, s.old.answer(t, inSample)) // with a network the service worker answers
}

// testNewRelease: while a release is exchanged in two tabs, every answer is of one release.
func testNewRelease(t *testing.T, s *searchSuite) {
	h := s.old.serve(t)
	first := s.visit(t, h)
	first.isEqual(open+bread, s.old.answer(t, inSample))
	first.run(`globalThis.answers = []; globalThis.releases = []; edge.addEventListener("release", (e) => releases.push(e.detail));
		globalThis.asking = (async () => { while (!globalThis.enough) answers.push(await (async () => {` + bread + `})()) })();`)
	h.set(func(h *staticHost) { h.dirs = s.edited.serve(t).dirs })
	second := openTab(t, first.ctx, h.URL)
	second.isEqual(open+bread, s.edited.answer(t, inEdited))
	first.run(`await edge.look(); globalThis.enough = true; await asking;`)
	first.isEqual(bread, s.edited.answer(t, inEdited))
	first.isEqual(`return releases;`, fmt.Sprintf(`[%q]`, s.edited.build))
	first.isEqual(`return [...new Set(answers.map((a) => JSON.stringify(a)))].filter((a) => a !== '`+s.old.answer(t, inSample)+`' && a !== '`+s.edited.answer(t, inEdited)+`');`, `[]`)
	if got := first.run(`return answers[0];`); got != s.old.answer(t, inSample) {
		t.Errorf("before the new release: %s", got)
	}
}

// testDamagedNewRelease: the old release answers while the new one does not load, in open pages and in new ones.
func testDamagedNewRelease(t *testing.T, s *searchSuite) {
	h := s.old.serve(t)
	b := s.visit(t, h)
	b.isEqual(register+fetched, s.old.answer(t, inSample))
	b.isEqual(open+bread, s.old.answer(t, inSample))
	h.set(func(h *staticHost) {
		h.dirs = s.edited.serve(t).dirs
		h.alter = func(name string, body []byte) (int, []byte) {
			if strings.Contains(name, "immutable/manifest-") {
				body = bytes.ToUpper(body)
			}
			return http.StatusOK, body
		}
	})
	if got := b.run(`await edge.look();`); !strings.HasPrefix(got, "error damaged:") {
		t.Error(got)
	}
	b.isEqual(bread, s.old.answer(t, inSample))
	b.isEqual(fetched, s.old.answer(t, inSample))
	b.load()
	b.isEqual(open+bread, s.old.answer(t, inSample))
	h.set(func(h *staticHost) { h.alter = nil })
	b.load()
	b.isEqual(open+bread, s.edited.answer(t, inEdited))
}

// testAbort: a load ends when it is aborted, and another one begins afterwards.
func testAbort(t *testing.T, s *searchSuite) {
	h := s.old.serve(t)
	asked, wait := make(chan struct{}, 100), make(chan struct{})
	h.alter = func(name string, body []byte) (int, []byte) {
		if strings.Contains(name, "immutable/site-") {
			asked <- struct{}{}
			<-wait
		}
		return http.StatusOK, body
	}
	b := s.visit(t, h)
	b.run(`const { open } = await import("/contentedge/search.mjs"); globalThis.stop = new AbortController();
		globalThis.opening = open({ environments: ["site"], signal: stop.signal }).then(() => "opened", (e) => e.name);`)
	select {
	case <-asked:
	case <-time.After(time.Minute):
		t.Error("the snapshot was not asked for")
	}
	b.isEqual(`stop.abort(); return opening;`, `"AbortError"`)
	close(wait)
	h.set(func(h *staticHost) { h.alter = nil })
	b.isEqual(open+bread, s.old.answer(t, inSample))
	b.isEqual(`const { fetch } = edge; return fetch("/cda/es/v1/site", { method: "POST", signal: AbortSignal.abort() }).catch((e) => e.name);`, `"AbortError"`)
	b.isEqual(`edge.close(); return edge.fetch("/cda/es/v1/site").catch((e) => e.code);`, `"closed"`)
}
