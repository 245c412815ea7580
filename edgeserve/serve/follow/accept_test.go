package follow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// forge makes the store's pointer name the last release under another sequence number.
func (w *world) forge(sequence int64) {
	forged := *w.last
	forged.Sequence = sequence
	w.faults(storetest.Fault{Body: forged.Encode()}, "current.json")
}

// accept runs the command that an error recommends.
func (w *world) accept(advice error) {
	w.t.Helper()
	want := fmt.Sprintf("edgeserve --follow %s --public %s --accept-pointer", w.cfg.Store, w.cfg.Dir)
	if advice == nil || !strings.Contains(advice.Error(), want) {
		w.t.Fatalf("no advice to run %s: %v", want, advice)
	}
	if _, err := Accept(w.t.Context(), w.cfg); err != nil {
		w.t.Fatal(err)
	}
}

// A follower refuses an impossible sequence number and then follows the next honest
// pointer.
func TestImplausibleSequences(t *testing.T) {
	w := newWorld(t)
	one := w.publish("a1", "b1")
	for _, forged := range []int64{maxFirst + 1, 9007199254740990, release.MaxSequence} {
		w.forge(forged)
		if err := w.sync(); !errors.Is(err, ErrTooHigh) || w.current() != "" {
			t.Errorf("%d at a new node: %v", forged, err)
		}
	}
	w.wire.Set(nil)
	w.mustBe(one)
	for _, forged := range []int64{w.last.Sequence + maxStep + 1, 9007199254740990, release.MaxSequence} {
		w.forge(forged)
		if err := w.sync(); !errors.Is(err, ErrTooHigh) || w.current() != one {
			t.Errorf("%d: %v", forged, err)
		}
		w.restart()
	}
	w.wire.Set(nil)
	w.mustBe(w.publish("a2", "b2"))
	w.forge(w.last.Sequence + maxStep)
	w.mustBe(w.current())
}

// A store that lied within the bound, or was recreated, is followed again after the
// logged advice: the command, with the follower running or stopped, or a higher number.
func TestAdviceAgainstAForgedPointer(t *testing.T) {
	for name, restart := range map[string]bool{"running": false, "stopped": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.mustBe(w.publish("a1", "b1"))
			w.forge(1000)
			w.mustBe(w.current())
			w.wire.Set(nil)
			two := w.publish("a2", "b2")
			err := w.sync()
			if !errors.Is(err, ErrOlder) {
				t.Fatal(err)
			}
			w.accept(err)
			if restart {
				w.restart()
			}
			w.mustBe(two)
			if s := w.f.Status(); s.Sequence != 2 || s.LastError != "" {
				t.Errorf("%+v", s)
			}
			w.mustBe(w.publish("a3", "b3"))
			w.restart()
			w.mustBe(w.current())
			if w.f.dir.has(acceptName) || w.f.state.Accepted != "" {
				t.Errorf("what was accepted stays: %+v", w.f.state)
			}
		})
	}
	t.Run("a higher number", func(t *testing.T) {
		w := newWorld(t)
		w.mustBe(w.publish("a1", "b1"))
		w.forge(1000)
		w.mustBe(w.current())
		w.wire.Set(nil)
		two := w.publish("a2", "b2")
		if err := w.sync(); err == nil || !strings.Contains(err.Error(), "generator releases renew "+w.cfg.Store.String()+" --sequence 1001") {
			t.Fatal(err)
		}
		w.last.Sequence = 1001
		w.put(release.PointerName, w.last.Encode())
		w.mustBe(two)
	})
}

// Accepting trusts one pointer. An older pointer or another with its number is still
// refused, also after a restart.
func TestAcceptedIsOnePointer(t *testing.T) {
	w := newWorld(t)
	w.publish("a1", "b1")
	older := w.last.Encode()
	w.publish("a2", "b2")
	second := w.last.Encode()
	w.mustBe(w.publish("a3", "b3"))
	w.put(release.PointerName, second)
	w.accept(w.sync())
	w.put(release.PointerName, older)
	for range 2 {
		if err := w.sync(); !errors.Is(err, ErrOlder) {
			t.Errorf("older than the accepted one: %v", err)
		}
		w.restart()
	}
	forked := *w.last
	forked.Sequence = 2
	w.put(release.PointerName, forked.Encode())
	if err := w.sync(); !errors.Is(err, ErrForked) {
		t.Errorf("another than the accepted one: %v", err)
	}
	w.accept(w.sync())
	w.mustBe(w.current())
}

