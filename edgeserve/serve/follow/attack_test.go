package follow

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestAttacks gives a node pointers that somebody wrote who controls the store, but not the keys. The node names
// the reason, keeps its release, also after a restart, and follows the next honest pointer.
func TestAttacks(t *testing.T) {
	unsigned := func(w *signedWorld, b []byte) []byte { return release.PointerText(b) }
	format1 := func(p *release.Pointer) []byte {
		return (&release.Pointer{Sequence: p.Sequence - 1, Build: p.Previous}).Next(p.Build, nil, p.PublishedAt()).Encode()
	}
	foreign := func(w *signedWorld) []byte { return w.next("evil", nil, "mallory") }
	transplant := func(w *signedWorld) []byte { // an honest signature under another text
		honest := w.next("honest", nil, "ci")
		w.last.Build = "00000000deadbeef"
		return append(w.last.Encode(), honest[len(release.PointerText(honest)):]...)
	}
	signature := func(b []byte) []byte { return b[len(release.PointerText(b))+1:] }
	for _, c := range []struct {
		name, reason string
		pointer      func(w *signedWorld) []byte
	}{
		{"a foreign key", "untrusted", foreign},
		{"a foreign key under a trusted name", "untrusted", func(w *signedWorld) []byte {
			honest := w.signers["ci"]
			w.newKey("ci")
			defer func() { w.signers["ci"] = honest }()
			return w.next("evil", nil, "ci")
		}},
		{"a name that looks like a trusted one", "untrusted", func(w *signedWorld) []byte {
			b := w.next("evil", nil, "mallory")
			return bytes.Replace(b, []byte("— mallory"), []byte("— сi"), 1) // a Cyrillic letter
		}},
		{"no signature of format 1", "unsigned", func(w *signedWorld) []byte {
			w.next("evil", nil, "mallory")
			p := *w.last
			b := format1(&p)
			return bytes.Replace(b, []byte(`"manifest_bytes":0`), []byte(fmt.Sprintf(`"manifest_bytes":%d`, p.ManifestBytes)), 1)
		}},
		{"no signature of format 2", "malformed", func(w *signedWorld) []byte { return unsigned(w, foreign(w)) }},
		{"an honest signature of another text", "signature", transplant},
		{"a wrong signature before a right one", "signature", func(w *signedWorld) []byte {
			b := transplant(w)
			return append(b, signature(w.next("honest too", nil, "anna"))...)
		}},
		{"a changed bit", "signature", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return bytes.Replace(b, []byte(`"sequence":2`), []byte(`"sequence":3`), 1)
		}},
		{"a member that was added", "signature", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return bytes.Replace(b, []byte(`"sequence"`), []byte(`"x":1,"sequence"`), 1)
		}},
		{"a member twice", "malformed", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return bytes.Replace(b, []byte(`"sequence"`), []byte(`"sequence":9,"sequence"`), 1)
		}},
		{"a later expiry", "signature", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return bytes.Replace(b, []byte(`"expires":"20`), []byte(`"expires":"21`), 1)
		}},
		{"the pointer of staging", "origin", func(w *signedWorld) []byte {
			return w.next("staging", func(p *release.Pointer) { p.Origin = "news.example/staging" }, "ci")
		}},
		{"an origin that looks alike", "malformed", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return bytes.Replace(b, []byte(origin), []byte("nеws.example/production"), 1)
		}},
		{"fast-forwarded", "too_high", func(w *signedWorld) []byte {
			return w.next("far", func(p *release.Pointer) { p.Sequence += maxStep + 1 }, "ci")
		}},
		{"to the end", "too_high", func(w *signedWorld) []byte {
			return w.next("far", func(p *release.Pointer) { p.Sequence = release.MaxSequence }, "ci")
		}},
		{"expired", "expired", func(w *signedWorld) []byte {
			return w.next("late", func(p *release.Pointer) {
				p.Published, p.Expires = stamp(w.now.Add(-2*time.Hour)), stamp(w.now.Add(-time.Hour))
			}, "ci")
		}},
		{"expired this second", "expired", func(w *signedWorld) []byte {
			return w.next("late", func(p *release.Pointer) {
				p.Published, p.Expires = stamp(w.now.Add(-2*time.Hour)), stamp(w.now)
			}, "ci")
		}},
		{"a newer format", "format", func(w *signedWorld) []byte {
			return fmt.Appendf(nil, "{\"format\":%d}\n", release.NewestPointerFormat+1)
		}},
		{"CRLF", "malformed", func(w *signedWorld) []byte {
			return bytes.ReplaceAll(w.next("honest", nil, "ci"), []byte("\n"), []byte("\r\n"))
		}},
		{"a byte order mark", "malformed", func(w *signedWorld) []byte { return append([]byte("\ufeff"), w.next("honest", nil, "ci")...) }},
		{"bytes behind it", "malformed", func(w *signedWorld) []byte { return append(w.next("honest", nil, "ci"), "more"...) }},
		{"a line behind it", "malformed", func(w *signedWorld) []byte { return append(w.next("honest", nil, "ci"), "more\n"...) }},
		{"another note behind it", "malformed", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return append(append(b, '\n'), foreign(w)...)
		}},
		{"a text of two lines", "malformed", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return append([]byte("{}\n"), b...)
		}},
		{"more signatures than a pointer holds", "endless", func(w *signedWorld) []byte {
			b := w.next("honest", nil, "ci")
			return append(b, bytes.Repeat(signature(w.next("evil", nil, "mallory")), 40)...)
		}},
		{"nothing", "malformed", func(w *signedWorld) []byte { return []byte("\n") }},
		{"an error page", "malformed", func(w *signedWorld) []byte { return []byte("<!doctype html><title>502</title>\n") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newSignedWorld(t)
			one := w.publishSigned("one")
			w.mustServe(one)
			honest := *w.last
			w.show(c.pointer(w))
			w.refuses(c.reason)
			w.restart()
			if !w.serves() {
				t.Error("after a restart the last good release is not served")
			}
			w.refuses(c.reason)
			w.wire.Set(nil)
			w.last = &honest
			w.mustServe(w.publishSigned("two"))
			if s := w.f.Status(); s.Refusal != "" || s.LastError != "" {
				t.Errorf("afterwards: %+v", s)
			}
		})
	}
}

