// Package release builds a release of some content and serves it, for comparisons.
package release

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	edge "contentedge/edgeserve/wire/release"
)

// Programs are the directory of the binaries generator and edgeserve.
type Programs string

// Build builds content into out, with as few files as can be: only snapshots are wanted.
func (p Programs) Build(content, out string) error {
	cmd := exec.Command(filepath.Join(string(p), "generator"), "build", "--content", content, "--out", out,
		"--lists", "-", "--max-pages", "1", "--compress", "none", "--no-sync", "--quiet", "--broken-refs", "ignore", "--status", "all", "--scheduled", "--expired")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("generator build: %w\n%s", err, text)
	}
	return nil
}

// Read returns the manifest of a release directory.
func Read(dir string) (*edge.Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return nil, err
	}
	return edge.Parse(text)
}

// Serve serves a release directory on a free port until stop is called, which waits for the end. args are further ones
// of edgeserve.
func (p Programs) Serve(dir string, args ...string) (url string, stop func(), err error) {
	port, err := freeport.Lend()
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			port.Return()
		}
	}()
	cmd := exec.Command(filepath.Join(string(p), "edgeserve"), append([]string{"--public", dir, "--addr", port.Addr, "--log-format", "text"}, args...)...)
	lines, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	ended := make(chan struct{})
	var last string
	go func() {
		for s := bufio.NewScanner(lines); s.Scan(); {
			last = s.Text()
		}
		cmd.Wait()
		close(ended)
	}()
	stop = func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		port.Return()
	}
	url = "http://" + port.Addr
	for {
		if answers(url) {
			return url, stop, nil
		}
		select {
		case <-ended:
			return "", nil, fmt.Errorf("edgeserve ended: %s", last)
		case <-time.After(20 * time.Millisecond): // until it listens
		}
	}
}

// answers tells whether a server has a release.
func answers(url string) bool {
	res, err := http.Post(url+"/cda/es/v1/none", "application/json", nil)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var v any
	return json.NewDecoder(res.Body).Decode(&v) == nil && res.StatusCode == http.StatusNotFound
}
