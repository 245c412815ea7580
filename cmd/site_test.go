// This file tests the verification of sites with edge servers, with and without page
// files, and nginx. Correct sites pass and wrong ones are found.

package cmd

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// verifySite runs the command and returns its output and exit status.
func verifySite(t *testing.T, bin string, args ...string) (string, int) {
	t.Helper()
	b, err := exec.Command(bin, append([]string{"verify"}, args...)...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(b), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b), 0
}

// bare copies a release without its page files, as nodes that follow a store have it.
func bare(t *testing.T, public string) string {
	t.Helper()
	dir := t.TempDir()
	from := filepath.Join(public, "current")
	err := errors.Join(os.CopyFS(filepath.Join(dir, "snapshots"), os.DirFS(filepath.Join(from, "snapshots"))),
		os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(readFile(t, filepath.Join(from, "manifest.json"))), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// nginxFor starts nginx for a release and returns its URL.
func nginxFor(t *testing.T, generator, public string) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed: it is not tested here")
	}
	dir, addr := t.TempDir(), freeport.Addr(t)
	if b, err := exec.Command(generator, "hosts", "nginx", "--public", public, "--listen", addr, "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	run(t, program, nginxArgs(t, dir)...)
	storetest.WaitFor(t, "nginx to answer", func() bool {
		r, err := http.Get("http://" + addr + "/manifest.json")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
	return "http://" + addr
}

func TestVerifySite(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	if b, err := exec.Command(bin["generator"], "build", "--content", "../content", "--out", public, "--quiet", "--page-size", "3", "--compress", "gzip,br,zstd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	whole := regexp.MustCompile(`^verified [0-9a-f]{16} at http://\S+: \d+ files in \d+ responses, .*; (\d+) compressed by the web server, 2 snapshots not public\n$`)
	for name, start := range map[string]func(t *testing.T) (base, files string){
		"an edge server":               func(t *testing.T) (string, string) { return serve(t, bin["edgeserve"], public), public },
		"an edge server without pages": func(t *testing.T) (string, string) { return serve(t, bin["edgeserve"], bare(t, public)), "" },
		"nginx":                        func(t *testing.T) (string, string) { return nginxFor(t, bin["generator"], public), public },
	} {
		t.Run(name, func(t *testing.T) {
			base, files := start(t)
			out, exit := verifySite(t, bin["generator"], base, "--against", public)
			m := whole.FindStringSubmatch(out)
			if exit != 0 || m == nil {
				t.Fatalf("exit %d: %s", exit, out)
			}
			t.Log(strings.TrimSpace(out))
			if compressed := m[1] != "0"; compressed != (files == "") {
				t.Errorf("%s", out)
			}
			if out, exit := verifySite(t, bin["generator"], base); exit != 1 || !strings.Contains(out, "name the release") {
				t.Errorf("by its own list: exit %d: %s", exit, out)
			}
		})
	}
	// Change one byte of a file that the site serves.
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.CopyFS(damaged, os.DirFS(filepath.Join(public, "current"))); err != nil {
		t.Fatal(err)
	}
	lists, _ := filepath.Glob(filepath.Join(damaged, "cda/rest/v1/*/contents-list/sort-createdat-desc-3/page-1.json"))
	text := readFile(t, lists[0])
	if err := os.WriteFile(lists[0], []byte(strings.Replace(text, `"Name"`, `"Nome"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, exit := verifySite(t, bin["generator"], serve(t, bin["edgeserve"], damaged), "--against", public)
	if exit != 1 || !strings.Contains(out, "page-1.json, asked for as identity: the body (identity, ") || !strings.Contains(out, "\nthe site does not serve its release, problems: 1\n") {
		t.Errorf("a damaged page: exit %d: %s", exit, out)
	}
}

// tag requests a file in a content coding and returns its entity tag and size.
func tag(t *testing.T, url, coding string) (string, int64) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", coding)
	r, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusOK || r.Header.Get("Etag") == "" {
		t.Fatalf("%s: %d, tag %q", url, r.StatusCode, r.Header.Get("Etag"))
	}
	return r.Header.Get("Etag"), r.ContentLength
}

// TestTagsOfHosts builds the same content on two simulated machines. nginx derives
// entity tags from time and size: they are equal, and different after an edit of equal
// size.
func TestTagsOfHosts(t *testing.T) {
	bin := binaries(t, "generator")
	content := t.TempDir()
	build := func(public, word string) {
		t.Helper()
		item := `{"ContentID":"Content_1","Name":"One","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":"` + strings.Repeat("some text ", 200) + word + `"}}`
		if err := errors.Join(os.MkdirAll(filepath.Join(content, "demo"), 0o755), os.WriteFile(filepath.Join(content, "demo", "a.json"), []byte(item), 0o644)); err != nil {
			t.Fatal(err)
		}
		buildSite(t, bin["generator"], content, public)
	}
	one, two := filepath.Join(t.TempDir(), "public"), filepath.Join(t.TempDir(), "public")
	build(one, "x")
	build(two, "x")
	first, second := nginxFor(t, bin["generator"], one), nginxFor(t, bin["generator"], two)
	targets := []string{"/cda/rest/v1/demo/contents/Content_1", "/cda/rest/v1/demo/contents"}
	for _, word := range []string{"x", "y"} {
		build(two, word)
		for _, target := range targets {
			for _, coding := range []string{"identity", "gzip"} {
				a, size := tag(t, first+target, coding)
				b, n := tag(t, second+target, coding)
				if (a == b) != (word == "x") || coding == "identity" && n != size {
					t.Errorf("%s, %s, %s: tags %s and %s, sizes %d and %d", word, target, coding, a, b, size, n)
				}
			}
		}
	}
}
