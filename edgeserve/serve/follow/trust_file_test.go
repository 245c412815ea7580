// These tests change the trust file of a node: its keys, its threshold and its version.

package follow

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
)

// A higher version of the trust file forgets the sequence numbers of a stolen key, once.
func TestVersionOfTheTrustFile(t *testing.T) {
	w := newSignedWorld(t)
	w.publishSigned("one")
	honest := *w.last
	stolen := w.next("evil", func(p *release.Pointer) {
		p.Sequence, p.Published, p.Expires = maxStep, stamp(w.now.Add(1000*day)), stamp(w.now.Add(2000*day))
	}, "ci")
	w.mustServe(honest.Build)
	w.put(release.PointerName, stolen)
	evil := w.last.Build
	w.mustServe(evil)

	w.newKey("new")
	file := []string{"version 2", "origin " + origin, "threshold 1", "key " + w.public["new"]}
	w.trust(file...)
	if err := w.f.ReloadTrust(); err != nil {
		t.Fatal(err)
	}
	w.refuses("untrusted")
	if s := w.f.Status(); !w.serves() || s.Signature.Unverified == "" || s.Signature.TrustVersion != 2 {
		t.Errorf("a running node keeps its release: %+v", s.Signature)
	}
	w.restart()
	if w.serves() {
		t.Error("a node that starts serves what no trusted key has signed")
	}
	w.last = &honest
	w.put(release.PointerName, w.next("two", nil, "new"))
	w.mustServe(w.last.Build)
	if w.f.state.Sequence != 2 || w.f.state.Before != "" {
		t.Errorf("%+v", w.f.state)
	}
	for range 2 { // once
		w.show(w.sign(&honest, nil, "new"))
		w.refuses("older")
		w.restart()
	}

	w.trust(append([]string{"version 1"}, file[1:]...)...)
	if err := w.f.ReloadTrust(); err == nil || !strings.Contains(err.Error(), "version 1, but this node has used version 2") || w.logged("the previous one stays") != 1 {
		t.Errorf("an older file: %v", err)
	}
	if _, err := New(w.cfg); err == nil || !strings.Contains(err.Error(), "version 1, but this node has used version 2") {
		t.Errorf("an older file at a start: %v", err)
	}
}

// A trust file that is wrong keeps the one before.
func TestReloadTrust(t *testing.T) {
	w := newSignedWorld(t)
	w.mustServe(w.publishSigned("one"))
	w.trust("version 1", "origin "+origin, "threshold 3", "key "+w.public["ci"])
	if err := w.f.ReloadTrust(); err == nil || !strings.Contains(err.Error(), "line 3: the threshold is 3, but there are 1 keys") {
		t.Error(err)
	}
	if n := w.logged("the new trust file is not used; the previous one stays"); n != 1 {
		t.Errorf("%d lines in the log", n)
	}
	w.mustServe(w.publishSigned("two"))
	if err := os.Remove(w.cfg.TrustFile); err != nil {
		t.Fatal(err)
	}
	if err := w.f.ReloadTrust(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	w.mustServe(w.publishSigned("three"))
	if _, err := New(w.cfg); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a start without the file: %v", err)
	}
}

// Keys are replaced without a moment in which a node refuses the store.
func TestRotation(t *testing.T) {
	w := newSignedWorld(t)
	head := []string{"version 1", "origin " + origin, "threshold 1"}
	use := func(keys ...string) {
		for i, k := range keys {
			keys[i] = "key " + w.public[k]
		}
		w.trust(append(head[:3:3], keys...)...)
		if err := w.f.ReloadTrust(); err != nil {
			t.Fatal(err)
		}
	}
	use("ci")
	w.mustServe(w.publishSigned("one"))
	w.newKey("new")
	use("ci", "new")
	w.mustServe(w.last.Build)
	w.put(release.PointerName, w.next("two", nil, "ci", "new"))
	w.mustServe(w.last.Build)
	use("new")
	w.mustServe(w.last.Build)
	if s := w.f.Status().Signature; strings.Join(s.SignedBy, " ") != "new" || s.Unverified != "" {
		t.Errorf("%+v", s)
	}
	w.put(release.PointerName, w.next("three", nil, "new"))
	w.mustServe(w.last.Build)
	w.restart()
	if !w.serves() {
		t.Error("not served after a restart")
	}
}

