package follow

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

// noise returns bytes that no part of them repeats.
func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// readPart reads a part of a file as a response does.
func readPart(f bodies.File, size, from, to int64) ([]byte, error) {
	disk := bodies.NewDisk(f, size)
	defer disk.Close()
	disk.Cut(int(from), int(to))
	return io.ReadAll(disk)
}

// TestMediaWithoutRoom: a full disk is no outage. All requests for a file share a fetch, for whole files and for parts,
// and the file is stored only if the disk has room.
func TestMediaWithoutRoom(t *testing.T) {
	w := newWorld(t)
	build := w.publish("a", "b")
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, mediaHeld, mediaHeld + 1, mediaWindow, 3*mediaWindow + 12345} {
		text := noise(size)
		name := w.putMedia(build, string(text))
		for _, room := range []bool{false, true} {
			w.f.reserve.Store(map[bool]int64{false: math.MaxInt64 / 2}[room])
			requests := 24
			n := w.requests(func(*http.Request) storetest.Fault {
				storetest.WaitFor(t, "all clients", func() bool {
					w.f.media.mu.Lock()
					defer w.f.media.mu.Unlock()
					f := w.f.media.flights[name[len("cda/media/"):]]
					f.mu.Lock()
					defer f.mu.Unlock()
					return f.users == requests
				})
				return storetest.Fault{}
			})
			var all sync.WaitGroup
			for i := range requests {
				all.Go(func() {
					from, to := int64(0), int64(size)
					if i%2 == 1 { // at most maxTails parts
						from = rand.Int64N(to)
						to = from + 1 + rand.Int64N(to-from)
					}
					f, whole, err := w.f.FetchMedia(name)
					if err != nil || whole != int64(size) {
						t.Errorf("%d bytes, room %t: %d, %v", size, room, whole, err)
						return
					}
					if got, err := readPart(f, whole, from, to); err != nil || !bytes.Equal(got, text[from:to]) {
						t.Errorf("%d bytes, room %t: %d bytes of %d to %d, %v", size, room, len(got), from, to, err)
					}
				})
			}
			all.Wait()
			if n.Load() != 1 {
				t.Errorf("%d bytes, room %t: %d requests", size, room, n.Load())
			}
			storetest.WaitFor(t, "the end of the fetch", func() bool {
				w.f.media.mu.Lock()
				defer w.f.media.mu.Unlock()
				return len(w.f.media.flights) == 0
			})
			if left := entries(t, w.f.dir.path(mediaDir)); left != map[bool]int{true: 1}[room] {
				t.Errorf("%d bytes, room %t: %d files are left", size, room, left)
			}
		}
		if err := w.f.media.clear(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWrongMediaIsNeverWhole: no response is complete if the digest is wrong, not even one with a part of the file that
// is right. A transfer that was cut goes on.
func TestWrongMediaIsNeverWhole(t *testing.T) {
	w := newWorld(t)
	text := noise(2*mediaWindow + 777)
	name := w.putMedia(w.publish("a", "b"), string(text))
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	size := int64(len(text))
	for _, room := range []bool{false, true} {
		w.f.reserve.Store(map[bool]int64{false: math.MaxInt64 / 2}[room])
		for _, c := range []struct {
			fault    storetest.Fault
			from, to int64
			whole    bool
		}{
			{storetest.Fault{FlipAt: 10}, 0, size, false},
			{storetest.Fault{FlipAt: size}, 0, size, false},
			{storetest.Fault{FlipAt: size}, 0, 100, false},
			{storetest.Fault{FlipAt: 10}, size / 2, size/2 + 2*mediaHeld, false},
			{storetest.Fault{FlipAt: 10}, size - 5, size, false},
			{storetest.Fault{CutAt: mediaWindow + 5}, 0, size, true},
			{storetest.Fault{CutAt: mediaWindow + 5}, size - mediaHeld - 1, size - 1, true},
		} {
			n := 0
			w.requests(func(*http.Request) storetest.Fault {
				if n++; n > 1 && c.fault.CutAt > 0 {
					return storetest.Fault{}
				}
				return c.fault
			})
			var got []byte
			f, whole, err := w.f.FetchMedia(name)
			if err == nil { // else the digest was known before the response began
				got, err = readPart(f, whole, c.from, c.to)
			}
			if complete := int64(len(got)) == c.to-c.from && err == nil; complete != c.whole || !c.whole && !errors.Is(err, errNotWhole) || c.whole && !bytes.Equal(got, text[c.from:c.to]) {
				t.Errorf("room %t, %+v: %d bytes, %v", room, c, len(got), err)
			}
			storetest.WaitFor(t, "the end of the fetch", func() bool {
				w.f.media.mu.Lock()
				defer w.f.media.mu.Unlock()
				clear(w.f.media.refused)
				return len(w.f.media.flights) == 0
			})
			if err := w.f.media.clear(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := w.metric(`contentedge_follow_media_total{result="failed"}`); n != "10" {
		t.Errorf("%s failures were counted", n)
	}
}

// TestWrongMediaIsReplaced: a wrong file of the current release is cut, and the next request gets the file of the previous
// release, with and without room on the disk. Without a right file each response is cut, and then refused.
func TestWrongMediaIsReplaced(t *testing.T) {
	text := noise(2*mediaWindow + 777)
	for _, size := range []int{mediaHeld, mediaHeld + 1, len(text)} {
		for _, room := range []bool{false, true} {
			for _, right := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d bytes, room %t, right %t", size, room, right), func(t *testing.T) {
					w := newWorld(t)
					first := w.publish("a", "b")
					w.mustBe(first)
					name := w.putMedia(first, string(text[:size]))
					w.mustBe(w.publish("a2", "b"))
					w.putMedia(w.current(), string(text[:size]))
					w.f.reserve.Store(map[bool]int64{false: math.MaxInt64 / 2}[room])
					w.requests(func(r *http.Request) storetest.Fault {
						if right && strings.Contains(r.URL.Path, first) {
							return storetest.Fault{}
						}
						return storetest.Fault{FlipAt: int64(size)}
					})
					w.replaces(name, string(text[:size]), right)
				})
			}
		}
	}
}

// replaces requests a file whose current object is wrong: the first response is cut if the file is long.
func (w *world) replaces(name, want string, right bool) {
	w.t.Helper()
	cut := 0
	for i := range 4 {
		got, err := w.fetch(name)
		switch long := len(want) > mediaHeld; {
		case err == nil && got != want:
			w.t.Errorf("request %d has other bytes", i)
		case err != nil && !errors.Is(err, errNotWhole):
			w.t.Errorf("request %d: %v", i, err)
		case right && (err != nil) != (long && i == 0), !right && err == nil:
			w.t.Errorf("request %d: %v", i, err)
		case err != nil && got != "":
			cut++
		}
		storetest.WaitFor(w.t, "the end of the fetch", func() bool {
			w.f.media.mu.Lock()
			defer w.f.media.mu.Unlock()
			return len(w.f.media.flights) == 0
		})
	}
	if most := map[bool]int{false: 2, true: 1}[right]; cut > most {
		w.t.Errorf("%d responses were cut", cut)
	}
}

// TestDiskFillsMeanwhile: the rest of a file goes on in memory if the disk takes no more bytes.
func TestDiskFillsMeanwhile(t *testing.T) {
	text := noise(3 * mediaWindow)
	path := filepath.Join(t.TempDir(), "x")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f := newFlight(0)
	f.users = 1
	f.begin(file, nil, int64(len(text)))
	r, err := f.read(func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		if got, err := readPart(r, r.end, 0, r.end); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	if _, err := f.Write(text[:1000]); err != nil {
		t.Fatal(err)
	}
	full, err := os.Open(path) // it takes no bytes, and has those before
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.file = full
	f.mu.Unlock()
	defer file.Close() // the reader may still use it
	for part := text[1000:]; len(part) > 0; part = part[min(len(part), 50_000):] {
		if _, err := f.Write(part[:min(len(part), 50_000)]); err != nil {
			t.Fatal(err)
		}
	}
	if f.isStored() || f.unstored == nil || f.stored != 1000 {
		t.Errorf("%d bytes are stored, %v", f.stored, f.unstored)
	}
	f.verify()
	f.land(nil)
	all.Wait()
}

// TestSlowClient: a client that stands still holds others back for slowClient. A fetch for nobody ends.
func TestSlowClient(t *testing.T) {
	for _, clients := range []int{0, 1, 2, 5} {
		t.Run(fmt.Sprint(clients), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				text := noise(4 * mediaWindow)
				f := newFlight(0)
				f.users = clients
				f.begin(nil, errors.New("full"), int64(len(text)))
				var readers []*mediaReader
				for range clients {
					r, err := f.read(func(error) {})
					if err != nil {
						t.Fatal(err)
					}
					readers = append(readers, r)
				}
				var all sync.WaitGroup
				for i, r := range readers {
					if i > 0 { // the first one never reads
						all.Go(func() {
							if got, err := readPart(r, r.end, 0, r.end); err != nil || !bytes.Equal(got, text) {
								t.Errorf("%d bytes, %v", len(got), err)
							}
						})
					}
				}
				_, err := f.Write(text)
				if clients < 2 != errors.Is(err, errNobody) {
					t.Errorf("Write: %v", err)
				}
				if len(f.window) > mediaWindow || cap(f.window) > 2*mediaWindow {
					t.Errorf("%d bytes are in memory", cap(f.window))
				}
				if clients > 1 && f.join() {
					t.Error("a client joined whose first bytes were dropped")
				}
				f.verify()
				f.land(nil)
				all.Wait()
				for _, r := range readers[:min(clients, 1)] {
					if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, errSlowClient) {
						t.Errorf("the slow client: %v", err)
					}
					_ = r.Close()
				}
				if f.users != 0 {
					t.Errorf("%d clients are left", f.users)
				}
			})
		})
	}
}

