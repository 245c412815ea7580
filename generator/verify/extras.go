// This file looks for what a release should not hold: a file that nothing accounts for
// may be an item that was taken off, still served.

package verify

import (
	"io/fs"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
)

// extras walks the whole release.
func (v *verifier) extras() {
	own := map[string]bool{}
	for _, e := range v.m.Environments {
		own[e.Snapshot.File] = true
	}
	err := fs.WalkDir(v.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
		case !d.Type().IsRegular():
			v.problem(name, "it is no regular file")
		case name == release.ManifestName || name == release.SumsName:
		case !own[name] && !v.known(name):
			v.problem(name, "nothing in the manifest or the snapshots accounts for this file")
		case !v.listed[v.hash(name)]:
			v.problem(name, "%s does not list it", release.SumsName)
		}
		return v.ctx.Err()
	})
	if err != nil {
		v.problem(".", "%v", err)
	}
}

// known tells whether a file is an item's or a page of a list that the manifest promises,
// or one of these coded.
func (v *verifier) known(name string) bool {
	name, c := encoding.OfFile(name)
	if !v.promised(c) {
		return false
	}
	route, ok := address.ParsePath("/" + name)
	e := v.envs[route.Env]
	if !ok || e == nil {
		return false
	}
	switch route.Kind {
	case address.Item:
		_, found := e.reader.Lookup(route.ID)
		return found && name == address.ItemFile(route.Env, route.ID)
	case address.ListFile:
		page := route.List.Page
		route.List.Page = 0
		return page <= e.pages[route.List]
	}
	return false
}
