// This file fetches media when a client asks for them, and keeps the media that were asked for last. A file's name has
// a digest of its bytes, so that the file serves every release, and its name is enough to verify it.
//
//	DIR/media/ENV/DIGEST/NAME     a verified file
//	DIR/media/.tmp-…              a download in progress

package follow

import (
	"container/list"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

const (
	// DefaultMediaBytes holds some ten thousand photographs.
	DefaultMediaBytes = 4 << 30

	mediaDir = "media"
	// mediaWait is how long a request waits for a download, which then continues without the request: the client asks
	// again. The web servers that generator configures wait 10 seconds.
	mediaWait = 8 * time.Second
	// mediaJobs bounds the downloads at a time, mediaQueue the downloads that wait for their turn.
	mediaJobs, mediaQueue = 8, 256
	// missesPerSecond bounds how often clients that guess names make the node ask the store.
	missesPerSecond = 50
	// refusedFor is how long a file that failed is not requested again.
	refusedFor = 10 * time.Second
	// abandonedAfter is how old the file of a download without a writer is: a stalled transfer ends earlier.
	abandonedAfter = 10 * store.DefaultStall
	// maxRefused bounds the names of failed files that are kept.
	maxRefused = 8 << 10
)

// Errors of media that cannot be sent now.
var (
	errSlow     = errors.New("the download of a media file takes long; it continues")
	errCrowded  = errors.New("too many media files are being fetched, or asked for that the store lacks")
	errNextTry  = errors.New("the next request gets the file of the other release")
	errNotWhole = errors.New("the digest in the name of the store's media file does not match its bytes")
)

// mediaCache is a bounded directory of media.
type mediaCache struct {
	f     *Follower
	root  string
	limit int64 // bytes
	jobs  chan struct{}
	lists mediaLists // with a trust file

	mu      sync.Mutex // guards what follows
	files   map[string]*list.Element
	used    *list.List // of *cachedMedia, the last requested one first
	bytes   int64
	flights map[string]*flight
	flying  int                // flights, also flights whose first bytes were dropped
	refused map[string]refusal // by the releases that the links name
	wrong   map[string]bool    // keys of objects that did not match their names, until another release becomes current
	misses  int                // in the second
	second  int64
	epoch   int // counts the releases that became current
}

type cachedMedia struct {
	name  string // ENV/DIGEST/NAME
	bytes int64
}

// refusal is why a file cannot be fetched, until it may be asked for again.
type refusal struct {
	err   error
	until time.Time
}

func newMediaCache(f *Follower, limit int64) *mediaCache {
	c := &mediaCache{f: f, root: f.dir.path(mediaDir), limit: limit, jobs: make(chan struct{}, mediaJobs),
		files: map[string]*list.Element{}, used: list.New(), flights: map[string]*flight{}, refused: map[string]refusal{}, wrong: map[string]bool{}}
	c.lists.f = f
	if f.policy.Load() == nil || f.state.TrustVersion > 0 { // otherwise unverified releases may name them: see own
		c.scan()
	}
	return c
}

// clear removes all files.
func (c *mediaCache) clear() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.used.Len() > 0 {
		c.drop(c.used.Front())
	}
	return os.RemoveAll(c.root)
}

// scan finds the files of an earlier process, the last modified ones first.
func (c *mediaCache) scan() {
	type found struct {
		cachedMedia
		at time.Time
	}
	var all []found
	_ = filepath.WalkDir(c.root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // a directory that cannot be read holds nothing
		}
		info, err := d.Info()
		name, _ := filepath.Rel(c.root, file)
		switch {
		case err != nil:
		case strings.HasPrefix(d.Name(), release.TempPrefix): // see sweep
		case info.Size() == 0: // no media file is empty: a disk lost its bytes
			_ = os.Remove(file)
		default:
			all = append(all, found{cachedMedia{filepath.ToSlash(name), info.Size()}, info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b found) int { return b.at.Compare(a.at) })
	for i := range all {
		c.files[all[i].name] = c.used.PushBack(&all[i].cachedMedia)
		c.bytes += all[i].bytes
	}
	c.evict()
}

// sweep removes downloads that no process writes. A killed process leaves them.
func (c *mediaCache) sweep() {
	entries, err := os.ReadDir(c.root)
	if err != nil {
		return // there are none yet, or the next download says why it fails
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), release.TempPrefix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.Remove(filepath.Join(c.root, e.Name()))
		}
	}
}

// FetchMedia opens a media file by its path below a release, and fetches it if need be. Reading waits for bytes that
// have not arrived. The error is fs.ErrNotExist if neither the current release of the store nor the previous one has
// the file; any other error may be temporary. It is for concurrent use.
func (f *Follower) FetchMedia(file string) (bodies.File, int64, error) {
	name, ok := strings.CutPrefix(file, release.MediaDir+"/")
	if route, known := address.ParsePath("/" + file); !ok || !known || route.Kind != address.Media {
		return nil, 0, fs.ErrNotExist
	}
	count := func(err error) { f.mediaRequests.Inc(mediaResult(err)) }
	opened, size, err := f.media.open(name, count)
	if err != nil {
		count(err)
		return nil, 0, err
	}
	return opened, size, nil
}

// open opens a file of the directory, or a file that is being fetched. done is called with the result of a response.
func (c *mediaCache) open(name string, done func(err error)) (bodies.File, int64, error) {
	for range 3 { // a file may be evicted before it is opened
		if opened, size, err := c.cached(name); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				done(nil)
			}
			return opened, size, err
		}
		flight, err := c.join(name)
		if err != nil {
			return nil, 0, err
		}
		if flight != nil {
			return c.board(flight, done)
		}
	}
	return nil, 0, errCrowded
}

