// This file sends media from the disk. No response is cached or held in memory: the system has the pages of
// files that are asked for often.

package delivery

import (
	"errors"
	"io/fs"
	"os"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// media returns the response of a media file: of this release, or of the one before it, to which pages
// that clients still show may lead.
func (v *Served) media(r *Request, route address.Route) (*respcache.Response, *problem.Problem) {
	leave(r.LeaveLoop)
	name := address.MediaPath(route)
	file, size, err := v.openMedia(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.Of(problem.UnknownMedia)
	}
	if err != nil {
		return nil, problem.Of(problem.MediaUnreachable)
	}
	r.Source = FromFile
	response := &respcache.Response{Disk: bodies.NewDisk(file, size)}
	response.Meta = respond.Metadata{ETag: []byte(address.MediaTag(route))}
	response.Meta.Fields, response.Meta.ContentType = v.fields.OfMedia(name)
	return response, nil
}

// openMedia opens a media file of the release's directory, or of the store that the node follows.
func (v *Served) openMedia(name string) (*os.File, int64, error) {
	file, size, err := v.Generation.Dir.OpenMedia(name)
	switch fetch := v.resources.FetchMedia; {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		v.reportUnreadable(err)
	case fetch != nil:
		return fetch(name)
	}
	return file, size, err
}
