package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kills is how many builds TestKilledBuilds kills.
const kills = 50

// binaries builds the commands once for a test.
func binaries(t *testing.T, names ...string) map[string]string {
	t.Helper()
	dir, out := t.TempDir(), map[string]string{}
	for _, n := range names {
		out[n] = filepath.Join(dir, n)
		if b, err := exec.Command("go", "build", "-o", out[n], "./"+n).CombinedOutput(); err != nil {
			t.Fatalf("go build %s: %v\n%s", n, err, b)
		}
	}
	return out
}

// serve starts an edge server on a free port and waits until it is ready.
func serve(t *testing.T, bin, public string) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cmd := exec.Command(bin, "--public", public, "--addr", addr)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("edge server:\n%s", log.String())
		}
	})
	base = "http://" + addr
	waitFor(t, "the edge server to be ready", func() bool {
		r, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
	return base
}

// waitFor polls a condition.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v %s", url, r.StatusCode, err, b)
	}
	return string(b)
}

// writeSite writes an environment whose every item carries a mark.
func writeSite(t *testing.T, content, mark string) {
	t.Helper()
	var b bytes.Buffer
	for i := range 300 {
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

// TestKilledBuilds kills builds at random moments: what is served stays the last whole
// release, and the next build needs no help.
func TestKilledBuilds(t *testing.T) {
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
	writeSite(t, content, "old")
	started := time.Now()
	mustRun(build())
	takes := time.Since(started)

	url := serve(t, bin["edgeserve"], public) + "/cda/rest/v1/site/contents?pageSize=300"
	old := get(t, url)
	renewed := strings.ReplaceAll(old, `"mark":"old"`, `"mark":"new"`)
	writeSite(t, content, "new")
	killed, seed := 0, rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range kills {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rnd.Int64N(int64(takes))))
		if exec.CommandContext(ctx, bin["generator"], build().Args[1:]...).Run() != nil {
			killed++
		}
		cancel()
		if got := get(t, url); got != old && got != renewed {
			t.Fatalf("seed %d: neither the old release nor the new one: %.200s", seed, got)
		}
		mustRun(exec.Command(bin["generator"], "verify", public))
	}
	if killed == 0 {
		t.Fatal("no build was killed: the test proves nothing")
	}
	mustRun(build())
	mustRun(exec.Command(bin["generator"], "verify", public))
	waitFor(t, "the new release", func() bool { return get(t, url) == renewed })
	if left, _ := filepath.Glob(filepath.Join(public, "releases", ".tmp-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	t.Logf("%d of %d builds killed, seed %d", killed, kills, seed)
}