// Signatures that a node does not know are no attack: during a rotation there are some.
func TestSignaturesThatAreIgnored(t *testing.T) {
	w := newSignedWorld(t)
	for name, pointer := range map[string]func() []byte{
		"of an unknown key beside": func() []byte { return w.next("1", nil, "mallory", "ci") },
		"of a trusted key twice": func() []byte {
			b := w.next("2", nil, "ci")
			return append(b, b[len(release.PointerText(b))+1:]...)
		},
		"of 31 keys": func() []byte {
			keys := []string{"ci"}
			for i := range 30 {
				w.newKey(fmt.Sprint("k", i))
				keys = append(keys, fmt.Sprint("k", i))
			}
			return w.next("3", nil, keys...)
		},
	} {
		w.put(release.PointerName, pointer())
		w.mustServe(w.last.Build)
		if s := w.f.Status().Signature; strings.Join(s.SignedBy, " ") != "ci" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A node refuses what it has left behind, also after a restart, and each of two pointers with one number but the
// first.
func TestRollbackAndFork(t *testing.T) {
	w := newSignedWorld(t)
	w.publishSigned("one")
	one := w.signText(w.last.Encode(), "ci")
	second := w.publishSigned("two")
	w.mustServe(second)
	two := *w.last
	for range 2 {
		w.show(one)
		w.refuses("older")
		w.restart()
	}
	fork := two
	fork.Expires = stamp(w.now.AddDate(0, 0, 8))
	other := w.signText(fork.Encode(), "ci", "anna")
	for range 2 { // it flips between them
		w.show(other)
		w.refuses("forked")
		w.wire.Set(nil)
		w.mustServe(second)
		w.restart()
	}
	w.show(w.signText(two.Encode(), "anna")) // the text is the same
	w.mustServe(second)
	if s := w.f.Status().Signature; strings.Join(s.SignedBy, " ") != "anna" {
		t.Errorf("%+v", s)
	}
}

// The pointer vouches for one manifest, the manifest for its snapshots: neither can be exchanged.
func TestMixAndMatch(t *testing.T) {
	w := newSignedWorld(t)
	one := w.publishSigned("snapshot one")
	w.mustServe(one)
	oneSnapshot := w.snapshots
	two := w.next("snapshot two", nil, "ci")
	m := w.manifest(map[string][]byte{"a": []byte("snapshot two"), "b": []byte("b")})
	other := w.manifest(map[string][]byte{"a": []byte("snapshot six"), "b": []byte("b")})
	w.put(release.PointerName, two)
	for name, c := range map[string]struct {
		part string
		body []byte
	}{
		"the manifest of the release before":  {"manifest.json", w.manifest(map[string][]byte{"a": []byte("snapshot one"), "b": []byte("b")}).Encode()},
		"a manifest of the same build":        {"manifest.json", bytes.Replace(other.Encode(), []byte(other.Build), []byte(m.Build), 1)},
		"a snapshot of the same size":         {"/a-", []byte("snapshot six")},
		"the snapshot of another environment": {"/a-", []byte("b")},
	} {
		w.faults(storetest.Fault{Body: c.body}, c.part)
		if err := w.sync(); refusalOf(err) != "content" || w.current() != one {
			t.Errorf("%s: %v, at %s of %d", name, err, w.current(), len(oneSnapshot))
		}
	}
	w.wire.Set(nil)
	w.mustServe(w.last.Build)
}

// An endless or slow pointer, manifest or snapshot costs a bounded time and keeps the release.
func TestEndlessData(t *testing.T) {
	w := newSignedWorld(t)
	one := w.publishSigned("one")
	w.mustServe(one)
	w.publishSigned("two")
	for _, part := range []string{release.PointerName, "manifest.json", ".snap"} {
		w.faults(storetest.Fault{Endless: true}, part)
		if err := w.sync(); refusalOf(err) != "endless" && refusalOf(err) != "content" || w.current() != one {
			t.Errorf("%s: %v", part, err)
		}
	}
	w.faults(storetest.Fault{Drip: 50 * time.Millisecond}, release.PointerName)
	start := time.Now()
	if err := w.syncHastily(); err == nil || refusalOf(err) != "" || time.Since(start) > 20*time.Second || !w.serves() {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

// A file that is not the release's is not sent, although its name is right: whoever writes to the store could add
// files that no signature covers.
func TestMediaThatNoSignatureCovers(t *testing.T) {
	w := newSignedWorld(t)
	build, names := w.publishMedia("one", "honest picture")
	w.mustServe(build)
	evil := w.putMedia(build, "evil picture")
	if got, err := w.fetch(evil); err == nil {
		t.Errorf("it sent %q", got)
	}
	w.fetches(names[0], "honest picture")
	next, more := w.publishMedia("two", "another picture")
	w.mustServe(next)
	w.fetches(more[0], "another picture")
	w.fetches(names[0], "honest picture") // of the release before
	evil = w.putMedia(next, "evil picture two")
	w.restart()
	if got, err := w.fetch(evil); err == nil {
		t.Errorf("after a restart it sent %q", got)
	}
	w.fetches(names[0], "honest picture")
}

// A list of checksums that the manifest does not vouch for names nothing.
func TestForgedListOfMedia(t *testing.T) {
	w := newSignedWorld(t)
	build, names := w.publishMedia("one", "honest picture")
	w.mustServe(build)
	evil := w.putMedia(build, "evil picture")
	list := w.sums(evil, "evil picture")
	w.faults(storetest.Fault{Body: []byte(list)}, release.ChecksumsName)
	for _, name := range []string{evil, names[0]} {
		if got, err := w.fetch(name); err == nil {
			t.Errorf("it sent %q", got)
		}
	}
	if n := w.logged("cannot be verified"); n != 1 {
		t.Errorf("%d lines in the log", n)
	}
	manifest := w.f.dir.path(release.ReleasesDir, build, release.ManifestName)
	honest, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := release.Parse(honest)
	if err != nil {
		t.Fatal(err)
	}
	m.Checksums = release.Checksums{Bytes: int64(len(list)), SHA256: release.HexSHA256([]byte(list))}
	for _, raw := range [][]byte{m.Encode(), honest} { // a manifest that vouches for it, but that nobody has signed
		w.f.media.lists.failed, w.f.media.refused = nil, map[string]refusal{}
		if err := os.WriteFile(manifest, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := w.fetch(evil); err == nil {
			t.Errorf("it sent %q", got)
		}
	}
	w.wire.Set(nil)
	w.restart()
	w.fetches(names[0], "honest picture")
}

// What a node collected before it had a trust file is not sent by it.
func TestMediaFromBeforeTheTrustFile(t *testing.T) {
	w := newSignedWorld(t)
	file := w.cfg.TrustFile
	w.cfg.TrustFile = ""
	w.restart()
	build, names := w.publishMedia("one", "honest picture")
	w.mustBe(build)
	evil := w.putMedia(build, "evil picture")
	w.fetches(evil, "evil picture")
	w.cfg.TrustFile = file
	waiting, err := New(w.cfg) // for the lock
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := waiting.FetchMedia(evil); err == nil {
		t.Error("a node that waits for the directory sends it")
	}
	w.restart()
	w.mustServe(build)
	if got, err := w.fetch(evil); err == nil {
		t.Errorf("it sent %q", got)
	}
	w.fetches(names[0], "honest picture")
	if left, _ := filepath.Glob(w.f.dir.path(mediaDir, "*", "*", "*")); len(left) != 1 {
		t.Errorf("in the directory: %v", left)
	}
}

// Nothing that a hostile store sends is asked for without a bound.
func TestRequestsOfAnAttackedNode(t *testing.T) {
	w := newSignedWorld(t)
	build, _ := w.publishMedia("one", "honest picture")
	w.mustServe(build)
	var lists atomic.Int64
	w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if strings.HasSuffix(r.URL.Path, release.ChecksumsName) {
			lists.Add(1)
			return storetest.Fault{Body: []byte("x\n")}
		}
		return storetest.Fault{}
	})
	for i := range 20 {
		if _, err := w.fetch(w.putMedia(build, fmt.Sprint("evil ", i))); err == nil || os.IsNotExist(err) {
			t.Error(err)
		}
	}
	if n := lists.Load(); n != 1 {
		t.Errorf("the list was asked for %d times", n)
	}
}

// What a node collected under an older version of its trust file, perhaps by a stolen key, is not sent
// under the next one, also while the store withholds the list by which unnamed media are found.
func TestMediaFromBeforeAnotherVersion(t *testing.T) {
	w := newSignedWorld(t)
	build, names := w.publishMedia("evil", "evil picture")
	w.mustServe(build)
	w.fetches(names[0], "evil picture")
	w.newKey("new")
	w.trust("version 2", "origin "+origin, "threshold 1", "key "+w.public["new"])
	if err := w.f.ReloadTrust(); err != nil {
		t.Fatal(err)
	}
	build, _ = w.publishMedia("two", "another picture")
	w.put(release.PointerName, w.sign(w.last, nil, "new"))
	w.faults(storetest.Fault{Status: 404}, build+"/"+release.ChecksumsName)
	w.mustServe(build)
	if got, err := w.fetch(names[0]); err == nil {
		t.Errorf("it sent %q", got)
	}
	if left, _ := filepath.Glob(w.f.dir.path(mediaDir, "*", "*", "*")); len(left) != 0 {
		t.Errorf("in the directory: %v", left)
	}
}
