package module_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"contentedge/cmd/browsertest"
	"contentedge/cmd/wasm/module"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
)

const (
	// bandwidth is that of the browser's network, in bytes a second: 10 Mbit/s.
	bandwidth = 1.25e6
	// firstMore and warmMost are the times that a first search may take beside its downloads, and a later one in all.
	firstMore, warmMost = 500 * time.Millisecond, 500 * time.Millisecond
	// articles is the number of articles of a middling site.
	articles = 2500
)

// TestFirstAnswer measures, in a browser with a network of 10 Mbit/s, how long the first search of a site takes, and
// a search once the browser has the files in its cache. Times are logged, and compared with their limits only if
// TEST_CONTENTEDGE_QUIET says that nothing else runs on the machine. What is downloaded is compared always.
// TEST_CONTENTEDGE_FIRST_ANSWER=DIR measures the site whose content that directory has, with its one environment.
func TestFirstAnswer(t *testing.T) {
	dir := files(t)
	if testing.Short() {
		t.Skip("a measurement of a minute: without --short")
	}
	chromium := browsertest.Find(t)
	content := os.Getenv("TEST_CONTENTEDGE_FIRST_ANSWER")
	limited := content == "" && os.Getenv("TEST_CONTENTEDGE_QUIET") != ""
	if content == "" {
		content = t.TempDir()
		writeArticles(t, filepath.Join(content, "site", "items.ndjson"))
	}
	public := filepath.Join(t.TempDir(), "public")
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: public, NoSync: true}); err != nil {
		t.Fatal(err)
	}
	server, sizes, downloaded := searchServer(t, dir, public)
	ctx := browsertest.Start(t, chromium)
	call := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	call(err)
	_, err = chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: bandwidth, UploadThroughput: bandwidth}},
	})
	call(err)
	type result struct {
		Took  float64 `json:"took"`
		Body  string  `json:"body"`
		Marks string  `json:"marks"` // milliseconds until the module was there, started, and had the snapshot
	}
	ask := func() (took time.Duration, answer string) {
		call(chromedp.Do(ctx, chromedp.Navigate(server.URL+"/")))
		got, err := chromedp.Run(ctx, chromedp.Evaluate[result]("firstAnswer()", chromedp.EvalAwaitPromise))
		call(err)
		t.Log(got.Marks)
		return time.Duration(got.Took * float64(time.Millisecond)), got.Body
	}
	cold, answer := ask()
	if !strings.HasPrefix(answer, `{"took":0,`) || !strings.Contains(answer, `"_source"`) || !strings.Contains(answer, `"highlight"`) {
		t.Fatalf("%.300s", answer)
	}
	if n := downloaded(); n["module"] != 1 || n["snapshot"] != 1 || n["items"] == 0 || n["items"] > 10 {
		t.Errorf("the first answer downloaded %v", n)
	}
	warm, again := ask()
	if n := downloaded(); n["module"] != 1 || n["snapshot"] != 1 || n["items"] > 10 {
		t.Errorf("with the second answer, %v were downloaded", n)
	}
	if again != answer {
		t.Errorf("another answer the second time: %.300s", again)
	}
	downloads := time.Duration(float64(sizes.module+sizes.snapshot) / bandwidth * float64(time.Second))
	t.Logf("module %d bytes, snapshot %d bytes (as Brotli): downloads of %v at 10 Mbit/s; the first answer took %v, a warm one %v", sizes.module, sizes.snapshot, downloads, cold, warm)
	if limited && cold > downloads+firstMore {
		t.Errorf("the first answer took %v, the downloads alone %v", cold, downloads)
	}
	if limited && warm > warmMost {
		t.Errorf("a warm answer took %v", warm)
	}
}

// page opens a release and searches in it. The snapshot arrives while the browser compiles and starts the module.
const page = `<!doctype html><title>search</title><script type="module">
import { open } from "/contentedge.mjs";
globalThis.firstAnswer = async () => {
  const start = performance.now(), marks = [];
  const mark = name => marks.push(name + " " + Math.round(performance.now() - start));
  const snapshots = await (await fetch("/searches.json")).json();
  const [environment] = Object.keys(snapshots);
  const wasm = fetch("/contentedge.wasm").then(response => response.arrayBuffer());
  const snapshot = wasm.then(() => fetch("/" + snapshots[environment].file));
  wasm.then(() => mark("module"));
  const files = async (name, { signal }) => {
    if (name === snapshots[environment].file) return snapshot;
    const response = await fetch("/" + name, { signal });
    return response.ok ? response : null;
  };
  const edge = await open(files, { wasm: await wasm, searchOnly: snapshots });
  mark("started");
  await edge.load(environment);
  mark("loaded");
  const response = await edge.fetch("/cda/es/v1/" + environment + "/_search", { method: "POST", body: JSON.stringify({
    query: { multi_match: { query: "river component", fields: ["Data.title", "Data.content"] } },
    highlight: { fields: { "Data.content": {} } }, aggs: { by: { terms: { field: "CreatedBy.keyword" } } },
  }) });
  const body = await response.text();
  return { took: performance.now() - start, body, marks: marks.join(", ") };
};
</script>`

