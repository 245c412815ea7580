// This file reads the current release of a store, to compare it with other releases.

package ship

import (
	"context"
	"errors"
	"fmt"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
)

// Stored is the current release of a store.
type Stored struct {
	*checksums.List
	s *store.Store
}

// Current reads the list of the current release of a store. It is checksums.None if none is current.
func Current(ctx context.Context, s *store.Store) (*Stored, error) {
	p, _, err := current(ctx, s)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return &Stored{checksums.None(), s}, nil
	}
	m, raw, _, err := manifest(ctx, s, p.Build)
	if err != nil {
		return nil, err
	}
	text, err := remoteListText(ctx, s, m)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, notWhole(s, p.Build, 1, release.ChecksumsName)
	}
	l, err := checksums.InMemory(raw, m, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	return &Stored{l, s}, nil
}

// Read reads a file of the release, of at most max bytes. It returns nil if the file is missing.
func (r *Stored) Read(ctx context.Context, name string, max int64) ([]byte, error) {
	b, _, err := get(ctx, r.s, root(r.Manifest.Build)+name, max)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return b, err
}
