package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"contentedge/cmd/browsertest"
	"contentedge/edgeserve/wire/release"
)

// examplesOf returns the programs on the page about searches that import a module.
func examplesOf(t *testing.T, module string) (programs []string) {
	t.Helper()
	b, err := os.ReadFile("../../generator/STATIC-SEARCH.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(b), "```js\n")[1:] {
		if program, _, _ := strings.Cut(block, "```"); strings.Contains(program, "'"+module+"'") {
			programs = append(programs, program)
		}
	}
	if len(programs) == 0 {
		t.Fatalf("the page has no example with %s", module)
	}
	return programs
}

// TestStaticSearchPageInRuntimes runs the example for Node and Deno in both.
func TestStaticSearchPageInRuntimes(t *testing.T) {
	dir := t.TempDir()
	for _, f := range moduleFiles(t) {
		writeFile(t, filepath.Join(dir, "DIR", f.Name), f.Body)
	}
	buildSample(t, "../../content", filepath.Join(dir, "public"))
	writeFile(t, filepath.Join(dir, "search.mjs"), []byte(examplesOf(t, "./DIR/contentedge.mjs")[0]))
	run := func(t *testing.T, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "DENO_DIR="+t.TempDir(), "DENO_NO_UPDATE_CHECK=1", "NO_COLOR=1")
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != "2 hits\n" {
			t.Errorf("%v\n%s", err, out)
		}
	}
	t.Run("node", func(t *testing.T) { run(t, "node", "search.mjs") })
	t.Run("deno", func(t *testing.T) {
		modules := os.Getenv("TEST_CONTENTEDGE_NPM")
		if modules == "" {
			t.Skip("TEST_CONTENTEDGE_NPM names no directory with deno installed")
		}
		found, err := filepath.Glob(filepath.Join(modules, "node_modules", "deno", "deno"))
		if err != nil || len(found) == 0 {
			t.Skipf("%s has no deno", modules)
		}
		allowed := "--allow-read"
		if strings.HasPrefix(dir, "/dev/") { // Deno takes what is there for devices
			allowed = "--allow-all"
		}
		run(t, found[0], "run", allowed, "search.mjs")
	})
}

func writeFile(t *testing.T, name string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestStaticSearchPageInBrowser runs the examples for browsers, under the policy that the page names.
func TestStaticSearchPageInBrowser(t *testing.T) {
	files := moduleFiles(t)
	chromium := browsertest.Find(t)
	p := publishContent(t, "../../content", files)
	b, err := os.ReadFile("../../generator/STATIC-SEARCH.md")
	if err != nil {
		t.Fatal(err)
	}
	_, policy, _ := strings.Cut(string(b), "**Content-Security-Policy.** `")
	policy, _, found := strings.Cut(policy, "`")
	if !found {
		t.Fatal("the page names no policy")
	}
	browser := browsertest.Start(t, chromium)
	site := t.TempDir()
	titles := []string{"2 hits", "5 of 53 items"}
	for i, program := range examplesOf(t, "/contentedge/search.mjs") {
		writeFile(t, filepath.Join(site, "example.mjs"), []byte(program))
		h := newStaticHost(t, site, p.out, filepath.Join(p.public, release.CurrentLink))
		h.policy = "default-src 'none'; " + policy + "; script-src-elem 'self'"
		tab := openTab(t, browser, h.URL, chromedp.WithNewBrowserContext())
		if got := tab.run(`await import("/example.mjs"); return document.title;`); got != `"`+titles[i]+`"` {
			t.Errorf("example %d: %s, want %s", i, got, titles[i])
		}
	}
}
