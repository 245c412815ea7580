// This file has the pointer, a store's only mutable object, which names the current release.
// Parsing is strict: it arrives over a network and decides what is downloaded.

package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Fixed names of a store and of a directory that follows it. FollowName is the follower's state.
const (
	PointerName = "current.json"
	FollowName  = ".follow.json"
)

// PointerFormat is the version of the pointer's format:
//
//	1  the first
const PointerFormat = 1

// MaxPointer limits a pointer's size, in bytes.
const MaxPointer = 4096

// MaxSequence is the largest integer that all JSON parsers represent exactly.
const MaxSequence = 1<<53 - 1

// Pointer names the current release of a store. Sequence rises with every change, also
// with a rollback, so that readers can detect a replayed pointer.
type Pointer struct {
	Format         int    `json:"format"`
	Sequence       int64  `json:"sequence"` // from 1
	Build          string `json:"build"`
	ManifestBytes  int64  `json:"manifest_bytes"`
	ManifestSHA256 string `json:"manifest_sha256"`    // in hexadecimal digits
	Previous       string `json:"previous,omitempty"` // the build that was current before
	Published      string `json:"published"`          // when the pointer was written: RFC 3339, UTC
}

// ErrPointer: the pointer is damaged or was not written by a generator.
var ErrPointer = errors.New("bad pointer")

// Encode returns the pointer's canonical bytes.
func (p *Pointer) Encode() []byte {
	b, err := json.Marshal(p)
	if err != nil {
		panic("release: cannot encode a pointer: " + err.Error())
	}
	return append(b, '\n')
}

// ParsePointer reads and validates a pointer. Encode returns the same bytes for an
// accepted one. The error wraps ErrFormat or ErrPointer.
func ParsePointer(b []byte) (*Pointer, error) {
	if len(b) > MaxPointer {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrPointer, MaxPointer)
	}
	p := new(Pointer)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPointer, err)
	}
	if p.Format > PointerFormat {
		return nil, fmt.Errorf("%w: the pointer has format %d instead of %d", ErrFormat, p.Format, PointerFormat)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPointer, err)
	}
	if !bytes.Equal(p.Encode(), b) {
		return nil, fmt.Errorf("%w: not in canonical form", ErrPointer)
	}
	return p, nil
}

// check validates the members. Every name derived from them stays inside the store.
func (p *Pointer) check() error {
	switch {
	case p.Format != PointerFormat:
		return fmt.Errorf("unknown format %d", p.Format)
	case p.Sequence < 1 || p.Sequence > MaxSequence:
		return fmt.Errorf("sequence %d is out of range", p.Sequence)
	case !IsBuild(p.Build):
		return fmt.Errorf("build %q is not %d lower-case hexadecimal digits", p.Build, 2*shortDigest)
	case p.Previous != "" && !IsBuild(p.Previous):
		return fmt.Errorf("the previous build %q is not %d lower-case hexadecimal digits", p.Previous, 2*shortDigest)
	case p.ManifestBytes < 1 || p.ManifestBytes > MaxManifest:
		return fmt.Errorf("manifest size %d is out of range", p.ManifestBytes)
	case !isHex(p.ManifestSHA256, sha256.Size):
		return fmt.Errorf("manifest_sha256 %q is not 64 lower-case hexadecimal digits", p.ManifestSHA256)
	}
	if at, err := time.Parse(time.RFC3339, p.Published); err != nil || at.UTC().Format(time.RFC3339) != p.Published {
		return fmt.Errorf("published %q is not a time like 2006-01-02T15:04:05Z", p.Published)
	}
	return nil
}

// Next is the pointer after p. p is nil in a store without a pointer.
func (p *Pointer) Next(build string, manifest []byte, at time.Time) *Pointer {
	next := &Pointer{
		Format: PointerFormat, Sequence: 1, Build: build,
		ManifestBytes: int64(len(manifest)), ManifestSHA256: HexSHA256(manifest),
		Published: at.UTC().Format(time.RFC3339),
	}
	if p != nil {
		next.Sequence, next.Previous = p.Sequence+1, p.Build
	}
	return next
}

// Renewed is p with a new time, which shows readers that it is current.
func (p *Pointer) Renewed(at time.Time) *Pointer {
	next := *p
	next.Sequence, next.Published = p.Sequence+1, at.UTC().Format(time.RFC3339)
	return &next
}

// IsBuild reports whether s has the form of a build ID.
func IsBuild(s string) bool { return isHex(s, shortDigest) }

func isHex(s string, n int) bool {
	return len(s) == hex.EncodedLen(n) && strings.Trim(s, "0123456789abcdef") == ""
}
