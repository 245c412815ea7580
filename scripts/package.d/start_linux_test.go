// This file starts the artefacts: what serves does so from a root that has nothing else.

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"packaging/image"
)

// TestPackaging: two builds, at different paths and by different users, are equal byte for byte.
func TestPackaging(t *testing.T) {
	first := dist(t)
	names := list(t, first)
	if other := list(t, made.second); !slices.Equal(names, other) {
		t.Fatalf("one build makes %q, the other %q", names, other)
	}
	want := 2 + 1 + 3 + 1 // archives, image, bills, checksums
	if !testing.Short() {
		want = 2*6 + 1 + 3 + 1 + 2*2*3 // packages too
	}
	if len(names) != want {
		t.Errorf("there are %d artefacts, not %d: %q", len(names), want, names)
	}
	for _, name := range names {
		a, b := read(t, filepath.Join(first, name)), read(t, filepath.Join(made.second, name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s is another one in the second build", name)
		}
		if st, err := os.Stat(filepath.Join(made.second, name)); err != nil || st.Mode().Perm() != 0o644 {
			t.Errorf("%s has the mode %v, %v", name, st.Mode(), err)
		}
	}
}

// TestChecksums: sha256sum accepts the checksums, which are those of all artefacts.
func TestChecksums(t *testing.T) {
	cmd := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	cmd.Dir = dist(t)
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Count(out, []byte(": OK\n")) != len(list(t, cmd.Dir))-1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestArchives: the generator builds the sample content, and the edge server serves the release, each
// in an empty root.
func TestArchives(t *testing.T) {
	release := buildRelease(t)
	root := unpackArchive(t, artefact(t, "edgeserve-VERSION-linux-amd64.tar.gz"))
	serves(t, sandbox{Root: root, Dir: inside(t, root), Args: []string{"./edgeserve"}}, release)
}

// TestArchiveForARM64 is TestArchives for the other processor, which an emulator stands for.
func TestArchiveForARM64(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests make no artefact for arm64")
	}
	release := buildRelease(t)
	root := unpackArchive(t, artefact(t, "edgeserve-VERSION-linux-arm64.tar.gz"))
	serves(t, sandbox{Root: root, Dir: inside(t, root), Args: []string{emulator(t, root), "./edgeserve"}}, release)
}

// emulator copies an emulator of arm64 into a root.
func emulator(t *testing.T, root string) string {
	t.Helper()
	program, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("qemu-aarch64-static is not here (Debian's package qemu-user-static)")
	}
	if err := os.WriteFile(filepath.Join(root, "emulator"), read(t, program), 0o755); err != nil {
		t.Fatal(err)
	}
	return "/emulator"
}

// buildRelease runs the generator of an archive in an empty root, once.
func buildRelease(t *testing.T) string {
	t.Helper()
	root := unpackArchive(t, artefact(t, "contentedge-VERSION-linux-amd64.tar.gz"))
	out := filepath.Join(t.TempDir(), "out")
	for _, dir := range []string{out, filepath.Join(root, "content"), filepath.Join(root, "out"), filepath.Join(root, "tmp")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(out, nobody, nobody); err != nil && os.Getuid() == 0 {
		t.Fatal(err)
	}
	content, err := filepath.Abs("../../content")
	if err != nil {
		t.Fatal(err)
	}
	cmd := sandbox{
		Root: root, Dir: inside(t, root), Mounts: []mount{{content, "content", false}, {out, "out", true}},
		Args: []string{"./generator", "build", "--content", "/content", "--out", "/out/public"},
	}.command(t)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("generator build: %v\n%s", err, text)
	}
	return filepath.Join(out, "public")
}

// inside is the one directory of an archive.
func inside(t *testing.T, root string) string {
	t.Helper()
	for _, name := range list(t, root) {
		if strings.Contains(name, strings.TrimPrefix(testVersion, "v")) {
			return name
		}
	}
	t.Fatalf("%s has no directory of an archive", root)
	return ""
}

