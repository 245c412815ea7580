// This file finds the file of a response in the coding that the client prefers. The release knows which files it has,
// and the cache remembers which files exist in a coding.

package delivery

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
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

var errNotCached = errors.New("the response is in no file and not in the cache")

// FromEntry returns the response of an entry or, without memory, a problem. If it returns neither, the response must be
// computed. The caller releases a large response. If memory for the body of a file is short, the file is sent from the
// disk. leaveLoop is Request.LeaveLoop, called before the disk is read.
func (v *Served) FromEntry(entry *respcache.Entry, accept *contentcoding.Accept, client clientnet.Client, leaveLoop func()) (*respcache.Response, Source, *problem.Problem) {
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

// firstAccepted tries the codings in the client's order of preference and returns the first response. It skips a coding
// without a file. It also skips a file that cannot be read, and returns the first such error with the response. It
// stops at a coding that lacks memory or must be computed: no other coding replaces it.
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

// inMemory returns the response of an entry in one coding. It returns nil without such a file, and errNotCached if the
// response must be computed. A large response is held for the client.
func (v *Served) inMemory(entry *respcache.Entry, coding contentcoding.Coding, client clientnet.Client, leaveLoop func()) (*respcache.Response, error) {
	response := entry.Responses[coding].Load()
	switch {
	case response == nil && entry.IsComputed():
		return nil, errNotCached
	case response == nil:
		return v.readFile(entry, coding, client, leaveLoop)
	case response == respcache.Absent:
		return nil, nil
	case response.IsLarge() && !response.Hold(v.resources.Memory, client):
		return nil, bodies.ErrNoMemory
	}
	return response, nil
}

// openFile opens a file of the release. Within an event loop it leaves the loop before it waits for the disk.
func (v *Served) openFile(name string, leaveLoop func()) (file releasedir.File, ok bool, err error) {
	dir := &v.Generation.Dir
	err = releasedir.ErrWouldWait
	if leaveLoop != nil {
		file, err = dir.OpenCached(name, maxFile)
	}
	if err == releasedir.ErrWouldWait {
		leave(leaveLoop)
		file, err = dir.OpenFile(name, maxFile)
	}
	if err == nil && file.Size == 0 {
		err = errors.Join(fmt.Errorf("%s is empty", name), file.Close()) // a disk has lost its bytes
	}
	return file, err == nil, err
}

// open opens the file of an entry in one coding. Without a file, ok is false and the entry remembers it.
func (v *Served) open(entry *respcache.Entry, coding contentcoding.Coding, leaveLoop func()) (file releasedir.File, ok bool, err error) {
	file, ok, err = v.openFile(entry.Name+coding.Suffix(), leaveLoop)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return file, ok, err
	case coding == contentcoding.Identity:
		if entry.MarkComputed() {
			v.reportMissing(entry.Name)
		}
		return file, false, errNotCached
	}
	entry.Responses[coding].CompareAndSwap(nil, respcache.Absent)
	return file, false, nil
}

// readFile is inMemory for an uncached response. It takes memory for a large body before reading.
func (v *Served) readFile(entry *respcache.Entry, coding contentcoding.Coding, client clientnet.Client, leaveLoop func()) (*respcache.Response, error) {
	file, ok, err := v.open(entry, coding, leaveLoop)
	if !ok {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if file.Size >= bodies.Large {
		if !v.Cache.Fits(file.Size) {
			return nil, bodies.ErrNoMemory // the cache would not hold it, so that each request would read it
		}
		leave(leaveLoop)
	}
	body, err := v.resources.Memory.ReadFile(file.Size, client, func(body []byte) error {
		return readBody(&file, body, entry.IsList && coding == contentcoding.Identity, leaveLoop)
	})
	if err == bodies.ErrNoMemory {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", entry.Name, coding.Suffix(), err)
	}
	v.resources.Counters.Misses.Inc(missFile)
	return v.store(entry, v.fileResponse(entry.Class, coding, body, []byte(release.ETag(body)), entry.Link), client)
}

// readBody reads a file, and looks at the end of a list. Within an event loop it leaves the loop before it waits for
// the disk.
func readBody(file *releasedir.File, body []byte, isList bool, leaveLoop func()) error {
	err := releasedir.ErrWouldWait
	if leaveLoop != nil {
		err = file.ReadCached(body)
	}
	if err == releasedir.ErrWouldWait {
		leave(leaveLoop)
		err = file.ReadFull(body)
	}
	if err != nil || !isList {
		return err
	}
	if _, ok := envelope.ListTotal(body[max(0, len(body)-envelope.MaxListTail):]); !ok {
		return errors.New("it does not end as a list does")
	}
	return nil
}

// store caches a response and returns the response to send. Taken memory becomes the first hold.
func (v *Served) store(entry *respcache.Entry, response *respcache.Response, client clientnet.Client) (*respcache.Response, error) {
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
	file, ok, err := v.open(entry, coding, nil)
	if !ok {
		return nil, err
	}
	tag, err := tagOf(entry, coding, &file)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", entry.Name, coding.Suffix(), errors.Join(err, file.Close()))
	}
	response := v.fileResponse(entry.Class, coding, nil, tag, entry.Link)
	response.Disk = bodies.NewDisk(&file, file.Size)
	v.resources.Counters.Misses.Inc(missFile)
	return response, nil
}

func (v *Served) fileResponse(class release.Class, coding contentcoding.Coding, body, tag, link []byte) *respcache.Response {
	return &respcache.Response{Body: body, Meta: respond.Metadata{Fields: v.fields.Of(class, false), Coding: coding, ETag: tag, Link: link}}
}

// tagOf returns the strong entity tag of an open file. The first time it reads the file for it.
func tagOf(entry *respcache.Entry, coding contentcoding.Coding, file *releasedir.File) ([]byte, error) {
	if known := entry.Tags[coding].Load(); known != nil {
		return known.Value, nil
	}
	if response := entry.Responses[coding].Load(); response != nil && response != respcache.Absent {
		return response.Meta.ETag, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(file, 0, file.Size)); err != nil {
		return nil, err
	}
	tag := &respcache.Tag{Value: []byte(release.ETagOf([sha256.Size]byte(hash.Sum(nil))))}
	entry.Tags[coding].Store(tag)
	return tag.Value, nil
}
