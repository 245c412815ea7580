// Package browsertest opens pages in Chromium, for tests of pages.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Find finds Chromium, or skips the test.
func Find(t *testing.T) (path string) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Skip("no chromium on this machine: the page is not tested in a browser")
	return ""
}

// Start starts the browser at a path. It ends with the test.
func Start(t *testing.T, path string) context.Context {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// Axe is the script of axe-core, or skips the test.
func Axe(t *testing.T) (script string) {
	modules := os.Getenv("TEST_CONTENTEDGE_NPM")
	if modules == "" {
		t.Skip("TEST_CONTENTEDGE_NPM names no directory with axe-core installed: its rules are not checked")
	}
	b, err := os.ReadFile(filepath.Join(modules, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n;true"
}

// AxeRun is the violations of axe-core's rules in a page that has run Axe, a line for each element. Frames run
// no script, so the rules cannot look into them.
const AxeRun = `axe.run(document, { resultTypes: ["violations"], iframes: false }).then((r) => r.violations.flatMap((v) => v.nodes.slice(0, 5).map((n) => v.id + " at " + n.target + ": " + n.html.slice(0, 160))).join("\n"))`
