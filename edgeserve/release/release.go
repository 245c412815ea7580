// Package release says what a release is: the directory that the generator writes and
// the edge serves. It holds the names of its parts, its manifest and the headers that
// its answers carry. It neither reads nor writes files.
//
//	PUBLIC/manifest.json  -> current/manifest.json
//	PUBLIC/cda            -> current/cda
//	PUBLIC/files.sha256   -> current/files.sha256
//	PUBLIC/current        -> releases/BUILD
//	PUBLIC/releases/BUILD/manifest.json
//	PUBLIC/releases/BUILD/files.sha256
//	PUBLIC/releases/BUILD/cda/rest/v1/…
//	PUBLIC/releases/BUILD/snapshots/ENV-SUM.snap
//
// The directory in which the manifest really lies is the release's root; a copy of one
// is a release too. A release is complete once its manifest is there, and its files
// never change afterwards.
package release

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// The fixed names of a release and of the directory that holds releases.
const (
	ManifestName = "manifest.json"
	SumsName     = "files.sha256" // the SHA-256 of every other file but the manifest, as sha256sum writes it
	SnapshotDir  = "snapshots"    // in the release's root
	ReleasesDir  = "releases"     // in the public directory, as all below
	CurrentLink  = "current"      // the one pointer to the release that is served
	FilesLink    = "cda"          // to the current release's files
	TempPrefix   = ".tmp-"        // in ReleasesDir: a release that is being written
	LockName     = ".lock"        // held by the build that writes
)

const snapshotSuffix = ".snap"

// shortSum is how many bytes of a checksum names carry: enough that two builds of a
// site never share a name by accident, short enough to read aloud.
const shortSum = 8

// SnapshotName is the file of an environment's snapshot, below the release's root. Its
// name changes with its content, so that it can be cached for good and is never
// overwritten while an edge has it mapped.
func SnapshotName(env string, sum [32]byte) string {
	return SnapshotDir + "/" + env + "-" + hex.EncodeToString(sum[:shortSum]) + snapshotSuffix
}

// ETag is the strong entity tag of a body. It depends on the bytes alone: every node
// that serves them gives the same one, whenever and from wherever it got them.
func ETag(body []byte) string {
	const length = 22 // 132 bits
	sum := sha256.Sum256(body)
	var b [2 + 44]byte
	b[0] = '"'
	base64.URLEncoding.Encode(b[1:45], sum[:])
	b[1+length] = '"'
	return string(b[:length+2])
}

// FileTime is the modification time of a file, and of those that hold it coded, by the
// SHA-256 of its bytes. Web servers make entity tags of a file's time and size: like
// this, they are the same on all nodes for the same bytes, and others after an edit that
// keeps the size. It says nothing of when anything happened.
func FileTime(sum [sha256.Size]byte) time.Time {
	const first, bits = 1e9, 29 // from 2001 to 2018: no server takes it for the future
	return time.Unix(first+int64(binary.BigEndian.Uint32(sum[:])>>(32-bits)), 0)
}