// A damaged acceptance changes nothing but the log, and its advice works.
func TestDamagedAcceptance(t *testing.T) {
	w := newWorld(t)
	w.mustBe(w.publish("a1", "b1"))
	if err := os.WriteFile(w.f.dir.path(acceptName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.accept(w.sync())
	w.mustBe(w.current())
	if err := os.WriteFile(w.f.dir.path(acceptName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if w.sync() == nil {
		t.Error("no error")
	}
	w.mustBe(w.publish("a2", "b2"))
}

func TestAcceptRefuses(t *testing.T) {
	w := newWorld(t)
	w.mustBe(w.publish("a1", "b1"))
	elsewhere := w.cfg
	elsewhere.Dir = filepath.Join(t.TempDir(), "none")
	if _, err := Accept(t.Context(), elsewhere); err == nil || !strings.Contains(err.Error(), "start edgeserve without --accept-pointer") {
		t.Errorf("a missing directory: %v", err)
	}
	other, err := store.Open("s3://"+storetest.Bucket+"/other", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of := w.cfg
	of.Store = other
	if _, err := Accept(t.Context(), of); err == nil || !strings.Contains(err.Error(), "follows") {
		t.Errorf("another store: %v", err)
	}
	w.faults(storetest.Fault{Body: []byte("{}")}, "current.json")
	if _, err := Accept(t.Context(), w.cfg); !errors.Is(err, release.ErrPointer) || w.f.dir.has(acceptName) {
		t.Errorf("a damaged pointer: %v", err)
	}
}

// TestAdviceAboutDirectories follows the advice of each refused directory.
func TestAdviceAboutDirectories(t *testing.T) {
	w := newWorld(t)
	build := w.publish("a1", "b1")
	for name, spoil := range map[string]func(dir string) error{
		"damaged": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, release.FollowName), []byte("{"), 0o644)
		},
		"a user's":  func(dir string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o644) },
		"a build's": func(dir string) error { return os.MkdirAll(filepath.Join(dir, "releases", "0011223344556677"), 0o755) },
		"another store's": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, release.FollowName), []byte(`{"format":1,"store":"s3://other/x"}`), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.cfg.Dir = t.TempDir()
			if err := spoil(w.cfg.Dir); err != nil {
				t.Fatal(err)
			}
			_, err := New(w.cfg)
			if err == nil || !strings.Contains(err.Error(), "empty") {
				t.Fatalf("no advice to empty the directory: %v", err)
			}
			if strings.Contains(err.Error(), "name another directory") != (name != "damaged") {
				t.Errorf("got %v", err)
			}
			entries, err := os.ReadDir(w.cfg.Dir)
			for _, e := range entries {
				err = errors.Join(err, os.RemoveAll(filepath.Join(w.cfg.Dir, e.Name())))
			}
			if err != nil {
				t.Fatal(err)
			}
			w.restart()
			w.mustBe(build)
		})
	}
}

// A 304 to a new node is an error. Otherwise the node would wait forever in silence.
func TestUnaskedNotModified(t *testing.T) {
	w := newWorld(t)
	w.cfg.StaleAfter = 20 * time.Millisecond
	w.restart()
	defer w.f.stopAlarm()
	w.publish("a1", "b1")
	w.faults(storetest.Fault{Status: 304}, "current.json")
	if err := w.sync(); err == nil {
		t.Error("no error")
	}
	storetest.WaitFor(t, "the node to be stale", func() bool { return w.f.Status().Stale })
}

// A pointer dated in the future ages as well.
func TestPointerFromTheFuture(t *testing.T) {
	w := newWorld(t)
	w.cfg.MaxAge = 20 * time.Millisecond
	w.restart()
	defer w.f.stopAlarm()
	build := w.publish("a1", "b1")
	w.last = w.last.Renewed(time.Now().Add(1000 * time.Hour))
	w.put(release.PointerName, w.last.Encode())
	w.mustBe(build)
	storetest.WaitFor(t, "the node to be stale", func() bool { return w.f.Status().Stale })
}

// A slow pointer is abandoned after a bounded time, and the release becomes stale.
func TestSlowPointer(t *testing.T) {
	w := newWorld(t)
	w.cfg.StaleAfter = 20 * time.Millisecond
	w.restart()
	defer w.f.stopAlarm()
	w.mustBe(w.publish("a1", "b1"))
	w.publish("a2", "b2")
	w.faults(storetest.Fault{Drip: 50 * time.Millisecond}, "current.json")
	w.f.cfg.Timeout = 2 * time.Second
	start := time.Now()
	if err := w.sync(); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
	storetest.WaitFor(t, "the node to be stale", func() bool { return w.f.Status().Stale })
}
