package follow

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/edgeserve/wire/trust"
)

const day = 24 * time.Hour

func (w *signedWorld) down() {
	w.wire.Set(func(int, *http.Request) storetest.Fault { return storetest.Fault{Status: 503} })
}

// TestTrust shows the life of a node with a trust file.
func TestTrust(t *testing.T) {
	w := newSignedWorld(t)
	t.Run("a signed release is installed and served", func(t *testing.T) {
		w.mustServe(w.publishSigned("one"))
		s := w.f.Status()
		want := Signature{Origin: origin, SignedBy: []string{"ci"}, Threshold: 1, TrustVersion: 1, Expires: w.last.Expires}
		if s.Signature == nil || strings.Join(s.Signature.SignedBy, " ") != "ci" || s.Signature.Expires != want.Expires || s.Signature.Origin != origin || s.Expired || s.Signature.Unverified != "" {
			t.Errorf("%+v", s.Signature)
		}
		for series, want := range map[string]string{"contentedge_follow_expired": "0", "contentedge_follow_trusted_signatures": "1", "contentedge_follow_trust_version": "1"} {
			if got := w.metric(series); got != want {
				t.Errorf("%s is %q", series, got)
			}
		}
	})
	t.Run("a restarted node serves it while the store is down", func(t *testing.T) {
		w.down()
		w.restart()
		if w.sync() == nil || !w.serves() {
			t.Errorf("%+v", w.f.Status())
		}
		w.wire.Set(nil)
	})
	t.Run("an expired release stays, and the node says so", func(t *testing.T) {
		w.mustServe(w.last.Build)
		w.now = w.now.Add(8 * day)
		if s := w.f.Status(); !s.Expired {
			t.Errorf("between two polls: %+v", s)
		}
		w.refuses("expired")
		if !w.serves() || w.metric("contentedge_follow_expired") != "1" || w.logged("the release has expired") != 1 {
			t.Errorf("%+v\n%s", w.f.Status(), w.log.String())
		}
	})
	t.Run("until the pointer is renewed", func(t *testing.T) {
		w.renew()
		w.mustServe(w.last.Build)
		if w.f.Status().Expired || w.logged("the release is no longer expired") != 1 {
			t.Errorf("%+v\n%s", w.f.Status(), w.log.String())
		}
		w.now = w.now.Add(8 * day)
	})
	t.Run("a node that starts serves it too", func(t *testing.T) {
		w.restart()
		if s := w.f.Status(); !s.Expired || !w.serves() {
			t.Errorf("%+v", s)
		}
		w.refuses("expired")
	})
	t.Run("unless expired releases are refused", func(t *testing.T) {
		w.cfg.RefuseExpired = true
		w.restart()
		if s := w.f.Status(); w.serves() || s.Signature.Unverified == "" {
			t.Errorf("%+v", s)
		}
		w.refuses("expired")
		if w.serves() {
			t.Error("the pointer that has expired is believed after a poll")
		}
	})
	t.Run("a renewed pointer ends it without a download", func(t *testing.T) {
		w.renew()
		w.wire.Set(nil)
		w.mustServe(w.last.Build)
		if s := w.f.Status(); s.Expired || s.Refusal != "" || w.wire.Count() != 1 {
			t.Errorf("%+v after %d requests", s, w.wire.Count())
		}
	})
	t.Run("a new node installs no expired release", func(t *testing.T) {
		w.now = w.now.Add(8 * day)
		w.cfg.Dir = t.TempDir()
		w.restart()
		w.refuses("expired")
		if w.current() != "" {
			t.Errorf("at %s", w.current())
		}
	})
}

// The expiry is noticed without a poll.
func TestExpiryIsNoticed(t *testing.T) {
	w := newSignedWorld(t)
	w.mustServe(w.publishSigned("one"))
	w.put(release.PointerName, w.sign(w.last.Renewed(w.now), func(p *release.Pointer) { p.Expires = stamp(w.now.Add(time.Second)) }, "ci"))
	var late atomic.Bool // the clock stands still until then
	w.cfg.now = func() time.Time {
		if late.Load() {
			return w.now.Add(time.Minute)
		}
		return w.now
	}
	w.restart()
	defer w.f.stopAlarm()
	w.mustServe(w.last.Build)
	late.Store(true)
	storetest.WaitFor(t, "the log", func() bool { return w.logged("the release has expired") == 1 && w.f.Status().Expired })
}

