// This file finds the response of a file of the release in the coding that the client accepts
// best. The cache remembers what is on the disk, and from the second request on also what is
// not.

package edgeserve

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"

	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/generation"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
)

// maxFile bounds the memory of one request. It is more than a page of 10,000 items, and less
// than a file that is there by mistake.
const maxFile = 256 << 20

// entry returns what is known of a file, and whether it was known before. At the first request
// it looks at the disk. The links of a list need its total.
func (g *served) entry(key, name string, class release.Class, links func(total int) []byte) (f *respcache.Entry, again bool, err error) {
	if g.SnapshotOnly {
		f, again = g.cache.Computed([]byte(key), class)
		return f, again, nil
	}
	if f = g.cache.Get(key); f != nil {
		return f, true, nil
	}
	total, err := g.listTotal(name, links != nil)
	if errors.Is(err, fs.ErrNotExist) {
		f, again = g.cache.Computed([]byte(key), class)
		return f, again, nil
	}
	if err != nil {
		return nil, false, err
	}
	f = &respcache.Entry{Key: key, Name: name, Class: class}
	if links != nil {
		f.Link = links(total)
	}
	g.cache.Put(f)
	return f, false, nil
}

// listTotal opens a file to see that it exists and, for a list, to read its total.
func (g *served) listTotal(name string, list bool) (total int, err error) {
	f, size, err := g.OpenFile(name, maxFile)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	if !list {
		return 0, nil
	}
	var tail [envelope.MaxListTail]byte
	from := max(size-int64(len(tail)), 0)
	n, err := f.ReadAt(tail[:], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	total, ok := envelope.ListTotal(tail[:n])
	if !ok {
		return 0, fmt.Errorf("%s does not end as a list does", name)
	}
	return total, nil
}

// response returns the file's response in the coding that the client accepts best, or
// errNotCached if it must be computed. A large one is held for the caller.
func (g *served) response(f *respcache.Entry, accept *contentcoding.Accept, client netip.Addr) (*respcache.Response, error) {
	var failed error
	for available := respcache.AllCodings; ; {
		coding := accept.Choose(available)
		a, err := g.responseIn(f, coding, client)
		if err == errNoMemory || err == errNotCached {
			return nil, cmp.Or(failed, err)
		}
		if err != nil && failed == nil {
			failed = err
		}
		if a != nil || coding == contentcoding.Identity {
			return a, failed
		}
		available = available.Without(coding)
	}
}

var (
	// errNoMemory means that the response is too large for the memory that is left.
	errNoMemory = errors.New("no memory is left for answers")
	// errNotCached means that the response must be computed from the snapshot.
	errNotCached = errors.New("the answer is in no file and not in memory")
)

// responseIn returns the file's response in one coding: nil if there is no such file,
// errNotCached if it must be computed. A large one is held for the caller.
func (g *served) responseIn(f *respcache.Entry, coding contentcoding.Coding, client netip.Addr) (*respcache.Response, error) {
	a := f.Responses[coding].Load()
	switch {
	case a == nil && f.Computed.Load():
		return nil, errNotCached
	case a == nil:
		return g.read(f, coding, client)
	case a == respcache.Absent:
		return nil, nil
	case a.IsLarge() && !g.budget.Hold(a, client):
		return nil, errNoMemory
	}
	return a, nil
}

// read is responseIn for a response that is not cached. Memory for a large body is taken
// before it is read.
func (g *served) read(f *respcache.Entry, coding contentcoding.Coding, client netip.Addr) (*respcache.Response, error) {
	handle, size, err := g.OpenFile(f.Name+coding.Suffix(), maxFile)
	if errors.Is(err, fs.ErrNotExist) && coding == contentcoding.Identity {
		f.Computed.Store(true)
		return nil, errNotCached
	}
	if errors.Is(err, fs.ErrNotExist) {
		f.Responses[coding].CompareAndSwap(nil, respcache.Absent)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = handle.Close() }()
	large := size >= respcache.LargeBody
	if large && !g.cache.Fits(size) {
		return nil, errNoMemory // it would be read for each request
	}
	if large && !g.budget.ResizeFor(client, 0, size) {
		return nil, errNoMemory
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(handle, body); err != nil {
		if large {
			g.budget.ResizeFor(client, size, 0)
		}
		return nil, fmt.Errorf("%s%s: %w", f.Name, coding.Suffix(), err)
	}
	return g.store(f, respcache.NewResponse(g.fields[f.Class], f.Link, coding, body, []byte(release.ETag(body))), client)
}

// store caches a response and returns the one to send. For a large one the memory is already
// taken; it becomes the first hold.
func (g *served) store(f *respcache.Entry, a *respcache.Response, client netip.Addr) (*respcache.Response, error) {
	a.EncodeHead()
	if !a.IsLarge() {
		return g.cache.Store(f, a), nil
	}
	a.HoldFor(client)
	kept := g.cache.Store(f, a)
	if kept == a {
		return a, nil
	}
	g.budget.Release(a, client) // another request was faster
	if !g.budget.Hold(kept, client) {
		return nil, errNoMemory
	}
	return kept, nil
}

// reportMissing logs the first missing file of a release and counts all. A release that was
// fetched without files misses none.
func (s *Server) reportMissing(g *served, name string) {
	if g.SnapshotOnly {
		return
	}
	s.telemetry.missing.Inc()
	g.missing.Do(func() {
		if errors.Is(g.CheckCurrent(), generation.ErrRemoved) {
			s.log.Warn("the release was removed; its snapshot answers instead of its files", "file", name)
			return
		}
		s.log.Warn("a file of the release is missing; its snapshot answers instead", "file", name)
	})
}
