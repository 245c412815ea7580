package cmd

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestProxyPage runs the configurations of the page in front of a node.
func TestProxyPage(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	if b, err := exec.Command(bin["generator"], "build", "--content", "../content", "--out", public, "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	node := serve(t, bin["edgeserve"], public)
	requests := requestsOf(t, public)
	for name, args := range map[string]func(dir, text string) []string{
		"nginx": func(dir, text string) []string {
			writeFile(t, dir, "contentedge.conf", strings.Replace(text, "/var/cache/nginx/contentedge", filepath.Join(dir, "cache"), 1))
			return nginxArgs(t, dir)
		},
		"caddy": func(dir, text string) []string {
			return []string{"run", "--adapter", "caddyfile", "--config", writeFile(t, dir, "Caddyfile", "{\n\tadmin off\n\tauto_https off\n}\n"+text)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("%s is not installed: its configuration is not tested here", name)
			}
			dir, addr := t.TempDir(), freeport.Addr(t)
			_, port, _ := strings.Cut(addr, ":")
			text := blockOf(t, "../edgeserve/PROXY.md", name)
			run(t, program, args(dir, strings.NewReplacer("127.0.0.1:8080", strings.TrimPrefix(node, "http://"), "8081", port).Replace(text))...)
			var first *http.Response
			storetest.WaitFor(t, name+" to answer", func() bool {
				first, err = http.Get("http://" + addr + "/manifest.json")
				return err == nil
			})
			first.Body.Close()
			for range 2 { // the second time perhaps from the cache
				for _, r := range requests {
					if want, got := r.send(t, node), r.send(t, "http://"+addr); got != want {
						t.Errorf("%+v: %.300s, want %.300s", r, got, want)
					}
				}
			}
			if cache := cacheOf(t, "http://"+addr+"/cda/rest/v1/site/contents"); name == "nginx" && cache != "HIT" {
				t.Errorf("a list is not cached: %q", cache)
			}
		})
	}
}

// cacheOf returns what nginx says of its cache.
func cacheOf(t *testing.T, target string) string {
	t.Helper()
	r, err := http.Get(target)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.Header.Get("X-Cache")
}

// blockOf returns the block of code of a language in a page.
func blockOf(t *testing.T, page, language string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```"+language+"\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return block
}
