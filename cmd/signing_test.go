// These tests sign releases with the generator's commands, and follow them with the edge server's binary, from a store
// that somebody else controls.

package cmd

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/listenaddr/freeport"
	releases "contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/pull/pulltest"
)

const (
	signedOrigin = "news.example/production"
	stagingURL   = "s3://" + storetest.Bucket + "/site/staging"
)

// signer publishes with keys that the generator has made.
type signer struct {
	*publisher
	service *storetest.Service
	wire    *storetest.Proxy
	keys    map[string]string // files, by names
	lines   map[string]string // of trust files
}

func newSigner(t *testing.T, names ...string) *signer {
	t.Helper()
	s := &signer{service: storetest.Serve(t), keys: map[string]string{}, lines: map[string]string{}}
	s.wire = storetest.NewProxy(t, s.service.Addr)
	s.publisher = newPublisher(t, s.wire.URL)
	for _, name := range names {
		s.keys[name] = filepath.Join(s.dir, name+".key")
		s.lines[name] = s.must("keys", "new", "news.example/"+name, "--out", s.keys[name])
	}
	return s
}

// trusts writes a trust file, and returns its name.
func (s *signer) trusts(threshold string, lines ...string) string {
	s.t.Helper()
	name := filepath.Join(s.t.TempDir(), "trust.txt")
	s.writeTrust(name, "1", threshold, lines...)
	return name
}

func (s *signer) writeTrust(name, version, threshold string, lines ...string) {
	s.t.Helper()
	text := "version " + version + "\norigin " + signedOrigin + "\nthreshold " + threshold + "\n" + strings.Join(lines, "")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// stored is an object of the store.
func (s *signer) stored(key string) []byte {
	s.t.Helper()
	return []byte(file(s.t, filepath.Join(s.service.Dir, storetest.Bucket, "site", key)))
}

// sign signs a pointer that is changed, with a key.
func (s *signer) sign(pointer []byte, key string, change func(p *releases.Pointer)) []byte {
	s.t.Helper()
	p, err := releases.ParsePointer(pointer)
	if err != nil {
		s.t.Fatal(err)
	}
	change(p)
	var by note.Signer
	by, err = trust.NewSigner(file(s.t, s.keys[key]))
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := trust.Sign(p.Encode(), by)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// serves answers requests for an object with other bytes, until serves("", Fault{}).
func (s *signer) serves(suffix string, f storetest.Fault) {
	s.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if suffix != "" && r.Method == http.MethodGet && strings.Contains(r.URL.Path, suffix) {
			return f
		}
		return storetest.Fault{}
	})
}

// publishedBuild returns the build of a report.
func publishedBuild(t *testing.T, out string) string {
	t.Helper()
	var r struct{ Build string }
	if err := json.Unmarshal([]byte(out), &r); err != nil || !releases.IsBuild(r.Build) {
		t.Fatalf("%v: %s", err, out)
	}
	return r.Build
}

