// This file is what the tests of following stand on: a store, the wire to it, and what
// must hold after every look.

package follow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
	"contentedge/edgeserve/store/storetest"
)

// record is a log that is read while it is written.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// world is a store with a wire that fails as told, and a follower of it.
type world struct {
	t    *testing.T
	wire *storetest.Proxy
	out  *store.Store // past the wire
	last *release.Pointer
	cfg  Config
	f    *Follower
	log  record
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, wire: storetest.NewProxy(t, storetest.Start(t).Addr)}
	w.out = w.open(store.DefaultStall)
	storetest.Environment(t, w.wire.URL)
	w.cfg = Defaults()
	w.cfg.Store = w.open(200 * time.Millisecond)
	w.cfg.Timeout = 2 * time.Second
	w.cfg.Dir = filepath.Join(t.TempDir(), "node")
	w.cfg.Check = whole
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

// restart makes the follower anew, as after the end of its process.
func (w *world) restart() {
	w.t.Helper()
	f, err := New(w.cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := f.begin()
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

// whole is the Check of these tests: the manifest and the digest of each snapshot.
func whole(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil {
		return err
	}
	m, err := release.Parse(b)
	if err != nil {
		return err
	}
	for _, e := range m.Environments {
		if !holds(filepath.Join(dir, filepath.FromSlash(e.Snapshot.File)), e.Snapshot) {
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

// upload puts a release of snapshots into the store.
func (w *world) upload(snapshots map[string][]byte) *release.Manifest {
	w.t.Helper()
	m := &release.Manifest{Format: release.Format, Defaults: release.Defaults{Sort: "Name", PageSize: 10}}
	for _, env := range []string{"a", "b"} {
		b, ok := snapshots[env]
		if !ok {
			continue
		}
		sum := sha256.Sum256(b)
		m.Environments = append(m.Environments, release.Environment{ID: env, Snapshot: release.Snapshot{
			File: release.SnapshotName(env, sum), Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}})
	}
	none := sha256.Sum256(nil) // a node asks for no file of the list
	m.Sums = release.Sums{SHA256: hex.EncodeToString(none[:])}
	raw := m.Encode()
	for _, e := range m.Environments {
		w.put("releases/"+m.Build+"/"+e.Snapshot.File, snapshots[e.ID])
	}
	w.put("releases/"+m.Build+"/manifest.json", raw)
	return m
}

// publish uploads a release and points to it.
func (w *world) publish(a, b string) string {
	w.t.Helper()
	m := w.upload(map[string][]byte{"a": []byte(a), "b": []byte(b)})
	w.last = w.last.Next(m.Build, m.Encode(), time.Now())
	w.put(release.PointerName, w.last.Encode())
	return m.Build
}

// look looks once and proves what is there in any case: a whole release or none.
func (w *world) look() error {
	w.t.Helper()
	err := w.f.Look(w.t.Context())
	w.f.note(err)
	if err != nil {
		w.noCanary(err.Error())
	}
	w.sound()
	return err
}

func (w *world) sound() {
	w.t.Helper()
	if w.current() == "" {
		return
	}
	if err := whole(w.f.dir.path(release.CurrentLink)); err != nil {
		w.t.Fatalf("the current release: %v", err)
	}
	if left, _ := filepath.Glob(w.f.dir.path(release.ReleasesDir, ".tmp-*")); len(left) > 0 {
		w.t.Errorf("left over: %v", left)
	}
}

// current is the build that the directory's link names.
func (w *world) current() string {
	target, err := os.Readlink(w.f.dir.path(release.CurrentLink))
	if err != nil {
		return ""
	}
	return filepath.Base(target)
}

func (w *world) mustBe(build string) {
	w.t.Helper()
	if err := w.look(); err != nil || w.current() != build {
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
