// This file answers the first request for content that the release has in a file. It may be the only one, so it
// leaves nothing in the cache but a hash of the key.

package delivery

import (
	"errors"
	"io/fs"
	"slices"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// fromNewFile answers a request for a file of which the cache has no entry. It returns an entry, which it adds to the
// cache, if the file is to be cached or needs care. Both are nil if the response is to be computed.
func (r *Request) fromNewFile(c *answer.Content, seenBefore bool) (response *respcache.Response, entry *respcache.Entry) {
	if !seenBefore {
		response, needsEntry := r.readOnce(c)
		if !needsEntry {
			return response, nil
		}
	}
	return nil, r.served.addFile(c)
}

// addFile adds an entry to the cache for content that the release has in a file. It returns nil for other content. The
// release knows which files it has, so the disk is not asked.
func (v *Served) addFile(c *answer.Content) *respcache.Entry {
	link, ok := c.InFile()
	if !ok {
		return nil
	}
	entry := &respcache.Entry{Key: c.Key, Group: v.group(c), Name: c.File, Class: c.Class, Link: link, IsList: c.IsList()}
	for coding, absent := range v.absent {
		if absent {
			entry.Responses[coding].Store(respcache.Absent)
		}
	}
	v.Cache.Put(entry)
	return entry
}

// readOnce returns the response of a short file, with its body in the request's buffer. It returns nothing if the
// response is to be computed: an uncompressed item costs less from the snapshot. needsEntry is set if the file is
// large, or if anything is wrong with it.
func (r *Request) readOnce(c *answer.Content) (response *respcache.Response, needsEntry bool) {
	var link []byte
	if !c.IsWholeItem() {
		var ok bool
		if link, ok = c.InFile(); !ok {
			return nil, false
		}
	}
	for coding := range r.Accept.Preferred(respcache.AllCodings) {
		if r.served.absent[coding] {
			continue
		}
		if coding == contentcoding.Identity && c.IsCheap() {
			r.asFile = true
			return nil, false
		}
		file, err := r.openOnce(c, c.File+coding.Suffix())
		switch {
		case err == errNoItem:
			return nil, false
		case errors.Is(err, fs.ErrNotExist) && coding != contentcoding.Identity:
			continue
		case err != nil:
			return nil, true
		}
		response = r.readShort(c, &file, coding, link)
		_ = file.Close()
		return response, response == nil
	}
	return nil, true
}

var errNoItem = errors.New("the release has no such item")

// openOnce opens a file. Within an event loop it leaves the loop before it waits for the disk, unless the release has
// no such item: requests for items that do not exist cost no look at the disk.
func (r *Request) openOnce(c *answer.Content, name string) (releasedir.File, error) {
	dir := &r.served.Generation.Dir
	if r.LeaveLoop != nil {
		if file, err := dir.OpenCached(name, maxFile); err != releasedir.ErrWouldWait {
			return file, err
		}
	}
	if _, ok := c.InFile(); !ok {
		return releasedir.File{}, errNoItem
	}
	leave(r.LeaveLoop)
	return dir.OpenFile(name, maxFile)
}

// readShort returns the response of an open file, or nil if the file is large, empty or unreadable.
func (r *Request) readShort(c *answer.Content, file *releasedir.File, coding contentcoding.Coding, link []byte) *respcache.Response {
	if file.Size == 0 || file.Size >= bodies.Large {
		return nil
	}
	body := slices.Grow((*r.Buffer)[:0], int(file.Size))[:file.Size]
	*r.Buffer = body
	if readBody(file, body, c.IsList() && coding == contentcoding.Identity, r.LeaveLoop) != nil {
		return nil
	}
	r.Source = FromFile
	r.served.resources.Counters.Misses.Inc(missFile)
	return r.served.fileResponse(c.Class, coding, body, []byte(release.ETag(body)), link)
}