// TestSigningAttacks has a store lie in every way to a node that follows it: the node keeps serving the last good
// release, and says why. Then it follows the next honest one.
func TestSigningAttacks(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "ci", "anna", "mallory")
	const live = "live/" + releases.PointerName
	publish := func(mark string, more ...string) string {
		return publishedBuild(t, s.must(append([]string{"publish", storeURL, "--public", s.build(mark), "--sign", s.keys["ci"], "--json"}, more...)...))
	}
	first := publish("first", "--origin", signedOrigin)
	old := s.stored(live)
	s.must("publish", stagingURL, "--public", s.build("staging"), "--sign", s.keys["ci"], "--origin", "news.example/staging")
	staging := s.stored("staging/" + releases.PointerName)
	trusted := s.trusts("1", s.lines["ci"])
	admin := freeport.Addr(t)
	n := s.follow(filepath.Join(t.TempDir(), "node"), "--trust", trusted, "--admin", admin)
	has(t, n, "first")
	publish("second")
	good := s.stored(live)
	has(t, n, "second")

	next := func(p *releases.Pointer) { p.Sequence++ }
	impostor := func() []byte { // a key with a trusted name
		out := filepath.Join(s.dir, "impostor.key")
		s.must("keys", "new", "news.example/ci", "--out", out)
		s.keys["impostor"] = out
		return s.sign(good, "impostor", next)
	}
	unsigned := func() []byte {
		p, err := releases.ParsePointer(good)
		if err != nil {
			t.Fatal(err)
		}
		return p.Renewed(time.Now()).Encode()
	}
	flip := func(b []byte, at int) []byte { b = slices.Clone(b); b[at] ^= 1; return b }
	digit := func(b []byte, at int) []byte { // of base64: with another bit, some digits would be none
		b = slices.Clone(b)
		if b[at] = 'A'; bytes.Equal(b, s.sign(good, "ci", next)) {
			b[at] = 'B'
		}
		return b
	}
	line := func(b []byte) []byte { return releases.PointerText(b) }
	for _, a := range []struct {
		name   string
		body   []byte
		reason string
	}{
		{"an unsigned pointer", unsigned(), "unsigned"},
		{"a foreign key", s.sign(good, "mallory", next), "untrusted"},
		{"a foreign key of a trusted name", impostor(), "untrusted"},
		{"the pointer before", old, "older"},
		{"another pointer of the same number", s.sign(good, "ci", func(p *releases.Pointer) { p.Build, p.Previous = p.Previous, p.Build }), "forked"},
		{"a number that is too high", s.sign(good, "ci", func(p *releases.Pointer) { p.Sequence += 1<<20 + 1 }), "too_high"},
		{"the highest number", s.sign(good, "ci", func(p *releases.Pointer) { p.Sequence = releases.MaxSequence }), "too_high"},
		{"a pointer that has expired", s.sign(good, "ci", func(p *releases.Pointer) {
			next(p)
			p.Published, p.Expires = "2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"
		}), "expired"},
		{"the pointer of staging", staging, "origin"},
		{"the signature of another pointer", append(slices.Clone(line(s.sign(good, "ci", next))), good[len(line(good)):]...), "signature"},
		{"a changed bit of the text", flip(s.sign(good, "ci", next), bytes.Index(good, []byte(`"manifest_sha256":"`))+20), "signature"},
		{"a changed digit of the signature", digit(s.sign(good, "ci", next), len(s.sign(good, "ci", next))-10), "signature"},
		{"no signature lines", line(s.sign(good, "ci", next)), "malformed"},
		{"a text without an end", []byte(strings.Repeat("x", 1<<20)), "endless"},
		{"something else", []byte("<html>"), "malformed"},
	} {
		s.serves(live, storetest.Fault{Body: a.body})
		storetest.WaitFor(t, a.name+" to be refused", func() bool {
			return strings.Contains(told("http://"+admin+"/readyz"), `"refusal":"`+a.reason+`"`)
		})
		has(t, n, "second")
		s.serves("", storetest.Fault{})
		storetest.WaitFor(t, "the node to be well after "+a.name, func() bool {
			return strings.Contains(told("http://"+admin+"/readyz"), `"refusal":""`)
		})
	}
	s.serves(live, storetest.Fault{Endless: true})
	storetest.WaitFor(t, "an endless pointer to be refused", func() bool { return strings.Contains(told("http://"+admin+"/readyz"), `"refusal":"endless"`) })

	// What the signed pointer names, exchanged.
	s.serves("", storetest.Fault{})
	firstManifest := s.stored("live/releases/" + first + "/" + releases.ManifestName)
	for _, a := range []struct {
		name, of string
		fault    storetest.Fault
	}{
		{"the manifest of another release", "/" + releases.ManifestName, storetest.Fault{Body: firstManifest}},
		{"a changed bit of a snapshot", "/" + releases.SnapshotDir + "/", storetest.Fault{FlipAt: 100}},
		{"an endless snapshot", "/" + releases.SnapshotDir + "/", storetest.Fault{Endless: true}},
	} {
		s.serves(a.of, a.fault)
		mark := strings.ReplaceAll(a.name, " ", "-")
		s.serves("", storetest.Fault{})
		public := s.build(mark)
		s.serves(a.of, a.fault)
		s.must("publish", storeURL, "--public", public, "--sign", s.keys["ci"], "--patches", "0") // nothing stands in for the snapshot
		storetest.WaitFor(t, a.name+" to be refused", func() bool {
			is := told("http://" + admin + "/readyz")
			return strings.Contains(is, `"refusal":"content"`) || strings.Contains(is, `"refusal":"endless"`)
		})
		if got := n.answer(); strings.Contains(got, mark) || !strings.HasPrefix(got, "200") {
			t.Errorf("%s: %.200s", a.name, got)
		}
		s.serves("", storetest.Fault{})
		has(t, n, mark)
	}
	publish("last")
	has(t, n, "last")
	// The metric counts each reason.
	metrics := told("http://" + admin + "/metrics")
	for _, reason := range []string{"unsigned", "untrusted", "older", "forked", "too_high", "expired", "origin", "signature", "malformed", "endless"} {
		if series := `contentedge_follow_refusals_total{reason="` + reason + `"} `; !strings.Contains(metrics, series) || strings.Contains(metrics, series+"0\n") {
			t.Errorf("the metric does not count %s", reason)
		}
	}
}

