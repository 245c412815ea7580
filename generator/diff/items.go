// This file compares the items of releases whose files are not there, by the snapshots of the environments that differ.

package diff

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// Side is a release whose snapshots can be opened.
type Side struct {
	Raw      []byte
	Manifest *release.Manifest
	Open     func(ctx context.Context, e *release.Environment) (*snapshot.Reader, error)
}

// item is a file that differs, with the digest of the item, which differs from the digest of the file.
type item struct {
	name string
	sum  checksums.Sum
}

// ItemLists returns lists of the items that differ between two releases, for Compare. They have no other files.
func ItemLists(ctx context.Context, old, new Side) (a, b *checksums.List, err error) {
	var before, after []item
	for _, id := range environmentsOf(old.Manifest, new.Manifest) {
		was, is := old.Manifest.Environment(id), new.Manifest.Environment(id)
		if was != nil && is != nil && (was.Part() == is.Part() || was.Snapshot == is.Snapshot) {
			continue
		}
		gone, come, err := compareItems(ctx, id, old.reader(was), new.reader(is))
		if err != nil {
			return nil, nil, err
		}
		before, after = append(before, gone...), append(after, come...)
	}
	if a, err = old.list(before); err == nil {
		b, err = new.list(after)
	}
	return a, b, err
}

func environmentsOf(a, b *release.Manifest) (ids []string) {
	for _, m := range []*release.Manifest{a, b} {
		for i := range m.Environments {
			ids = append(ids, m.Environments[i].ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// reader returns what opens the snapshot of an environment; nil if the release does not have the environment.
func (s Side) reader(e *release.Environment) func(context.Context) (*snapshot.Reader, error) {
	if e == nil {
		return nil
	}
	return func(ctx context.Context) (*snapshot.Reader, error) { return s.Open(ctx, e) }
}

// compareItems returns the items of an environment that differ, as they were and as they are.
func compareItems(ctx context.Context, env string, old, new func(context.Context) (*snapshot.Reader, error)) (gone, come []item, err error) {
	var was, is *snapshot.Reader
	if old != nil {
		if was, err = old(ctx); err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, was.Close()) }()
	}
	if new != nil {
		if is, err = new(ctx); err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, is.Close()) }()
	}
	sums := map[string]checksums.Sum{}
	each(was, func(id string, sum checksums.Sum) { sums[id] = sum })
	each(is, func(id string, sum checksums.Sum) {
		before, ok := sums[id]
		if ok && before == sum {
			delete(sums, id)
			return
		}
		come = append(come, item{address.ItemFile(env, id), sum})
	})
	for id, sum := range sums {
		gone = append(gone, item{address.ItemFile(env, id), sum})
	}
	return gone, come, nil
}

// each visits the items of a snapshot; none of a nil reader.
func each(r *snapshot.Reader, visit func(id string, sum checksums.Sum)) {
	if r == nil {
		return
	}
	for d := range snapshot.DocID(r.Items()) {
		visit(r.ID(d), sha256.Sum256(r.Fragment(d)))
	}
}

// list returns a list of items.
func (s Side) list(items []item) (*checksums.List, error) {
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.name, b.name) })
	var text bytes.Buffer
	w := checksums.NewWriter(&text)
	for _, f := range items {
		if err := w.Add(f.name, f.sum); err != nil {
			return nil, err
		}
	}
	m := *s.Manifest
	m.Checksums = release.Checksums{Bytes: int64(text.Len()), SHA256: release.HexSHA256(text.Bytes())}
	return checksums.InMemory(s.Raw, &m, text.Bytes())
}
