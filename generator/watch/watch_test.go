package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/generator/source"
)

var scenarios = []struct {
	name string
	do   func(d disk)
}{
	{"write in place", func(d disk) { d.write("site/a.json", "2") }},
	{"new file", func(d disk) { d.write("site/pages/deep/new.json", "n") }},
	{"mkdir -p and write", func(d disk) { d.write("x/y/z/w/v/f.json", "f") }},
	{"mkdir -p and write, twice", func(d disk) { d.write("x/y/f.json", "f"); d.rm("x"); d.write("x/y/f.json", "g") }},
	{"remove a file", func(d disk) { d.rm("site/a.json") }},
	{"remove a directory", func(d disk) { d.rm("site") }},
	{"move a directory, write below", func(d disk) { d.mv("site", "place"); d.write("place/pages/deep/c.json", "2") }},
	{"move a directory, make the old one again", func(d disk) { d.mv("site", "old"); d.write("site/pages/b.json", "2"); d.write("old/pages/b.json", "3") }},
	{"move a directory away and back", func(d disk) { d.mv("site", "x"); d.mv("x", "site") }},
	{"swap two directories", func(d disk) {
		d.mv("site", "t")
		d.mv("shop", "site")
		d.mv("t", "shop")
		d.write("shop/pages/b.json", "2")
	}},
	{"replace a directory by another", func(d disk) { d.write("next/pages/b.json", "2"); d.rm("site"); d.mv("next", "site") }},
	{"move a directory in", func(d disk) {
		d.write("../outside/q/r.json", "r")
		d.mv("../outside", "site/in")
		d.write("site/in/q/r.json", "2")
	}},
	{"move a directory out", func(d disk) { d.mv("site", "../gone"); d.write("../gone/pages/b.json", "2") }},
	{"save as vim does, backup by renaming", func(d disk) {
		d.write("site/.a.json.swp", "s")
		d.write("site/4913", "")
		d.rm("site/4913")
		d.mv("site/a.json", "site/a.json~")
		d.write("site/a.json", "2")
		d.rm("site/a.json~")
		d.rm("site/.a.json.swp")
	}},
	{"save as vim does, backup by copying", func(d disk) {
		d.write("site/a.json~", "site/a.json")
		d.write("site/a.json", "2")
		d.rm("site/a.json~")
	}},
	{"save by renaming over", func(d disk) { d.write("site/.tmp1", "2"); d.mv("site/.tmp1", "site/a.json") }},
	{"same size, old time put back", func(d disk) {
		info, err := os.Stat(d.path("site/a.json"))
		d.must(err)
		d.write("site/a.json", strings.ToUpper("site/a.json"))
		d.must(os.Chtimes(d.path("site/a.json"), info.ModTime(), info.ModTime()))
	}},
	{"a file becomes a directory", func(d disk) { d.rm("site/a.json"); d.write("site/a.json/b.json", "2") }},
	{"a directory becomes a file", func(d disk) { d.rm("site/pages"); d.write("site/pages", "2") }},
	{"a link is turned to another file", func(d disk) {
		d.link("a.json", "site/l.json")
		d.link("pages/b.json", "site/.l")
		d.mv("site/.l", "site/l.json")
	}},
	{"permissions withdrawn and given back", func(d disk) {
		d.must(os.Chmod(d.path("site/pages"), 0))
		d.must(os.Chmod(d.path("site/pages"), 0o755))
		d.write("site/pages/b.json", "2")
	}},
	{"a skipped directory gets a name", func(d disk) { d.write(".drafts/f.json", "1"); d.mv(".drafts", "drafts"); d.write("drafts/f.json", "2") }},
	{"the directory itself made again", func(d disk) { d.rm("."); d.seed(); d.write("site/a.json", "2") }},
	{"the directory itself replaced", func(d disk) {
		d.mv(".", "../before")
		d.write("../after/shop/d.json", "2")
		d.mv("../after", ".")
	}},
	{"checkouts one after another", func(d disk) {
		for i := range 20 {
			checkout(d, i)
		}
	}},
	{"a burst of files", func(d disk) {
		for i := range 1500 {
			d.write(fmt.Sprintf("burst/%d/%d.json", i%7, i), "b")
		}
	}},
}

