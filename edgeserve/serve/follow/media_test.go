package follow

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

func mediaName(text string) string {
	return address.MediaFile("a", sha256.Sum256([]byte(text)), "x.png")
}

// putMedia puts a media file of a release into the store, and returns its name.
func (w *world) putMedia(build, text string) string {
	w.t.Helper()
	name := mediaName(text)
	w.put("releases/"+build+"/"+name, []byte(text))
	return name
}

// fetch returns the bytes of a media file, or the error.
func (w *world) fetch(name string) (string, error) {
	w.t.Helper()
	file, size, err := w.f.FetchMedia(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	b, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	if err == nil && int64(len(b)) != size {
		w.t.Fatalf("%d bytes of %d", len(b), size)
	}
	return string(b), err
}

func (w *world) fetches(name, want string) {
	w.t.Helper()
	if got, err := w.fetch(name); err != nil || got != want {
		w.t.Errorf("%s: %.40q, %v", name, got, err)
	}
}

// requests counts requests for media from now on.
func (w *world) requests(fault func(r *http.Request) storetest.Fault) *atomic.Int64 {
	var n atomic.Int64
	w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if strings.Contains(r.URL.Path, "/media/") {
			n.Add(1)
			return fault(r)
		}
		return storetest.Fault{}
	})
	return &n
}

func noFault(*http.Request) storetest.Fault { return storetest.Fault{} }

