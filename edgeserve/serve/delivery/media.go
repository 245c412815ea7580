// This file sends media from the disk. No response is cached or held in memory: the system has the pages of files that
// are requested often.

package delivery

import (
	"errors"
	"io/fs"
	"slices"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// media returns the response of a media file: of this release, or of the previous one, which pages that clients still
// show may use.
func (v *Served) media(r *Request, route address.Route) (*respcache.Response, *problem.Problem) {
	name := address.MediaPath(route)
	response, err := v.openMedia(r, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.Of(problem.UnknownMedia)
	}
	if err != nil {
		return nil, problem.Of(problem.MediaUnreachable)
	}
	r.Source = FromFile
	response.Meta = respond.Metadata{ETag: []byte(address.MediaTag(route))}
	response.Meta.Fields, response.Meta.ContentType = v.fields.OfMedia(name)
	return response, nil
}

// openMedia opens a media file of the release's directory, or of the store that the node follows. A short file that the
// system has in memory is read within the event loop.
func (v *Served) openMedia(r *Request, name string) (*respcache.Response, error) {
	if r.LeaveLoop != nil {
		if response := v.shortMedia(r, name); response != nil {
			return response, nil
		}
		r.LeaveLoop()
	}
	file, err := v.Generation.Dir.OpenMedia(name)
	switch fetch := v.resources.FetchMedia; {
	case err == nil:
		return &respcache.Response{Disk: bodies.NewDisk(&file, file.Size)}, nil
	case !errors.Is(err, fs.ErrNotExist):
		v.reportUnreadable(err)
	case fetch != nil:
		fetched, size, err := fetch(name)
		if err != nil {
			return nil, err
		}
		return &respcache.Response{Disk: bodies.NewDisk(fetched, size)}, nil
	}
	return nil, err
}

// shortMedia returns the response of a media file that is short and in memory, otherwise nil.
func (v *Served) shortMedia(r *Request, name string) *respcache.Response {
	file, err := v.Generation.Dir.OpenCachedMedia(name)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	if file.Size >= bodies.Large {
		return nil
	}
	*r.Buffer = slices.Grow((*r.Buffer)[:0], int(file.Size))[:file.Size]
	if file.ReadCached(*r.Buffer) != nil {
		return nil
	}
	return &respcache.Response{Body: *r.Buffer}
}
