// This file answers saved searches: files of the release, else computed from the snapshot by the
// bodies that the manifest has.

package delivery

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

func (r *Request) saved(name string, page int) (*respcache.Response, *problem.Problem) {
	saved := r.served.Generation.Manifest.Search(r.env, name)
	if saved == nil || page > saved.Files {
		return nil, problem.Of(problem.UnknownSearch)
	}
	file := address.SavedFile(r.env, name, page)
	links := linksOf{of: func(int) []byte { return address.SavedLinks(name, page, saved.Files) }, total: saved.TotalItems}
	spec := computedSpec{class: release.ClassList, mayBeFile: true}
	var entry *respcache.Entry
	var seenBefore bool
	if r.served.Generation.SnapshotOnly {
		entry = r.served.Cache.Get(file)
	} else {
		entry, seenBefore = r.fileEntry(file, file, release.ClassList, links)
		if !seenBefore && entry.IsComputed() {
			r.served.reportMissing(file)
		}
	}
	if response, p := r.fromEntry(entry); response != nil || p != nil {
		return response, p
	}
	if p := r.admit(); p != nil {
		return nil, p
	}
	defer r.permit.Release()
	if r.served.Generation.SnapshotOnly {
		entry, seenBefore = r.served.Cache.GetOrAddComputed([]byte(file), release.ClassList)
	}
	spec.cacheIn(entry, seenBefore)
	body, err := r.savedBody(saved, page)
	if err != nil {
		return nil, r.reject(r.searchProblem(err))
	}
	return r.evaluate(spec, kindOf(body.Query), body, links.of)
}

// savedBody is the body of a page: that of the first page, from a later place on.
func (r *Request) savedBody(saved *release.Search, page int) (*query.Body, error) {
	if err := r.work.Charge(byteSteps*len(saved.Body) + valueSteps); err != nil {
		return nil, err
	}
	body, err := body.Parse(saved.Body)
	if err != nil {
		return nil, err
	}
	body.Window.From, body.Window.HasFrom = body.Window.From+(page-1)*body.Window.Size, true
	return body, body.Window.Check()
}
