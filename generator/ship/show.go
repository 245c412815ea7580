// This file shows a release and its signatures, for people who have to decide whether to sign it.

package ship

import (
	"context"
	"errors"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/provenance"
)

// Shown is a release of a store with what its pointer says, or the proposal, or else the pointer that was kept when it
// was published.
type Shown struct {
	Release
	Expired  bool     `json:"expired,omitempty"`
	Trusted  []string `json:"trusted,omitempty"`  // keys of the trust file that have signed
	Refused  string   `json:"refused,omitempty"`  // why nodes with the trust file refuse the pointer
	NoSource string   `json:"noSource,omitempty"` // why the record of who built it does not count
}

// Show describes a release; of "" the current one and the proposed one, if there are any.
func Show(ctx context.Context, s *store.Store, build string, policy *trust.Policy) ([]Shown, error) {
	p, err := readPointer(ctx, s, release.PointerName)
	if err != nil {
		return nil, err
	}
	proposed, err := readProposal(ctx, s)
	if err != nil {
		return nil, err
	}
	withdrawn, _, err := readWithdrawals(ctx, s)
	if err != nil {
		return nil, err
	}
	var of []*pointerObject
	if p.Pointer != nil && (build == "" || build == p.Build) {
		of = append(of, p)
	}
	if proposed.follows(p.Pointer) && (build == "" || build == proposed.Build) {
		of = append(of, proposed)
	}
	if len(of) == 0 && release.IsBuild(build) {
		was, err := readCopy(ctx, s, build)
		if err != nil {
			return nil, err
		}
		if was.Pointer == nil {
			was.Pointer, was.raw = &release.Pointer{Format: release.PointerFormat, Build: build}, nil
		}
		of = append(of, was)
	}
	if len(of) == 0 {
		return nil, noRelease(build)
	}
	var all []Shown
	for _, o := range of {
		shown, err := show(ctx, s, o, policy)
		if err != nil {
			return nil, err
		}
		shown.Withdrawn = findWithdrawal(withdrawn.Withdrawn, o.Build, p.Pointer)
		shown.mark(p, proposed)
		if o == proposed {
			shown.Current = false // of a proposal to renew the pointer
			shown.mark(&pointerObject{}, proposed)
		}
		all = append(all, *shown)
	}
	return all, nil
}

func show(ctx context.Context, s *store.Store, o *pointerObject, policy *trust.Policy) (*Shown, error) {
	m, raw, at, err := manifest(ctx, s, o.Build)
	if err != nil {
		return nil, err
	}
	shown := &Shown{Release: Release{Build: o.Build, Manifest: release.HexSHA256(raw), Sent: at, Format: m.Format, Items: itemsOf(m.Environments), Files: m.Files, Bytes: m.Bytes}}
	if o.signed() {
		signed := signedBy(o)
		shown.Sequence, shown.Signed, shown.Expired = o.Sequence, &signed, o.Expired(time.Now())
	}
	if policy != nil {
		v, err := policy.Verify(o.raw, time.Now())
		switch {
		case err != nil:
			shown.Refused = err.Error()
		case o.ManifestSHA256 != shown.Manifest:
			shown.Refused = "the manifest in the store is not the signed one"
		case v.Expired(time.Now()):
			shown.Refused = "it has expired; nodes that already serve it continue"
		default:
			shown.Trusted = v.SignedBy
		}
	}
	shown.Source, shown.NoSource, err = sourceOf(ctx, s, o, shown.Manifest)
	return shown, err
}

// sourceOf reads who built the release that a pointer names, and otherwise says why its record does not count. The
// record of an unsigned release is what its publisher claimed. Without a record both results are empty.
func sourceOf(ctx context.Context, s *store.Store, o *pointerObject, manifestSHA256 string) (source *provenance.Source, reason string, err error) {
	if o.signed() && o.AttestationBytes == 0 {
		return nil, "", nil
	}
	var b []byte
	if o.signed() {
		b, err = readRecord(ctx, s, o.Build, attestation{o.AttestationBytes, o.AttestationSHA256})
	} else {
		b, _, err = get(ctx, s, root(o.Build)+release.AttestationName, release.MaxAttestation)
	}
	if errors.Is(err, store.ErrNotFound) && !o.signed() {
		return nil, "", nil
	}
	if err == nil {
		source, err = provenance.Decode(b, manifestSHA256)
	}
	if errors.Is(err, ErrRecord) || errors.Is(err, provenance.ErrRecord) || errors.Is(err, store.ErrTooLarge) {
		return nil, err.Error(), nil
	}
	return source, "", err
}
