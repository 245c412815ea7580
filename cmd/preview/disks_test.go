// These tests edit content on disks that hide edits, and build into a directory that keeps files.

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/cmd/scripttest"
	"contentedge/generator/watch/watchtest"
)

// shows waits until an item is served with a text and no error.
func (s *site) shows(text string) {
	s.t.Helper()
	s.serves(text, func(r *http.Response, body string) bool {
		return r.StatusCode == 200 && r.Header.Get("X-Content-Error") == "" && strings.Contains(body, text)
	})
}

// serves waits until a response for an item is accepted.
func (s *site) serves(what string, accept func(r *http.Response, body string) bool) {
	s.t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		r, body := s.do("GET", "/cda/rest/v1/site/contents/"+firstID, "")
		if accept(r, body) {
			return
		}
		if time.Since(begin) > scripttest.Patience {
			s.t.Fatalf("%s is not served: %d %s %s\n%s", what, r.StatusCode, r.Header.Get("X-Content-Error"), body, s.stderr.All())
		}
	}
}

// writeAt writes a file of content that lies elsewhere.
func writeAt(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestSavesWithinASecond: on a disk that keeps whole seconds the last save is served, and an error
// that is mended within its second is gone.
func TestSavesWithinASecond(t *testing.T) {
	dir := watchtest.WholeSeconds(t)
	path := filepath.Join(dir, "site/one.json")
	item := func(n int) string { return anItem("1", fmt.Sprintf(`,"Data":{"title":"title %d"}`, n)) }
	writeAt(t, path, item(0))
	s := startSite(t, nil, "--content", dir)
	for n := range 4 {
		writeAt(t, path, item(2*n))
		s.shows(fmt.Sprintf("title %d", 2*n))
		writeAt(t, path, strings.Repeat("x", len(item(n))))
		writeAt(t, path, item(2*n+1))
		s.shows(fmt.Sprintf("title %d", 2*n+1))
	}
}

// TestConfigMap: content in a volume of Kubernetes, whose files are links through ..data.
func TestConfigMap(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	swap := func(version string) {
		t.Helper()
		writeAt(t, filepath.Join(site, ".."+version, "one.json"), anItem("1", `,"Data":{"title":"`+version+`"}`))
		if err := errors.Join(os.Symlink(".."+version, filepath.Join(site, "..data_tmp")), os.Rename(filepath.Join(site, "..data_tmp"), filepath.Join(site, "..data"))); err != nil {
			t.Fatal(err)
		}
	}
	swap("v1")
	if err := os.Symlink("..data/one.json", filepath.Join(site, "one.json")); err != nil {
		t.Fatal(err)
	}
	s := startSite(t, nil, "--content", dir)
	s.shows("v1")
	for _, version := range []string{"v2", "v3"} {
		swap(version)
		s.shows(version)
	}
	if err := os.RemoveAll(filepath.Join(site, "..v3")); err != nil { // the link leads nowhere now
		t.Fatal(err)
	}
	s.serves("an error", func(r *http.Response, _ string) bool { return r.Header.Get("X-Content-Error") != "" })
	swap("v3")
	s.shows("v3")
}

// TestStuckReleases: an edit is served though an old release cannot be removed.
func TestStuckReleases(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, for files that cannot be removed")
	}
	out := filepath.Join(t.TempDir(), "out")
	s := startSite(t, small(), "--out", out)
	item := func(n int) string { return anItem("1", fmt.Sprintf(`,"Data":{"title":"title %d"}`, n)) }
	for n := range 6 {
		s.write("site/one.json", item(n))
		s.shows(fmt.Sprintf("title %d", n))
		if n > 0 {
			continue
		}
		manifest, err := filepath.EvalSymlinks(filepath.Join(out, "public/manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("chattr", "+i", manifest).CombinedOutput(); err != nil {
			t.Skipf("nothing can be made immutable here: %v %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("chattr", "-R", "-f", "-i", out).Run() }) // complains of links
	}
	if said := s.stderr.All(); !strings.Contains(said, "this is not needed any more and cannot be removed") {
		t.Errorf("the terminal does not say what stays:\n%s", said)
	}
}
