// Package watch reports changes below a directory. Kernel events are not enough: they are not recursive, name
// directories by old paths and get lost when there are too many. So an event only triggers, once events pause, a scan
// of names, sizes, times and inodes. First comes a glance at the directories of the events: a change there is reported
// at once, and the scan comes after that.
//
//   - Each scan sets new watches, each before its directory is listed, so a change that the listing
//     misses causes an event. Old watches are dropped: after `mv a b` a watch of a/sub would still
//     report a/sub. New ones cost a millisecond for 400 directories.
//   - A scan has the times of directories: one may move away and back between two scans.
//   - Of symbolic links, except dir itself, the file at the end is looked at, also in a directory that is skipped.
//     Links to directories are not followed.
//   - Where times are whole seconds, a second change within one cannot be told from the first. So a
//     young state is looked at again when it is old enough, and then counts as changed.
//   - Slow sweeps, scans without events, find what causes none: writes on another host of a network
//     file system, a directory removed or mounted over. Without watches, faster sweeps replace events.
package watch

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"contentedge/edgeserve/crash"
)

// Options configure Run.
type Options struct {
	// Skip selects base names to ignore, except the name of dir; nil selects none.
	Skip func(name string) bool
	// Warn is called once if the system gives no events; it may be nil.
	Warn func(message string)
}

type pace struct {
	quiet time.Duration // without events until a scan
	most  time.Duration // from the first event to a scan, if it never gets quiet
	beat  time.Duration // between looks at the directory itself and at the clock
	sweep time.Duration // between sweeps, at least
	poll  time.Duration // between sweeps where no events come, at least
}

// standard is for people: an editor's save is several events within milliseconds.
var standard = pace{
	quiet: 60 * time.Millisecond,
	most:  500 * time.Millisecond,
	beat:  500 * time.Millisecond,
	sweep: 5 * time.Second,
	poll:  500 * time.Millisecond,
}

// The share of the time that sweeps may take, as one part in so many.
const (
	sweepShare = 100
	pollShare  = 10
)

// Run calls changed at the start and after every change below dir, which may be missing. Calls
// never overlap; a change during a call causes another. Run returns once ctx has ended and changed
// has returned.
func Run(ctx context.Context, dir string, o Options, changed func()) {
	run(ctx, dir, o, standard, changed)
}

func run(ctx context.Context, dir string, o Options, p pace, changed func()) {
	w := &watcher{dir: filepath.Clean(dir), pace: p, skip: o.Skip, warn: o.Warn, changed: changed, done: make(chan struct{})}
	if w.skip == nil {
		w.skip = func(string) bool { return false }
	}
	beat := time.NewTicker(p.beat)
	defer beat.Stop()
	w.look()
	for ctx.Err() == nil {
		w.step(ctx, beat.C)
	}
	if w.busy {
		<-w.done
	}
	w.close(w.notify)
}

// watcher is the state of a Run. One goroutine owns it; the callback has another.
type watcher struct {
	dir     string
	pace    pace
	skip    func(name string) bool
	warn    func(message string)
	changed func()

	notify  *fsnotify.Watcher // of the last scan; nil: no events
	polling bool              // the system gives no events
	seen    state             // the state at the last call of the callback
	glanced bool              // seen.below is newer than the rest of seen
	unsure  bool              // the glance found a young state
	touched map[string]bool   // directories to glance at
	heard   bool              // an event came since the last call
	again   time.Time         // when a young state is scanned again; zero: it is not young
	root    fs.FileInfo       // the directory when it was last watched; nil: missing
	next    time.Time         // not before, the next sweep

	first, last time.Time // of the events since the last scan began, or zero
	busy        bool      // the callback runs
	done        chan struct{}
}

func (w *watcher) step(ctx context.Context, beat <-chan time.Time) {
	var (
		due    <-chan time.Time
		events chan fsnotify.Event
		failed chan error
	)
	if at := w.due(); !at.IsZero() && !w.busy {
		due = time.After(time.Until(at))
	}
	if w.notify != nil {
		events, failed = w.notify.Events, w.notify.Errors
	}
	select {
	case <-ctx.Done():
	case e := <-events:
		w.hear(filepath.Clean(e.Name))
	case <-failed: // events were lost; the scan finds what they were about
		w.event()
	case <-due:
		if !w.glance() {
			w.look()
		}
	case <-w.done:
		w.busy = false
	case <-beat:
		w.beat()
	}
}

// hear notes an event of a path.
func (w *watcher) hear(path string) {
	dirs := w.seen.places[path]
	if _, scanned := w.seen.below[filepath.Dir(path)]; path == w.dir || scanned && !w.skip(filepath.Base(path)) {
		dirs = append(slices.Clone(dirs), filepath.Dir(path))
	}
	if len(dirs) == 0 {
		return
	}
	for _, dir := range dirs {
		w.touch(dir)
	}
	w.heard = true
	w.event()
}

