// This file publishes a release for nodes: its manifest, and the objects that the current release does not have.

package ship

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// nodesPlan lists the objects that a publication for nodes has to send.
type nodesPlan struct {
	*local
	work     []content
	complete bool // the pointer names this manifest
}

// publishForNodes is Publish in a store for nodes. old is the current release, if it is another one.
func (w *writer) publishForNodes(ctx context.Context, l *local, old *current) (*Report, error) {
	c := &w.PublishConfig
	base, err := w.base(ctx, l, old)
	if err != nil {
		return nil, err
	}
	objects, err := objectsOf(ctx, l.Manifest, base, lists{l.mediaLines(), storedLines(c.Store)})
	if err == nil {
		err = l.stat(objects)
	}
	if err != nil {
		return nil, err
	}
	a := new(announced)
	if !c.DryRun {
		if a, err = announce(ctx, *c, l.Manifest.Build, w.before.Pointer == nil, announcementOf(objects)); err != nil {
			return nil, err
		}
		defer a.end()
	}
	p := &nodesPlan{local: l, complete: w.names(l, release.KindNodes)}
	if p.work, err = l.absent(ctx, c, objects); err != nil {
		return nil, err
	}
	r := p.report()
	r.Changed = w.changes(l, release.KindNodes)
	if c.DryRun {
		r.planned = w.requests(r, len(p.work)+1, p.complete) // the lease once more
		return r, w.dryRun(ctx, r, l, release.KindNodes)
	}
	if err := p.send(ctx, c); err != nil {
		return nil, err
	}
	record, err := w.record(ctx, l, r.Changed)
	if err != nil {
		return nil, err
	}
	r.Forms = w.writeForms(ctx, l, release.KindNodes)
	if err := w.publish(ctx, l, r, record, release.KindNodes); err != nil {
		return r, err
	}
	return r, w.confirmForNodes(ctx, l, r, a.lease, record)
}

// base returns the current release of a store for nodes, whose objects the store has, or nil if it is missing or
// unproved. It reads the parts of its manifest that the new release does not have.
func (w *writer) base(ctx context.Context, l *local, old *current) (*release.Manifest, error) {
	switch {
	case w.before.kind() != release.KindNodes:
		return nil, nil
	case w.names(l, release.KindNodes):
		return l.Manifest, nil
	case old == nil || release.HexSHA256(old.raw) != w.before.ManifestSHA256:
		return nil, nil
	}
	err := fillLike(ctx, w.Store, release.KindNodes, old.Manifest, l.Manifest)
	if isDamaged(err) {
		return nil, nil
	}
	return old.Manifest, err
}

// fillLike reads the parts of a release's manifest that like, another release or nil, does not have. Its other
// environments stay rows, and equal the environments of like.
func fillLike(ctx context.Context, s *store.Store, kind release.StoreKind, m, like *release.Manifest) error {
	parts := slices.DeleteFunc(m.Missing(nil), func(p release.PartFile) bool {
		e := like.Environment(p.Environment)
		return e != nil && e.Part() == p.Part
	})
	return each(ctx, DefaultJobs, len(parts), func(i int) error {
		key := kind.ObjectKey(m.Build, parts[i].Name)
		text, _, err := get(ctx, s, key, parts[i].Bytes)
		if err == nil {
			err = m.Fill(parts[i], text)
		}
		if errors.Is(err, store.ErrNotFound) {
			err = fmt.Errorf("%w: this object is missing", release.ErrManifest)
		}
		if err != nil {
			return fmt.Errorf("%s/%s: %w", s, key, err)
		}
		return nil
	})
}

func announcementOf(objects []content) (a announcement) {
	for _, o := range objects {
		a.Keys = append(a.Keys, o.name)
	}
	return a
}

func (p *nodesPlan) report() *Report {
	r := &Report{Build: p.Manifest.Build, Kind: release.KindNodes, Files: 1, Bytes: int64(len(p.Raw))}
	for i := range p.Manifest.Environments {
		e := &p.Manifest.Environments[i]
		r.Files += 1 + e.Media.Files
		r.Bytes += e.Snapshot.Bytes + e.Media.Bytes
		if _, ok := e.MediaList(); ok {
			r.Files++
		}
		if p.Manifest.HasParts() {
			r.Files++
			r.Bytes += e.Part().Bytes
		}
	}
	for _, o := range p.work {
		r.Sent++
		r.SentBytes += o.bytes
	}
	r.Kept = r.Files - 1 - r.Sent
	return r
}

// send sends the objects, then the manifest.
func (p *nodesPlan) send(ctx context.Context, c *PublishConfig) error {
	done := &progress{report: c.Progress}
	for _, o := range p.work {
		done.TotalFiles++
		done.TotalBytes += o.bytes
	}
	err := each(ctx, c.Jobs, len(p.work), func(i int) error {
		if err := p.put(ctx, c.Store, &p.work[i]); err != nil {
			return err
		}
		done.add(p.work[i].bytes)
		return nil
	})
	if err != nil || p.complete {
		return err
	}
	_, err = putBytes(ctx, c.Store, root(p.Manifest.Build)+release.ManifestName, p.Raw, headers(release.ManifestName))
	return err
}

func (l *local) put(ctx context.Context, s *store.Store, o *content) error {
	in, size, end, err := l.open(o)
	if err != nil {
		return err
	}
	defer end()
	h := headers(o.name)
	h.SHA256 = hex.EncodeToString(o.sum[:])
	_, err = put(ctx, s, o.name, in, size, h)
	return err
}

// confirmForNodes sends the objects that a concurrent gc removed: it has changed the lease.
func (w *writer) confirmForNodes(ctx context.Context, l *local, r *Report, lease string, record []byte) error {
	c, build := &w.PublishConfig, l.Manifest.Build
	for round := 0; round <= maxResends; round++ {
		_, now, err := gcLease(c.Store).read(ctx)
		if err == nil && now == lease {
			err = restoreRecord(ctx, c.Store, build, record)
			if err != nil {
				return unverified(c.Store, build, err)
			}
			return nil
		}
		wanted := false
		if err == nil {
			wanted, err = isWanted(ctx, c.Store, build)
		}
		if err == nil && !wanted {
			return nil
		}
		lease = now
		if err == nil {
			err = l.resend(ctx, c, r)
		}
		if err != nil {
			return unverified(c.Store, build, err)
		}
	}
	return nil // a gc still runs, and knows the pointer
}

// resend sends what the store lacks of a release.
func (l *local) resend(ctx context.Context, c *PublishConfig, r *Report) error {
	p, err := l.missingForNodes(ctx, c)
	if err != nil {
		return err
	}
	r.Resent += len(p.work)
	return p.send(ctx, c)
}

// lacksForNodes returns what a store for nodes lacks of a release. It looks for what base, a release that the store
// has, does not name; nil: for everything.
func lacksForNodes(ctx context.Context, c *PublishConfig, m, base *release.Manifest) ([]string, error) {
	read := storedLines(c.Store)
	err := fillLike(ctx, c.Store, release.KindNodes, m, base)
	var objects []content
	if err == nil {
		objects, err = objectsOf(ctx, m, base, lists{read, read})
	}
	if errors.Is(err, errOldMedia) {
		return []string{release.MediaListDir}, nil
	}
	if isDamaged(err) {
		return []string{err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	return lacking(ctx, c.Store, cmp.Or(c.Jobs, DefaultJobs), objects)
}