// serves starts the edge server of a sandbox with a release, and sends it requests.
func serves(t *testing.T, s sandbox, release string) {
	t.Helper()
	s.Args = append(slices.Clone(s.Args), "--public", "/release", "--addr", anyPort, "--admin", anyPort)
	s.Mounts = append(s.Mounts, mount{release, "release", false})
	if err := os.MkdirAll(filepath.Join(s.Root, "release"), 0o755); err != nil {
		t.Fatal(err)
	}
	addr, _, stop := start(t, s)
	for _, request := range []struct{ target, body string }{
		{"/cda/rest/v1/events/contents?pageSize=1", ""},
		{"/cda/es/v1/site", `{"query":{"query_string":{"query":"bread"}}}`},
		// Time zones come from the program, as the root has none.
		{"/cda/es/v1/events", `{"size":0,"aggs":{"a":{"date_histogram":{"field":"Data.starts","calendar_interval":"day","time_zone":"Europe/Paris"}}}}`},
	} {
		if status, text := send(t, addr, request.target, request.body); status != http.StatusOK {
			t.Errorf("%s %s: %d\n%s", request.target, request.body, status, text)
		}
	}
	stop()
}

// anyPort lets the kernel choose a port, which the server logs.
const anyPort = "127.0.0.1:0"

// start starts an edge server and waits until it is ready. stop ends it as a service manager does.
func start(t *testing.T, s sandbox) (addr, admin string, stop func()) {
	t.Helper()
	cmd := s.command(t)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // the server has its own descriptor
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	late := time.After(time.Minute)
	for {
		lines := string(read(t, log.Name()))
		addr, admin = logged(lines, "listening"), logged(lines, "admin listening")
		status, text := 0, "no addresses are logged"
		if addr != "" && admin != "" {
			status, text = get(admin, "/readyz")
		}
		if status == http.StatusOK {
			break
		}
		select {
		case <-late:
			_ = cmd.Process.Kill()
			<-ended
			t.Fatalf("%q is not ready after a minute: %d %s\n%s", s.Args, status, text, lines)
		case err := <-ended:
			t.Fatalf("%q ended: %v\n%s", s.Args, err, read(t, log.Name()))
		case <-time.After(20 * time.Millisecond):
		}
	}
	withoutRights(t, cmd.Process.Pid)
	return addr, admin, func() {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("after SIGTERM: %v\n%s", err, read(t, log.Name()))
		}
	}
}

func get(addr, target string) (int, string) {
	r, err := http.Get("http://" + addr + target)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(text)
}

