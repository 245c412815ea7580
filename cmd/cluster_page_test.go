package cmd

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
)

const clusterPage = "edgeserve/CLUSTER.md"

// TestReadmeCluster runs the commands of the page about clusters, where there is one.
func TestReadmeCluster(t *testing.T) {
	urls := os.Getenv("CLUSTER_URLS")
	if urls == "" {
		t.Skip("CLUSTER_URLS names no cluster; scripts/cluster starts one")
	}
	bin := binaries(t, "generator", "edgeserve")
	dir, addr, admin := t.TempDir(), freeport.Addr(t), freeport.Addr(t)
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), bin[program], args...)
		cmd.Dir = dir
		return cmd
	}
	content, err := filepath.Abs("../content")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run("generator", "build", "--content", content).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	commands := 0
	for line := range strings.Lines(pageOf(t, clusterPage).blocks[0].text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(strings.NewReplacer(`"$urls"`, urls, "127.0.0.1:9090", admin).Replace(line))
		if len(words) < 3 || words[0] != "go" {
			continue // a script
		}
		commands++
		name := strings.TrimPrefix(words[2], "./cmd/")
		cmd := run(name, words[3:]...)
		if name == "generator" {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
			continue
		}
		cmd.Args = append(cmd.Args, "--addr", addr)
		var log bytes.Buffer
		cmd.Stderr = &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = cmd.Process.Kill()
			if _ = cmd.Wait(); t.Failed() {
				t.Logf("%s", log.String())
			}
		}()
	}
	if commands != 2 {
		t.Fatalf("%d commands of the page are run", commands)
	}
	ask := func(url, body string) (int, string) {
		response, err := http.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		status, text := ask("http://"+addr+"/cda/es/v1/site", `{"query":{"match_all":{}},"size":1}`)
		if status == http.StatusOK && strings.Contains(text, `"totalItems"`) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d %s", status, text)
		}
	}
}
