package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// kills is the default number of builds that TestKilledBuilds kills; TEST_CONTENTEDGE_KILLS
// overrides it.
const kills = 25

// The number of items in writeSite, and of those with the mark.
const siteItems, siteMarks = 300, 150

// writeSite writes an environment in which every other item has a mark. A build reuses
// the files of the others.
func writeSite(t *testing.T, content, mark string) {
	t.Helper()
	var b bytes.Buffer
	for i := range siteItems {
		mark := []string{mark, "kept"}[i%2]
		fmt.Fprintf(&b, `{"ContentID":"Content_%04d","Name":"item %d","TemplateName":"T%d","CreatedAt":"2024-01-01T00:00:00Z","Data":{"mark":%q}}`+"\n", i, i, i%5, mark)
	}
	dir := filepath.Join(content, "site")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "items.ndjson"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestKilledBuilds kills builds at random moments. The last complete release stays
// current, and the next build succeeds without help. That build removes a release, so
// the next killed one starts with a removal.
func TestKilledBuilds(t *testing.T) {
	t.Parallel()
	kills := number(t, "TEST_CONTENTEDGE_KILLS", kills)
	bin := binaries(t, "generator", "edgeserve")
	content, public := t.TempDir(), filepath.Join(t.TempDir(), "public")
	build := func() *exec.Cmd {
		return exec.Command(bin["generator"], "build", "--content", content, "--out", public, "--quiet")
	}
	mustRun := func(c *exec.Cmd) {
		t.Helper()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, out)
		}
	}
	mark := func(n int) string { return fmt.Sprintf("mark %d", n) }
	writeSite(t, content, mark(0))
	started := time.Now()
	mustRun(build())
	takes := time.Since(started)

	url := serve(t, bin["edgeserve"], public, "--poll", "20ms") + "/cda/rest/v1/site/contents?pageSize=300"
	first := get(t, url)
	answer := func(n int) string { return strings.ReplaceAll(first, mark(0), mark(n)) }
	killed, seed := 0, rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for n := 1; n <= kills; n++ {
		writeSite(t, content, mark(n))
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rnd.Int64N(int64(takes))))
		started = time.Now()
		err := exec.CommandContext(ctx, bin["generator"], build().Args[1:]...).Run()
		if takes = time.Since(started); err != nil {
			killed++
		}
		cancel()
		if got := get(t, url); got != answer(n-1) && got != answer(n) {
			t.Fatalf("seed %d: neither the old release nor the new one: %.200s", seed, got)
		}
		mustRun(exec.Command(bin["generator"], "verify", public))
		started = time.Now()
		mustRun(build())
		if err != nil { // otherwise there was nothing to do
			takes = time.Since(started)
		}
		mustRun(exec.Command(bin["generator"], "verify", public))
		storetest.WaitFor(t, "the new release", func() bool { return get(t, url) == answer(n) })
	}
	if killed == 0 {
		t.Fatal("no build was killed: the test proves nothing")
	}
	if left, _ := filepath.Glob(filepath.Join(public, "releases", ".tmp-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	t.Logf("%d of %d builds killed, seed %d", killed, kills, seed)
}

// number is an environment variable's value, or a default.
func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSleepingEdge: a server misses three releases, the last of which reuses the files
// of the served one.
func TestSleepingEdge(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	content, public := t.TempDir(), filepath.Join(t.TempDir(), "public")
	build := func(mark string) {
		t.Helper()
		writeSite(t, content, mark)
		buildSite(t, bin["generator"], content, public)
	}
	build("first")
	url := serve(t, bin["edgeserve"], public, "--poll", "0") + "/cda/rest/v1/site/contents"
	for i, mark := range []string{"second", "third", "fourth"} {
		build(mark)
		for n := i; n < siteItems; n += 7 { // different items each time, because a cached file is not read again
			if got := get(t, fmt.Sprintf("%s/Content_%04d", url, n)); !strings.Contains(got, []string{`"first"`, `"kept"`}[n%2]) {
				t.Errorf("after the %s build: %s", mark, got)
			}
		}
		page := get(t, fmt.Sprintf("%s?page=%d", url, i+2))
		if strings.Count(page, `"first"`)+strings.Count(page, `"kept"`) != 10 {
			t.Errorf("after the %s build: %s", mark, page)
		}
	}
}

// A closed log pipe loses lines but does not stop the server.
func TestGoneLogReader(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	content, public := t.TempDir(), filepath.Join(t.TempDir(), "public")
	writeSite(t, content, "first")
	buildSite(t, bin["generator"], content, public)
	addr, admin := freeport.Addr(t), freeport.Addr(t)
	cmd := exec.Command(bin["edgeserve"], "--public", public, "--addr", addr, "--admin", admin, "--access-log")
	for _, of := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		*of = w
		r.Close()
		defer w.Close()
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	waitReady(t, "http://"+addr)
	dropped := regexp.MustCompile("(?m)^contentedge_access_log_lines_dropped_total [1-9]")
	storetest.WaitFor(t, "lost lines to be counted", func() bool {
		get(t, "http://"+addr+"/cda/rest/v1/site/contents")
		return dropped.MatchString(get(t, "http://"+admin+"/metrics"))
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
