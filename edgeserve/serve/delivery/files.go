// This file finds the file of a response in the coding that the client prefers. The cache remembers
// which files exist and, from the second request on, which do not.

package delivery

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// maxFile bounds the memory of one request. A page of address.MaxSize items is smaller. A larger file
// is a mistake.
const maxFile = 256 << 20

// leave calls Request.LeaveLoop unless it is nil.
func leave(loop func()) {
	if loop != nil {
		loop()
	}
}

// entryOf returns the cache entry of a file. seenBefore reports whether the cache had it before. The
// first request leaves its event loop and looks for the file on the disk. If links need the total of
// a list, it also reads the total.
func (v *Served) entryOf(c *answer.Content, leaveLoop func()) (entry *respcache.Entry, seenBefore bool, err error) {
	if v.Generation.Dir.SnapshotOnly {
		entry, seenBefore = v.Cache.GetOrAddComputed([]byte(c.Key), c.Class)
		return entry, seenBefore, nil
	}
	if entry = v.Cache.Get(c.Key); entry != nil {
		return entry, true, nil
	}
	leave(leaveLoop)
	total, err := v.listTotal(c.File, c.LinksNeedTotal())
	if errors.Is(err, fs.ErrNotExist) {
		entry, seenBefore = v.Cache.GetOrAddComputed([]byte(c.Key), c.Class)
		return entry, seenBefore, nil
	}
	if err != nil {
		return nil, false, err
	}
	entry = &respcache.Entry{Key: c.Key, Name: c.File, Class: c.Class, Link: c.Link(total)}
	v.Cache.Put(entry)
	return entry, false, nil
}

// listTotal opens a file to see that it exists and, for a list, to read its total.
func (v *Served) listTotal(name string, list bool) (total int, err error) {
	file, size, err := v.Generation.Dir.OpenFile(name, maxFile)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	if !list {
		return 0, nil
	}
	var tail [envelope.MaxListTail]byte
	from := max(size-int64(len(tail)), 0)
	n, err := file.ReadAt(tail[:], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	total, ok := envelope.ListTotal(tail[:n])
	if !ok {
		return 0, fmt.Errorf("%s does not end as a list does", name)
	}
	return total, nil
}

var errNotCached = errors.New("the response is in no file and not in the cache")

// FromEntry returns the response of an entry or, without memory, a problem. If it returns neither, the
// response must be computed. The caller releases a large response. A file for whose body there is no
// memory is sent from the disk. leaveLoop is Request.LeaveLoop, called before the disk is read.
func (v *Served) FromEntry(entry *respcache.Entry, accept *contentcoding.Accept, client netip.Addr, leaveLoop func()) (*respcache.Response, Source, *problem.Problem) {
	source := FromCache
	response, err := firstAccepted(accept, func(coding contentcoding.Coding) (*respcache.Response, error) {
		if source = FromCache; entry.Responses[coding].Load() == nil {
			source = FromFile
		}
		return v.inMemory(entry, coding, client, leaveLoop)
	})
	switch {
	case err != bodies.ErrNoMemory:
	case entry.IsComputed():
		return nil, FromNone, problem.Of(problem.Overloaded)
	default:
		source = FromFile
		leave(leaveLoop)
		response, err = firstAccepted(accept, func(coding contentcoding.Coding) (*respcache.Response, error) {
			return v.onDisk(entry, coding)
		})
	}
	if err != nil && err != errNotCached {
		v.reportUnreadable(err)
	}
	return response, source, nil
}

// firstAccepted tries the codings in the client's order of preference and returns the first
// response. It skips a coding without a file. It also skips a file that cannot be read, and returns
// the first such error beside the response. It stops at a coding that lacks memory or must be
// computed: no other coding replaces it.
func firstAccepted(accept *contentcoding.Accept, in func(contentcoding.Coding) (*respcache.Response, error)) (*respcache.Response, error) {
	var failed error
	for coding := range accept.Preferred(respcache.AllCodings) {
		response, err := in(coding)
		if err == bodies.ErrNoMemory || err == errNotCached {
			return nil, cmp.Or(failed, err)
		}
		failed = cmp.Or(failed, err)
		if response != nil {
			return response, failed
		}
	}
	return nil, failed
}

// inMemory returns the response of an entry in one coding. It returns nil if there is no such file,
// and errNotCached if the response must be computed. A large response is held for the client.
func (v *Served) inMemory(entry *respcache.Entry, coding contentcoding.Coding, client netip.Addr, leaveLoop func()) (*respcache.Response, error) {
	response := entry.Responses[coding].Load()
	switch {
	case response == nil && entry.IsComputed():
		return nil, errNotCached
	case response == nil:
		leave(leaveLoop)
		return v.readFile(entry, coding, client)
	case response == respcache.Absent:
		return nil, nil
	case response.IsLarge() && !response.Hold(v.resources.Memory, client):
		return nil, bodies.ErrNoMemory
	}
	return response, nil
}

// open opens the file of an entry in one coding. If there is none, it returns nil and marks the file as
// missing in the entry.
func (v *Served) open(entry *respcache.Entry, coding contentcoding.Coding) (file *os.File, size int64, err error) {
	file, size, err = v.Generation.Dir.OpenFile(entry.Name+coding.Suffix(), maxFile)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return file, size, err
	case coding == contentcoding.Identity:
		entry.MarkComputed()
		return nil, 0, errNotCached
	}
	entry.Responses[coding].CompareAndSwap(nil, respcache.Absent)
	return nil, 0, nil
}

