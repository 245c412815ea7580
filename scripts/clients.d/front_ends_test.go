// This file opens pages of popular front ends in a browser. They ask a real edge server, which is
// another origin than theirs.

package clients

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	// other is a node with an index shop of testdata/content, to see that a real Elasticsearch
	// passes these tests. No page needs its leave to ask it.
	other = flag.String("other", "", "ask this `URL` instead of an edge server")
	// record is for scripts/elasticsearch.d/bodies/front_ends.jsonl.
	record = flag.String("record", "", "write the searches of each page to a `directory`")
)

func TestFrontEnds(t *testing.T) {
	var options []chromedp.ExecAllocatorOption
	if *other != "" {
		options = append(options, chromedp.Flag("disable-web-security", true))
	}
	browser := startBrowser(t, options...)
	pages := bundled(t)
	at := *other
	if at == "" {
		at = node(t, "auto")
	}
	for _, c := range []struct {
		name string
		use  func(b *tab)
	}{{"searchkit", searchkit}, {"search_ui", searchUI}} {
		t.Run(c.name, func(t *testing.T) {
			b := openTab(t, browser)
			b.visit(pages + "/" + c.name + ".html?node=" + url.QueryEscape(at))
			c.use(b)
			b.same("#error", "")
			if b.preflights == 0 && *other == "" {
				t.Errorf("the browser asked for no leave: the node is no other origin")
			}
		})
	}
}

// bundled serves the pages with their scripts, and returns their origin.
func bundled(t *testing.T) string {
	t.Helper()
	packages, dir := nodePackages(t), t.TempDir()
	must{t}.error(os.CopyFS(dir, os.DirFS("testdata/front")))
	for _, name := range []string{"searchkit.mjs", "search_ui.jsx"} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(packages, "node_modules", ".bin", "esbuild"), filepath.Join("testdata/front", name), "--bundle",
			"--outdir="+dir, "--log-level=warning", `--define:process.env.NODE_ENV="production"`)
		cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(packages, "node_modules"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL
}

// searchkit: InstantSearch's widgets over _msearch.
func searchkit(b *tab) {
	b.says("#stats", "24 results")
	b.same("#kind .ais-RefinementList-labelText", "Map", "Book", "Film")
	b.enter("#box input", "library")
	b.says("#stats", "8 results")
	b.same(".title mark", "library", "library", "library", "library")
	b.says(".snippet mark", "library")
	b.click("#pages a", "2")
	b.same(".title mark")
	b.click("#kind label", "Book")
	b.says("#current", "Book")
	b.click("#kind label", "Map") // both: the facet is disjunctive
	b.says("#stats", "7 results")
	b.enter("#tags input[type=search]", "so")
	b.same("#tags .ais-RefinementList-labelText", "sound")
	b.click("#tags label", "sound")
	b.says("#current", "sound")
	b.enter("#price input[type=number]", "20\r")
	b.says("#current", "≥ 20")
	b.choose("#sort select", "price")
	b.same(".price", "105", "65", "45")
	b.click("#created label", "from 2023")
	b.says("#stats", "No results")
}

// searchUI: the connector's _search, one for each facet that is filtered by itself.
func searchUI(b *tab) {
	b.says("#stats", "Showing 1 - 5 out of 24")
	b.says("#kind", "Map")
	b.says("#price", "cheap 10")
	b.enter(".sui-search-box__text-input", "library")
	b.says("#stats", "out of 8")
	b.says(".sui-search-box__autocomplete-container", "library")
	b.same("#hits .title em", "library", "library", "library", "library")
	b.click("#pages li", "2")
	b.says("#stats", "Showing 6 - 8 out of 8")
	b.click("#kind label", "Book")
	b.says("#stats", "Showing 1")
	b.click("#tags label", "sound")
	b.click("#price label", "dear")
	b.click("#created label", "before")
	b.says("#stats", "Showing 1")
}
