package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/cmd/scripttest"
	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// nobody is the user in an empty root, whom no file names. Numbers from 65532 are usual in images.
const nobody = 65532

// emptyRoot is a directory that holds the programs and content, and nothing of a system: no /tmp, /etc, /proc,
// /dev, zones or certificates. Only /data may be written to.
type emptyRoot struct {
	t   *testing.T
	dir string
}

func newEmptyRoot(t *testing.T, programs ...string) *emptyRoot {
	t.Helper()
	r := &emptyRoot{t, t.TempDir()}
	if err := r.command("/none").Run(); err != nil && !errors.Is(err, syscall.ENOENT) {
		t.Skipf("this system lets nobody change the root directory: %v", err)
	}
	for name, bin := range binaries(t, programs...) {
		copyFile(t, bin, filepath.Join(r.dir, name), 0o755)
	}
	if err := os.CopyFS(filepath.Join(r.dir, "content"), os.DirFS("../content")); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(r.dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(data, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	mustChmod(t, r.dir, 0o555)
	t.Cleanup(func() { mustChmod(t, r.dir, 0o755) })
	return r
}

func mustChmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, mode); err != nil {
		t.Fatal(err)
	}
}

// command runs a program of the root in it, as nobody and without variables. Root may change the root
// directory; other users may where a user namespace is allowed to them.
func (r *emptyRoot) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), scripttest.Patience)
	r.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Path, cmd.Err = args[0], nil // in the other root
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = inRoot(r.dir)
	return cmd
}

// runs runs a command that must succeed.
func (r *emptyRoot) runs(args ...string) {
	r.t.Helper()
	if out, err := r.command(args...).CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", args, err, out)
	}
}

// serves starts an edge server or a preview in the root.
func (r *emptyRoot) serves(env []string, args ...string) (base string, lines *output) {
	r.t.Helper()
	addr := freeport.Addr(r.t)
	cmd := r.command(append(args, "--addr", addr)...)
	lines = new(output)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, lines, lines
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if r.t.Failed() {
			r.t.Logf("%s:\n%s", args, lines)
		}
	})
	return "http://" + addr, lines
}

// byHour counts the events of each hour of Paris, where a day begins in another hour than in UTC.
const byHour = `{"size":0,"aggs":{"hours":{"date_histogram":{"field":"Data.starts","calendar_interval":"day","time_zone":"Europe/Paris"}}}}`

func aggregations(t *testing.T, base string) string {
	t.Helper()
	r, err := http.Post(base+"/cda/es/v1/events", "application/json", strings.NewReader(byHour))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var body struct{ Aggregations json.RawMessage }
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK || json.Unmarshal(b, &body) != nil || len(body.Aggregations) == 0 {
		t.Fatalf("%d %v %s", r.StatusCode, err, b)
	}
	return string(body.Aggregations)
}

// TestEmptyRoot builds and serves where there is nothing but the programs. The responses are those of a system.
func TestEmptyRoot(t *testing.T) {
	r := newEmptyRoot(t, "generator", "edgeserve", "preview")
	r.runs("/generator", "build", "--content", "/content", "--out", "/data/public", "--memory", "64MiB")
	r.runs("/generator", "verify", "/data/public")
	inside, lines := r.serves(nil, "/edgeserve", "--public", "/data/public", "--admin", freeport.Addr(t))
	outside := serve(t, binaries(t, "edgeserve")["edgeserve"], filepath.Join(r.dir, "data/public"))
	waitReady(t, inside)
	got, want := aggregations(t, inside), aggregations(t, outside)
	if got != want || !strings.Contains(got, "+02:00") {
		t.Errorf("in an empty root the response is %s, else %s", got, want)
	}
	if page := "/cda/rest/v1/site/contents?page=1"; get(t, inside+page) != get(t, outside+page) {
		t.Error("a list has other bytes in an empty root")
	}
	for _, word := range []string{"WARN", "ERROR", `"warn`, `"error`} {
		if strings.Contains(lines.String(), word) {
			t.Errorf("the edge server warns in an empty root: %s", lines)
		}
	}
	edits, _ := r.serves(nil, "/preview", "--content", "/content", "--out", "/data/preview")
	waitReady(t, edits)
	if aggregations(t, edits) != want {
		t.Error("preview's response differs from the edge server's")
	}
}