// checkout changes the tree as git does between two branches: files are removed and
// written anew, directories come and go.
func checkout(d disk, i int) {
	for j := range 100 {
		name := fmt.Sprintf("site/%d/%d.json", j%10, j)
		d.rm(name)
		if (i+j)%3 > 0 {
			d.write(name, fmt.Sprint(i))
		}
	}
	d.rm(fmt.Sprintf("site/branch-%d", i-1))
	d.write(fmt.Sprintf("site/branch-%d/x/y.json", i), "y")
}

// TestWatch does to a tree what editors and tools do. Afterwards the mirror shows the disk, and every
// directory is still watched.
func TestWatch(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			d := newDisk(t)
			d.seed()
			m := follow(t, d.dir, Options{Skip: noDots}, brisk)
			s.do(d)
			m.settle()
			for name, text := range tree(d.dir) {
				if text == "/" {
					d.must(os.WriteFile(filepath.Join(name, "late.json"), nil, 0o644))
					m.settle()
				}
			}
		})
	}
}

func newDisk(t *testing.T) disk {
	d := disk{t, filepath.Join(t.TempDir(), "content")}
	d.mkdir(".")
	return d
}

// TestStorms makes random changes as fast as it can while the mirror reads.
func TestStorms(t *testing.T) {
	for round := range 5 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			d := newDisk(t)
			d.seed()
			m := follow(t, d.dir, Options{Skip: noDots}, brisk)
			r := rand.New(rand.NewPCG(seed, 0))
			for range 300 {
				shuffle(d, r)
			}
			m.settle()
		})
	}
}

// shuffle does one random thing; what the tree does not allow has no effect.
func shuffle(d disk, r *rand.Rand) {
	name := func() string { return d.path([]string{"p", "q", "p/r", "q/r", "p/r/s", "q/r/s"}[r.IntN(6)]) }
	switch r.IntN(6) {
	case 0:
		_ = os.RemoveAll(name())
	case 1, 2:
		_ = os.Rename(name(), name())
	case 3:
		_ = os.MkdirAll(name(), 0o755)
	default:
		_ = os.WriteFile(filepath.Join(name(), "f.json"), []byte{byte('0' + r.IntN(10))}, 0o644)
	}
}

// TestOneCall: many events at once are one change, and what is skipped is none.
func TestOneCall(t *testing.T) {
	d := newDisk(t)
	d.seed()
	slow := brisk
	slow.quiet, slow.most = 5*time.Second, time.Hour
	m := follow(t, d.dir, Options{Skip: noDots}, slow)
	for i := range 10_000 {
		if i%10 == 0 {
			d.write("site/.swap", fmt.Sprint(i))
		}
		d.write("site/a.json", fmt.Sprint(i))
	}
	m.settle()
	if n := m.calls.Load(); n != 2 {
		t.Errorf("%d calls, the first among them, want 2", n)
	}
	d.write("site/.swap", "again")
	d.must(os.Chmod(d.path("site/.swap"), 0o600))
	d.rm("site/.swap")
	d.write("site/a.json", "last")
	m.settle()
	if n := m.calls.Load(); n != 3 {
		t.Errorf("%d calls after skipped files, want 3", n)
	}
}

// settled is a watcher whose first call has ended, as far as its caller steps it.
func settled(t *testing.T, d disk) *watcher {
	w := &watcher{dir: d.dir, pace: brisk, skip: noDots, changed: func() {}, done: make(chan struct{})}
	w.look()
	w.step(t.Context(), nil)
	t.Cleanup(func() { w.close(w.notify) })
	if w.busy {
		t.Fatal("the first call did not end")
	}
	return w
}