// TestLastClientLeaves ends a fetch when its last client leaves, unless the disk has all bytes that have arrived.
func TestLastClientLeaves(t *testing.T) {
	for name, tt := range map[string]struct {
		room bool
		size int64
		want error // why the fetch ends; nil: it goes on
	}{
		"room on the disk":           {true, 1 << 20, nil},
		"no room on the disk":        {false, 1 << 20, errNobody},
		"a short file, not yet sent": {false, mediaHeld, nil},
	} {
		f := newFlight(0)
		var why error
		f.cancel = func(cause error) { why = cause }
		const clients = 3
		f.users = clients
		if tt.room {
			file, err := os.Create(filepath.Join(t.TempDir(), "x"))
			if err != nil {
				t.Fatal(err)
			}
			f.begin(file, nil, tt.size)
		} else {
			f.begin(nil, errors.New("full"), tt.size)
		}
		if _, err := f.Write(noise(1000)); err != nil {
			t.Fatal(err)
		}
		for i := range clients {
			if why != nil {
				t.Errorf("%s: the fetch ends while %d clients wait: %v", name, clients-i, why)
			}
			r, err := f.read(func(error) {})
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Close()
		}
		if !errors.Is(why, tt.want) {
			t.Errorf("%s: the fetch ends for %v, want %v", name, why, tt.want)
		}
		f.land(why)
	}
}