// TestSigningAttacksOnPublishers has a store lie to a publisher, who signs nothing then, and writes nothing.
func TestSigningAttacksOnPublishers(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "ci", "mallory")
	const live = "live/" + releases.PointerName
	first, second := s.build("first"), s.build("second")
	args := func(more ...string) []string {
		return append([]string{"publish", storeURL, "--public", second, "--sign", s.keys["ci"]}, more...)
	}
	s.must("publish", storeURL, "--public", first, "--sign", s.keys["ci"], "--origin", signedOrigin)
	good := s.stored(live)
	private := strings.TrimSpace(file(t, s.keys["ci"]))
	for _, a := range []struct {
		name string
		body []byte // of the pointer; nil: the good one
		args []string
		code int
		want string
	}{
		{"no key", nil, []string{"publish", storeURL, "--public", second}, 3, "--unsigned"},
		{"no key for a rollback", nil, []string{"releases", "renew", storeURL}, 3, "--unsigned"},
		{"a key on the command line", nil, []string{"publish", storeURL, "--public", second, "--sign", private}, 3, "replace this key"},
		{"another origin by flag", nil, args("--origin", "news.example/staging"), 2, "another origin"},
		{"another origin by the store", s.sign(good, "mallory", func(p *releases.Pointer) { p.Origin = "news.example/staging" }), args(), 2, "nothing proves"},
		{"a forged number", s.sign(good, "mallory", func(p *releases.Pointer) { p.Sequence = 1 << 40 }), args(), 2, "nothing proves"},
		{"a pointer that lost its signature", func() []byte { p, _ := releases.ParsePointer(good); return p.Renewed(time.Now()).Encode() }(), args(), 3, "--origin"},
		{"a renewal of a pointer that lost its signature", func() []byte { p, _ := releases.ParsePointer(good); return p.Renewed(time.Now()).Encode() }(), []string{"releases", "renew", storeURL, "--sign", s.keys["ci"], "--origin", signedOrigin}, 2, "nothing proves"},
		{"another key of mine", nil, []string{"publish", storeURL, "--public", second, "--sign", s.keys["mallory"]}, 2, "nothing proves"},
		{"a trust file without my key", nil, args("--trust", s.trusts("1", s.lines["mallory"])), 3, "does not name the key"},
		{"too few keys", nil, args("--trust", s.trusts("2", s.lines["ci"], s.lines["mallory"])), 3, "--propose"},
	} {
		if a.body != nil {
			s.serves(live, storetest.Fault{Body: a.body, Header: http.Header{"Etag": {`"forged"`}}})
		}
		out, err := s.command(a.args...).CombinedOutput()
		if code := exitCode(err); code != a.code || !strings.Contains(string(out), a.want) || bytes.Contains(out, []byte(private)) {
			t.Errorf("%s: exit %d: %s", a.name, code, bytes.ReplaceAll(out, []byte(private), []byte("KEY")))
		}
		s.serves("", storetest.Fault{})
		if now := s.stored(live); !bytes.Equal(now, good) {
			t.Fatalf("%s: the pointer is %s", a.name, now)
		}
	}
	if out := s.must(args("--dry-run")...); !strings.Contains(out, "would publish ") || !strings.Contains(out, "as sequence 2, signed by news.example/ci") || !bytes.Equal(s.stored(live), good) {
		t.Errorf("a dry run: %s", out)
	}
}

