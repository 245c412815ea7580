// This file fetches media when a client asks for them, and keeps those that were asked for last. A file's
// name has a digest of its bytes, so that the file serves every release and is verified by its name alone.
//
//	DIR/media/ENV/DIGEST/NAME     a verified file
//	DIR/media/.tmp-…              a download in progress

package follow

import (
	"cmp"
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

const (
	// DefaultMediaBytes holds some ten thousand photographs.
	DefaultMediaBytes = 4 << 30

	mediaDir = "media"
	// mediaWait is how long a request waits for a download, which goes on without it: the client asks again.
	// The web servers that generator configures wait 10 seconds.
	mediaWait = 8 * time.Second
	// mediaJobs bounds the downloads at a time, mediaQueue those that wait for their turn.
	mediaJobs, mediaQueue = 8, 256
	// missesPerSecond bounds how often clients who guess names make the node ask the store.
	missesPerSecond = 50
	// refusedFor is how long a file is not asked for again that the store lacked, refused, or had damaged.
	refusedFor = 10 * time.Second
	// abandonedAfter is how old a download is when nobody writes it: a transfer that stands still ends earlier.
	abandonedAfter = 10 * store.DefaultStall
	// maxRefused bounds the names that are remembered for that.
	maxRefused = 8 << 10
)

// Errors of media that cannot be sent now.
var (
	errSlow     = errors.New("the download of a media file takes long; it goes on")
	errCrowded  = errors.New("too many media files are being fetched, or asked for that the store lacks")
	errNotWhole = errors.New("the store's media file is not the one of its name")
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
	used    *list.List // of *cachedMedia, the last one asked for first
	bytes   int64
	flights map[string]*flight
	refused map[string]refusal // by the releases that the links name
	misses  int                // in the second
	second  int64
	epoch   int // counts the releases that became current
}

type cachedMedia struct {
	name  string // ENV/DIGEST/NAME
	bytes int64
}

// flight is a download that several requests may wait for.
type flight struct {
	epoch int // of the cache, when the flight began
	done  chan struct{}
	err   error // valid once done is closed
}

// refusal is why a file cannot be fetched, until it may be asked for again.
type refusal struct {
	err   error
	until time.Time
}

func newMediaCache(f *Follower, limit int64) *mediaCache {
	c := &mediaCache{f: f, root: f.dir.path(mediaDir), limit: limit, jobs: make(chan struct{}, mediaJobs),
		files: map[string]*list.Element{}, used: list.New(), flights: map[string]*flight{}, refused: map[string]refusal{}}
	c.lists.f = f
	if f.policy.Load() == nil || f.state.TrustVersion > 0 { // else nobody has verified that releases name them: see own
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

// sweep removes downloads that no process writes any more. A killed one leaves them.
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

// FetchMedia opens a media file by its path below a release, and fetches it if need be. The error is
// fs.ErrNotExist if neither the current release of the store nor the one before it has the file; any other
// may be over soon. It is for concurrent use.
func (f *Follower) FetchMedia(file string) (*os.File, int64, error) {
	name, ok := strings.CutPrefix(file, release.MediaDir+"/")
	if route, known := address.ParsePath("/" + file); !ok || !known || route.Kind != address.Media {
		return nil, 0, fs.ErrNotExist
	}
	opened, size, err := f.media.open(name)
	f.mediaRequests.Inc(mediaResult(err))
	return opened, size, err
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

func (c *mediaCache) open(name string) (*os.File, int64, error) {
	for range 3 { // a file may be evicted before it is opened
		if opened, size, err := c.cached(name); !errors.Is(err, fs.ErrNotExist) {
			return opened, size, err
		}
		flight, err := c.join(name)
		if err != nil {
			return nil, 0, err
		}
		wait := time.NewTimer(mediaWait)
		select {
		case <-flight.done:
			wait.Stop()
		case <-wait.C:
			return nil, 0, errSlow
		}
		if flight.err != nil {
			return nil, 0, flight.err
		}
	}
	return nil, 0, errCrowded
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

// join returns the download of a file, and begins it if there is none.
func (c *mediaCache) join(name string) (*flight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.flights[name]; f != nil {
		return f, nil
	}
	now := time.Now()
	if refused, ok := c.refused[name]; ok && now.Before(refused.until) {
		return nil, refused.err
	}
	if c.second != now.Unix() {
		c.second, c.misses = now.Unix(), 0
	}
	if c.misses >= missesPerSecond || len(c.flights) >= mediaQueue {
		return nil, errCrowded
	}
	f := &flight{epoch: c.epoch, done: make(chan struct{})}
	c.flights[name] = f
	go func() {
		defer crash.Exit()
		c.fly(name, f)
	}()
	return f, nil
}

// fly downloads a file.
func (c *mediaCache) fly(name string, f *flight) {
	c.jobs <- struct{}{}
	ctx, cancel := context.WithTimeout(context.Background(), c.f.cfg.Timeout)
	size, err := c.fetch(ctx, name)
	cancel()
	<-c.jobs
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.err = err; err == nil {
		c.add(name, size)
	} else {
		c.failed(name, f)
	}
	delete(c.flights, name)
	close(f.done)
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
// meanwhile. It logs any other reason than the first. The caller holds mu.
func (c *mediaCache) failed(name string, f *flight) {
	lacks, unknown := errors.Is(f.err, fs.ErrNotExist), errors.Is(f.err, errNoList)
	if !lacks && !unknown {
		c.f.log.Warn("a media file cannot be fetched", "file", name, "error", f.err)
	}
	if !lacks && !unknown && !errors.Is(f.err, errNotWhole) && !errors.Is(f.err, store.ErrDenied) {
		return
	}
	c.misses++
	if f.epoch != c.epoch {
		return
	}
	if len(c.refused) >= maxRefused {
		clear(c.refused)
	}
	c.refused[name] = refusal{f.err, time.Now().Add(refusedFor)}
}

// forgetRefusals is called when another release became current. It may have the files that those before lacked.
func (c *mediaCache) forgetRefusals() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	clear(c.refused)
}

// fetch downloads a file of the current release of this node, or of the one before it. A store that does
// not let the node list keys refuses those that it lacks.
func (c *mediaCache) fetch(ctx context.Context, name string) (int64, error) {
	var refused error
	builds, err := c.builds(ctx, name)
	if err != nil {
		return 0, err
	}
	for _, key := range c.f.dir.mediaKeys(builds, name) {
		size, err := c.download(ctx, key, name)
		if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrDenied) && !errors.Is(err, errNotWhole) {
			return size, err
		}
		if !errors.Is(err, store.ErrNotFound) {
			refused = cmp.Or(refused, err)
		}
	}
	return 0, cmp.Or(refused, fs.ErrNotExist)
}

// builds are the releases that may have a file: with a trust file the newest that names it, else the current one
// and the one before.
func (c *mediaCache) builds(ctx context.Context, name string) (builds []string, err error) {
	if c.f.policy.Load() == nil {
		return c.f.dir.linked(), nil
	}
	for i, r := range c.f.vouched() {
		named, err := c.lists.names(ctx, r, name)
		if i > 0 && errors.Is(err, store.ErrNotFound) { // the release before was collected
			continue
		}
		if named || err != nil {
			return []string{r.build}, err
		}
	}
	return nil, nil
}

// download brings an object into the directory, if it is the file of the name.
func (c *mediaCache) download(ctx context.Context, key, name string) (size int64, err error) {
	final := filepath.Join(c.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(final), dirMode); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(filepath.Dir(final)) // unless another name is in it
		}
	}()
	temp, err := os.CreateTemp(c.root, release.TempPrefix)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // it has another name if all went well
	digest := sha256.New()
	size, err = c.copy(ctx, key, io.MultiWriter(temp, digest))
	if err == nil && !address.MediaDigest(path.Join(release.MediaDir, name), [sha256.Size]byte(digest.Sum(nil))) {
		err = fmt.Errorf("%w: %s", errNotWhole, key)
	}
	if err == nil {
		err = errors.Join(temp.Chmod(fileMode), temp.Sync()) // after a power failure nothing verifies it again
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return 0, err
	}
	return size, os.Rename(temp.Name(), final)
}

// copy copies an object. It resumes for as long as each transfer adds bytes, and leaves diskReserve free.
func (c *mediaCache) copy(ctx context.Context, key string, to io.Writer) (size int64, err error) {
	for {
		obj, err := c.f.cfg.Store.Get(ctx, key, store.GetOptions{Offset: size, Max: address.MaxMedia - size})
		if err != nil {
			return size, err
		}
		if free, e := freeBytes(c.root); e == nil && obj.Bytes > free-diskReserve {
			_ = obj.Close()
			return size, fmt.Errorf("not enough disk space in %s for %s: %d bytes needed, %d free", c.root, key, obj.Bytes, free)
		}
		n, err := io.Copy(to, obj)
		_ = obj.Close()
		if size += n; err == nil || n == 0 || !store.Temporary(err) {
			return size, err
		}
	}
}

// linked returns the builds that the links name: the current one and the one before it.
func (d directory) linked() (builds []string) {
	for _, name := range []string{release.CurrentLink, release.PreviousLink} {
		target, err := os.Readlink(d.path(name))
		if build := filepath.Base(target); err == nil && release.IsBuild(build) && !slices.Contains(builds, build) {
			builds = append(builds, build)
		}
	}
	return builds
}