// sizesOf are sizes as a browser downloads them.
type sizesOf struct{ module, snapshot int }

// searchServer serves what a browser searches with, as a CDN does: files as Brotli, for a browser to cache.
// downloaded counts the requests for the module, the snapshot and items.
func searchServer(t *testing.T, dir, public string) (_ *httptest.Server, _ sizesOf, downloaded func() map[string]int) {
	d, err := releasedir.Open(public, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	env := d.Manifest.Environments[0].ID
	var snapshot bytes.Buffer
	if err := d.Readers[env].WriteSearchOnly(&snapshot); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	wasm, snap := compressed(t, read(filepath.Join(dir, module.WebAssembly))), compressed(t, snapshot.Bytes())
	type file struct {
		kind string
		body []byte // compressed
	}
	named := map[string]file{
		"/":                    {"text/html", compressed(t, []byte(page))},
		"/contentedge.mjs":     {"text/javascript", compressed(t, read(filepath.Join(dir, module.Script)))},
		"/contentedge.wasm":    {"application/wasm", wasm},
		"/manifest.json":       {"application/json", compressed(t, read(filepath.Join(public, release.ManifestName)))},
		"/search/snapshot.bin": {"application/octet-stream", snap},
		"/searches.json": {"application/json", compressed(t, fmt.Appendf(nil, `{%q:{"file":"search/snapshot.bin","bytes":%d,"sha256":%q}}`,
			env, snapshot.Len(), release.HexSHA256(snapshot.Bytes())))},
	}
	items := http.FileServer(http.Dir(filepath.Dir(mustEval(t, filepath.Join(public, release.ManifestName)))))
	var lock sync.Mutex
	counts := map[string]int{}
	count := func(path string) {
		lock.Lock()
		defer lock.Unlock()
		switch {
		case path == "/contentedge.wasm":
			counts["module"]++
		case strings.HasPrefix(path, "/search/"):
			counts["snapshot"]++
		case strings.HasPrefix(path, "/cda/"):
			counts["items"]++
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		count(r.URL.Path)
		f, ok := named[r.URL.Path]
		if !ok {
			items.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", f.kind)
		w.Header().Set("Content-Encoding", "br")
		_, _ = w.Write(f.body)
	}))
	t.Cleanup(server.Close)
	return server, sizesOf{len(wasm), len(snap)}, func() map[string]int {
		lock.Lock()
		defer lock.Unlock()
		return maps.Clone(counts)
	}
}

func mustEval(t *testing.T, path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func compressed(t *testing.T, b []byte) []byte {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, 9)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// writeArticles makes up articles of some 500 words: common ones often, rare ones rarely, as in a language.
func writeArticles(t *testing.T, file string) {
	r := rand.New(rand.NewPCG(35, 3))
	often := rand.NewZipf(r, 1.1, 3, 30000)
	word := func() string {
		n := often.Uint64()
		if n < 40 {
			return []string{"river", "component", "of", "the", "and"}[n%5]
		}
		var b []byte
		for ; n > 0; n /= 16 {
			b = append(b, "bacidofugahelimonupaqeriso"[n%16:][:2]...)
		}
		return string(b)
	}
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = word()
		}
		return strings.Join(list, " ")
	}
	var b bytes.Buffer
	for i := range articles {
		fmt.Fprintf(&b, `{"ContentID":"A%04d","Name":%q,"Status":"Published","CreatedBy":"author %d","CreatedAt":"2024-01-%02dT00:00:%02d.000Z","TemplateID":"T1","TemplateName":"article","Data":{"title":%q,"slug":"a-%d","content":%q}}`+"\n",
			i, words(4), r.IntN(12), 1+i%28, i%60, words(5), i, words(300+r.IntN(400)))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
