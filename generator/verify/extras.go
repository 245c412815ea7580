// This file looks for what a release should not hold: a file that nothing accounts for
// may be an item that was taken off, still served.

package verify

import (
	"io/fs"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
)

// extras walks the whole release.
func (v *verifier) extras() {
	own := map[string]bool{release.ManifestName: true}
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
		case !own[name] && !v.known(name):
			v.problem(name, "nothing in the manifest or the snapshots accounts for this file")
		}
		return v.ctx.Err()
	})
	if err != nil {
		v.problem(".", "%v", err)
	}
}

// known tells whether a file is an item's or a page of a list that the manifest promises.
func (v *verifier) known(name string) bool {
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
