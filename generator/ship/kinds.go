// This file decides of which kind a store is after a command: what readers other than nodes read must not vanish by a
// forgotten flag.

package ship

import (
	"context"
	"errors"
	"fmt"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// ErrLoses: the store would lack files that it had for readers other than nodes.
var ErrLoses = exitcode.NewRefusal("the store would no longer have the files of its releases, which readers other than nodes may use", "readers of the store would lose files")

func (o *pointerObject) kind() release.StoreKind {
	if o.Pointer == nil {
		return release.KindComplete
	}
	return o.Kind
}

// chooseKind returns the kind of the store after a publication: the requested one, or else the current one.
func (w *writer) chooseKind() (release.StoreKind, error) {
	if w.Kind == "" && !w.Complete {
		return w.before.kind(), nil
	}
	if err := w.checkKind(w.Kind); err != nil {
		return "", fmt.Errorf("%w: publish without --for and --in-place, which keeps the kind of the store (%s), or permit it with --allow-removal", err, w.before.kind())
	}
	return w.Kind, nil
}

// checkKind refuses a kind in which readers lose something.
func (w *writer) checkKind(next release.StoreKind) error {
	if w.before.Pointer != nil && w.before.kind().Loses(next) && !w.Removal.Allow {
		return ErrLoses
	}
	return nil
}

// kindOf returns the kind in which a store holds a release that is not current. A complete release has its list of
// checksums next to the manifest.
func kindOf(ctx context.Context, s *store.Store, build string) (release.StoreKind, error) {
	_, err := again(ctx, func() (store.Info, error) { return s.Stat(ctx, root(build)+release.ChecksumsName) })
	if errors.Is(err, store.ErrNotFound) {
		return release.KindNodes, nil
	}
	return release.KindComplete, err
}

// held is a release that a store holds.
type held struct {
	*release.Manifest
	raw  []byte
	kind release.StoreKind // of the store, once the release is current
}

// usable finds a release that nodes can use, and the kind of the store once it is current. A release for nodes stays so
// in a store for nodes, even if it is complete, too.
func (w *writer) usable(ctx context.Context, build string) (*held, error) {
	m, raw, _, err := manifest(ctx, w.Store, build)
	if err != nil {
		return nil, err
	}
	h := &held{m, raw, release.KindNodes}
	has, err := kindOf(ctx, w.Store, build)
	if err != nil {
		return nil, err
	}
	var lacks []string
	if has == release.KindNodes || w.before.kind() == release.KindNodes {
		if lacks, err = w.lacks(ctx, m); err != nil {
			return nil, err
		}
	}
	if has == release.KindComplete && (len(lacks) > 0 || w.before.kind() != release.KindNodes) {
		h.kind, lacks = release.KindComplete, nil
		if h.Manifest, h.raw, err = complete(ctx, w.Store, build); err != nil {
			return nil, err
		}
	}
	if len(lacks) > 0 {
		return nil, lacksFiles(build, lacks)
	}
	if err := w.checkKind(h.kind); err != nil {
		return nil, fmt.Errorf("%w: release %s is of the kind %s, and the store of the kind %s; publish it again, or permit it with releases promote %s %s --allow-removal",
			err, build, h.kind, w.before.kind(), w.Store, build)
	}
	return h, nil
}

func lacksFiles(build string, lacks []string) error {
	return fmt.Errorf("release %s lacks %d files in the store, %s the first: publish it again", build, len(lacks), lacks[0])
}

// lacks returns what a store for nodes lacks of a release. It relies on the objects of the current one.
func (w *writer) lacks(ctx context.Context, m *release.Manifest) ([]string, error) {
	var base *release.Manifest
	if w.before.kind() == release.KindNodes && w.before.Pointer != nil {
		now, raw, _, err := manifest(ctx, w.Store, w.before.Build)
		if err != nil && !isDamaged(err) && !errors.Is(err, release.ErrFormat) {
			return nil, err
		}
		if err == nil && release.HexSHA256(raw) == w.before.ManifestSHA256 {
			base = now
		}
	}
	if base != nil {
		switch err := fillLike(ctx, w.Store, release.KindNodes, base, m); {
		case isDamaged(err):
			base = nil
		case err != nil:
			return nil, err
		}
	}
	return lacksForNodes(ctx, &w.PublishConfig, m, base)
}

// lost returns what the store lacks of a release that has become current. For nodes it looks only if a gc ran since
// the lease had an ETag.
func (w *writer) lost(ctx context.Context, h *held, lease string) ([]string, error) {
	if h.kind == release.KindComplete {
		return missingFiles(ctx, w.Store, h.Build)
	}
	if _, now, err := gcLease(w.Store).read(ctx); err != nil || now == lease {
		return nil, err
	}
	return w.missing(ctx, h.Build, h.kind)
}

// missing returns what the store lacks of a release of a kind.
func (c *PublishConfig) missing(ctx context.Context, build string, kind release.StoreKind) ([]string, error) {
	if kind == release.KindComplete {
		return missingFiles(ctx, c.Store, build)
	}
	m, raw, _, err := manifest(ctx, c.Store, build)
	if isDamaged(err) {
		return []string{release.ManifestName}, nil
	}
	if err != nil {
		return nil, err
	}
	if kind == release.KindInPlace {
		return missingLive(ctx, *c, m, release.HexSHA256(raw))
	}
	return lacksForNodes(ctx, c, m, nil)
}