// TestMedia fetches media of the current release and of the one before it, once for all requests.
func TestMedia(t *testing.T) {
	w := newWorld(t)
	var names []string
	for i := range 3 {
		build := w.publish(fmt.Sprint("a", i), "b")
		names = append(names, w.putMedia(build, fmt.Sprint("picture ", i)))
		if err := w.sync(); err != nil {
			t.Fatal(err)
		}
	}
	n := w.requests(noFault)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { w.fetches(names[2], "picture 2") })
	}
	all.Wait()
	w.fetches(names[1], "picture 1")
	if n.Load() != 3 { // the file of the release before is asked for in the current one first
		t.Errorf("%d requests", n.Load())
	}
	if _, err := w.fetch(names[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of an older release: %v", err)
	}
	before := n.Load()
	if _, err := w.fetch(names[0]); !errors.Is(err, fs.ErrNotExist) || n.Load() != before {
		t.Errorf("a missing file is asked for again at once: %v", err)
	}
	w.restart() // the files stay
	w.fetches(names[1], "picture 1")
	w.fetches(names[2], "picture 2")
	if n.Load() != before {
		t.Error("a new process fetches again")
	}
	if err := os.Truncate(w.f.dir.path(mediaDir, strings.TrimPrefix(names[2], release.MediaDir+"/")), 0); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.fetches(names[2], "picture 2") // a power failure left an empty file
	for _, name := range []string{"", "cda/media/", "cda/media/a/../../x", "manifest.json", "cda/media/a/" + strings.Repeat("0", 32) + "/x.html", "/" + names[2]} {
		if _, err := w.fetch(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	// A first release of a node has one before it in the store.
	w.cfg.Dir = filepath.Join(t.TempDir(), "other")
	w.restart()
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	w.fetches(names[1], "picture 1")
}

// TestMediaFaults: nothing but the file of the name is ever sent, and faults pass.
func TestMediaFaults(t *testing.T) {
	w := newWorld(t)
	text := strings.Repeat("0123456789", 5000)
	name := w.putMedia(w.publish("a", "b"), text)
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	w.f.cfg.Timeout = 2 * time.Second
	patient := w.f.cfg.Store
	w.f.cfg.Store = w.hasty
	for what, fault := range map[string]storetest.Fault{
		"refused": {Status: 500}, "forbidden": {Status: 403}, "dropped": {Drop: true}, "other bytes": {FlipAt: 3000}, "another body": {Body: []byte("<html>")}, "endless": {Endless: true},
	} {
		w.requests(func(*http.Request) storetest.Fault { return fault })
		if got, err := w.fetch(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %.20q, %v", what, got, err)
		}
		if got, err := w.fetch(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, for the second time: %.20q, %v", what, got, err)
		}
		w.f.media.mu.Lock()
		clear(w.f.media.refused)
		w.f.media.mu.Unlock()
		if left := entries(t, w.f.dir.path(mediaDir)); left != 0 {
			t.Errorf("%s: %d files are left", what, left)
		}
	}
	w.f.cfg.Store = patient
	var cuts atomic.Int64
	w.requests(func(*http.Request) storetest.Fault {
		if cuts.Add(1) < 3 {
			return storetest.Fault{CutAt: 20000}
		}
		return storetest.Fault{}
	})
	w.fetches(name, text)
	if cuts.Load() < 2 {
		t.Error("nothing was cut")
	}
	if log := w.log.String(); !strings.Contains(log, "the digest in the name of the store's media file does not match its bytes") {
		t.Error(log)
	}
}

// TestRefusedMedia: what was wrong with a file is said again without asking the store, until another release
// becomes current. A store that refuses keys that it lacks has the files of the release before.
func TestRefusedMedia(t *testing.T) {
	w := newWorld(t)
	first := w.publish("a", "b")
	before := w.putMedia(first, "before")
	w.publish("a2", "b")
	absent := address.MediaFile("a", sha256.Sum256([]byte("later")), "x.png")
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	w.requests(func(r *http.Request) storetest.Fault {
		if !strings.Contains(r.URL.Path, first) {
			return storetest.Fault{Status: 403}
		}
		return storetest.Fault{}
	})
	w.fetches(before, "before")
	n := w.requests(func(*http.Request) storetest.Fault { return storetest.Fault{Body: []byte("<html>")} })
	for range 2 {
		if _, err := w.fetch(absent); !errors.Is(err, errNotWhole) {
			t.Errorf("a damaged file: %v", err)
		}
	}
	if n.Load() != 2 {
		t.Errorf("%d requests for a damaged file of two releases", n.Load())
	}
	build := w.publish("a3", "b")
	w.putMedia(build, "later")
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	w.requests(noFault)
	w.fetches(absent, "later")
}

// TestSeveralRefusedMedia remembers each of the files that the store lacks.
func TestSeveralRefusedMedia(t *testing.T) {
	w := newWorld(t)
	w.publish("a", "b")
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		n := w.requests(noFault)
		for i := range 5 {
			if _, err := w.fetch(address.MediaFile("a", sha256.Sum256([]byte{byte(i)}), "x.png")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("file %d: %v", i, err)
			}
		}
		if (n.Load() > 0) != (round == 0) {
			t.Errorf("round %d: %d requests for files that the store lacks", round, n.Load())
		}
	}
}

// TestRetiredMedia: files that neither release has are removed; without the lists none is.
func TestRetiredMedia(t *testing.T) {
	w := newWorld(t)
	var builds []string
	next := func(i int, media ...string) {
		t.Helper()
		build := w.publish(fmt.Sprint("a", i), "b")
		builds = append(builds, build)
		list := ""
		for _, text := range media {
			list += strings.Repeat("0", 64) + "  " + w.putMedia(build, text) + "\n"
		}
		w.put("releases/"+build+"/"+release.ChecksumsName, []byte(list+strings.Repeat("0", 64)+"  manifest.json\n"))
		if err := w.sync(); err != nil {
			t.Fatal(err)
		}
		for _, text := range media {
			w.fetches(address.MediaFile("a", sha256.Sum256([]byte(text)), "x.png"), text)
		}
	}
	has := func(texts ...string) {
		t.Helper()
		slices.Sort(texts)
		var names []string
		for _, text := range []string{"all", "one", "three", "two"} {
			if _, err := os.Stat(w.f.dir.path(mediaDir, strings.TrimPrefix(address.MediaFile("a", sha256.Sum256([]byte(text)), "x.png"), release.MediaDir+"/"))); err == nil {
				names = append(names, text)
			}
		}
		if !slices.Equal(names, texts) {
			t.Errorf("%q are left, want %q", names, texts)
		}
	}
	next(1, "all", "one")
	next(2, "all", "two")
	has("all", "one", "two")
	w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if strings.HasSuffix(r.URL.Path, release.ChecksumsName) {
			return storetest.Fault{Status: 403}
		}
		return storetest.Fault{}
	})
	next(3, "three", "all")
	has("all", "one", "two", "three")
	if log := w.log.String(); strings.Count(log, "which media files the store still has") != 1 || w.f.Status().Build != builds[2] {
		t.Error(log)
	}
	w.wire.Set(nil)
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	has("all", "two", "three")
	if _, err := w.fetch(address.MediaFile("a", sha256.Sum256([]byte("one")), "x.png")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was taken back: %v", err)
	}
	n := w.wire.Count()
	if err := w.sync(); err != nil || w.wire.Count() > n+1 {
		t.Errorf("%v, %d requests", err, w.wire.Count()-n)
	}
	w.restart()
	next(4)
	has("all", "three")
}

