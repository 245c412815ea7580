// This file writes the saved searches of an environment, computed from its snapshot.

package writer

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/plan"
	"contentedge/generator/searches"
)

// searches computes the saved searches from a snapshot. It writes the pages that the baseline lacks.
func (w *envWriter) searches(ctx context.Context, list []searches.Search, target *plan.Target, snapshotName string) ([]release.Search, error) {
	if len(list) == 0 {
		return nil, nil
	}
	r, err := snapshot.Open(w.tx.Path(snapshotName))
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // read only
	f := &fileWorker{envWriter: w}
	if w.cursor != nil {
		f.linker = w.tx.Linker(w.c.Baseline)
		defer f.linker.Close()
	}
	env, out := searches.Open(w.plan.ID, r), make([]release.Search, len(list))
	// The checksums are in byte order of names, and "." is after "-".
	order := slices.Clone(list)
	slices.SortFunc(order, func(a, b searches.Search) int { return compareNames(a.Name, b.Name) })
	for i := range order {
		rendered, err := env.Render(&order[i], func(name string, body []byte) error {
			if err := target.CheckFile(name, int64(len(body))); err != nil {
				return err
			}
			return f.searchFile(ctx, name, body)
		})
		if err != nil {
			return nil, err
		}
		at, _ := slices.BinarySearchFunc(list, order[i].Name, func(s searches.Search, name string) int { return strings.Compare(s.Name, name) })
		out[at] = rendered
	}
	return out, nil
}

func (w *fileWorker) searchFile(ctx context.Context, name string, body []byte) error {
	if err := context.Cause(ctx); err != nil || w.c.SnapshotOnly {
		return err
	}
	f := file{name: name, body: body}
	f.unchanged = w.cursor != nil && w.cursor.Take(name, &f.Entry) && f.Sums[contentcoding.Identity] == sha256.Sum256(body)
	f.recycled = w.recycled.take(name, &f.recycledEntry)
	linked, err := w.link(&f)
	if err != nil {
		return err
	}
	if !linked {
		if _, err := w.write(&f); err != nil {
			return err
		}
		w.c.Progress(Progress{Written: 1})
	}
	b := newBatch()
	b.files = append(b.files, f)
	close(b.written)
	put(ctx, w.checksums.batches, b)
	return nil
}

// sameSearches returns the baseline's saved searches, and reports whether the list has the same.
func sameSearches(list []searches.Search, before []release.Search) ([]release.Search, bool) {
	if len(list) != len(before) {
		return nil, false
	}
	for i := range list {
		s, b := &list[i], &before[i]
		if s.Name != b.Name || string(s.Body) != string(b.Body) || s.Files(b.TotalItems) != b.Files {
			return nil, false
		}
	}
	return before, true
}
