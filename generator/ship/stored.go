// This file reads the current release of a store, to compare it with other releases.

package ship

import (
	"context"
	"errors"
	"fmt"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/checksums"
)

// Stored is the current release of a store.
type Stored struct {
	*checksums.List
	s    *store.Store
	kind release.StoreKind
}

// CurrentManifest reads the manifest of the current release of a store, with only rows if it has parts. It returns nil
// before the first publication.
func CurrentManifest(ctx context.Context, s *store.Store) (*release.Manifest, error) {
	p, _, err := currentPointer(ctx, s)
	if err != nil || p == nil {
		return nil, err
	}
	m, _, _, err := manifest(ctx, s, p.Build)
	return m, err
}

// Current reads the list of the current release of a store. It returns checksums.None before the first publication.
// With a policy it verifies the pointer, as nodes do.
func Current(ctx context.Context, s *store.Store, policy *trust.Policy) (*Stored, error) {
	o, err := readPointer(ctx, s, release.PointerName)
	if err != nil {
		return nil, err
	}
	if o.Pointer == nil && policy == nil {
		return &Stored{checksums.None(), s, release.KindComplete}, nil
	}
	return read(ctx, s, o, policy)
}

// StoredRelease reads the list of a release by its build id. With a policy it verifies the pointer that made the release
// current.
func StoredRelease(ctx context.Context, s *store.Store, build string, policy *trust.Policy) (*Stored, error) {
	o, err := readPointer(ctx, s, release.PointerName)
	if err != nil {
		return nil, err
	}
	if o.build() == build {
		return read(ctx, s, o, policy)
	}
	if o.kind() == release.KindInPlace {
		return nil, fmt.Errorf("%s: %w (%s): a store in place has the files of its current release only, which is %s; compare with a directory instead", s, ErrNoRelease, build, o.build())
	}
	if o, err = readCopy(ctx, s, build); err != nil {
		return nil, err
	}
	if o.Pointer == nil {
		o.Pointer = &release.Pointer{Format: release.PointerFormat, Build: build}
	}
	kind, err := kindOf(ctx, s, build)
	if err != nil {
		return nil, err
	}
	of := *o.Pointer
	of.Kind = kind
	return read(ctx, s, &pointerObject{&of, o.raw, ""}, policy)
}

// Proposed reads the list of the release that is proposed. With a policy it verifies that a trusted key has signed
// the proposal.
func Proposed(ctx context.Context, s *store.Store, policy *trust.Policy) (*Stored, error) {
	p, _, err := currentPointer(ctx, s)
	if err != nil {
		return nil, err
	}
	o, err := readProposal(ctx, s)
	if err != nil {
		return nil, err
	}
	if !o.follows(p) {
		return nil, fmt.Errorf("%w: %s has no proposal", ErrProposal, s)
	}
	if policy != nil {
		one := *policy
		one.Threshold = 1
		policy = &one
	}
	return read(ctx, s, o, policy)
}

// read reads the list of the release that a pointer names.
func read(ctx context.Context, s *store.Store, p *pointerObject, policy *trust.Policy) (*Stored, error) {
	if p.Pointer == nil {
		return nil, fmt.Errorf("%w: no release is current", ErrNoRelease)
	}
	if policy != nil {
		if _, err := policy.Verify(p.raw, time.Now()); err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
	}
	m, raw, _, err := manifest(ctx, s, p.Build)
	if err != nil {
		return nil, err
	}
	if policy != nil && release.HexSHA256(raw) != p.ManifestSHA256 {
		return nil, fmt.Errorf("%s: %w: the manifest of release %s is not the signed one", s, trust.ErrSignature, p.Build)
	}
	var l *checksums.List
	if p.kind() == release.KindNodes {
		l, err = withoutFiles(m, raw)
	} else {
		l, err = listOf(ctx, s, p.kind(), m, raw)
	}
	if err != nil {
		return nil, err
	}
	return &Stored{l, s, p.kind()}, nil
}

// Read reads a file of the release, of at most max bytes. It returns nil if the file is missing.
func (r *Stored) Read(ctx context.Context, name string, max int64) ([]byte, error) {
	b, _, err := get(ctx, r.s, r.kind.ObjectKey(r.Manifest.Build, name), max)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return b, err
}