func mediaResult(err error) string {
	switch {
	case err == nil:
		return succeeded
	case errors.Is(err, fs.ErrNotExist):
		return missing
	}
	return failed
}

// board returns a reader of a file that is being fetched, for a request that has joined.
func (c *mediaCache) board(flight *flight, done func(err error)) (bodies.File, int64, error) {
	wait := time.NewTimer(mediaWait)
	defer wait.Stop()
	select {
	case <-flight.ready:
	case <-wait.C:
		flight.leave(nil)
		return nil, 0, errSlow
	}
	reader, err := flight.read(done)
	if err != nil {
		flight.leave(nil)
		return nil, 0, err
	}
	return reader, reader.end, nil
}

// cached opens a file of the directory.
func (c *mediaCache) cached(name string) (*os.File, int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.files[name]
	if at == nil {
		return nil, 0, fs.ErrNotExist
	}
	opened, err := os.Open(filepath.Join(c.root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		c.drop(at)
	}
	if err != nil {
		return nil, 0, err
	}
	c.used.MoveToFront(at)
	return opened, at.Value.(*cachedMedia).bytes, nil
}

// drop forgets a file. The caller holds mu.
func (c *mediaCache) drop(at *list.Element) {
	m := at.Value.(*cachedMedia)
	delete(c.files, m.name)
	c.used.Remove(at)
	c.bytes -= m.bytes
}

// evict removes the files that were not asked for the longest. The caller holds mu. A file that is being
// sent stays open, and its bytes there.
func (c *mediaCache) evict() {
	for c.bytes > c.limit && c.used.Len() > 1 {
		c.remove(c.used.Back())
	}
}

// remove removes a file from the directory. The caller holds mu.
func (c *mediaCache) remove(at *list.Element) {
	file := filepath.Join(c.root, filepath.FromSlash(at.Value.(*cachedMedia).name))
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.f.log.Warn("a media file cannot be removed", "error", err)
	}
	_ = os.Remove(filepath.Dir(file)) // unless another name is in it
	c.drop(at)
}

// join joins the fetch of a file, and begins one if no fetch has all its bytes. It returns nil if the directory has the
// file.
func (c *mediaCache) join(name string) (*flight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[name] != nil {
		return nil, nil
	}
	if f := c.flights[name]; f != nil && f.join() {
		return f, nil
	}
	now := time.Now()
	if refused, ok := c.refused[name]; ok && now.Before(refused.until) {
		return nil, refused.err
	}
	if c.second != now.Unix() {
		c.second, c.misses = now.Unix(), 0
	}
	if c.misses >= missesPerSecond || c.flying >= mediaQueue {
		return nil, errCrowded
	}
	f := newFlight(c.epoch)
	f.users = 1
	c.flights[name] = f
	c.flying++
	go func() {
		defer crash.Exit()
		c.fly(name, f)
	}()
	return f, nil
}

// fly fetches a file.
func (c *mediaCache) fly(name string, f *flight) {
	c.jobs <- struct{}{}
	ctx, cancel := context.WithTimeout(context.Background(), c.f.cfg.Timeout)
	ctx, f.cancel = context.WithCancelCause(ctx)
	err := c.fetch(ctx, name, f)
	f.cancel(nil)
	cancel()
	<-c.jobs
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.failed(name, f, err)
	case f.isStored():
		c.add(name, f.size)
	default:
		c.f.log.Warn("a media file was sent without being stored", "file", name, "error", f.unstored)
	}
	if c.flights[name] == f {
		delete(c.flights, name)
	}
	c.flying--
	f.land(err)
}

// add adds a file, which may be there from another download. The caller holds mu.
func (c *mediaCache) add(name string, size int64) {
	if at := c.files[name]; at != nil {
		c.drop(at)
	}
	c.files[name] = c.used.PushFront(&cachedMedia{name, size})
	c.bytes += size
	c.evict()
}

// failed remembers a file that the store lacks, refuses or has damaged, unless another release became current
// meanwhile. It logs any other reason than the first, unless all clients have left. The caller holds mu.
func (c *mediaCache) failed(name string, f *flight, err error) {
	lacks, unknown := errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoList)
	if !lacks && !unknown && !errors.Is(err, errNobody) && !errors.Is(err, context.Canceled) {
		c.f.log.Warn("a media file cannot be fetched", "file", name, "error", err)
	}
	if errors.Is(err, errNextTry) {
		return
	}
	if !lacks && !unknown && !errors.Is(err, errNotWhole) && !errors.Is(err, store.ErrDenied) {
		return
	}
	c.misses++
	if f.epoch != c.epoch {
		return
	}
	if len(c.refused) >= maxRefused {
		clear(c.refused)
	}
	c.refused[name] = refusal{err, time.Now().Add(refusedFor)}
}

// forgetRefusals is called when another release became current. That release may have the files that earlier ones
// lacked.
func (c *mediaCache) forgetRefusals() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	clear(c.refused)
	clear(c.wrong)
}

// linked returns the builds that the links name: the current one and the previous one.
func (d directory) linked() (builds []string) {
	for _, name := range []string{release.CurrentLink, release.PreviousLink} {
		target, err := os.Readlink(d.path(name))
		if build := filepath.Base(target); err == nil && release.IsBuild(build) && !slices.Contains(builds, build) {
			builds = append(builds, build)
		}
	}
	return builds
}