// TestTails: parts of a file in memory that wait for its digest are bounded.
func TestTails(t *testing.T) {
	text := noise(mediaWindow)
	f := newFlight(0)
	f.users = maxTails + 1
	f.begin(nil, errors.New("full"), int64(len(text)))
	if _, err := f.Write(text); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	results := make(chan error, maxTails+1)
	for range maxTails + 1 {
		r, err := f.read(func(err error) { results <- err })
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() { _, _ = readPart(r, r.end, 5, 500) })
	}
	if err := <-results; !errors.Is(err, errCrowded) {
		t.Errorf("the first one that ends: %v", err)
	}
	f.verify()
	f.land(nil)
	all.Wait()
	for range maxTails {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if sum := sha256.Sum256(text); f.tails != 0 || !bytes.Equal(f.digest.Sum(nil), sum[:]) {
		t.Errorf("%d copies are left", f.tails)
	}
}

// TestDisks: the space of the disk is a metric, and a release that does not fit leaves an eighth of its bytes free.
func TestDisks(t *testing.T) {
	w := newWorld(t)
	w.mustBe(w.publish("a", "b"))
	d, err := diskOf(w.cfg.Dir)
	if err != nil || d.free <= 0 || d.size < d.free {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, name := range []string{"contentedge_disk_free_bytes", "contentedge_disk_size_bytes"} {
		if v := w.metric(fmt.Sprintf("%s{path=%q}", name, w.cfg.Dir)); v == "" || v == "0" {
			t.Errorf("%s is %q", name, v)
		}
	}
	size := int64(entriesBytes(t, w.f.dir.path("releases", w.f.Status().Build)))
	if got := w.f.reserve.Load(); got != size/reserveShare {
		t.Errorf("the reserve of a release of %d bytes is %d", size, got)
	}
	w.restart()
	if got := w.f.reserve.Load(); got != size/reserveShare {
		t.Errorf("the reserve after a restart is %d", got)
	}
	for _, c := range []struct{ a, b uint64 }{{math.MaxUint64, 2}, {1 << 40, 1 << 40}, {math.MaxUint64, 1}} {
		if got := product(c.a, c.b); got != math.MaxInt64 {
			t.Errorf("%d times %d is %d", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		part int64 // of the free bytes
		fits bool
	}{{95, false}, {10, true}} {
		m := release.Manifest{}
		download := &download{Follower: w.f, m: &m, wanted: []wanted{{"a", release.Snapshot{Bytes: d.free / 100 * c.part}}}}
		if err := download.checkFreeSpace(0); (err == nil) != c.fits {
			t.Errorf("%d %% of the free bytes: %v", c.part, err)
		}
	}
}

// entriesBytes sums the files below a directory.
func entriesBytes(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, err := os.ReadFile(path)
			n += len(text)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
