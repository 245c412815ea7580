// This file has proposals: pointers that wait for signatures. A proposal is one object, proposed.json, in the form of
// a signed pointer. Conditional puts replace it, so that two signers lose nothing. It is never deleted, as stores have
// no conditional deletes: a proposal whose sequence number is not the next one is over.

package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/signing"
)

// ProposedName is the key of the proposal, next to the pointer.
const ProposedName = "proposed.json"

// maxRounds is how often a signer can meet another one that signs at the same moment: every signer signs once.
const maxRounds = 2 * trust.MaxKeys

// ErrProposal: the store has no proposal to sign, or another one than the caller means.
var ErrProposal = errors.New("nothing to sign")

// readProposal reads the proposal. Its Pointer is nil before the first proposal.
func readProposal(ctx context.Context, s *store.Store) (*pointerObject, error) {
	o, err := readPointer(ctx, s, ProposedName)
	if errors.Is(err, release.ErrPointer) {
		err = fmt.Errorf("remove that object while no signer is at work: %w", err)
	}
	return o, err
}

// follows reports whether a proposal may still become the pointer after p.
func (o *pointerObject) follows(p *release.Pointer) bool {
	if o.Pointer == nil {
		return false
	}
	return p == nil || o.Sequence > p.Sequence
}

// propose writes a proposal, or adds signatures to one that says the same. If it has enough, it moves the pointer.
func (w *writer) propose(ctx context.Context, p *release.Pointer, raw []byte) (*written, error) {
	if err := checkSequence(w.Store, p); err != nil {
		return nil, err
	}
	for range maxRounds {
		there, err := readProposal(ctx, w.Store)
		if err != nil {
			return nil, err
		}
		next, mine := raw, p
		if w.joins(there, p) {
			mine = there.Pointer
			if next, err = trust.Sign(there.raw, w.signers()...); err != nil {
				return nil, err
			}
		} else if there.follows(w.before.Pointer) {
			w.warn("the proposal of release %s, by %s, is replaced", there.Build, strings.Join(claimed(there.raw), ", "))
		}
		err = putProposal(ctx, w.Store, next, there.etag)
		if err == nil {
			return w.settle(ctx, mine, next)
		}
		if !errors.Is(err, store.ErrChanged) {
			return nil, err
		}
		now, e := readProposal(ctx, w.Store)
		if e != nil {
			return nil, errors.Join(err, e)
		}
		if !sameText(now.raw, next) && !w.joins(now, p) {
			return nil, fmt.Errorf("%w: release %s, by %s, is proposed now; run again to replace that", ErrLost, now.build(), strings.Join(claimed(now.raw), ", "))
		}
	}
	return nil, fmt.Errorf("%w: %s changes all the time", ErrLost, ProposedName)
}

// joins reports whether a proposal says what p says, at another time: then one signature more suffices.
func (w *writer) joins(o *pointerObject, p *release.Pointer) bool {
	if !o.signed() || o.Expired(time.Now()) || w.checkProposal(o) != nil {
		return false
	}
	same := *p
	same.Published, same.Expires = o.Published, o.Expires
	return same == *o.Pointer && (p.Expires == "") == (o.Expires == "") && o.ExpiresAt().Sub(o.PublishedAt()) == p.ExpiresAt().Sub(p.PublishedAt())
}

// checkProposal reports why a proposal may not be signed: it says more than this version can read, or no trusted key
// has signed it. Without a trust file, one of the given keys must have.
func (w *writer) checkProposal(o *pointerObject) error {
	if !bytes.Equal(o.Encode(), release.PointerText(o.raw)) {
		return errors.New("it has members that this version does not know: sign it with a newer version")
	}
	p := w.Sign.Trust
	if p == nil {
		own, err := signing.Trusted(w.origin, w.Sign.Keys)
		if err != nil {
			return err
		}
		_, err = own.Verify(o.raw, time.Now())
		return err
	}
	one := *p
	one.Threshold = 1
	_, err := one.Verify(o.raw, time.Now())
	return err
}

// putProposal replaces the proposal whose ETag is given. After a lost response, finding its own proposal counts as
// success.
func putProposal(ctx context.Context, s *store.Store, b []byte, etag string) error {
	o := headers(ProposedName)
	o.IfMatch, o.IfNew = etag, etag == ""
	_, err := putBytes(ctx, s, ProposedName, b, o)
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	if now, e := readProposal(ctx, s); e == nil && bytes.Equal(now.raw, b) {
		return nil
	}
	return err
}

// settle makes a proposal the pointer if it has enough signatures.
func (w *writer) settle(ctx context.Context, p *release.Pointer, raw []byte) (*written, error) {
	done := &written{Pointer: p, Signatures: signedBy(&pointerObject{Pointer: p, raw: raw}).Signatures, raw: raw}
	done.Proposed, done.Wanted = true, w.threshold()
	if w.Sign.Trust == nil {
		return done, nil
	}
	v, err := w.Sign.Trust.Verify(raw, time.Now())
	if errors.Is(err, trust.ErrThreshold) {
		return done, nil
	}
	if err != nil {
		return done, err
	}
	if p.Sequence != w.before.nextSequence() {
		return done, nil
	}
	moved, err := w.moveTo(ctx, v.Pointer, raw)
	if err != nil {
		return done, err
	}
	return moved, nil
}

func (o *pointerObject) nextSequence() int64 {
	if o.Pointer == nil {
		return 1
	}
	return o.Sequence + 1
}

// Meant is the release that a signer means. An id is a part of a digest, for which two releases can be found: signers
// decide by the whole digest of a manifest. The zero value means whatever is proposed.
type Meant struct{ Build, ManifestSHA256 string }