// A clock that was set back does not revive a pointer: it does not fall below the newest publication.
func TestClockThatWasSetBack(t *testing.T) {
	w := newSignedWorld(t)
	start := w.now
	w.now = start.Add(10 * day)
	one := w.publishSigned("one")
	w.mustServe(one)
	honest := *w.last
	for range 2 {
		w.now = start.Add(5 * day)
		w.show(w.next("late", func(p *release.Pointer) { p.Published, p.Expires = stamp(start), stamp(start.Add(8*day)) }, "ci"))
		w.last = &honest
		w.refuses("expired")
		w.restart()
	}
	w.wire.Set(nil)
	w.mustServe(one)
}

// What a node has on its disk is served only if the chain from a signed pointer holds.
func TestWhatIsOnTheDisk(t *testing.T) {
	untrusted := func(w *signedWorld) { w.cfg.TrustFile = ""; w.restart() }
	trusting := func(w *signedWorld, file string) { w.cfg.TrustFile = file; w.restart() }
	for _, c := range []struct {
		name   string
		signed bool // while the node had no trust file
		spoil  func(w *signedWorld, build string)
		serves bool // before the store answers
		reason error
	}{
		{"signed, before the node had a trust file", true, nil, true, nil},
		{"not signed, before the node had a trust file", false, nil, false, trust.ErrUnsigned},
		{"the state names another sequence number", true, func(w *signedWorld, _ string) { w.edit(`"sequence":1`, `"sequence":9`) }, false, errAltered},
		{"the state has another pointer", true, func(w *signedWorld, _ string) { w.edit(`\"sequence\":1`, `\"sequence\":2`) }, false, errAltered},
		{"the state has another text", true, func(w *signedWorld, _ string) { w.edit(`\"published\":\"2`, `\"published\":\"1`) }, false, trust.ErrSignature},
		{"the state has no pointer", true, func(w *signedWorld, _ string) { w.edit(`"pointer":`, `"x":`) }, false, trust.ErrUnsigned},
		{"another manifest", true, func(w *signedWorld, build string) {
			m := w.manifest(map[string][]byte{"a": []byte("x")})
			if err := os.WriteFile(w.f.dir.path(release.ReleasesDir, build, release.ManifestName), m.Encode(), 0o600); err != nil {
				w.t.Fatal(err)
			}
		}, false, errForeign},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newSignedWorld(t)
			file := w.cfg.TrustFile
			untrusted(w)
			var build string
			if c.signed {
				build = w.publishSigned("one")
			} else {
				build = w.publish("one", "b")
			}
			w.mustBe(build)
			if c.spoil != nil {
				c.spoil(w, build)
			}
			w.down()
			trusting(w, file)
			for range 2 {
				raw, err := readManifest(w.f.dir.path(release.CurrentLink))
				if err != nil {
					t.Fatal(err)
				}
				if err := w.f.Trusted(release.HexSHA256(raw)); (err == nil) != c.serves || !errors.Is(err, c.reason) {
					t.Errorf("%v, want %v", err, c.reason)
				}
				_ = w.f.Sync(t.Context()) // the store is down
			}
			w.wire.Set(nil)
			installed := 0
			w.f.cfg.Installed = func(string) { installed++ }
			if !c.signed {
				w.refuses("unsigned")
				w.renew()
			}
			if err := w.sync(); err != nil && w.f.base().Sequence < 9 {
				t.Fatal(err)
			} else if err != nil { // the number in the state is a number that was seen
				if !errors.Is(err, ErrOlder) {
					t.Fatal(err)
				}
				w.last.Sequence = 9
				w.renew()
			}
			w.mustServe(build)
			if installed != 1 && !c.serves {
				t.Errorf("the server heard of it %d times", installed)
			}
		})
	}
}

