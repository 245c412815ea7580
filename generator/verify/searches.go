// This file verifies the saved searches of an environment against its snapshot.

package verify

import (
	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// searches compares each page of each saved search with the response to its body.
func (e *environment) searches() {
	content := answer.FromSnapshots(e.v.m, map[string]*snapshot.Reader{e.m.ID: e.reader})
	e.v.parallel(len(e.m.Searches), func(_ *buffers, i int) { e.search(content, &e.m.Searches[i]) })
	e.v.r.Searches += len(e.m.Searches)
}

func (e *environment) search(content *answer.Release, s *release.Search) {
	bytes := int64(0)
	for page := 1; page <= s.Files; page++ {
		name := address.SavedFile(e.m.ID, s.Name, page)
		response, p, err := content.Respond("/"+name, nil)
		switch {
		case err != nil:
			e.v.problem(name, "the snapshot cannot answer it: %v", err)
			return
		case p != nil:
			e.v.problem(name, "the snapshot cannot answer it: %s", p.Message)
			return
		}
		e.expect(name, response.Body, "what the snapshot answers")
		bytes += int64(len(response.Body))
		if page == 1 && !e.fits(s, name, response.Total) {
			return
		}
	}
	if bytes != s.Bytes {
		e.v.problem(release.ManifestName, "environment %s: the search %s has %d bytes, there should be %d", e.m.ID, s.Name, s.Bytes, bytes)
	}
}

// fits compares the manifest's figures of a search with its total.
func (e *environment) fits(s *release.Search, name string, total int) bool {
	saved, err := body.ParseSaved(s.Body)
	if err != nil {
		e.v.problem(name, "%v", err)
		return false
	}
	if saved.Pages = s.Files; total != s.TotalItems || saved.Files(total) != s.Files {
		e.v.problem(name, "the manifest says %d items in %d files, the snapshot has %d", s.TotalItems, s.Files, total)
	}
	return true
}