// readFile is inMemory for an uncached response. It takes memory for a large body before reading.
func (v *Served) readFile(entry *respcache.Entry, coding contentcoding.Coding, client netip.Addr) (*respcache.Response, error) {
	file, size, err := v.open(entry, coding)
	if file == nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if size >= bodies.Large && !v.Cache.Fits(size) {
		return nil, bodies.ErrNoMemory // the cache would not hold it, so that each request would read it
	}
	body, err := v.resources.Memory.ReadFile(file, size, client)
	if err == bodies.ErrNoMemory {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", entry.Name, coding.Suffix(), err)
	}
	v.resources.Counters.Misses.Inc(missFile)
	return v.store(entry, v.fileResponse(entry, coding, body, []byte(release.ETag(body))), client)
}

// store caches a response and returns the response to send. Taken memory becomes the first hold.
func (v *Served) store(entry *respcache.Entry, response *respcache.Response, client netip.Addr) (*respcache.Response, error) {
	response.EncodeHead()
	if !response.IsLarge() {
		return v.Cache.Store(entry, response), nil
	}
	response.HoldTaken(client)
	stored := v.Cache.Store(entry, response)
	if stored == response {
		return response, nil
	}
	response.Release(v.resources.Memory, client) // another request has cached its response first
	if !stored.Hold(v.resources.Memory, client) {
		return nil, bodies.ErrNoMemory
	}
	return stored, nil
}

// onDisk returns a response that is sent from the disk. A slow client then holds a buffer and a descriptor.
func (v *Served) onDisk(entry *respcache.Entry, coding contentcoding.Coding) (*respcache.Response, error) {
	file, size, err := v.open(entry, coding)
	if file == nil {
		return nil, err
	}
	tag, err := tagOf(entry, coding, file)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", entry.Name, coding.Suffix(), errors.Join(err, file.Close()))
	}
	response := v.fileResponse(entry, coding, nil, tag)
	response.Disk = bodies.NewDisk(file, size)
	v.resources.Counters.Misses.Inc(missFile)
	return response, nil
}

func (v *Served) fileResponse(entry *respcache.Entry, coding contentcoding.Coding, body, tag []byte) *respcache.Response {
	return &respcache.Response{Body: body, Meta: respond.Metadata{Fields: v.fields.Of(entry.Class, false), Coding: coding, ETag: tag, Link: entry.Link}}
}

// tagOf returns the strong entity tag of an open file. The first time it reads the file for it.
func tagOf(entry *respcache.Entry, coding contentcoding.Coding, file *os.File) ([]byte, error) {
	if known := entry.Tags[coding].Load(); known != nil {
		return known.Value, nil
	}
	if response := entry.Responses[coding].Load(); response != nil && response != respcache.Absent {
		return response.Meta.ETag, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return nil, err
	}
	tag := &respcache.Tag{Value: []byte(release.ETagOf([sha256.Size]byte(hash.Sum(nil))))}
	entry.Tags[coding].Store(tag)
	return tag.Value, nil
}