func TestThreshold(t *testing.T) {
	w := newSignedWorld(t)
	w.trust("version 1", "origin "+origin, "threshold 2", "key "+w.public["ci"], "key "+w.public["anna"])
	w.restart()
	one := w.next("one", nil, "ci")
	w.put(release.PointerName, one)
	w.refuses("untrusted")
	w.put(release.PointerName, w.signText(one, "anna"))
	w.mustServe(w.last.Build)
	if s := w.f.Status().Signature; strings.Join(s.SignedBy, " ") != "ci anna" || s.Threshold != 2 {
		t.Errorf("%+v", s)
	}
}

// A key's last day ends what it signed before, as an expiry does: nodes keep it. What it signs later is refused.
func TestLastDayOfAKey(t *testing.T) {
	w := newSignedWorld(t)
	w.now = time.Date(2030, 6, 30, 12, 0, 0, 0, time.UTC)
	w.trust("version 1", "origin "+origin, "threshold 1", "key "+w.public["ci"]+" until 2030-06-30", "key "+w.public["anna"])
	w.restart()
	w.mustServe(w.publishSigned("one"))
	if s := w.f.Status(); s.Expired || s.Signature.Expires != "2030-07-01T00:00:00Z" {
		t.Errorf("%+v", s.Signature)
	}
	w.now = w.now.Add(day)
	if w.sync() == nil || !w.f.Status().Expired || !w.serves() {
		t.Errorf("%+v", w.f.Status())
	}
	w.restart()
	if !w.f.Status().Expired || !w.serves() {
		t.Errorf("after a restart: %+v", w.f.Status())
	}
	w.show(w.next("two", nil, "ci"))
	w.refuses("untrusted")
	w.show(w.next("two", nil, "anna"))
	w.mustServe(w.last.Build)
}

func TestConfigOfTrust(t *testing.T) {
	cfg := Defaults()
	cfg.RefuseExpired = true
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "without a trust file no pointer expires") {
		t.Error(err)
	}
	cfg.TrustFile = t.TempDir() + "/none"
	if err := cfg.Validate(); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "the trust file") {
		t.Error(err)
	}
}

// Of what an earlier trust file vouched for, nothing stays served or kept that the new one does not vouch for: the
// release before, and media.
func TestWhatAnEarlierTrustFileAccepted(t *testing.T) {
	for _, c := range []struct {
		name, version string
		by            string // who signs from then on
		without       bool   // a trust file, in between
		before, media bool   // stay
	}{
		{"the same file", "1", "ci", false, true, true},
		{"a higher version", "2", "ci", false, false, false},
		{"another key", "1", "anna", false, false, true},
		{"no trust file for a while", "1", "ci", true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newSignedWorld(t)
			w.mustServe(w.publishSigned("one"))
			build, names := w.publishMedia("two", "picture")
			w.mustServe(build)
			w.fetches(names[0], "picture")
			if c.without {
				file := w.cfg.TrustFile
				w.cfg.TrustFile = ""
				w.down() // nothing but the start says that nobody watches
				w.restart()
				w.wire.Set(nil)
				w.cfg.TrustFile = file
			}
			w.trust("version "+c.version, "origin "+origin, "threshold 1", "key "+w.public[c.by])
			w.restart()
			w.put(release.PointerName, w.sign(w.last.Renewed(w.now), nil, c.by))
			w.mustServe(build)
			if got := w.f.state.Before != ""; got != c.before {
				t.Errorf("the release before: %+v", w.f.state)
			}
			if _, err := os.Stat(w.f.dir.path(mediaDir, strings.TrimPrefix(names[0], release.MediaDir+"/"))); (err == nil) != c.media {
				t.Errorf("the media: %v", err)
			}
		})
	}
}