// TestSkippedEvents cause nothing.
func TestSkippedEvents(t *testing.T) {
	d := newDisk(t)
	d.seed()
	d.age()
	w := settled(t, d)
	d.mkdir("site/.git")
	w.step(t.Context(), nil)
	if !w.first.IsZero() {
		t.Error("a skipped directory counts")
	}
	d.mkdir("site/git")
	w.step(t.Context(), nil)
	if w.first.IsZero() {
		t.Error("a directory does not count")
	}
}

// TestYoungState: after one there is another scan, whatever happens.
func TestYoungState(t *testing.T) {
	d := newDisk(t)
	for {
		d.seed()
		if w := settled(t, d); w.seen.young {
			if w.again.IsZero() {
				t.Error("a young state was left at that")
			}
			return
		}
	}
}

// TestDue: a scan waits for quiet, but not for ever.
func TestDue(t *testing.T) {
	first := time.Now()
	w := &watcher{pace: standard, first: first}
	for _, c := range []struct{ last, want time.Duration }{
		{0, 60 * time.Millisecond}, {100 * time.Millisecond, 160 * time.Millisecond}, {490 * time.Millisecond, 500 * time.Millisecond},
	} {
		w.last = first.Add(c.last)
		if got := w.due().Sub(first); got != c.want {
			t.Errorf("last event after %s: due after %s, want %s", c.last, got, c.want)
		}
	}
}

// age waits until nothing in the tree is young.
func (d disk) age() {
	for {
		s := newScan(d.dir, noDots, nil, time.Now())
		if s.dir(d.dir); !s.found.young {
			return
		}
	}
}

// TestChangeDuringCall: what the callback saw may never have been there as a whole,
// even if the tree is now as it was before.
func TestChangeDuringCall(t *testing.T) {
	d := newDisk(t)
	d.seed()
	d.age()
	enter, leave := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	t.Cleanup(func() { ended.Store(true); close(leave) })
	start(t, d.dir, Options{Skip: noDots}, brisk, func() {
		if !ended.Load() {
			enter <- struct{}{}
			<-leave
		}
	})
	<-enter
	d.mv("site", "away")
	d.mv("away", "site")
	leave <- struct{}{}
	select {
	case <-enter:
	case <-time.After(patience):
		t.Fatal("no second call")
	}
	ended.Store(true)
	leave <- struct{}{}
}

// TestOverflow blocks the watcher until the kernel drops events, and with them the one
// that matters: those before it are all of skipped files.
func TestOverflow(t *testing.T) {
	d := newDisk(t)
	d.seed()
	d.age()
	gate, waiting := make(chan struct{}), make(chan struct{})
	var once sync.Once
	m := follow(t, d.dir, Options{Skip: func(name string) bool {
		if name == ".first" {
			once.Do(func() {
				close(waiting)
				<-gate
			})
		}
		return noDots(name)
	}}, brisk)
	d.write(".first", "1")
	<-waiting
	for range queueLimit(t) {
		d.mkdir(".many")
		d.rm(".many")
	}
	d.write("late/f.json", "1")
	close(gate)
	m.settle()
	d.write("late/f.json", "2")
	m.settle()
}

// queueLimit is how many events the kernel keeps.
func queueLimit(t *testing.T) (n int) {
	b, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip(err)
	}
	if _, err := fmt.Sscan(string(b), &n); err != nil || n > 100_000 {
		t.Skipf("queue of %s", b)
	}
	return n
}

// TestMissing: the directory comes late, goes and comes back.
func TestMissing(t *testing.T) {
	d := disk{t, filepath.Join(t.TempDir(), "parent", "content")}
	m := follow(t, d.dir, Options{Skip: noDots}, brisk)
	for range 3 {
		d.seed()
		m.settle()
		d.rm("..")
		m.settle()
	}
}

// TestRootIsALink: the directory may be a link, which is turned to another tree.
func TestRootIsALink(t *testing.T) {
	d := disk{t, t.TempDir()}
	d.write("one/f.json", "1")
	d.write("two/f.json", "2")
	d.link("one", "content")
	m := follow(t, d.path("content"), Options{Skip: noDots}, brisk)
	d.link("two", "next")
	d.mv("next", "content")
	m.settle()
	d.write("two/g/h.json", "3")
	m.settle()
}

