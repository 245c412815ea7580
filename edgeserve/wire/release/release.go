// Package release defines the directory that the generator writes and the edge serves: file names,
// the manifest, and the header fields of responses. It does no I/O.
//
//	PUBLIC/manifest.json  -> current/manifest.json
//	PUBLIC/cda            -> current/cda
//	PUBLIC/files.sha256   -> current/files.sha256
//	PUBLIC/current        -> releases/BUILD
//	PUBLIC/releases/BUILD/manifest.json
//	PUBLIC/releases/BUILD/files.sha256
//	PUBLIC/releases/BUILD/cda/rest/v1/…
//	PUBLIC/releases/BUILD/snapshots/ENV-SUM.snap
//	PUBLIC/releases/BUILD/manifests/ENV-SUM.json  where there are many environments
//
// The release's root is the directory that contains the manifest; a copy of it is a release too. A
// release is complete once its manifest exists. Its files never change afterwards.
package release

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
)

// Fixed names of a release and of the public directory.
const (
	ManifestName  = "manifest.json"
	ChecksumsName = "files.sha256" // SHA-256 of every file except the manifest, in sha256sum's format
	SnapshotDir   = "snapshots"    // in the release's root
	ReleasesDir   = "releases"     // in the public directory, like all below
	CurrentLink   = "current"      // link to the current release
	PreviousLink  = "previous"     // link to the previous release, whose media stay served
	FilesLink     = "cda"          // link to the current release's files
	MediaDir      = "cda/media"    // in the release's root
	BodiesDir     = "cda/rest"     // in the release's root; a release without it has no files of items and lists
	TempPrefix    = ".tmp-"        // in ReleasesDir: an unfinished release
	LockName      = ".lock"        // locked by the build that writes
)

const snapshotSuffix = ".snap"

// shortDigest is the number of bytes of a digest in a name. So many do not collide by accident, and
// people can still read them aloud.
const shortDigest = 8

// SnapshotName is the path of a snapshot below the release's root. The name depends on
// the content, so it is cacheable forever and never overwritten while mapped.
func SnapshotName(env string, sum [32]byte) string {
	return SnapshotDir + "/" + env + "-" + hex.EncodeToString(sum[:shortDigest]) + snapshotSuffix
}

// EnvironmentOf returns the environment that a snapshot, a part of the manifest or a list of media describes, by its name
// below the release's root or the prefix of a store; "" for other files. Their names depend on their content.
func EnvironmentOf(name string) string {
	for dir, suffix := range map[string]string{SnapshotDir: snapshotSuffix, PartsDir: partSuffix, MediaListDir: mediaListSuffix} {
		rest, inside := strings.CutPrefix(name, dir+"/")
		rest, ok := strings.CutSuffix(rest, suffix)
		at := len(rest) - len("-") - 2*shortDigest
		if inside && ok && at > 0 && rest[at] == '-' && isHex(rest[at+1:], shortDigest) && address.ValidEnv(rest[:at]) {
			return rest[:at]
		}
	}
	return ""
}

// ChangesDir is the directory, in a store, of the files that say which items differ between two releases.
const ChangesDir = "changes"

// ChangesName is the name of the file, below ChangesDir, with the changes from one build to another.
func ChangesName(from, to string) string { return from + "-" + to + ".json" }

// ParseChangesName returns the builds of a ChangesName.
func ParseChangesName(name string) (from, to string, ok bool) {
	name, ok = strings.CutSuffix(name, ".json")
	from, to, found := strings.Cut(name, "-")
	return from, to, ok && found && IsBuild(from) && IsBuild(to)
}

// HexSHA256 is the SHA-256 of b in hexadecimal digits.
func HexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// ETag is the strong entity tag of a body. It depends only on the bytes: equal on all nodes.
func ETag(body []byte) string { return ETagOf(sha256.Sum256(body)) }

// ETagOf is ETag for a known SHA-256.
func ETagOf(sum [sha256.Size]byte) string {
	const length = 22 // 132 bits
	var b [2 + 44]byte
	b[0] = '"'
	base64.URLEncoding.Encode(b[1:45], sum[:])
	b[1+length] = '"'
	return string(b[:length+2])
}

// FileTime is the modification time of a file and of its precompressed files, derived from its
// SHA-256. Web servers derive entity tags from time and size; this makes them equal on all nodes
// and different after an edit of equal size.
func FileTime(sum [sha256.Size]byte) time.Time {
	const first, bits = 1e9, 29 // from 2001 to 2018: never in the future
	return time.Unix(first+int64(binary.BigEndian.Uint32(sum[:])>>(32-bits)), 0)
}
