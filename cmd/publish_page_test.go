package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

const (
	publishPage = "generator/PUBLISH.md"
	signingPage = "generator/SIGNING.md"
	inPlacePage = "generator/IN-PLACE.md"
)

// TestReadmePublish runs the commands of the page from CI to an edge.
func TestReadmePublish(t *testing.T) {
	t.Parallel()
	runPage(t, pageOf(t, publishPage).blocks,
		"verified ", "nothing -> ", "would publish ", "as sequence 1", "it is current (sequence 1)", `"data":[{"`,
		"Content_3f0c1f0a-5d0e-4c59-8a35-1f6f3c1f7d11  News\n", ": items added 1, changed 0, removed 0; ", "publish would take ", "it is current (sequence 2)",
		"current, as of ", " would be withdrawn then\n", " is withdrawn\n", "removed 0 releases, 2 stay",
	)
}

// TestReadmeSigning runs the commands of the page about signatures, which begin after the S3 service of the page from
// CI to an edge.
func TestReadmeSigning(t *testing.T) {
	t.Parallel()
	service := pageOf(t, publishPage).blocks[:1]
	runPage(t, append(service, pageOf(t, signingPage).blocks...),
		"it is current (sequence 1), signed by news.example/ci, valid until ", "is current (sequence 2), signed by news.example/ci, valid until ",
		"current, as of ", ", valid until ", "  news.example/ci  ", "proposed ", "it waits for signatures (sequence 3), signed by news.example/ci (1 of 2)",
		"current\n", "proposed\n", "too few trusted keys", "  News\n", "is current (sequence 3), signed by news.example/ci, news.example/anna (2 of 2)",
		"is current (sequence 4), signed by news.example/ci, news.example/anna", "is current (sequence 5), signed by news.example/anna",
		"the release has no signed pointer", "it was current already (sequence 5), signed by news.example/anna", ", signed by news.example/anna",
	)
}

// TestReadmeInPlace runs the commands of the page about a store in place, which begin after the S3 service of the page
// from CI to an edge.
func TestReadmeInPlace(t *testing.T) {
	t.Parallel()
	service := pageOf(t, publishPage).blocks[:1]
	runPage(t, append(service, pageOf(t, inPlacePage).blocks...),
		"would publish ", ", in-place: ", "as sequence 1", "it is current (sequence 1)",
		", in-place: ", " removed, ", "it is current (sequence 2)", " is complete: ", ", 0 repaired\n",
		"it is current (sequence 3)", "current, as of ", ", in-place ", "removed 0 releases, 2 stay",
	)
}

// runPage runs bash blocks, all in one shell, with the ports of the pages replaced by free ones. The output has the
// texts in their order, and nothing is left.
func runPage(t *testing.T, blocks []block, wants ...string) {
	t.Helper()
	service := storetest.Installed(t)
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	bin := binaries(t, "generator", "edgeserve")
	dir := storetest.Dir(t)
	if err := os.CopyFS(filepath.Join(dir, "content"), os.DirFS("../content")); err != nil {
		t.Fatal(err)
	}
	script := "set -eumx\n" // with jobs, as a user's shell
	for _, b := range blocks {
		script += b.text
	}
	script = strings.NewReplacer(
		"go run ./cmd/generator", bin["generator"], "go run ./cmd/edgeserve", bin["edgeserve"], `"$(scripts/versitygw)"`, service,
		"127.0.0.1:7070", freeport.Addr(t), "127.0.0.1:8080", freeport.Addr(t), "127.0.0.1:9090", freeport.Addr(t),
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
	for _, want := range wants {
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

// TestPagesWaitBounded: no command of a page waits for ever. A loop counts, and curl repeats a request so many times.
func TestPagesWaitBounded(t *testing.T) {
	endless := regexp.MustCompile(`(?m)^\s*(until|while)\b`)
	for name, p := range readPages(t) {
		for _, b := range p.blocks {
			if at := endless.FindString(b.text); (b.lang == "bash" || b.lang == "sh") && at != "" {
				t.Errorf("%s has a loop without an end (%s): count, or let curl repeat the request with --retry", name, strings.TrimSpace(at))
			}
		}
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
