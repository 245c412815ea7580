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
	PointerName     = "current.json"
	FollowName      = ".follow.json"
	AttestationName = "attestation.json" // who built a release, in its directory
)

// IsLeft reports whether a file in a release's directory does not belong to the release, but was left by a publication:
// the signed pointer that made it current, or the attestation. The build does not know them.
func IsLeft(name string) bool { return name == PointerName || name == AttestationName }

// The versions of the pointer's format:
//
//	1  one line: the canonical JSON of a Pointer, as Encode returns it. Stores without signatures keep it. It is
//	   frozen: only its form shows damage, so that readers refuse members that they do not know
//	2  that line with an origin, which may have an end and a digest of the release's attestation; then an
//	   empty line and lines with signatures of the first one: a signed note (C2SP), which package trust
//	   verifies
//	3  format 1 with the kind of the store (StoreKind), which is not KindComplete. Readers of an
//	   older version refuse it, as they would look for the objects under other keys
//	4  format 2 with that kind
//
// A store with complete releases keeps formats 1 and 2. Of formats 2 and 4 a reader ignores members that it does not
// know, wherever they are in the line. Without them the line has to be canonical, so that a member has one spelling. No
// member occurs twice, not even in unknown values. Signatures cover the line as the store sent it. A member that a
// reader must not ignore is a new format.
const (
	PointerFormat           = 1
	SignedPointerFormat     = 2
	KindPointerFormat       = 3
	SignedKindPointerFormat = 4
	NewestPointerFormat     = SignedKindPointerFormat
)

const (
	// MaxPointer limits a pointer's size with its signatures, in bytes. Some 30 signatures fit.
	MaxPointer = 4096
	// MaxOrigin limits an origin, in bytes.
	MaxOrigin = 200
	// MaxAttestation limits an attestation, in bytes. A statement of a build has some 2 KiB.
	MaxAttestation = 1 << 20
)

// MaxSequence is the largest integer that all JSON parsers represent exactly.
const MaxSequence = 1<<53 - 1

// Pointer names the current release of a store. Sequence rises with every change, also
// with a rollback, so that readers can detect a replayed pointer.
type Pointer struct {
	Format         int       `json:"format"`
	Origin         string    `json:"origin,omitempty"` // whose content it is, as news.example/production; only in signed pointers
	Kind           StoreKind `json:"kind,omitempty"`   // what the store holds of the release; always KindComplete in formats 1 and 2
	Sequence       int64     `json:"sequence"`         // from 1
	Build          string    `json:"build"`
	ManifestBytes  int64     `json:"manifest_bytes"`
	ManifestSHA256 string    `json:"manifest_sha256"`    // in hexadecimal digits
	Previous       string    `json:"previous,omitempty"` // the build that was current before
	Published      string    `json:"published"`          // when the pointer was written: RFC 3339, UTC
	Expires        string    `json:"expires,omitempty"`  // when nodes stop accepting it: RFC 3339, UTC; only in signed pointers

	// The attestation of the release (AttestationName), only in signed pointers. It says who built the release, and
	// from what.
	AttestationBytes  int64  `json:"attestation_bytes,omitempty"`
	AttestationSHA256 string `json:"attestation_sha256,omitempty"` // in hexadecimal digits
}

// ErrPointer: the pointer is damaged or was not written by a generator.
var ErrPointer = errors.New("bad pointer")

// Encode returns the pointer's canonical line.
func (p *Pointer) Encode() []byte {
	b, err := json.Marshal(p)
	if err != nil {
		panic("release: cannot encode a pointer: " + err.Error())
	}
	return append(b, '\n')
}

// ParsePointer reads and validates a pointer of any format. It verifies no signature. The error wraps
// ErrFormat or ErrPointer.
func ParsePointer(b []byte) (*Pointer, error) {
	if len(b) > MaxPointer {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrPointer, MaxPointer)
	}
	if format := pointerFormat(b); format > NewestPointerFormat {
		return nil, fmt.Errorf("%w: the pointer has format %d instead of %d: use a newer version", ErrFormat, format, NewestPointerFormat)
	}
	p, err := parsePointer(b)
	if errors.Is(err, ErrFormat) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPointer, err)
	}
	return p, nil
}

// pointerFormat is the format that a pointer says that it has, whatever follows; 0 if it says none.
func pointerFormat(b []byte) int {
	var head struct {
		Format int `json:"format"`
	}
	if json.NewDecoder(bytes.NewReader(b)).Decode(&head) != nil {
		return 0
	}
	return head.Format
}

