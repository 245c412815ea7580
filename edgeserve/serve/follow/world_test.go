// This file has the fixtures of the follower's tests: a store, a proxy that injects
// faults, and the invariants after every sync.

package follow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *logBuffer) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *logBuffer) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// world is a store behind a faulty proxy, and its follower.
type world struct {
	t     *testing.T
	wire  *storetest.Proxy
	out   *store.Store // bypasses the proxy
	hasty *store.Store // gives up a transfer that stands still after 200 ms
	last  *release.Pointer
	cfg   FollowerConfig
	f     *Follower
	log   logBuffer

	snapshots map[string][]byte // by file
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, snapshots: map[string][]byte{}, wire: storetest.NewProxy(t, storetest.Start(t).Addr)}
	w.out = w.open(store.DefaultStall)
	storetest.Environment(t, w.wire.URL)
	w.cfg = Defaults()
	w.cfg.Store, w.hasty = w.open(store.DefaultStall), w.open(200*time.Millisecond)
	w.cfg.Dir = filepath.Join(t.TempDir(), "node")
	w.cfg.Check = verifyDigests
	w.cfg.Logger = slog.New(slog.NewTextHandler(&w.log, nil))
	w.restart()
	t.Cleanup(func() { w.noCanary(w.log.String()) })
	return w
}

func (w *world) open(stall time.Duration) *store.Store {
	w.t.Helper()
	s, err := store.Open("s3://"+storetest.Bucket+"/live", store.Options{Stall: stall})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// restart replaces the follower, as a new process would.
func (w *world) restart() {
	w.t.Helper()
	f, err := New(w.cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := f.acquire()
	if err != nil {
		w.t.Fatal(err)
	}
	l.release()
	w.f = f
}

func (w *world) noCanary(text string) {
	if strings.Contains(text, storetest.Access) || strings.Contains(text, storetest.Secret) {
		w.t.Errorf("credentials in %q", text)
	}
}

// verifyDigests is the Check of these tests: the manifest and each snapshot's digest.
func verifyDigests(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil {
		return err
	}
	m, err := parseManifest(dir, b)
	if err != nil {
		return err
	}
	for _, e := range m.Environments {
		if !matches(filepath.Join(dir, filepath.FromSlash(e.Snapshot.File)), e.Snapshot) {
			return fmt.Errorf("%s is damaged", e.Snapshot.File)
		}
	}
	return nil
}

func (w *world) put(key string, b []byte) {
	w.t.Helper()
	if _, err := w.out.Put(w.t.Context(), key, bytes.NewReader(b), int64(len(b)), store.PutOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// manifest describes a release of snapshots.
func (w *world) manifest(snapshots map[string][]byte) *release.Manifest {
	m := &release.Manifest{Format: release.Format, Defaults: release.Defaults{Sort: "Name", PageSize: 10}}
	for _, env := range slices.Sorted(maps.Keys(snapshots)) {
		b := snapshots[env]
		sum := sha256.Sum256(b)
		m.Environments = append(m.Environments, release.Environment{ID: env, Snapshot: release.Snapshot{
			File: release.SnapshotName(env, sum), Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}})
		w.snapshots[release.SnapshotName(env, sum)] = b
	}
	none := sha256.Sum256(nil) // a node requests no file of the checksum list
	m.Checksums = release.Checksums{SHA256: hex.EncodeToString(none[:])}
	m.SetFormat()
	return m
}

// upload puts a release of snapshots into the store.
func (w *world) upload(snapshots map[string][]byte) *release.Manifest {
	w.t.Helper()
	m := w.manifest(snapshots)
	raw := m.Encode()
	for _, e := range m.Environments {
		w.put("releases/"+m.Build+"/"+e.Snapshot.File, snapshots[e.ID])
		if m.HasParts() {
			w.put("releases/"+m.Build+"/"+e.PartFile().Name, e.Text())
		}
	}
	w.put("releases/"+m.Build+"/manifest.json", raw)
	return m
}

// publish uploads a release and points to it.
func (w *world) publish(a, b string) string {
	w.t.Helper()
	return w.publishAll(map[string][]byte{"a": []byte(a), "b": []byte(b)})
}

func (w *world) publishAll(snapshots map[string][]byte) string {
	w.t.Helper()
	m := w.upload(snapshots)
	w.last = w.last.Next(m.Build, m.Encode(), time.Now())
	w.put(release.PointerName, w.last.Encode())
	return m.Build
}

// sync syncs once and checks the invariant: the current release is whole or absent.
func (w *world) sync() error {
	w.t.Helper()
	err := w.f.Sync(w.t.Context())
	w.f.finish(err)
	if err != nil {
		w.noCanary(err.Error())
	}
	w.sound()
	if left, _ := filepath.Glob(w.f.dir.path(release.ReleasesDir, ".tmp-*")); err == nil && len(left) > 0 {
		w.t.Errorf("left over: %v", left)
	}
	return err
}

// syncHastily is sync with short limits, so that faults that take time end soon. Other syncs
// have the real limits, because a busy machine is slow, too.
func (w *world) syncHastily() error {
	w.t.Helper()
	c := &w.f.cfg
	calm, limit := c.Store, c.Timeout
	defer func() { c.Store, c.Timeout = calm, limit }()
	c.Store, c.Timeout = w.hasty, 2*time.Second
	return w.sync()
}

func (w *world) sound() {
	w.t.Helper()
	if w.current() == "" {
		return
	}
	if err := verifyDigests(w.f.dir.path(release.CurrentLink)); err != nil {
		w.t.Fatalf("the current release: %v", err)
	}
}

func (w *world) current() string {
	target, err := os.Readlink(w.f.dir.path(release.CurrentLink))
	if err != nil {
		return ""
	}
	return filepath.Base(target)
}

func (w *world) mustBe(build string) {
	w.t.Helper()
	if err := w.sync(); err != nil || w.current() != build {
		w.t.Fatalf("at %q, not %q: %v", w.current(), build, err)
	}
}

func (w *world) faults(f storetest.Fault, part string) {
	w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if strings.Contains(r.URL.Path, part) {
			return f
		}
		return storetest.Fault{}
	})
}
