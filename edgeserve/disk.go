// This file sends large files from the disk when no memory is left for their bodies. A slow
// client then holds a buffer and a descriptor.

package edgeserve

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
)

// sendDisk sends a body from the disk, or only its fields, and closes it.
func sendDisk(ctx *fasthttp.RequestCtx, d *respcache.DiskBody, some bool) {
	if some && !ctx.IsHead() {
		ctx.Response.SetBodyStream(d, int(d.Size()))
		return
	}
	if some {
		ctx.Response.SkipBody = true
		ctx.Response.Header.SetContentLength(int(d.Size()))
	}
	_ = d.Close()
}

// fromDisk is response for a file that is not read into memory.
func (g *served) fromDisk(f *respcache.Entry, accept *contentcoding.Accept) (*respcache.Response, error) {
	for available := respcache.AllCodings; ; {
		coding := accept.Choose(available)
		a, err := g.openBody(f, coding)
		if err == nil {
			return a, nil
		}
		if coding == contentcoding.Identity && errors.Is(err, fs.ErrNotExist) {
			f.Computed.Store(true)
			return nil, errNotCached
		}
		if coding == contentcoding.Identity {
			return nil, err
		}
		available = available.Without(coding)
	}
}

// openBody opens a file in a coding, to be sent once.
func (g *served) openBody(f *respcache.Entry, coding contentcoding.Coding) (*respcache.Response, error) {
	name := f.Name + coding.Suffix()
	handle, size, err := g.OpenFile(name, maxFile)
	if err != nil {
		return nil, err
	}
	tag, err := tagOf(f, coding, handle)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, errors.Join(err, handle.Close()))
	}
	a := respcache.NewResponse(g.fields[f.Class], f.Link, coding, nil, tag)
	a.Disk = respcache.NewDiskBody(handle, size)
	return a, nil
}

// tagOf is the strong entity tag of an open file. The file is read the first time.
func tagOf(f *respcache.Entry, coding contentcoding.Coding, handle *os.File) ([]byte, error) {
	if known := f.Tags[coding].Load(); known != nil {
		return known.Value, nil
	}
	if a := f.Responses[coding].Load(); a != nil && a != respcache.Absent {
		return a.ETag, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, handle); err != nil {
		return nil, err
	}
	tag := &respcache.Tag{Value: []byte(release.ETagOf([sha256.Size]byte(hash.Sum(nil))))}
	f.Tags[coding].Store(tag)
	return tag.Value, nil
}