// TestLinksAreNotFollowed: a link to a large or circular tree is a leaf.
func TestLinksAreNotFollowed(t *testing.T) {
	d := newDisk(t)
	d.seed()
	d.link("..", "site/up")
	d.link("/", "site/all")
	m := follow(t, d.dir, Options{Skip: noDots}, brisk)
	d.write("site/a.json", "2")
	m.settle()
}

// TestOften watches a tree again and again.
func TestOften(t *testing.T) {
	d := newDisk(t)
	d.seed()
	m := follow(t, d.dir, Options{Skip: noDots}, brisk)
	for i := range 10 {
		d.write("site/pages/b.json", fmt.Sprint(i))
		m.settle()
	}
}

// TestSweep finds what caused no event, and overlooks what was skipped.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name    string
		polling bool
		do      func(d disk)
		want    bool
	}{
		{"nothing", false, func(disk) {}, false},
		{"a file", false, func(d disk) { d.write("site/a.json", "2") }, true},
		{"a skipped file", false, func(d disk) { d.write("site/.swap", "2") }, false},
		{"a file come and gone", false, func(d disk) { d.write("site/t.json", "2"); d.rm("site/t.json") }, false},
		{"a file come and gone, polling", true, func(d disk) { d.write("site/t.json", "2"); d.rm("site/t.json") }, true},
		{"the directory made again", false, func(d disk) { d.rm("."); d.seed() }, true},
		{"the directory removed", false, func(d disk) { d.rm(".") }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDisk(t)
			d.seed()
			w := &watcher{dir: d.dir, pace: brisk, skip: noDots, polling: c.polling}
			w.root, _ = os.Stat(d.dir)
			w.seen = w.scan(nil)
			c.do(d)
			w.next = time.Time{}
			w.beat()
			if got := !w.first.IsZero(); got != c.want {
				t.Errorf("noticed %v, want %v", got, c.want)
			}
		})
	}
}

// TestWatchedFirst: what is written between the two is seen at least once.
func TestWatchedFirst(t *testing.T) {
	d := newDisk(t)
	d.seed()
	s := newScan(d.dir, noDots, func(dir string) { d.must(os.WriteFile(filepath.Join(dir, "new.json"), nil, 0o644)) }, time.Now())
	s.dir(d.dir)
	again := newScan(d.dir, noDots, nil, time.Now())
	again.dir(d.dir)
	if s.state().files != again.state().files {
		t.Error("a directory was listed before it was watched")
	}
}

// TestYoung: a state that may change without a trace is not trusted.
func TestYoung(t *testing.T) {
	d := newDisk(t)
	d.seed()
	info, err := os.Stat(d.path("site/a.json"))
	d.must(err)
	_, changed := identity(info)
	tick := source.Window(changed)
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {tick / 2, true}, {2 * tick, false}, {-tick / 2, true}, {-time.Hour, false}} {
		s := newScan(d.dir, noDots, nil, changed.Add(c.after))
		s.note("a.json", info)
		if got := s.state().young; got != c.want {
			t.Errorf("%s after the change: young %v, want %v", c.after, got, c.want)
		}
	}
}

// TestNoGrowth: descriptors and goroutines do not grow with the number of changes.
func TestNoGrowth(t *testing.T) {
	d := newDisk(t)
	d.seed()
	p := brisk
	p.quiet = time.Millisecond
	m := follow(t, d.dir, Options{Skip: noDots}, p)
	for i := range 200 {
		d.write(fmt.Sprintf("site/%d/f.json", i%10), fmt.Sprint(i))
		d.rm(fmt.Sprintf("site/%d", (i+5)%10))
		m.settle()
	}
	if n := inotifies(t); n > 2 {
		t.Errorf("%d inotify descriptors after 200 changes, want the current one and one being closed", n)
	}
}

// inotifies counts this process's inotify descriptors.
func inotifies(t *testing.T) (n int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, e := range entries {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.Contains(to, "inotify") {
			n++
		}
	}
	return n
}
