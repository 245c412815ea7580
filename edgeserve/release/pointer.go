// This file is the one mutable object of a store of releases: the pointer to the
// release that edge nodes are to serve. Like a manifest it is read strictly, because
// it arrives over a network and names what is fetched next.

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

// The fixed names of a store, which has releases in ReleasesDir as a public directory
// has. FollowName is the file in a public directory that is filled from a store: which
// store, and how far.
const (
	PointerName = "current.json"
	FollowName  = ".follow.json"
)

// PointerFormat is the number of the pointer's format:
//
//	1  the first
const PointerFormat = 1

// MaxPointer bounds the bytes of a pointer that is read.
const MaxPointer = 4096

// MaxSequence is the largest number that every reader of JSON holds exactly.
const MaxSequence = 1<<53 - 1

// Pointer names the current release of a store. Its sequence rises with every change,
// also when the change is back to an older release, so that a reader can tell an old
// pointer that it is shown again from a new one.
type Pointer struct {
	Format         int    `json:"format"`
	Sequence       int64  `json:"sequence"` // from 1
	Build          string `json:"build"`
	ManifestBytes  int64  `json:"manifest_bytes"`
	ManifestSHA256 string `json:"manifest_sha256"`    // in hexadecimal digits
	Previous       string `json:"previous,omitempty"` // the build that was current before
	Published      string `json:"published"`          // when this was written: RFC 3339, UTC
}

// ErrPointer is a pointer that is damaged or was not written by a generator.
var ErrPointer = errors.New("bad pointer")

// Encode gives the bytes of the pointer.
func (p *Pointer) Encode() []byte {
	b, err := json.Marshal(p)
	if err != nil {
		panic("release: a pointer of strings and numbers cannot be written: " + err.Error())
	}
	return append(b, '\n')
}

// ParsePointer reads a pointer. What it accepts, Encode gives back byte for byte. The
// error wraps ErrFormat or ErrPointer.
func ParsePointer(b []byte) (*Pointer, error) {
	if len(b) > MaxPointer {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrPointer, MaxPointer)
	}
	p := new(Pointer)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPointer, err)
	}
	if p.Format > PointerFormat {
		return nil, fmt.Errorf("%w: the pointer has format %d, this program reads format %d", ErrFormat, p.Format, PointerFormat)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPointer, err)
	}
	if !bytes.Equal(p.Encode(), b) {
		return nil, fmt.Errorf("%w: not in the form that the generator writes", ErrPointer)
	}
	return p, nil
}

// check keeps every name that follows from the pointer inside the store.
func (p *Pointer) check() error {
	switch {
	case p.Format != PointerFormat:
		return fmt.Errorf("format %d", p.Format)
	case p.Sequence < 1 || p.Sequence > MaxSequence:
		return fmt.Errorf("sequence %d", p.Sequence)
	case !IsBuild(p.Build):
		return fmt.Errorf("build %q is not %d lower-case hexadecimal digits", p.Build, 2*shortSum)
	case p.Previous != "" && !IsBuild(p.Previous):
		return fmt.Errorf("the previous build %q is not %d lower-case hexadecimal digits", p.Previous, 2*shortSum)
	case p.ManifestBytes < 1 || p.ManifestBytes > MaxManifest:
		return fmt.Errorf("a manifest of %d bytes", p.ManifestBytes)
	case !isHex(p.ManifestSHA256, sha256.Size):
		return fmt.Errorf("manifest_sha256 %q is not 64 lower-case hexadecimal digits", p.ManifestSHA256)
	}
	if at, err := time.Parse(time.RFC3339, p.Published); err != nil || at.UTC().Format(time.RFC3339) != p.Published {
		return fmt.Errorf("published %q is no time in the form 2006-01-02T15:04:05Z", p.Published)
	}
	return nil
}

// Next is the pointer that follows p, which is nil in a store without one.
func (p *Pointer) Next(build string, manifest []byte, at time.Time) *Pointer {
	sum := sha256.Sum256(manifest)
	next := &Pointer{
		Format: PointerFormat, Sequence: 1, Build: build,
		ManifestBytes: int64(len(manifest)), ManifestSHA256: hex.EncodeToString(sum[:]),
		Published: at.UTC().Format(time.RFC3339),
	}
	if p != nil {
		next.Sequence, next.Previous = p.Sequence+1, p.Build
	}
	return next
}

// Renewed is p written again, which tells those who read it how old it can be.
func (p *Pointer) Renewed(at time.Time) *Pointer {
	next := *p
	next.Sequence, next.Published = p.Sequence+1, at.UTC().Format(time.RFC3339)
	return &next
}

// IsBuild tells whether s can be a build id.
func IsBuild(s string) bool { return isHex(s, shortSum) }

// isHex tells whether s is n bytes in lower-case hexadecimal digits.
func isHex(s string, n int) bool {
	return len(s) == hex.EncodedLen(n) && strings.Trim(s, "0123456789abcdef") == ""
}
