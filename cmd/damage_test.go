// This file damages snapshots that an edge server has mapped, in several ways. After
// the server notices the damage it must never respond wrongly, and it must recover.

package cmd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

type damageable struct {
	*soaked
	dirs  []string          // two releases of the same items, without page files
	right map[string]string // responses of both releases, concatenated, by target
}

// damageTargets are served from the snapshot.
var damageTargets = []string{
	"/cda/rest/v1/site/contents", "/cda/rest/v1/site/contents/Content_500", "/cda/rest/v1/site/contents?page=40&pageSize=25&sort=Name",
	`/cda/es/v1/site {"size":50,"query":{"query_string":{"query":"word7 OR word9"}}}`,
	`/cda/es/v1/site {"query":{"wildcard":{"Name":"*42*"}}}`,
}

// startDamageable serves the first of two releases.
func startDamageable(t *testing.T, flags ...string) *damageable {
	t.Helper()
	bin := binaries(t, "generator", "edgeserve")
	dir := t.TempDir()
	d := &damageable{soaked: &soaked{public: filepath.Join(dir, "public"), log: filepath.Join(dir, "log")}, right: map[string]string{}}
	for _, release := range []string{"one", "two"} {
		d.dirs = append(d.dirs, thousandItems(t, bin["generator"], release))
	}
	d.point(t, 0)
	d.start(t, exec.Command(bin["edgeserve"], append([]string{"--public", d.public, "--addr", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, flags...)...))
	d.learn(t, 0)
	d.learn(t, 1)
	d.learn(t, 0)
	return d
}

func thousandItems(t *testing.T, generator, release string) string {
	t.Helper()
	dir := t.TempDir()
	var items strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&items, `{"ContentID":"Content_%d","Name":"%s %d","TemplateName":"Page","CreatedAt":"2026-01-02T00:00:00Z","Data":{"text":"word%d %s"}}`+"\n", i, release, i, i%50, strings.Repeat("and more ", i%90))
	}
	content := filepath.Join(dir, "content")
	if err := os.MkdirAll(filepath.Join(content, "site"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "site", "items.ndjson"), []byte(items.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	public := filepath.Join(dir, "public") // without its page files
	if out, err := exec.Command(generator, "build", "--content", content, "--out", public, "--quiet", "--no-sync", "--lists", "-", "--compress", "none").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bare(t, public)
}

// point makes a release current.
func (d *damageable) point(t *testing.T, release int) {
	t.Helper()
	next := d.public + ".next"
	if err := os.Symlink(d.dirs[release], next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, d.public); err != nil {
		t.Fatal(err)
	}
}

// learn serves a release and records its responses.
func (d *damageable) learn(t *testing.T, release int) {
	t.Helper()
	d.point(t, release)
	d.reload(t)
	waitReady(t, d.base)
	for _, target := range damageTargets {
		status, body := d.ask(t, target)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", target, status, body)
		}
		if !strings.Contains(d.right[target], body) {
			d.right[target] += body + "\n"
		}
	}
}