// is reports whether a pointer names the release.
func (m Meant) is(p *release.Pointer) bool {
	return (m.Build == "" || m.Build == p.Build) && (m.ManifestSHA256 == "" || m.ManifestSHA256 == p.ManifestSHA256)
}

// SignProposal adds signatures to the proposal, and makes it current when it has as many as the trust file wants.
// Without keys it adds none, and only makes the proposal current. It refuses another proposal than the one that is
// meant.
func SignProposal(ctx context.Context, c PublishConfig, meant Meant) (*Moved, error) {
	if c.Sign.Trust == nil {
		return nil, errors.New("name the trust file of the nodes with --trust: it says who may sign, and how many have to")
	}
	before, err := readPointer(ctx, c.Store, release.PointerName)
	if err != nil {
		return nil, err
	}
	c.Sign.Propose = true
	w := &writer{PublishConfig: c, before: before, origin: c.Sign.Trust.Origin}
	if err := w.checkKeys(time.Now()); err != nil {
		return nil, err
	}
	if err := w.readWithdrawn(ctx); err != nil {
		return nil, err
	}
	o, err := readProposal(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	if sameText(o.raw, before.raw) && before.Pointer != nil && meant.is(before.Pointer) {
		return &Moved{Pointer: before.Pointer, Signatures: signedBy(before).Signatures}, nil
	}
	if err := w.mayBecomeCurrent(o, meant); err != nil {
		return nil, err
	}
	if !c.DryRun {
		a, err := announce(ctx, c, o.Build, before.Pointer == nil, announcement{})
		if err != nil {
			return nil, err
		}
		defer a.end()
	}
	if err := w.checkStored(ctx, o); err != nil {
		return nil, err
	}
	return w.signProposal(ctx, o)
}

// mayBecomeCurrent reports why a proposal may not be signed.
func (w *writer) mayBecomeCurrent(o *pointerObject, meant Meant) error {
	switch {
	case o.Pointer == nil:
		return fmt.Errorf("%w: %s has no proposal; publish --propose makes one", ErrProposal, w.Store)
	case !meant.is(o.Pointer):
		return fmt.Errorf("%w: release %s with the manifest %s is proposed, not %s%s: look at it before you sign it", ErrProposal, o.Build, o.ManifestSHA256, meant.Build, meant.ManifestSHA256)
	case o.Sequence != w.before.nextSequence():
		return fmt.Errorf("%w: release %s was proposed with sequence %d, and sequence %d is current by now, release %s: propose it again",
			ErrProposal, o.Build, o.Sequence, w.before.nextSequence()-1, w.before.build())
	case o.Expired(time.Now()):
		return fmt.Errorf("%w: the proposal of release %s was valid until %s: propose it again", ErrProposal, o.Build, o.Expires)
	}
	if err := w.checkProposal(o); err != nil {
		return fmt.Errorf("%w: %w", ErrProposal, err)
	}
	return nil
}

// checkStored reports why nodes could not use a proposed release.
func (w *writer) checkStored(ctx context.Context, o *pointerObject) error {
	_, b, _, err := manifest(ctx, w.Store, o.Build)
	if err == nil && o.Kind == release.KindComplete {
		_, b, err = complete(ctx, w.Store, o.Build)
	}
	if err != nil {
		return err
	}
	if int64(len(b)) != o.ManifestBytes || release.HexSHA256(b) != o.ManifestSHA256 {
		return fmt.Errorf("%w: the manifest of release %s in the store is not the proposed one", trust.ErrSignature, o.Build)
	}
	if o.AttestationBytes > 0 {
		if _, err := readRecord(ctx, w.Store, o.Build, attestation{o.AttestationBytes, o.AttestationSHA256}); err != nil {
			return err
		}
	}
	lacks, err := w.missing(ctx, o.Build, o.Kind)
	if err == nil && len(lacks) > 0 {
		err = fmt.Errorf("release %s lacks %d files in the store, %s the first: propose it again", o.Build, len(lacks), lacks[0])
	}
	return err
}

// signProposal signs the proposal o. Of signers at the same moment each adds its line to the other's.
func (w *writer) signProposal(ctx context.Context, o *pointerObject) (*Moved, error) {
	text := o.raw
	for range maxRounds {
		next, err := trust.Sign(o.raw, w.signers()...)
		if err != nil {
			return nil, err
		}
		if w.DryRun {
			s := signedBy(&pointerObject{Pointer: o.Pointer, raw: next})
			_, err := w.Sign.Trust.Verify(next, time.Now())
			s.Proposed, s.Wanted = err != nil, w.threshold()
			return &Moved{Pointer: o.Pointer, Changed: true, Signatures: s.Signatures}, nil
		}
		err = putProposal(ctx, w.Store, next, o.etag)
		if err == nil {
			done, err := w.settle(ctx, o.Pointer, next)
			return &Moved{Pointer: done.Pointer, Changed: true, Signatures: done.Signatures}, err
		}
		if !errors.Is(err, store.ErrChanged) {
			return nil, err
		}
		if o, err = readProposal(ctx, w.Store); err != nil {
			return nil, err
		}
		if !sameText(o.raw, text) {
			return nil, fmt.Errorf("%w: release %s is proposed now, by %s; look at it before you sign it", ErrLost, o.build(), strings.Join(claimed(o.raw), ", "))
		}
		if err := w.checkProposal(o); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: %s changes all the time", ErrLost, ProposedName)
}

// isWanted reports whether the pointer or a proposal names a build as the current one.
func isWanted(ctx context.Context, s *store.Store, build string) (bool, error) {
	p, _, err := currentPointer(ctx, s)
	if err != nil || p != nil && p.Build == build {
		return err == nil, err
	}
	o, err := readProposal(ctx, s)
	return err == nil && o.follows(p) && o.Build == build, err
}
