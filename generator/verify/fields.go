// This file verifies what the manifest says of the fields of an environment.

package verify

import (
	"slices"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// fields compares the paths of the manifest, with their types, and the paths left out with the snapshot.
func (e *environment) fields() {
	if have := e.reader.LeftOut(); !have.Equal(e.m.LeftOut) {
		e.v.problem(e.m.Snapshot.File, "it leaves out %q, the manifest says %q", have, e.m.LeftOut)
	}
	same := func(f *snapshot.Field, m release.Field) bool { return f.Path == m.Path && f.Type.String() == m.Type }
	if !slices.EqualFunc(e.reader.Fields(), e.m.Fields, same) {
		e.v.problem(e.m.Snapshot.File, "its fields have other paths or types than the manifest says")
	}
}