// reload loads the current release.
func (d *damageable) reload(t *testing.T) {
	t.Helper()
	r, err := http.Post(d.admin+"/-/reload", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
}

// ask sends a request; a target with a body is a search.
func (d *damageable) ask(t *testing.T, target string) (status int, body string) {
	path, search, post := strings.Cut(target, " ")
	var r *http.Response
	var err error
	if post {
		r, err = http.Post(d.base+path, "application/json", strings.NewReader(search))
	} else {
		r, err = http.Get(d.base + path)
	}
	if err != nil {
		t.Errorf("%s: %v", target, err)
		return 0, ""
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("%s: %v", target, err)
	}
	return r.StatusCode, string(b)
}

// neverWrong requests all targets: each response is correct or an explicit failure.
func (d *damageable) neverWrong(t *testing.T) (right int) {
	for _, target := range damageTargets {
		switch status, body := d.ask(t, target); {
		case status == http.StatusOK && body != "" && strings.Contains(d.right[target], body+"\n"):
			right++
		case status != http.StatusInternalServerError && status != http.StatusServiceUnavailable:
			t.Errorf("%s is answered %d, wrongly: %.200q", target, status, body)
		}
	}
	return right
}

// ready reads both probes.
func (d *damageable) ready(t *testing.T) bool {
	public, _ := d.ask(t, "/readyz")
	r, err := http.Get(d.admin + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	return public == http.StatusOK && r.StatusCode == http.StatusOK
}

// mapped is the path of a release's snapshot.
func (d *damageable) mapped(t *testing.T, release int) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(d.dirs[release], "snapshots", "*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

// cutFile truncates a file to whole pages. The rest of a partial page would read as
// zeros, without a fault.
func cutFile(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	page := int64(os.Getpagesize())
	if err := os.Truncate(path, info.Size()/4/page*page); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path string) {
	t.Helper()
	text := readFile(t, path)
	putBack(t, path, strings.NewReplacer(`"Name"`, `"Nome"`, "word", "wort").Replace(text))
}

// overwriteUnseen is overwrite without a new modification time.
func overwriteUnseen(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, path)
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// putBack overwrites a file in place without truncating it.
func putBack(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// TestDamageIsNoticed checks each way of detection alone, and the recovery.
func TestDamageIsNoticed(t *testing.T) {
	for _, c := range []struct {
		name    string
		damage  func(t *testing.T, path string)
		traffic bool // whether requests detect it
		flags   []string
	}{
		{"cut, by requests", cutFile, true, []string{"--poll", "0", "--scrub", "0"}},
		{"cut, by the poll", cutFile, false, []string{"--poll", "20ms", "--scrub", "0"}},
		{"cut, by the scrub", cutFile, false, []string{"--poll", "0", "--scrub", "200ms"}},
		{"overwritten, by the poll", overwrite, false, []string{"--poll", "20ms", "--scrub", "0"}},
		{"overwritten, by the scrub", overwriteUnseen, false, []string{"--poll", "0", "--scrub", "200ms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := startDamageable(t, c.flags...)
			file := d.mapped(t, 0)
			whole := readFile(t, file)
			c.damage(t, file)
			d.unready(t, c.traffic)

			// restore the file
			putBack(t, file, whole)
			if c.flags[1] == "0" {
				d.reload(t)
			}
			storetest.WaitFor(t, "the release to be served again", func() bool { d.neverWrong(t); return d.ready(t) })
			if n := d.neverWrong(t); n != len(damageTargets) {
				t.Errorf("%d of %d responses are right", n, len(damageTargets))
			}

			// install another release
			c.damage(t, file)
			d.unready(t, c.traffic)
			d.point(t, 1)
			if c.flags[1] == "0" {
				d.reload(t)
			}
			storetest.WaitFor(t, "the other release", func() bool { d.neverWrong(t); return d.ready(t) })
			if n := d.neverWrong(t); n != len(damageTargets) {
				t.Errorf("%d of %d responses are right", n, len(damageTargets))
			}
			if n := d.metric(t, "contentedge_release_damaged_total"); n != 2 {
				t.Errorf("%g releases were damaged", n)
			}
		})
	}
}

// unready waits until the server reports the damage.
func (d *damageable) unready(t *testing.T, traffic bool) {
	t.Helper()
	asked := 0
	storetest.WaitFor(t, "the damage to be noticed", func() bool {
		if traffic { // different requests, because a cached response detects nothing
			asked++
			d.ask(t, fmt.Sprintf(`/cda/es/v1/site {"from":%d,"size":1000}`, asked))
		}
		return !d.ready(t)
	})
	if n := d.neverWrong(t); n != 0 {
		t.Errorf("%d responses are right without a release", n)
	}
	d.logged(t, `"(a snapshot was damaged while it was being served)`)
	d.logged(t, `"(release refused)","error":"[^"]*snapshots/`)
	r, err := http.Get(d.admin + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(b), "snapshots/") {
		t.Errorf("the operator is told %s %v", b, err)
	}
}

// TestTrafficBesideDamage: under traffic, releases are swapped, truncated in place and
// repaired. No response is ever wrong.
func TestTrafficBesideDamage(t *testing.T) {
	t.Parallel()
	length := soakDefault
	if text := os.Getenv("TEST_CONTENTEDGE_SOAK"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	d := startDamageable(t, "--poll", "20ms", "--scrub", "1s")
	end := time.Now().Add(length)
	var traffic sync.WaitGroup
	for range soakClients {
		traffic.Go(func() {
			for right := 0; time.Now().Before(end) || right == 0; {
				right = d.neverWrong(t)
			}
		})
	}
	rounds := 0
	for ; time.Now().Before(end); rounds++ {
		current := rounds % 2
		d.point(t, current)
		build := strings.Split(strings.Split(readFile(t, filepath.Join(d.dirs[current], "manifest.json")), `"build":"`)[1], `"`)[0]
		served := func() bool { return strings.Contains(get(t, d.admin+"/readyz"), build) }
		storetest.WaitFor(t, "the swap", served)
		file := d.mapped(t, current)
		whole := readFile(t, file)
		cutFile(t, file)
		storetest.WaitFor(t, "the damage to be noticed", func() bool { return !d.ready(t) })
		putBack(t, file, whole)
		storetest.WaitFor(t, "the release to be served again", func() bool { return d.ready(t) })
	}
	traffic.Wait()
	t.Logf("%d rounds", rounds)
}