func parsePointer(b []byte) (*Pointer, error) {
	line := PointerText(b)
	known, err := knownLine(line)
	if err != nil {
		return nil, err
	}
	p := new(Pointer)
	if err := json.Unmarshal(known, p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if !p.IsSigned() {
		known = line // nothing else shows that a member's name was damaged
	}
	if !bytes.Equal(p.Encode(), known) {
		return nil, errors.New("not in canonical form")
	}
	return p, checkSignatures(p.IsSigned(), line, b)
}

// check validates the members. Every name derived from them stays inside the store.
func (p *Pointer) check() error {
	switch {
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
	case !isTime(p.Published):
		return fmt.Errorf("published %q is not a time like 2006-01-02T15:04:05Z", p.Published)
	}
	if p.Format < PointerFormat || p.Format > NewestPointerFormat {
		return fmt.Errorf("unknown format %d", p.Format)
	}
	if err := p.checkKind(); err != nil {
		return err
	}
	if p.IsSigned() {
		return p.checkSigned()
	}
	return p.checkUnsigned()
}

func (p *Pointer) checkKind() error {
	if has := p.Format >= KindPointerFormat; has != (p.Kind != KindComplete) {
		return fmt.Errorf("a kind belongs to formats %d and %d, and to no other", KindPointerFormat, SignedKindPointerFormat)
	}
	if !p.Kind.Known() {
		return fmt.Errorf("%w: the store is of the kind %q: use a newer version", ErrFormat, string(p.Kind))
	}
	return nil
}

// IsSigned reports whether the pointer has a format with signatures. They are not verified.
func (p *Pointer) IsSigned() bool {
	return p.Format == SignedPointerFormat || p.Format == SignedKindPointerFormat
}

// Of is p, unsigned, for a store of a kind.
func (p *Pointer) Of(kind StoreKind) *Pointer {
	next := *p
	next.Kind, next.Format = kind, PointerFormat
	if kind != KindComplete {
		next.Format = KindPointerFormat
	}
	return &next
}

func (p *Pointer) checkUnsigned() error {
	if p.Origin != "" || p.Expires != "" || p.AttestationBytes != 0 || p.AttestationSHA256 != "" {
		return fmt.Errorf("origin, expires and attestation belong to formats %d and %d", SignedPointerFormat, SignedKindPointerFormat)
	}
	return nil
}

func (p *Pointer) checkSigned() error {
	if err := CheckOrigin(p.Origin); err != nil {
		return err
	}
	if p.Expires != "" {
		switch {
		case !isTime(p.Expires):
			return fmt.Errorf("expires %q is not a time like 2006-01-02T15:04:05Z", p.Expires)
		case !p.PublishedAt().Before(p.ExpiresAt()):
			return fmt.Errorf("expires %s is not after published %s", p.Expires, p.Published)
		}
	}
	if p.AttestationBytes == 0 && p.AttestationSHA256 == "" {
		return nil
	}
	if p.AttestationBytes < 1 || p.AttestationBytes > MaxAttestation || !isHex(p.AttestationSHA256, sha256.Size) {
		return errors.New("attestation_bytes and attestation_sha256 are not the size and SHA-256 of an attestation")
	}
	return nil
}

// CheckOrigin refuses a text that is not an origin: ASCII letters, digits and some marks, so that people can compare
// two by eye.
func CheckOrigin(s string) error {
	const marks = "0123456789./_:@-"
	if s == "" || len(s) > MaxOrigin || strings.Trim(s, letters+marks) != "" {
		return fmt.Errorf("origin %q is not 1 to %d of ASCII letters, digits and . / _ : @ -, as news.example/production", s, MaxOrigin)
	}
	return nil
}

func isTime(s string) bool {
	at, err := time.Parse(time.RFC3339, s)
	return err == nil && at.UTC().Format(time.RFC3339) == s
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// PublishedAt is when the pointer was written.
func (p *Pointer) PublishedAt() time.Time { return timeOf(p.Published) }

// ExpiresAt is when nodes stop accepting the pointer; the zero time if never.
func (p *Pointer) ExpiresAt() time.Time { return timeOf(p.Expires) }

// Expired reports whether nodes with a clock no longer accept the pointer.
func (p *Pointer) Expired(now time.Time) bool { return p.Expires != "" && !now.Before(p.ExpiresAt()) }

// timeOf is a time that check found right.
func timeOf(s string) time.Time {
	at, _ := time.Parse(time.RFC3339, s)
	return at
}

// Next is the pointer after p, of format 1: to a complete release, unless Of says otherwise. p is nil in a store without
// a pointer.
func (p *Pointer) Next(build string, manifest []byte, at time.Time) *Pointer {
	next := &Pointer{
		Format: PointerFormat, Sequence: 1, Build: build,
		ManifestBytes: int64(len(manifest)), ManifestSHA256: HexSHA256(manifest),
		Published: stamp(at),
	}
	if p != nil {
		next.Sequence, next.Previous = p.Sequence+1, p.Build
	}
	return next
}

// Renewed is p with a new time, which shows readers that it is current. It is unsigned.
func (p *Pointer) Renewed(at time.Time) *Pointer {
	next := &Pointer{
		Sequence: p.Sequence + 1, Build: p.Build, Previous: p.Previous,
		ManifestBytes: p.ManifestBytes, ManifestSHA256: p.ManifestSHA256, Published: stamp(at),
	}
	return next.Of(p.Kind)
}

// ForSigning is p in the format of signed pointers: of an origin, until a time (zero means without an end), with the
// attestation of its release, which may be nil. Package trust signs the text that Encode returns.
func (p *Pointer) ForSigning(origin string, expires time.Time, attestation []byte) (*Pointer, error) {
	next := *p
	next.Format, next.Origin, next.Expires = SignedPointerFormat, origin, ""
	if p.Kind != KindComplete {
		next.Format = SignedKindPointerFormat
	}
	if !expires.IsZero() {
		next.Expires = stamp(expires)
	}
	next.AttestationBytes, next.AttestationSHA256 = int64(len(attestation)), ""
	if len(attestation) > 0 {
		next.AttestationSHA256 = HexSHA256(attestation)
	}
	if err := next.check(); err != nil {
		return nil, err
	}
	return &next, nil
}

// IsBuild reports whether s has the form of a build ID.
func IsBuild(s string) bool { return isHex(s, shortDigest) }

// IsSHA256 reports whether s is a whole digest as HexSHA256 returns it.
func IsSHA256(s string) bool { return isHex(s, sha256.Size) }

func isHex(s string, n int) bool {
	return len(s) == hex.EncodedLen(n) && strings.Trim(s, "0123456789abcdef") == ""
}
