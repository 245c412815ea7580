package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

const publishPage = "generator/PUBLISH.md"

// TestReadmePublish runs the commands of the page from CI to an edge, all in one shell, with the
// ports of the page replaced by free ones.
func TestReadmePublish(t *testing.T) {
	t.Parallel()
	service := storetest.Installed(t)
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	bin := binaries(t, "generator", "edgeserve")
	page := pageOf(t, publishPage)
	dir := storetest.Dir(t)
	if err := os.CopyFS(filepath.Join(dir, "content"), os.DirFS("../content")); err != nil {
		t.Fatal(err)
	}
	script := "set -eumx\n" // with jobs, as a user's shell
	for _, b := range page.blocks {
		script += b.text
	}
	script = strings.NewReplacer(
		"go run ./cmd/generator", bin["generator"], "go run ./cmd/edgeserve", bin["edgeserve"], `"$(scripts/versitygw)"`, service,
		"127.0.0.1:7070", storetest.FreeAddr(t), "127.0.0.1:8080", storetest.FreeAddr(t), "127.0.0.1:9090", storetest.FreeAddr(t),
	).Replace(script)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script+"wait\n")
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL=", "AWS_REGION=", "AWS_DEFAULT_REGION=", "AWS_SESSION_TOKEN=", "HTTP_PROXY=", "http_proxy=", "HTTPS_PROXY=", "https_proxy=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rest := string(out)
	for _, want := range []string{
		"verified ", "nothing -> ", "would publish ", "as sequence 1", "it is current (sequence 1)", `"data":[{"`,
		"Content_3f0c1f0a-5d0e-4c59-8a35-1f6f3c1f7d11  News\n", ": items added 1, changed 0, removed 0; ", "it is current (sequence 2)",
		"current, as of ", " would be current (sequence 3)\n", " is current (sequence 3)\n", "removed 0 releases, 2 stay",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q does not come, or not in its place\n%s", want, out)
		}
		rest = after
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "content" {
		t.Errorf("the page leaves %v, %v", left, err)
	}
}

// TestReadmePublishNamesVariables: the page names each variable that the code reads.
func TestReadmePublishNamesVariables(t *testing.T) {
	page := pageOf(t, publishPage).section(t, "## Variables")
	for _, name := range literals(t, `AWS_[A-Z0-9_]+`) {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("%s does not say what %s is", publishPage, name)
		}
	}
}