func (w *watcher) event() {
	w.last = time.Now()
	if w.first.IsZero() {
		w.first = w.last
	}
}

// due returns when to scan; zero: not before an event.
func (w *watcher) due() time.Time {
	if w.first.IsZero() {
		return w.again
	}
	quiet, most := w.last.Add(w.pace.quiet), w.first.Add(w.pace.most)
	if quiet.Before(most) {
		return quiet
	}
	return most
}

// touch queues a directory to glance at, and its parent, which holds its times.
func (w *watcher) touch(dir string) {
	if w.touched == nil {
		w.touched = map[string]bool{}
	}
	w.touched[dir], w.touched[filepath.Dir(dir)] = true, true
}

// glance starts the callback if a directory of the events has changed, and reports whether it did.
func (w *watcher) glance() bool {
	if root, _ := os.Stat(w.dir); !sameFile(root, w.root) {
		return false // the directory is another one: only a scan sets watches
	}
	s := newScan(w.dir, w.skip, nil, time.Now())
	s.flat = true
	s.top()
	for dir := range w.touched {
		if _, known := w.seen.below[dir]; known {
			s.dir(dir)
		}
	}
	w.touched = nil
	changed := false
	for dir, sum := range s.found.below {
		if w.seen.below[dir] != sum {
			w.seen.below[dir], changed = sum, true
		}
	}
	if !changed {
		return false
	}
	w.glanced, w.unsure = true, w.unsure || s.found.young
	w.first = time.Time{}
	w.event() // a look has to follow
	w.call()
	return true
}

func (w *watcher) call() {
	w.busy, w.heard = true, false
	go func() {
		defer crash.Exit()
		w.changed()
		w.done <- struct{}{}
	}()
}

// look scans with new watches and calls back after a change. It closes the old watches last, which
// takes the kernel up to 15 ms.
func (w *watcher) look() {
	old := w.notify
	w.first, w.last, w.touched = time.Time{}, time.Time{}, nil
	w.root, _ = os.Stat(w.dir) // nil if the directory is missing
	found := w.scanWatched()
	same := found.same(&w.seen)
	if w.glanced { // a young state is scanned again anyway
		same = (!w.unsure || found.young) && maps.Equal(found.below, w.seen.below)
	}
	w.seen, w.glanced, w.unsure, w.again = found, false, false, time.Time{}
	if !same || found.young && w.heard {
		w.call()
	}
	if found.young {
		w.again = found.until // by then the state is not young, which makes it another state
	}
	w.close(old)
}

// scanWatched scans and sets w.notify. If the kernel has no room for new watches, it closes the old
// ones and tries again before it gives up events.
func (w *watcher) scanWatched() state {
	old := w.notify
	for !w.polling {
		found, err := w.tryWatched()
		if err == nil {
			return found
		}
		if old == nil {
			w.fallBack(err)
			break
		}
		w.close(old)
		old = nil
	}
	return w.scan(nil)
}

func (w *watcher) tryWatched() (state, error) {
	n, err := fsnotify.NewWatcher()
	w.notify = nil
	if err != nil {
		return state{}, err
	}
	var failure error
	found := w.scan(func(dir string) {
		if failure == nil {
			failure = watchError(n.Add(dir))
		}
	})
	if failure != nil {
		w.close(n)
		return state{}, failure
	}
	w.notify = n
	return found, nil
}

func (w *watcher) fallBack(cause error) {
	w.polling = true
	if w.warn != nil {
		w.warn(fmt.Sprintf("%s cannot be watched (%v): looking through it about every %s instead; the limits are set by the sysctls fs.inotify.max_user_watches and fs.inotify.max_user_instances", w.dir, cause, w.pace.poll))
	}
}

// scan lists everything below dir. It calls watch (may be nil) before it lists a directory.
func (w *watcher) scan(watch func(dir string)) state {
	start := time.Now()
	s := newScan(w.dir, w.skip, watch, start)
	s.top()
	s.dir(w.dir)
	pause, share := w.pace.sweep, sweepShare
	if w.polling {
		pause, share = w.pace.poll, pollShare
	}
	now := time.Now()
	w.next = now.Add(max(pause, time.Duration(share)*now.Sub(start)))
	return s.state()
}

func (w *watcher) beat() {
	if w.busy || !w.first.IsZero() {
		return
	}
	if info, _ := os.Stat(w.dir); !sameFile(info, w.root) {
		w.event()
		return
	}
	if time.Now().After(w.next) {
		found := w.scan(nil)
		if found.files != w.seen.files || w.polling && found.dirs != w.seen.dirs {
			w.event()
		}
	}
}

// sameFile is os.SameFile for files that may be missing.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b)
}

// close ends watches. It may be called twice.
func (w *watcher) close(n *fsnotify.Watcher) {
	if n != nil {
		_ = n.Close() // also an error closes the descriptor
	}
}
