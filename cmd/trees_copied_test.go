// This file copies the content of the trees into an environment, as people do who want to try a build.

package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// contentFolders are where the generators have their content, the first that a tree has.
var contentFolders = map[string][]string{
	"hugo":       {"content", "text"},
	"jekyll":     {"_posts", "."},
	"hexo":       {"source"},
	"eleventy":   {"content", "src", "."},
	"docusaurus": {"docs"},
	"vitepress":  {"docs", "."},
	"mkdocs":     {"docs"},
	"astro":      {"src/content"},
	"obsidian":   {"."},
	"tree":       {"."},
}

// TestTreesCopied copies the content folder of each tree into an environment. The build succeeds, or it says which
// command imports the site; it never delivers a text that the tree hides.
func TestTreesCopied(t *testing.T) {
	t.Parallel()
	generator := binaries(t, "generator")["generator"]
	eachTree(t, "", func(t *testing.T, tr *siteTree) {
		dir := t.TempDir()
		site, release := tr.write(t, dir), filepath.Join(dir, "public")
		for _, folder := range contentFolders[tr.system] {
			from := filepath.Join(site, folder)
			if _, err := os.Stat(from); err != nil {
				continue
			}
			if err := copyFolder(from, filepath.Join(dir, "content/blog")); err != nil {
				t.Fatal(err)
			}
			break
		}
		out, err := exec.Command(generator, "build", "--content", filepath.Join(dir, "content"), "--out", release).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "generator import markdown") {
			t.Errorf("the build names no way: %v\n%s", err, out)
		}
		if found, err := exec.Command("grep", "-rliaF", "confidential", release+"/").Output(); err == nil {
			t.Errorf("the release has hidden texts: %s\n%s", found, out)
		}
		t.Logf("%v\n%s", err, out)
	})
}

// copyFolder copies a folder with its symbolic links, without the history.
func copyFolder(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if out, err := exec.Command("cp", "-R", from, to).CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return os.RemoveAll(filepath.Join(to, ".git"))
}
