// These tests run the programs of the page about types with the real parts: the edge server, files of a plain file
// server, and the module.

package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/cmd/browsertest"
	"github.com/chromedp/chromedp"
)

// pageBase is the address in the page's programs.
const pageBase = "https://cdn.example.org"

// typesSite is a release of the sample content, and the file of its types in a language.
type typesSite struct {
	public, types string
	bin           map[string]string
}

func newTypesSite(t *testing.T, language string) *typesSite {
	t.Helper()
	s := &typesSite{public: filepath.Join(t.TempDir(), "public"), bin: binaries(t, "generator", "edgeserve")}
	buildSite(t, s.bin["generator"], filepath.Join("..", "content"), s.public)
	out, err := exec.Command(s.bin["generator"], "types", language, "--public", s.public, "--env", "site").Output()
	if err != nil {
		t.Fatal(err)
	}
	s.types = string(out)
	return s
}

// program returns the program of a language in the page, with another address.
func program(t *testing.T, language, base string) string {
	t.Helper()
	for _, b := range pageOf(t, typesPage).blocks {
		if b.lang == language {
			return strings.ReplaceAll(b.text, pageBase, base)
		}
	}
	t.Fatalf("%s has no program in %s", typesPage, language)
	return ""
}

// bread are the last lines that the page's programs print.
const bread = "Bread for People with Jobs Tomás Ferreira"

func checkOutput(t *testing.T, got, last string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) < 3 || !strings.Contains(got, bread) || !strings.Contains(lines[len(lines)-1], last) {
		t.Errorf("got\n%s", got)
	}
}

func TestGoProgramOfTypes(t *testing.T) {
	t.Parallel()
	s, dir := newTypesSite(t, "go"), t.TempDir()
	base := serve(t, s.bin["edgeserve"], s.public)
	writeAll(t, dir, map[string]string{"go.mod": "module example.org/site\n\ngo 1.26\n", "content/content.go": s.types, "main.go": program(t, "go", base)})
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkOutput(t, string(out), bread)
}

// TestTypeScriptProgramOfTypes compiles the page's program with every check, and runs it.
func TestTypeScriptProgramOfTypes(t *testing.T) {
	modules, module := os.Getenv("TEST_CONTENTEDGE_NPM"), os.Getenv("TEST_CONTENTEDGE_WASM")
	if modules == "" || module == "" {
		t.Skip("TEST_CONTENTEDGE_NPM names no directory with typescript, or TEST_CONTENTEDGE_WASM none with the module: clients in TypeScript are run by scripts/wasm test")
	}
	s := newTypesSite(t, "ts")
	edge := serve(t, s.bin["edgeserve"], s.public)
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{"package.json": `{"type":"module"}`, "content.ts": s.types, "main.ts": program(t, "ts", edge), "files.ts": filesProgram, "parts.ts": partsProgram})
	tsc := exec.Command("node", filepath.Join(modules, "node_modules", "typescript", "bin", "tsc"), "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--verbatimModuleSyntax",
		"--erasableSyntaxOnly", "--rewriteRelativeImportExtensions", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom,dom.iterable", "main.ts", "files.ts", "parts.ts")
	tsc.Dir = dir
	if out, err := tsc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(t *testing.T, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	const last = "Bread for People with Jobs"
	t.Run("Node", func(t *testing.T) { checkOutput(t, run(t, "node", "main.js"), last) })
	t.Run("Deno", func(t *testing.T) {
		deno := filepath.Join(modules, "node_modules", ".bin", "deno")
		if _, err := os.Stat(deno); err != nil {
			t.Skip("deno is not installed")
		}
		checkOutput(t, run(t, deno, "run", "--allow-net", "--no-check", "main.ts"), last)
	})
	t.Run("files", func(t *testing.T) {
		files := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(s.public, "current"))))
		defer files.Close()
		want := "all\nno_file\nno_file\nBread for People with Jobs\nnull\nTomás Ferreira\n"
		if got := run(t, "node", "files.js", files.URL); got != want {
			t.Errorf("got\n%s", got)
		}
	})
	t.Run("select and include", func(t *testing.T) {
		want := "{\"Data\":{\"title\":\"Bread for People with Jobs\"}}\nTomás Ferreira\ntrue\n"
		if got := run(t, "node", "parts.js", edge); got != want {
			t.Errorf("got\n%s", got)
		}
	})
	t.Run("module", func(t *testing.T) {
		text := strings.Replace(program(t, "ts", edge), `createClient({ base: "`+edge+`" })`, "createClient({ fetch: edge.fetch })", 1)
		open := fmt.Sprintf("import { open } from %q;\nconst edge = await open(%q);\n", filepath.Join(module, "contentedge.mjs"), filepath.Join(s.public, "current"))
		writeAll(t, dir, map[string]string{"module.mjs": open + strings.Replace(text, "./content.ts", "./content.js", 1) + "edge.close();\n"})
		checkOutput(t, run(t, "node", "module.mjs"), last)
	})
	t.Run("Chromium", func(t *testing.T) { runInBrowser(t, dir) })
}

// runInBrowser runs the page's program in a page of another origin than the edge server's.
func runInBrowser(t *testing.T, dir string) {
	ctx := browsertest.Start(t, browsertest.Find(t))
	writeAll(t, dir, map[string]string{"index.html": "<!doctype html><title>types</title>"})
	site := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer site.Close()
	if err := chromedp.Do(ctx, chromedp.Navigate(site.URL)); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => {
		const lines = [];
		console.log = (...args) => lines.push(args.join(" "));
		await import("./main.js");
		return lines.join("\n");
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	checkOutput(t, got, "Bread for People with Jobs")
}

// filesProgram reads a release of files alone.
const filesProgram = `
import { createClient, ContentError } from "./content.ts";

const content = createClient({ base: process.argv[2]!, files: true });
const all = await content.all("Article");
console.log(all.length > 10 && new Set(all.map((a) => a.ContentID)).size === all.length ? "all" : all.length);
for (const wrong of [() => content.page("Article", 1, { pageSize: 7 }), () => content.by("Article", { "Data.slug": "x" })]) {
  try {
    await wrong();
  } catch (error) {
    console.log(error instanceof ContentError ? error.code : error);
  }
}
const bread = all.find((a) => a.Data.slug === "bread-for-people-with-jobs")!;
console.log((await content.item("Article", bread.ContentID))?.Name);
console.log(await content.item("Article", "Content_none"));
console.log((await content.references(bread.Data.author))[0]?.Name);

declare const process: { argv: string[] };
`

// partsProgram asks for parts of items, and for the items that they refer to.
const partsProgram = `
import { createClient } from "./content.ts";

const content = createClient({ base: process.argv[2]! });
const bread = (await content.by("Article", { "Data.slug": "bread-for-people-with-jobs" }))!;
console.log(JSON.stringify(await content.item("Article", bread.ContentID, { select: ["Data.title"] })));
const found = await content.itemWith("Article", bread.ContentID, { include: 1 });
console.log(found?.included[bread.Data.author.ContentIDs[0]!]?.Name);
const page = await content.page("Article", 1, { include: 1, pageSize: 2 });
console.log(page.items.every((a) => a.Data.author.ContentIDs.every((id) => page.included[id]?.TemplateName === "Author")));

declare const process: { argv: string[] };
`

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