// TestEmptyRootTemporaryFiles looks at commands that write temporary files elsewhere than into their output.
func TestEmptyRootTemporaryFiles(t *testing.T) {
	r := newEmptyRoot(t, "generator", "edgeserve", "preview")
	r.runs("/generator", "build", "--content", "/content", "--out", "/data/public")
	site := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(r.dir, "data/public"))))
	t.Cleanup(site.Close)
	writeFile(t, filepath.Join(r.dir, "data"), "export.json", `[{"id":"a"}]`)
	for _, args := range [][]string{
		{"/generator", "verify", site.URL, "--sample", "1"},
		{"/generator", "import", "json", "/data/export.json", "--env", "new", "--content", "/data", "--id", ".id", "--name", ".id", "--template", "Page", "--date", "2026-01-02", "--dry-run"},
		{"/preview", "--content", "/content", "--addr", "127.0.0.1:0"},
	} {
		out, err := r.command(args...).CombinedOutput()
		if want := "the temporary directory /tmp cannot be used, set TMPDIR to another one: "; err == nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s: %v, and no %q in\n%s", args, err, want, out)
		}
		if args[0] == "/preview" {
			continue
		}
		with := r.command(args...)
		with.Env = []string{"TMPDIR=/data"}
		if out, err := with.CombinedOutput(); err != nil {
			t.Errorf("%s with TMPDIR: %v\n%s", args, err, out)
		}
	}
}

// TestEmptyRootCertificates follows a store over https in a root without certificates of authorities.
func TestEmptyRootCertificates(t *testing.T) {
	r := newEmptyRoot(t, "generator", "edgeserve")
	r.runs("/generator", "build", "--content", "/content", "--out", "/data/public")
	objects := t.TempDir()
	release, err := filepath.EvalSymlinks(filepath.Join(r.dir, "data/public/current"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(release, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Build string }
	if err := json.Unmarshal(manifest, &m); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(objects, "releases", m.Build), os.DirFS(release)); err != nil {
		t.Fatal(err)
	}
	pointer := fmt.Sprintf(`{"format":1,"sequence":1,"build":%q,"manifest_bytes":%d,"manifest_sha256":"%x","published":%q}`+"\n",
		m.Build, len(manifest), sha256.Sum256(manifest), time.Now().UTC().Format(time.RFC3339))
	writeFile(t, objects, "current.json", pointer)
	store := httptest.NewUnstartedServer(http.FileServer(http.Dir(objects)))
	store.Config.ErrorLog = log.New(io.Discard, "", 0)
	store.StartTLS()
	t.Cleanup(store.Close)

	args := []string{"/edgeserve", "--follow", store.URL, "--follow-interval", "100ms", "--poll", "100ms", "--public"}
	_, refused := r.serves(nil, append(args, "/data/refused")...)
	storetest.WaitFor(t, "the certificate to be refused", func() bool {
		return strings.Contains(refused.String(), "certificate signed by unknown authority")
	})

	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: store.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(r.dir, "data/ca.pem"), ca, 0o644); err != nil {
		t.Fatal(err)
	}
	base, _ := r.serves([]string{"SSL_CERT_FILE=/data/ca.pem"}, append(args, "/data/followed")...)
	waitReady(t, base)
}

// TestProgramsHaveRoots looks at what each program links: only a server of the web could show that it trusts the
// web's authorities.
func TestProgramsHaveRoots(t *testing.T) {
	for _, name := range []string{"edgeserve", "generator", "preview"} {
		out, err := exec.Command("go", "list", "-deps", "./"+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"golang.org/x/crypto/x509roots/fallback", "contentedge/edgeserve/timezone"} {
			if !strings.Contains(string(out), want+"\n") {
				t.Errorf("%s lacks %s", name, want)
			}
		}
	}
}