// TestProposeAndSign takes a store whose nodes want two signatures through a proposal that two people sign at the same
// moment, one that is killed half-way, and the review of what is proposed.
func TestProposeAndSign(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "ci", "anna", "bert")
	trusted := s.trusts("2", s.lines["ci"], s.lines["anna"], s.lines["bert"])
	n := s.follow(filepath.Join(t.TempDir(), "node"), "--trust", trusted)
	s.must("publish", storeURL, "--public", s.build("first"), "--sign", s.keys["ci"], "--sign", s.keys["anna"], "--origin", signedOrigin)
	has(t, n, "first")
	propose := func(mark string) (build, digest string) {
		public := s.build(mark)
		build = publishedBuild(t, s.must("publish", storeURL, "--public", public, "--sign", s.keys["ci"], "--propose", "--trust", trusted, "--json"))
		manifest, err := os.ReadFile(filepath.Join(public, releases.ManifestName))
		if err != nil {
			t.Fatal(err)
		}
		return build, "sha256:" + releases.HexSHA256(manifest)
	}
	second, secondDigest := propose("second")
	if out := s.must("releases", "list", storeURL); !strings.Contains(out, "proposed") || !strings.Contains(out, "  news.example/ci  ") {
		t.Errorf("listed: %s", out)
	}
	if out := s.must("releases", "show", storeURL, second, "--trust", trusted); !strings.Contains(out, second+", proposed") || !strings.Contains(out, "refuse it: too few") {
		t.Errorf("shown: %s", out)
	}
	if out := s.must("diff", storeURL, "--proposed", "--trust", trusted); !strings.Contains(out, "changed") {
		t.Errorf("what is proposed: %s", out)
	}
	// One signer is killed when its signature is in the proposal, and the pointer not yet moved.
	cmd := s.command("releases", "sign", storeURL, secondDigest, "--sign", s.keys["anna"], "--trust", trusted)
	var once sync.Once
	s.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "live/"+releases.PointerName) {
			once.Do(func() { _ = cmd.Process.Kill() })
			return storetest.Fault{Drop: true}
		}
		return storetest.Fault{}
	})
	if err := cmd.Run(); err == nil {
		t.Fatal("the signer was not killed")
	}
	s.wire.Set(nil)
	if out := s.must("releases", "show", storeURL, second); !strings.Contains(out, "by news.example/ci, news.example/anna") {
		t.Errorf("the signature of a killed signer is lost: %s", out)
	}
	has(t, n, "first")
	if out := s.must("releases", "sign", storeURL, "--trust", trusted); !strings.Contains(out, second+" is current (sequence 2), signed by news.example/ci, news.example/anna (2 of 2)") {
		t.Errorf("without a key it makes current what has enough: %s", out)
	}
	has(t, n, "second")

	third, thirdDigest := propose("third")
	outs, errs := make([]string, 2), make([]error, 2)
	var both sync.WaitGroup
	for i, who := range []string{"anna", "bert"} {
		both.Go(func() {
			out, err := s.command("releases", "sign", storeURL, thirdDigest, "--sign", s.keys[who], "--trust", trusted).CombinedOutput()
			outs[i], errs[i] = string(out), err
		})
	}
	both.Wait()
	for i := range errs {
		if errs[i] != nil || !strings.Contains(outs[i], third+" is current (sequence 3)") {
			t.Errorf("a signer at the same moment: %v: %s", errs[i], outs[i])
		}
	}
	has(t, n, "third")
	if out, err := s.command("releases", "sign", storeURL, secondDigest, "--sign", s.keys["bert"], "--trust", trusted).CombinedOutput(); exitCode(err) != 1 || !strings.Contains(string(out), "nothing to sign") {
		t.Errorf("what is over: %v: %s", err, out)
	}
}

