// This file names what brings a snapshot to nodes in fewer bytes than it has: the compressed snapshot, and patches from
// earlier ones. They do not belong to a release. A snapshot may lack them. A node believes only the digest of the
// resulting snapshot.

package release

import (
	"strings"

	"contentedge/edgeserve/wire/address"
)

// PatchesDir is the directory, in a store, of compressed snapshots and patches: PREFIX/patches/ENV/SUM.snap.zst and
// PREFIX/patches/ENV/SUM-FROM.patch. All kinds of stores have it.
const PatchesDir = "patches"

const (
	compressedSuffix = snapshotSuffix + ".zst"
	patchSuffix      = ".patch"
)

// MinPatched is the size from which a snapshot is compressed and patched, in bytes. A smaller one takes about as long
// as a request.
const MinPatched = 64 << 10

// MaxCompressed is how many bytes a compressed snapshot may have: it has to save at least a tenth.
func (s Snapshot) MaxCompressed() int64 { return s.Bytes - s.Bytes/10 }

// MaxPatch is how many bytes a patch to the snapshot may have. Its maker has a narrower bound.
func (s Snapshot) MaxPatch() int64 { return s.Bytes / 4 }

// sum is the digest in names.
func (s Snapshot) sum() string { return s.SHA256[:2*shortDigest] }

// CompressedKey is the key of the compressed snapshot of an environment.
func CompressedKey(env string, s Snapshot) string { return FormKey{Env: env, Sum: s.sum()}.String() }

// PatchKey is the key of the patch from one snapshot of an environment to another.
func PatchKey(env string, from, to Snapshot) string {
	return FormKey{env, to.sum(), from.sum()}.String()
}

// PatchesKey begins the keys of an environment.
func PatchesKey(env string) string { return PatchesDir + "/" + env + "/" }

// FormKey is the key of a patch or of a compressed snapshot, which has no From. Both digests are shortened, as
// in the names of snapshots.
type FormKey struct{ Env, Sum, From string }

// String returns the key.
func (k FormKey) String() string {
	if k.From == "" {
		return PatchesKey(k.Env) + k.Sum + compressedSuffix
	}
	return PatchesKey(k.Env) + k.Sum + "-" + k.From + patchSuffix
}

// ParseFormKey reads such a key.
func ParseFormKey(key string) (k FormKey, ok bool) {
	rest, ok := strings.CutPrefix(key, PatchesDir+"/")
	env, name, found := strings.Cut(rest, "/")
	if !ok || !found || !address.ValidEnv(env) {
		return FormKey{}, false
	}
	if sum, compressed := strings.CutSuffix(name, compressedSuffix); compressed {
		return FormKey{env, sum, ""}, isHex(sum, shortDigest)
	}
	name, ok = strings.CutSuffix(name, patchSuffix)
	sum, from, found := strings.Cut(name, "-")
	return FormKey{env, sum, from}, ok && found && isHex(sum, shortDigest) && isHex(from, shortDigest)
}

// SnapshotName is the name of the snapshot that the form leads to, below a release's root.
func (k FormKey) SnapshotName() string {
	return SnapshotDir + "/" + k.Env + "-" + k.Sum + snapshotSuffix
}

// FormOf is the key of the compressed snapshot of that name.
func FormOf(snapshotName string) (k FormKey, ok bool) {
	env := EnvironmentOf(snapshotName)
	rest, ok := strings.CutPrefix(snapshotName, SnapshotDir+"/"+env+"-")
	sum, found := strings.CutSuffix(rest, snapshotSuffix)
	return FormKey{Env: env, Sum: sum}, ok && found && address.ValidEnv(env) && isHex(sum, shortDigest)
}
