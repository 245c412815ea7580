package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/serve/follow"
	releases "contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/edgeserve/wire/trust"
)

// signedStore is a store of files over HTTP whose pointers a test signs.
type signedStore struct {
	*publisher
	dir, trust string
	url        string
	last       *releases.Pointer
	keys       map[string]note.Signer
	public     map[string]string
}

func newSignedStore(t *testing.T, keys ...string) *signedStore {
	t.Helper()
	s := &signedStore{publisher: newPublisher(t, "http://127.0.0.1:1"), dir: t.TempDir(), trust: filepath.Join(t.TempDir(), "trust"),
		keys: map[string]note.Signer{}, public: map[string]string{}}
	files := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
	t.Cleanup(files.Close)
	s.url = files.URL
	for _, name := range keys {
		private, public, err := trust.NewKey(name)
		if err == nil {
			s.keys[name], err = trust.NewSigner(private)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.public[name] = public
	}
	return s
}

// trusts writes the trust file.
func (s *signedStore) trusts(version int, keys ...string) {
	s.t.Helper()
	text := fmt.Sprintf("version %d\norigin news\nthreshold 1\n", version)
	for _, k := range keys {
		text += "key " + s.public[k] + "\n"
	}
	s.write(s.trust, []byte(text))
}

func (s *signedStore) write(path string, b []byte) {
	s.t.Helper()
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.t.Fatal(err)
	}
}

// add builds a release, copies it into the store and returns the pointer to it.
func (s *signedStore) add(mark string) *releases.Pointer {
	s.t.Helper()
	public := s.build(mark)
	raw, err := os.ReadFile(filepath.Join(public, releases.ManifestName))
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := releases.Parse(raw)
	if err != nil {
		s.t.Fatal(err)
	}
	at := filepath.Join(releases.ReleasesDir, m.Build)
	if err := os.CopyFS(filepath.Join(s.dir, at), os.DirFS(filepath.Join(public, at))); err != nil {
		s.t.Fatal(err)
	}
	s.last = s.last.Next(m.Build, raw, time.Now())
	return s.last
}

// point signs a pointer and makes it the store's.
func (s *signedStore) point(p *releases.Pointer, key string, expires time.Time) {
	s.t.Helper()
	signed, err := p.ForSigning("news", expires, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := trust.Sign(signed.Encode(), s.keys[key])
	if err != nil {
		s.t.Fatal(err)
	}
	s.last = signed
	s.write(filepath.Join(s.dir, releases.PointerName), b)
}

// start starts a node that follows the store, and returns it with the address of its admin listener.
func (s *signedStore) start(public string, args ...string) (n *node, admin string) {
	admin = freeport.Addr(s.t)
	return s.followFrom(s.url, public, append([]string{"--trust", s.trust, "--admin", admin}, args...)...), "http://" + admin
}

// TestTrustedNode runs a node of the binary through a store without signatures, a stolen key, wrong trust files,
// an expiry and restarts.
func TestTrustedNode(t *testing.T) {
	t.Parallel()
	s := newSignedStore(t, "ci", "new")
	s.trusts(1, "ci")
	dir := filepath.Join(t.TempDir(), "node")
	n, admin := s.start(dir)
	first := s.add("first")
	s.write(filepath.Join(s.dir, releases.PointerName), first.Encode())
	storetest.WaitFor(t, "an unsigned pointer to be refused", func() bool {
		metrics, series := told(admin+"/metrics"), `contentedge_follow_refusals_total{reason="unsigned"} `
		return strings.Contains(n.log.String(), `"refusal":"unsigned"`) && strings.Contains(metrics, series) && !strings.Contains(metrics, series+"0\n")
	})
	s.point(first, "ci", time.Time{})
	has(t, n, "first")
	shows := func(text string) { // on the probe of whoever runs the node
		t.Helper()
		storetest.WaitFor(t, text, func() bool { return strings.Contains(told(admin+"/readyz"), text) })
	}
	shows(`"signature":{"origin":"news","signedBy":["ci"],"threshold":1,"trustVersion":1}`)

	hangup := func(log string) {
		t.Helper()
		if err := n.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		storetest.WaitFor(t, log, func() bool { return strings.Contains(n.log.String(), log) })
	}
	s.write(s.trust, []byte("version 2\n"))
	hangup("the new trust file is not used; the previous one stays")
	shows(`"trustVersion":1`)
	s.trusts(2, "new")
	hangup("the new trust file does not accept the release that is served")
	shows(`"unverified":"too few trusted keys`)
	has(t, n, "first")
	s.last = nil // another store, whose numbers begin anew
	s.point(s.add("second"), "new", time.Time{})
	has(t, n, "second")
	shows(`"refusal":""`)

	s.last = s.last.Renewed(time.Now())
	s.point(s.last, "new", time.Now().Add(2*time.Second))
	shows(`"expired":true`)
	has(t, n, "second")
	storetest.WaitFor(t, "the metric", func() bool { return strings.Contains(told(admin+"/metrics"), "contentedge_follow_expired 1\n") })
	n.kill()
	n, admin = s.start(dir)
	has(t, n, "second")
	shows(`"expired":true`)
	n.kill()
	n, admin = s.start(dir, "--refuse-expired")
	storetest.WaitFor(t, "an expired release to be refused", func() bool {
		return strings.Contains(told(admin+"/readyz"), "has expired") && strings.Contains(n.answer(), "503")
	})
	s.point(s.last.Renewed(time.Now()), "new", time.Now().Add(time.Hour))
	has(t, n, "second")
	shows(`"expired":false`)
	n.kill()

	accept := s.run("edgeserve", "--follow", s.url, "--public", dir, "--trust", s.trust, "--accept-pointer")
	if out, err := accept.CombinedOutput(); err != nil || !strings.Contains(string(out), "signed by new") {
		t.Errorf("%v: %s", err, out)
	}
	s.trusts(1, "new")
	if out, err := s.run("edgeserve", "--follow", s.url, "--public", dir, "--trust", s.trust).CombinedOutput(); exitCode(err) != 1 || !strings.Contains(string(out), "has used version 2") {
		t.Errorf("an older trust file: %v: %s", err, out)
	}
	s.write(s.trust, []byte("key PRIVATE\n"))
	if out, err := s.run("edgeserve", "--follow", s.url, "--public", dir, "--trust", s.trust).CombinedOutput(); exitCode(err) != 3 || !strings.Contains(string(out), "line 1:") {
		t.Errorf("a wrong trust file: %v: %s", err, out)
	}
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return -1
}

// The page of metrics names each reason for which a node refuses a pointer, and no other.
func TestObserveNamesRefusals(t *testing.T) {
	_, row, _ := strings.Cut(pageOf(t, "edgeserve/OBSERVE.md").text, "`contentedge_follow_refusal`")
	row, _, _ = strings.Cut(row, "\n")
	_, list, _ := strings.Cut(row, ": ")
	if want := "`" + strings.Join(follow.Refusals(), "` `") + "` |"; list != want {
		t.Errorf("the page has %s, want %s", list, want)
	}
}

// told returns a response, whatever its status; "" if there is none.
func told(url string) string {
	r, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return string(b)
}