func send(t *testing.T, addr, target, body string) (int, string) {
	t.Helper()
	if body == "" {
		return get(addr, target)
	}
	r, err := http.Post("http://"+addr+target, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(text)
}

// logged finds the address in a line of the server's log.
func logged(lines, message string) string {
	_, after, _ := strings.Cut(lines, `"msg":"`+message+`","address":"`)
	addr, _, _ := strings.Cut(after, `"`)
	return addr
}

// unpackArchive unpacks a tar.gz into an empty directory.
func unpackArchive(t *testing.T, file string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	if err := untar(z, root); err != nil {
		t.Fatal(err)
	}
	return root
}

// untar unpacks files and directories with their modes and owners.
func untar(from io.Reader, root string) error {
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(root, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.Mkdir(path, 0o755)
		case tar.TypeReg:
			var data []byte
			if data, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, data, 0o644)
			}
		default:
			err = fmt.Errorf("%s is neither a file nor a directory", h.Name)
		}
		if err == nil && os.Getuid() == 0 {
			err = os.Lchown(path, h.Uid, h.Gid)
		}
		if err == nil {
			err = os.Chmod(path, h.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestImage starts the image as its configuration says: a read-only root, its user, its variables
// and its volume. Its own check then finds it healthy.
func TestImage(t *testing.T) {
	release := buildRelease(t)
	l := openLayout(t, artefact(t, "edgeserve-VERSION-oci.tar"))
	root, config := l.unpack(t, "amd64")
	startImage(t, sandbox{Root: root}, nil, config, release)
}

// startImage starts an image's entry point, behind an emulator if it needs one.
func startImage(t *testing.T, s sandbox, emulator []string, config image.Config, release string) {
	t.Helper()
	if config.User != fmt.Sprintf("%d:%d", nobody, nobody) {
		t.Errorf("the user is %q", config.User)
	}
	// The image's own settings, which are in its file.
	s.Dir, s.Env = config.WorkingDir, config.Env
	s.Args = append(append(slices.Clone(emulator), config.Entrypoint...), "--print-config")
	out, err := s.command(t).CombinedOutput()
	for _, want := range []string{"public = /var/lib/contentedge", "addr = :8080", "admin = 127.0.0.1:9090"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("the settings lack %s: %v\n%s", want, err, out)
		}
	}
	s.Dir, s.Args = config.WorkingDir, append(slices.Clone(emulator), config.Entrypoint...)
	// The ports of the image are taken on a machine that runs more than one test.
	s.Env = with(config.Env, "CONTENTEDGE_ADDR="+anyPort, "CONTENTEDGE_ADMIN="+anyPort)
	s.Mounts = []mount{{release, state, false}}
	_, admin, stop := start(t, s)
	defer stop()
	health := s
	health.Env = with(s.Env, "CONTENTEDGE_ADMIN="+admin)
	health.Args = append(slices.Clone(emulator), config.Healthcheck.Test[1:]...)
	if out, err := health.command(t).CombinedOutput(); err != nil {
		t.Errorf("%q: %v\n%s", health.Args, err, out)
	}
	_, port, _ := net.SplitHostPort(admin)
	health.Env = with(s.Env, "CONTENTEDGE_ADMIN=:"+port) // all addresses, in a root without /etc/hosts
	if out, err := health.command(t).CombinedOutput(); err != nil {
		t.Errorf("%q of %s: %v\n%s", health.Args, health.Env, err, out)
	}
	health.Env = with(s.Env, "CONTENTEDGE_ADMIN=127.0.0.1:1") // where nothing listens
	if out, err := health.command(t).CombinedOutput(); err == nil {
		t.Errorf("%q succeeds without a server\n%s", health.Args, out)
	}
}

// with replaces variables, as docker run --env does.
func with(env []string, variables ...string) []string {
	env = slices.Clone(env)
	for _, v := range variables {
		name, _, _ := strings.Cut(v, "=")
		i := slices.IndexFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		if i < 0 {
			env, i = append(env, ""), len(env)
		}
		env[i] = v
	}
	return env
}

// layout is an OCI image layout.
type layout map[string][]byte

func openLayout(t *testing.T, file string) layout {
	t.Helper()
	l := layout{}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return l
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		l[strings.TrimSuffix(h.Name, "/")] = data
	}
}

// blob is a blob by its descriptor, whose size and digest it must have.
func (l layout) blob(t *testing.T, d descriptor) []byte {
	t.Helper()
	data := l["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
	if len(data) != d.Size || "sha256:"+sha256Hex(data) != d.Digest {
		t.Fatalf("the blob %s has %d bytes and the digest %s", d.Digest, len(data), sha256Hex(data))
	}
	return data
}

type descriptor struct {
	MediaType, Digest string
	Size              int
	Annotations       map[string]string
	Platform          struct{ OS, Architecture, Variant string }
}

type indexOrManifest struct {
	MediaType         string
	Config            descriptor
	Manifests, Layers []descriptor
}

func parseJSON[T any](t *testing.T, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// images are the manifests by architecture.
func (l layout) images(t *testing.T) map[string]indexOrManifest {
	t.Helper()
	top := parseJSON[indexOrManifest](t, l["index.json"])
	if len(top.Manifests) != 1 || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != strings.TrimPrefix(testVersion, "v") {
		t.Fatalf("index.json: %s", l["index.json"])
	}
	all := map[string]indexOrManifest{}
	for _, d := range parseJSON[indexOrManifest](t, l.blob(t, top.Manifests[0])).Manifests {
		all[d.Platform.Architecture] = parseJSON[indexOrManifest](t, l.blob(t, d))
	}
	return all
}

// unpack unpacks an image's layers into an empty directory.
func (l layout) unpack(t *testing.T, arch string) (root string, config image.Config) {
	t.Helper()
	m := l.images(t)[arch]
	c := parseJSON[struct {
		Config image.Config
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}](t, l.blob(t, m.Config))
	root = t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, d := range m.Layers {
		z, err := gzip.NewReader(bytes.NewReader(l.blob(t, d)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if got := "sha256:" + sha256Hex(plain); got != c.RootFS.DiffIDs[i] {
			t.Errorf("layer %d is %s, not %s", i, got, c.RootFS.DiffIDs[i])
		}
		if err := untar(bytes.NewReader(plain), root); err != nil {
			t.Fatal(err)
		}
	}
	return root, c.Config
}
