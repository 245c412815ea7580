// These tests build static sites with the loaders of the page, with the packages of the frameworks.

package frontend

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packages is a directory with the packages of package-lock.json: that which a variable names, or one of the test.
func packages(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the packages of the frameworks are large")
	}
	if dir := os.Getenv("TEST_CONTENTEDGE_FRAMEWORKS"); dir != "" {
		return dir
	}
	need(t, "npm")
	dir := filepath.Join(work, "frameworks")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.CopyFS(dir, os.DirFS("node")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, "npm", "ci", "--silent", "--no-audit", "--no-fund")
	return dir
}

// project makes a project with the packages and files of the page below a folder.
func project(t *testing.T, folder string, others map[string]string) string {
	t.Helper()
	installed, dir := packages(t), t.TempDir()
	for name, text := range blocks(t) {
		if name == "content.mjs" {
			others[name] = text
		}
		if below, ok := strings.CutPrefix(name, folder+"/"); ok {
			others[below] = text
		}
	}
	write(t, dir, others)
	for _, name := range []string{"node_modules", "package.json"} {
		if err := os.Symlink(filepath.Join(installed, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// built checks that a static site has a page of each published article, with its title and its author.
func built(t *testing.T, dir string) {
	t.Helper()
	pages := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" || !strings.Contains(path, "bread-for-people-with-jobs") {
			return err
		}
		text, err := os.ReadFile(path)
		pages++
		if !strings.Contains(string(text), "<h1>Bread for People with Jobs</h1>") {
			t.Errorf("%s has no title:\n%s", path, tail(string(text)))
		}
		return err
	})
	if err != nil || pages != 1 {
		t.Errorf("%d pages: %v", pages, err)
	}
}

func TestNext(t *testing.T) {
	dir := project(t, "next", map[string]string{
		"next.config.mjs": "export default { output: 'export', turbopack: { root: import.meta.dirname } }\n",
		"app/layout.js":   "export default function Layout({ children }) {\n  return <html lang=\"en\"><body>{children}</body></html>\n}\n",
	})
	run(t, dir, []string{"CONTENT_NODE=" + edge(t), "NEXT_TELEMETRY_DISABLED=1"}, filepath.Join(dir, "node_modules/.bin/next"), "build", "--webpack")
	built(t, filepath.Join(dir, "out"))
}

func TestAstro(t *testing.T) {
	dir := project(t, "astro", map[string]string{
		"src/pages/[slug].astro": `---
import { getCollection } from 'astro:content'
export async function getStaticPaths() {
  return (await getCollection('articles')).map(({ id, data }) => ({ params: { slug: id }, props: data }))
}
---
<html lang="en"><body><h1>{Astro.props.title}</h1></body></html>
`,
	})
	run(t, dir, []string{"CONTENT_NODE=" + edge(t), "ASTRO_TELEMETRY_DISABLED=1"}, filepath.Join(dir, "node_modules/.bin/astro"), "build")
	built(t, filepath.Join(dir, "dist"))
}
