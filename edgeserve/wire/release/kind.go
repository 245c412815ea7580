// This file has the kinds of stores: what a store holds of its releases, and under which keys.

package release

import "slices"

// StoreKind is what a store holds of the release that its pointer names.
//
//	KindComplete  every file of the release, in a directory of its own: PREFIX/releases/BUILD/…
//	KindNodes     what nodes read: the manifest in the release's directory; snapshots, parts of the manifest
//	              and media in directories that all releases share, as their names depend on their content:
//	              PREFIX/snapshots/…, PREFIX/manifests/…, PREFIX/cda/media/…
//	KindInPlace   only the files of the current release, below PREFIX/live/, which a CDN has as its origin
//	              path: PREFIX/live/cda/…, PREFIX/live/snapshots/…. What belongs to one build is in the
//	              release's directory too, so that the pointer and its manifest change at once for nodes
type StoreKind string

const (
	KindComplete StoreKind = ""
	KindNodes    StoreKind = "nodes"
	KindInPlace  StoreKind = "in-place"
)

// LiveDir is the directory, in a store of KindInPlace, of the files of the current release. Nothing else is below it.
const LiveDir = "live"

// LiveKey is the key of a file of the current release in a store of KindInPlace.
func LiveKey(name string) string { return LiveDir + "/" + name }

// StoreKinds are all kinds.
var StoreKinds = []StoreKind{KindComplete, KindNodes, KindInPlace}

// Known reports whether this version knows the kind.
func (k StoreKind) Known() bool { return slices.Contains(StoreKinds, k) }

// String is the kind's name for people.
func (k StoreKind) String() string {
	if k == KindComplete {
		return "complete"
	}
	return string(k)
}

// Loses reports whether some readers of a store of kind k lose what they read, once it becomes one of kind next. Nodes
// read every kind. Others read files, which have other keys in another kind, or do not exist.
func (k StoreKind) Loses(next StoreKind) bool { return k != next && k != KindNodes }

// ReleaseKey is the key, below the prefix of a store, of what belongs to only one build: its manifest, pointer and
// attestation, and in a complete release every file.
func ReleaseKey(build, name string) string { return ReleasesDir + "/" + build + "/" + name }

// ObjectKey is the key, below the prefix of a store of kind k, of a file of a release. Keys outside of the
// release's directory are shared: other releases may have the object too.
func (k StoreKind) ObjectKey(build, name string) string {
	if k == KindComplete || name == ManifestName || IsLeft(name) {
		return ReleaseKey(build, name)
	}
	if k == KindInPlace {
		return LiveKey(name)
	}
	return name
}