// A link to a release that the state does not vouch for is put right without the store: a process ended before it
// saved the state, or somebody moved the link.
func TestLinkToAnotherRelease(t *testing.T) {
	w := newSignedWorld(t)
	one := w.publishSigned("one")
	w.mustServe(one)
	state, err := os.ReadFile(w.f.dir.path(release.FollowName))
	if err != nil {
		t.Fatal(err)
	}
	w.mustServe(w.publishSigned("two"))
	if err := os.WriteFile(w.f.dir.path(release.FollowName), state, 0o600); err != nil {
		t.Fatal(err)
	}
	w.down()
	w.restart()
	if !w.serves() || w.current() != one {
		t.Errorf("at %s, not %s", w.current(), one)
	}
	w.wire.Set(nil)
	w.mustServe(w.last.Build)
}

// TestLinkThatCannotBePutRight: while the disk refuses the link the node fails and serves no other release; then it goes on.
func TestLinkThatCannotBePutRight(t *testing.T) {
	w := newSignedWorld(t)
	one := w.publishSigned("one")
	w.mustServe(one)
	state, err := os.ReadFile(w.f.dir.path(release.FollowName))
	if err != nil {
		t.Fatal(err)
	}
	two := w.publishSigned("two")
	w.mustServe(two)
	blocked := w.f.dir.path(release.TempPrefix+release.CurrentLink, "x")
	if err := errors.Join(os.WriteFile(w.f.dir.path(release.FollowName), state, 0o600), os.MkdirAll(blocked, 0o700)); err != nil {
		t.Fatal(err)
	}
	w.down()
	f, err := New(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := f.acquire(); err == nil {
		l.release()
		t.Error("a node begins that cannot set its link")
	}
	if to := w.current(); to != two {
		t.Errorf("the link was moved to %s", to)
	}
	if err := os.RemoveAll(filepath.Dir(blocked)); err != nil {
		t.Fatal(err)
	}
	w.restart()
	if !w.serves() || w.current() != one {
		t.Errorf("at %s, not %s", w.current(), one)
	}
}

// edit changes the state of the node.
func (w *signedWorld) edit(old, new string) {
	w.t.Helper()
	b, err := os.ReadFile(w.f.dir.path(release.FollowName))
	if err != nil || !strings.Contains(string(b), old) {
		w.t.Fatalf("%v: no %s in %s", err, old, b)
	}
	if err := os.WriteFile(w.f.dir.path(release.FollowName), []byte(strings.Replace(string(b), old, new, 1)), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// The first trust file of a node starts nothing anew: a pointer that is older than what it has is a rollback.
func TestFirstTrustFileKeepsTheSequence(t *testing.T) {
	w := newSignedWorld(t)
	file := w.cfg.TrustFile
	w.cfg.TrustFile = ""
	w.restart()
	old := w.next("one", nil, "ci")
	w.put(release.PointerName, old)
	w.mustBe(w.last.Build)
	two := w.publishSigned("two")
	w.mustBe(two)
	w.cfg.TrustFile = file
	w.restart()
	w.show(old)
	w.refuses("older")
	if !w.serves() {
		t.Error("the signed release is not served")
	}

	w.cfg.TrustFile, w.cfg.Dir = "", t.TempDir()
	w.restart()
	w.wire.Set(nil)
	w.mustBe(w.publish("three", "b"))
	w.cfg.TrustFile = file
	w.restart()
	w.show(old)
	w.refuses("older")
}

// A release that cannot become current, as the disk fails, is tried at each poll: the node remembers it once.
func TestReleaseThatCannotBecomeCurrent(t *testing.T) {
	w := newSignedWorld(t)
	w.mustServe(w.publishSigned("one"))
	blocked := w.f.dir.path(release.TempPrefix+release.CurrentLink, "x")
	if err := os.MkdirAll(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	two := w.publishSigned("two")
	for range 3 {
		if err := w.sync(); err == nil {
			t.Fatal("it became current")
		}
	}
	if all := w.f.vouched(); len(all) != 2 || all[0].build != two {
		t.Errorf("%+v", all)
	}
	if err := os.RemoveAll(filepath.Dir(blocked)); err != nil {
		t.Fatal(err)
	}
	w.mustServe(two)
}

// While an old process still follows, a new one on the same directory serves what the old one installs.
func TestTwoProcesses(t *testing.T) {
	w := newSignedWorld(t)
	w.mustServe(w.publishSigned("one"))
	second, err := New(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	two := w.publishSigned("two")
	w.mustServe(two)
	raw, err := readManifest(w.f.dir.path(release.ReleasesDir, two))
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Trusted(release.HexSHA256(raw)); err != nil {
		t.Error(err)
	}
	if err := second.Trusted(release.HexSHA256([]byte("x"))); err == nil {
		t.Error("it serves any other manifest, too")
	}
	w.edit(`\"published\":\"2`, `\"published\":\"1`)
	third, err := New(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := second.acquire(); err != nil {
		t.Fatal(err)
	} else {
		l.release()
	}
	for name, f := range map[string]*Follower{"that starts": third, "that waited": second} {
		if err := f.Trusted(release.HexSHA256(raw)); !errors.Is(err, trust.ErrSignature) {
			t.Errorf("a process %s: %v", name, err)
		}
	}
}

// An operator overrules sequence and expiry, never signatures.
func TestAcceptOfSignedPointers(t *testing.T) {
	w := newSignedWorld(t)
	w.publishSigned("one")
	older := w.signText(w.last.Encode(), "ci")
	one := w.last.Build
	two := w.publishSigned("two")
	w.mustServe(two)

	w.put(release.PointerName, older)
	w.now = w.now.Add(8 * day) // it has expired, too
	w.refuses("older")
	a, err := Accept(t.Context(), w.cfg)
	if err != nil || strings.Join(a.SignedBy, " ") != "ci" || a.Sequence != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	if err := w.sync(); !errors.Is(err, ErrExpired) || w.current() != one || !w.serves() || w.f.state.Accepted != "" {
		t.Errorf("%v, at %s", err, w.current())
	}
	w.restart()
	if !w.serves() || !w.f.Status().Expired {
		t.Errorf("after a restart: %+v", w.f.Status())
	}

	forged := w.next("evil", nil, "mallory")
	w.put(release.PointerName, forged)
	if _, err := Accept(t.Context(), w.cfg); !errors.Is(err, trust.ErrThreshold) || w.f.dir.has(acceptName) {
		t.Errorf("a foreign key: %v", err)
	}
	careless := w.cfg
	careless.TrustFile = ""
	if _, err := Accept(t.Context(), careless); err != nil || !w.f.dir.has(acceptName) {
		t.Fatal(err)
	}
	w.refuses("untrusted")
	if w.f.dir.has(acceptName) || w.f.state.Accepted != "" || !strings.Contains(w.f.Status().LastError, "--trust "+w.cfg.TrustFile) {
		t.Errorf("it stays, or the advice lacks --trust: %s", w.f.Status().LastError)
	}
}

// A publisher whose clock is wrong sets the clock of nodes ahead: pointers and keys are over. An operator ends that.
func TestAcceptAfterAPublicationFromTheFuture(t *testing.T) {
	w := newSignedWorld(t)
	w.trust("version 1", "origin "+origin, "threshold 1", "key "+w.public["ci"]+" until "+w.now.AddDate(1, 0, 0).Format(time.DateOnly))
	w.restart()
	now := w.now
	w.put(release.PointerName, w.next("one", func(p *release.Pointer) { p.Published, p.Expires = stamp(now.AddDate(50, 0, 0)), "" }, "ci"))
	if err := w.sync(); !errors.Is(err, ErrExpired) || w.current() != w.last.Build {
		t.Fatalf("%v, at %s", err, w.current())
	}
	two := w.next("two", nil, "ci")
	w.put(release.PointerName, two)
	w.refuses("untrusted")
	if _, err := Accept(t.Context(), w.cfg); err != nil {
		t.Fatal(err)
	}
	w.mustServe(w.last.Build)
	w.restart()
	three := w.publishSigned("three")
	w.mustServe(three)
}

// A node without a trust file follows a signed store and takes its signatures for text.
func TestSignedStoreWithoutATrustFile(t *testing.T) {
	w := newSignedWorld(t)
	w.cfg.TrustFile = ""
	w.restart()
	w.mustServe(w.publishSigned("one"))
	w.put(release.PointerName, w.next("two", nil, "mallory"))
	w.mustServe(w.last.Build)
	w.now = w.now.Add(8 * day)
	w.mustServe(w.last.Build)
	if s := w.f.Status(); s.Expired || s.Signature != nil {
		t.Errorf("%+v", s)
	}
	w.mustServe(w.publish("three", "b")) // of format 1
	w.put(release.PointerName, []byte(w.last.Encode())[:40])
	w.refuses("malformed")
}
