// Package trust decides whether a store's pointer may be believed: it reads trust files, and makes and verifies
// the signatures of pointers. A signed pointer is a signed note (C2SP signed-note, as Go's checksum database
// has), whose text is the pointer's line. Signatures are Ed25519, so that openssl verifies them too.
//
// A trust file has a setting per line. Empty lines, and lines that begin with #, have no meaning:
//
//	version 1
//	origin news.example/production
//	threshold 1
//	key news.example/ci+83cab54a+A…
//	key news.example/anna+2d58d129+A… until 2027-06-30
//
// It accepts the pointers of one origin that as many of its keys have signed as its threshold says. Keys are
// public keys: one key under two names is refused, because it would count twice. A key counts until the end of
// the day that it names, in UTC. A higher version makes nodes forget the sequence numbers that they have seen,
// once: it is for the time after a key was stolen. Other changes keep the version.
//
// Signatures of keys that the file does not name, or no longer, are ignored. A wrong signature of a key that it
// names makes the pointer wrong.
package trust

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/release"
)

// Reasons to refuse a pointer.
var (
	// ErrUnsigned: the pointer has no signatures.
	ErrUnsigned = NewRefusal("the store's pointer is not signed")
	// ErrSignature: the signature of a trusted key is wrong.
	ErrSignature = NewRefusal("a signature of the store's pointer is wrong")
	// ErrThreshold: too few trusted keys have signed the pointer.
	ErrThreshold = NewRefusal("too few trusted keys have signed the store's pointer")
	// ErrOrigin: the pointer is of another origin.
	ErrOrigin = NewRefusal("the store's pointer is of another origin")
)

// NewRefusal returns an error to compare with, for something that is not what a trusted key signed.
func NewRefusal(message string) error {
	return exitcode.NewRefusal(message, "the signatures do not match the trust file")
}

// Policy is a trust file.
type Policy struct {
	Version   int64  // from 1
	Origin    string // of the pointers to accept
	Threshold int    // how many keys must have signed
	Keys      []Key
}

// Key is a public key that may sign pointers.
type Key struct {
	note.Verifier
	Public ed25519.PublicKey
	Until  string // the last day on which the key counts, as 2027-06-30; "" if always
}

// Ends is when the key's last day is over; the zero time if never.
func (k *Key) Ends() time.Time {
	last, err := time.Parse(time.DateOnly, k.Until)
	if err != nil {
		return time.Time{}
	}
	return last.AddDate(0, 0, 1)
}

// Expired reports whether the key's last day is over.
func (k *Key) Expired(now time.Time) bool { return over(k.Ends(), now) }

func over(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }

// Verified is a pointer that a policy accepts.
type Verified struct {
	*release.Pointer
	Text     []byte   // the line that is signed
	SignedBy []string // the names of the trusted keys that have signed it, in the policy's order
	// Ends is when the policy stops accepting the pointer, because the pointer or one of its keys expires. Zero means
	// never.
	Ends time.Time
}

// Expired reports whether the policy no longer accepts the pointer.
func (v *Verified) Expired(now time.Time) bool { return over(v.Ends, now) }

// Verify parses a pointer and its signatures. now decides which keys still count; the pointer's own end is not
// checked. The error wraps one of the reasons above, or release.ErrPointer or release.ErrFormat.
func (p *Policy) Verify(b []byte, now time.Time) (*Verified, error) {
	pointer, err := release.ParsePointer(b)
	if err != nil {
		return nil, err
	}
	if !pointer.IsSigned() {
		return nil, fmt.Errorf("%w: if your job wrote it, give it generator publish --sign; otherwise find out who writes to the store", ErrUnsigned)
	}
	signers, err := p.open(b, now)
	if err != nil {
		return nil, err
	}
	if pointer.Origin != p.Origin {
		return nil, fmt.Errorf("%w: %s instead of %s", ErrOrigin, pointer.Origin, p.Origin)
	}
	v := &Verified{Pointer: pointer, Text: release.PointerText(b), Ends: p.ends(signers)}
	if at := pointer.ExpiresAt(); !at.IsZero() && (v.Ends.IsZero() || at.Before(v.Ends)) {
		v.Ends = at
	}
	for _, k := range signers {
		v.SignedBy = append(v.SignedBy, k.Name())
	}
	return v, nil
}

// ends is when fewer of the signers count than the threshold asks for; the zero time if never.
func (p *Policy) ends(signers []*Key) time.Time {
	var ends []time.Time
	for _, k := range signers {
		if at := k.Ends(); !at.IsZero() {
			ends = append(ends, at)
		}
	}
	spare := len(signers) - p.Threshold // as many may end before
	if len(ends) <= spare {
		return time.Time{}
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends[spare]
}

// open returns the keys whose signatures are right.
func (p *Policy) open(b []byte, now time.Time) (signers []*Key, err error) {
	var verifiers []note.Verifier
	var late []string
	for i := range p.Keys {
		if k := &p.Keys[i]; k.Expired(now) {
			late = append(late, fmt.Sprintf("%s was trusted until %s", k.Name(), k.Until))
		} else {
			verifiers = append(verifiers, k)
		}
	}
	opened, err := note.Open(b, note.VerifierList(verifiers...))
	var invalid *note.InvalidSignatureError
	var unverified *note.UnverifiedNoteError
	switch {
	case errors.As(err, &invalid):
		return nil, fmt.Errorf("%w: the signature of %s+%08x", ErrSignature, invalid.Name, invalid.Hash)
	case errors.As(err, &unverified):
		opened = unverified.Note
	case err != nil:
		return nil, fmt.Errorf("%w: %w", release.ErrPointer, err)
	}
	for _, v := range verifiers {
		for _, s := range opened.Sigs {
			if s.Name == v.Name() && s.Hash == v.KeyHash() {
				signers = append(signers, v.(*Key))
			}
		}
	}
	if len(signers) < p.Threshold {
		return nil, p.tooFew(len(signers), late, opened.UnverifiedSigs)
	}
	return signers, nil
}

// shownNames bounds the names in an error, because a store chooses them.
const shownNames = 3

func (p *Policy) tooFew(signed int, late []string, others []note.Signature) error {
	notes := late
	for i, s := range others {
		if i == shownNames {
			notes = append(notes, fmt.Sprintf("%d more keys are not trusted", len(others)-i))
			break
		}
		notes = append(notes, fmt.Sprintf("%+q+%08x is not trusted", s.Name, s.Hash))
	}
	more := ""
	if len(notes) > 0 {
		more = " (" + strings.Join(notes, ", ") + ")"
	}
	return fmt.Errorf("%w: %d of %d%s", ErrThreshold, signed, p.Threshold, more)
}
