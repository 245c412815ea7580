package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
)

const watchPage = "generator/WATCH.md"

// TestReadmeWatch runs the commands of the page that keeps in step with an origin, all in one shell,
// with the ports of the page replaced by free ones.
func TestReadmeWatch(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	bin := binaries(t, "generator", "edgeserve")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "content"), os.DirFS("../content")); err != nil {
		t.Fatal(err)
	}
	script := "set -eumx\n" // with jobs, as a user's shell
	for _, b := range pageOf(t, watchPage).blocks {
		script += b.text
	}
	script = strings.NewReplacer("go run ./cmd/generator", bin["generator"], "go run ./cmd/edgeserve", bin["edgeserve"],
		"127.0.0.1:8080", freeport.Addr(t), "127.0.0.1:9100", freeport.Addr(t)).Replace(script)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Env = append(os.Environ(), "HTTP_PROXY=", "http_proxy=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"contentedge_build_info{build=", `{"run":"`, `"data":"live"`, "built "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q does not come\n%s", want, out)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "content" {
		t.Errorf("the page leaves %v, %v", left, err)
	}
}