// TestSignedSite verifies a public directory and a site by the trust file of the nodes.
func TestSignedSite(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "ci", "mallory")
	public := s.build("first")
	trusted, other := s.trusts("1", s.lines["ci"]), s.trusts("1", s.lines["mallory"])
	site := httptest.NewServer(http.FileServer(http.Dir(public)))
	t.Cleanup(site.Close)
	base := site.URL
	if out, err := s.command("verify", public, "--trust", trusted).CombinedOutput(); exitCode(err) != 2 || !strings.Contains(string(out), "no signed pointer") {
		t.Errorf("before it is signed: %v: %s", err, out)
	}
	s.must("publish", storeURL, "--public", public, "--sign", s.keys["ci"], "--origin", signedOrigin)
	for _, what := range [][]string{{"verify", public}, {"verify", base}, {"verify", base, "--against", public}} {
		if out := s.must(append(what, "--trust", trusted)...); !strings.Contains(out, "signed by news.example/ci") {
			t.Errorf("%v: %s", what, out)
		}
		if out, err := s.command(append(what, "--trust", other)...).CombinedOutput(); exitCode(err) != 2 || !strings.Contains(string(out), "is not trusted") {
			t.Errorf("%v by another key: %v: %s", what, err, out)
		}
	}
	if out := s.must("build", "--content", filepath.Join(s.dir, "content-first"), "--out", public); strings.Contains(out, releases.PointerName) {
		t.Errorf("a build warns of what the publication left: %s", out)
	}
	if out, err := s.command("diff", storeURL, "--public", public, "--trust", other).CombinedOutput(); exitCode(err) != 2 {
		t.Errorf("a comparison with a store of others: %v: %s", err, out)
	}
	s.must("diff", storeURL, "--public", public, "--trust", trusted)
}

// TestOldNodesAndSignedStores: programs of before the signatures call a signed pointer a bad one, and keep their
// release. A store that nobody signs has the pointers of before.
func TestOldNodesAndSignedStores(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "ci")
	public := s.build("first")
	s.must("publish", storeURL, "--public", public)
	const live = "live/" + releases.PointerName
	if err := parseOfBefore(s.stored(live)); err != nil {
		t.Errorf("a pointer without signatures: %v", err)
	}
	n := s.follow(filepath.Join(t.TempDir(), "node"))
	has(t, n, "first")
	s.must("publish", storeURL, "--public", public, "--sign", s.keys["ci"], "--origin", signedOrigin)
	if err := parseOfBefore(s.stored(live)); err == nil || !strings.HasPrefix(err.Error(), "bad pointer: ") {
		t.Errorf("a signed pointer: %v", err)
	}
	s.must("publish", storeURL, "--public", s.build("second"), "--sign", s.keys["ci"])
	has(t, n, "second") // a new node without a trust file
}

// parseOfBefore reads a pointer as the programs of before the signatures did.
func parseOfBefore(b []byte) error {
	var p struct {
		Format         int    `json:"format"`
		Sequence       int64  `json:"sequence"`
		Build          string `json:"build"`
		ManifestBytes  int64  `json:"manifest_bytes"`
		ManifestSHA256 string `json:"manifest_sha256"`
		Previous       string `json:"previous,omitempty"`
		Published      string `json:"published"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return errBad(err.Error())
	}
	if p.Format != 1 {
		return errBad("another format")
	}
	again, err := json.Marshal(p)
	if err == nil && !bytes.Equal(append(again, '\n'), b) {
		err = errBad("not in canonical form")
	}
	return err
}

type errBad string

func (e errBad) Error() string { return "bad pointer: " + string(e) }

// TestWatchedSigning: pull --watch signs with the key of a variable, and renews the pointer before it expires although
// nothing changes. The key is in no output.
func TestWatchedSigning(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "ci")
	trusted := s.trusts("1", s.lines["ci"])
	key := strings.TrimSpace(file(t, s.keys["ci"]))
	w := watch(t, s.bin["generator"], append(slices.Clone(s.env), "TEST_CONTENTEDGE_KEY="+key), "pull", pulltest.New(20).Listen(t), "--env", pulltest.Env, "--content", t.TempDir(), "--rate", "1000",
		"--watch", "1s", "--publish", storeURL, "--sign", "$TEST_CONTENTEDGE_KEY", "--origin", signedOrigin, "--expires", "4s", "--trust", trusted, "--admin", "127.0.0.1:0",
		"--", "--out", filepath.Join(t.TempDir(), "public"), "--no-sync")
	w.waits("two renewals", `contentedge_publish_runs_total\{result="changed"\}`, func(v float64) bool { return v >= 3 })
	out := s.must("releases", "show", storeURL, "--trust", trusted)
	if !strings.Contains(out, "accept it, by news.example/ci") || !regexp.MustCompile(`sequence +[3-9]`).MatchString(out) || !strings.Contains(out, "valid until ") {
		t.Errorf("shown: %s", out)
	}
	w.end()
	if strings.Contains(w.log.String(), key[len(key)-20:]) {
		t.Error("the key is in the output")
	}
}