// TestMediaBounds: the directory stays below its limit, and guesses do not reach the store without end.
func TestMediaBounds(t *testing.T) {
	w := newWorld(t)
	w.cfg.MediaBytes = 2500
	w.restart()
	build := w.publish("a", "b")
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	var names []string
	text := func(i int) string { return strings.Repeat(fmt.Sprint(i), 1000) }
	for i := range 4 {
		names = append(names, w.putMedia(build, text(i)))
		w.fetches(names[i], text(i))
		w.fetches(names[0], text(0)) // it stays
	}
	if n := entries(t, w.f.dir.path(mediaDir)); n != 2 || w.f.media.bytes != 2000 {
		t.Errorf("%d files of %d bytes", n, w.f.media.bytes)
	}
	n := w.requests(noFault)
	w.fetches(names[0], text(0))
	w.fetches(names[3], text(3))
	if n.Load() != 0 {
		t.Error("files that were asked for last were removed")
	}
	w.fetches(names[1], text(1))
	if err := os.Remove(w.f.dir.path(mediaDir, strings.TrimPrefix(names[1], release.MediaDir+"/"))); err != nil {
		t.Fatal(err)
	}
	w.fetches(names[1], text(1)) // somebody removed it
	n = w.requests(noFault)
	crowded := 0
	for i := range 3 * missesPerSecond {
		_, err := w.fetch(address.MediaFile("a", sha256.Sum256([]byte{byte(i), byte(i >> 8), 9}), "y.png"))
		if errors.Is(err, errCrowded) {
			crowded++
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if crowded == 0 && n.Load() > 2*missesPerSecond {
		t.Errorf("%d requests for names that were guessed", n.Load())
	}
}

// TestAbandonedMedia: what a killed process left goes, what another one writes stays.
func TestAbandonedMedia(t *testing.T) {
	w := newWorld(t)
	w.publish("a", "b")
	if err := os.MkdirAll(w.f.dir.path(mediaDir), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{".tmp-old": abandonedAfter + time.Minute, ".tmp-new": abandonedAfter - time.Minute} {
		path, at := w.f.dir.path(mediaDir, name), time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o644), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	w.restart()
	if w.f.media.bytes != 0 {
		t.Errorf("unfinished downloads count as %d bytes", w.f.media.bytes)
	}
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(w.f.dir.path(mediaDir))
	if err != nil || len(left) != 1 || left[0].Name() != ".tmp-new" {
		t.Errorf("%v are left, %v", left, err)
	}
}

// TestAllMedia: with all media asked for, a release becomes current only with them.
func TestAllMedia(t *testing.T) {
	w := newWorld(t)
	w.cfg.AllMedia, w.cfg.MediaBytes = true, 5000
	w.restart()
	text := func(i int) string { return strings.Repeat(fmt.Sprint(i), 1000) }
	var names []string
	publish := func(list string, count int, texts ...int) string {
		m := w.manifest(map[string][]byte{"a": []byte(fmt.Sprint(texts)), "b": []byte("b")})
		m.Environments[0].Media = release.Media{Files: count, Bytes: int64(1000 * count)}
		m.SetFormat()
		m.Checksums.Bytes = 100_000
		raw := m.Encode()
		names = nil
		for _, i := range texts {
			names = append(names, w.putMedia(m.Build, text(i)))
		}
		slices.Sort(names)
		if list == "" {
			for _, name := range names {
				list += strings.Repeat("0", 64) + "  " + name + "\n"
			}
			list += strings.Repeat("0", 64) + "  cda/rest/v1/a/contents/x.json\n"
		}
		for _, e := range m.Environments {
			w.put("releases/"+m.Build+"/"+e.Snapshot.File, w.snapshots[e.Snapshot.File])
		}
		w.put("releases/"+m.Build+"/"+release.ChecksumsName, []byte(list))
		w.put("releases/"+m.Build+"/manifest.json", raw)
		w.last = w.last.Next(m.Build, raw, time.Now())
		w.put(release.PointerName, w.last.Encode())
		return m.Build
	}
	first := publish("", 3, 1, 2, 3)
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	n := w.requests(noFault)
	for i, name := range names {
		if got, err := w.fetch(name); err != nil || len(got) != 1000 {
			t.Errorf("%d: %v", i, err)
		}
	}
	if n.Load() != 0 {
		t.Errorf("%d files were missing", n.Load())
	}
	for what, list := range map[string]string{"empty": "", "short": strings.Repeat("0", 64) + "  cda/rest/v1/a/contents/x.json\n", "no list": "<html>"} {
		count := 3
		if list == "" {
			count = 9 // more than the limit
		}
		publish(list, count, 4, 5)
		if err := w.sync(); err == nil || w.f.Status().Build != first {
			t.Errorf("%s: %v, the release is %s", what, err, w.f.Status().Build)
		}
	}
	next := publish("", 2, 3, 4)
	n = w.requests(noFault)
	if err := w.sync(); err != nil || w.f.Status().Build != next || n.Load() != 1 {
		t.Errorf("%v, %d requests", err, n.Load())
	}
}

// entries counts the files below a directory.
func entries(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return n
}
