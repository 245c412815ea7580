package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// untilPrinted runs a command until it ends, or until its output has a text, and returns the output.
func untilPrinted(t *testing.T, cmd *exec.Cmd, text string) []byte {
	t.Helper()
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	storetest.WaitFor(t, text, func() bool {
		select {
		case <-ended:
			return true
		default:
			return strings.Contains(out.String(), text)
		}
	})
	_ = cmd.Process.Kill()
	<-ended
	return []byte(out.String())
}

// TestHostileServer gives the server hostile settings and releases, and reads its messages and its logs.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "edgeserve")
	dir := t.TempDir()
	name, err := json.Marshal(hostileName)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"settings.conf": hostileName, "settings.yaml": "addr: " + string(name) + "\n" + string(name) + ": 1\n", "trust": hostileName, hostileName[:len(hostileName)-1]: hostileName,
		"public/manifest.json": `{"format":` + string(name) + `,"build":` + string(name) + `}`,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{hostileName}, {"--" + hostileName}, {"--addr", hostileName}, {"--public", hostileName}, {"--public", "public"}, {"--config", hostileName}, {"--config", "settings.conf"}, {"--config", hostileName[:len(hostileName)-1]}, {"--config", "settings.yaml"},
		{"--follow", hostileName}, {"--follow", "s3://b/l", "--trust", "trust"}, {"--tls-cert", hostileName, "--tls-key", hostileName}, {"--timezone", hostileName}, {"--cors-origin", hostileName}, {"health", hostileName}, {"health", "http://127.0.0.1:1/" + hostileName},
	} {
		for _, format := range []string{"text", "json"} {
			full := args
			if args[0] != "health" {
				full = append([]string{"--log-format", format}, args...)
			}
			if !strings.Contains(strings.Join(args, " "), "--addr") && args[0] != "health" {
				full = append([]string{"--addr", "127.0.0.1:0"}, full...)
			}
			cmd := exec.Command(bin["edgeserve"], full...)
			cmd.Dir = dir
			checkPrinted(t, args, untilPrinted(t, cmd, "\n"))
		}
	}
}

// TestHostileStores publishes a release with hostile names, and puts a hostile pointer into another store. It reads what
// commands and nodes print about both.
func TestHostileStores(t *testing.T) {
	t.Parallel()
	service := storetest.Serve(t)
	p := newPublisher(t, service.URL())
	content, public := filepath.Join(p.dir, "c"), filepath.Join(p.dir, "p")
	hostileContent(t, filepath.Join(content, "site"))
	p.must("build", "--content", content, "--out", public, "--quiet", "--broken-refs", "ignore")
	build := strings.TrimSuffix(strings.SplitAfter(file(t, filepath.Join(public, "manifest.json")), `"build":"`)[1][:16], `"`)
	hostilePointer(t, filepath.Join(service.Dir, storetest.Bucket, "hostile"))
	const hostile = "s3://" + storetest.Bucket + "/hostile"
	for _, args := range [][]string{
		{"publish", storeURL, "--public", public}, {"publish", storeURL, "--public", public, "--json"}, {"publish", storeURL, "--public", public, "--dry-run"},
		{"publish", hostile, "--public", public}, {"diff", storeURL, public}, {"diff", hostile, public}, {"verify", hostile},
		{"releases", "list", storeURL}, {"releases", "list", storeURL, "--json"}, {"releases", "list", hostile}, {"releases", "show", storeURL}, {"releases", "show", storeURL, build}, {"releases", "show", storeURL, hostileName}, {"releases", "show", hostile},
		{"releases", "sign", storeURL, "--sign", hostileName}, {"releases", "sign", hostile, "--sign", hostileName}, {"releases", "promote", storeURL, hostileName}, {"releases", "promote", hostile, build}, {"releases", "rollback", hostile}, {"releases", "renew", hostile}, {"releases", "repair", hostile}, {"releases", "gc", hostile},
		{"why", "site", "a", "--content", content, "--store", storeURL}, {"why", "site", "a", "--content", content, "--store", hostile},
	} {
		out, _ := p.command(args...).CombinedOutput() // some refuse the store
		checkPrinted(t, args, out)
	}
	for _, format := range []string{"text", "json"} {
		args := []string{"--follow", hostile, "--public", filepath.Join(t.TempDir(), "node"), "--addr", "127.0.0.1:0", "--follow-interval", "50ms", "--log-format", format}
		checkPrinted(t, args, untilPrinted(t, p.run("edgeserve", args...), "pointer"))
	}
}

// hostilePointer writes a pointer whose texts are hostile, and releases that have such names.
func hostilePointer(t *testing.T, store string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"format": 1, "sequence": 1, "build": hostileName, "manifest_bytes": 10, "manifest_sha256": hostileName, "published": hostileName, "origin": hostileName, hostileName: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(store, "releases", strings.ReplaceAll(hostileName, "/", "_")), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, "current.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestHostileCluster loads a release with hostile names into a cluster whose errors are hostile.
func TestHostileCluster(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator")
	dir := t.TempDir()
	hostileContent(t, filepath.Join(dir, "c", "site"))
	run := func(args ...string) []byte {
		cmd := exec.Command(bin["generator"], args...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // the cluster refuses the release
		return out
	}
	run("build", "--content", "c", "--out", "p", "--broken-refs", "ignore")
	reason, err := json.Marshal(hostileName)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{hostileName, `{"error":{"type":` + string(reason) + `,"reason":` + string(reason) + `},"status":400}`, `{"version":{"number":` + string(reason) + `}}`} {
		for _, code := range []int{http.StatusBadRequest, http.StatusOK} {
			cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(code)
				fmt.Fprint(w, body)
			}))
			for _, args := range [][]string{{"load", "--public", "p", "--to", cluster.URL, "--max-wait", "1s"}, {"load", "--public", "p", "--to", cluster.URL, "--max-wait", "1s", "--check", "--json"}} {
				checkPrinted(t, args, run(args...))
			}
			cluster.Close()
		}
	}
}

// TestHostilePreview previews hostile content, and requests hostile addresses.
func TestHostilePreview(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "preview")
	dir := t.TempDir()
	hostileContent(t, filepath.Join(dir, "c", "site"))
	for _, args := range [][]string{
		{"--content", "c"}, {"--content", "c", "--as", "visitor", "--requests"}, {"--content", "wrong"}, {"--content", hostileName}, {"--" + hostileName}, {hostileName}, {"--content", "c", "--cors-origin", hostileName}, {"--content", "c", "--host", hostileName}, {"--content", "c", "--out", hostileName},
	} {
		addr := freeport.Addr(t)
		cmd := exec.Command(bin["preview"], append([]string{"--addr", addr}, args...)...)
		cmd.Dir = dir
		checkPrinted(t, args, untilPrinted(t, cmd, "http://"+addr))
	}
}
