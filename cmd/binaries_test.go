package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"contentedge/cmd/gobuild"
	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// binDir contains the binaries that tests built.
var binDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "contentedge-cmd-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var built sync.Map // name -> func() error

// binaries builds commands, each once for all tests.
func binaries(t *testing.T, names ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, n := range names {
		out[n] = filepath.Join(binDir, n)
		once, _ := built.LoadOrStore(n, sync.OnceValue(func() error { return gobuild.Program(n, out[n]) }))
		if err := once.(func() error)(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// buildSite builds a release of a content directory with the default flags.
func buildSite(t *testing.T, generator, content, public string) {
	t.Helper()
	if out, err := exec.Command(generator, "build", "--content", content, "--out", public, "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// serve starts an edge server on a free port and waits until it is ready.
func serve(t *testing.T, bin, public string, flags ...string) (base string) {
	t.Helper()
	addr := freeport.Addr(t)
	cmd := exec.Command(bin, append(flags, "--public", public, "--addr", addr)...)
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
	waitReady(t, base)
	return base
}

// waitReady waits until an edge server serves a release.
func waitReady(t *testing.T, base string) {
	t.Helper()
	storetest.WaitFor(t, "the edge server to be ready", func() bool {
		r, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
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
