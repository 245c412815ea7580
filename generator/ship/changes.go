// This file writes which items differ between two releases of a store, before the newer one becomes current: a reader
// of the pointer finds the changes that lead to it. Such a file depends only on its two releases, so it never changes.

package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
	"contentedge/generator/diff"
)

// MaxChangesFrom bounds PublishConfig.ChangesFrom. A publication reads the list of files of each base release.
const MaxChangesFrom = 50

func changesKey(from, to string) string {
	return release.ChangesDir + "/" + release.ChangesName(from, to)
}

// writeChanges writes the changes to a release from the newest ones in the store. That it fails is a warning, as
// readers without the file fetch all items.
func (w *writer) writeChanges(ctx context.Context, to string) {
	if w.ChangesFrom == 0 {
		return
	}
	builds, err := w.newest(ctx, to)
	if err != nil {
		w.warn("no changes to release %s are written: %v", to, err)
		return
	}
	var new *checksums.List
	for _, from := range builds {
		if ctx.Err() != nil {
			return // what follows says so
		}
		if err := w.writeChange(ctx, from, to, &new); err != nil {
			w.warn("the changes from release %s to %s are not written: %v", from, to, err)
		}
	}
}

// newest returns the builds whose changes are written: the current one, and the ones that were sent last.
func (w *writer) newest(ctx context.Context, to string) ([]string, error) {
	if w.lists != nil && w.before.build() != "" {
		return []string{w.before.build()}, nil
	}
	names, err := again(ctx, func() ([]string, error) { return w.Store.Dirs(ctx, release.ReleasesDir+"/") })
	if err != nil {
		return nil, err
	}
	current := w.before.build()
	names = slices.DeleteFunc(names, func(build string) bool { return !release.IsBuild(build) || build == to || build == current })
	times := make([]time.Time, len(names))
	err = each(ctx, cmp.Or(w.Jobs, DefaultJobs), len(names), func(i int) error {
		info, err := again(ctx, func() (store.Info, error) { return w.Store.Stat(ctx, root(names[i])+release.ManifestName) })
		if errors.Is(err, store.ErrNotFound) { // it is being sent
			return nil
		}
		times[i] = info.Modified
		return err
	})
	if err != nil {
		return nil, err
	}
	sent := map[string]time.Time{}
	for i, build := range names {
		if !times[i].IsZero() {
			sent[build] = times[i]
		}
	}
	builds := make([]string, 0, len(sent)+1)
	for build := range sent {
		builds = append(builds, build)
	}
	slices.SortFunc(builds, func(a, b string) int { return cmp.Or(sent[b].Compare(sent[a]), cmp.Compare(a, b)) })
	if current != "" && current != to {
		builds = slices.Insert(builds, 0, current)
	}
	return builds[:min(len(builds), w.ChangesFrom)], nil
}

// writeChange writes the changes between two releases, unless the store has them. It reads the list of the new
// release once, into new.
func (w *writer) writeChange(ctx context.Context, from, to string, new **checksums.List) error {
	key := changesKey(from, to)
	_, err := again(ctx, func() (store.Info, error) { return w.Store.Stat(ctx, key) })
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	old, next, err := w.comparable(ctx, from, to, new)
	if err != nil {
		return err
	}
	changes, err := diff.FindChanges(ctx, old, next)
	if err != nil {
		return err
	}
	_, err = putBytes(ctx, w.Store, key, changes.Encode(), store.PutOptions{ContentType: release.ContentType, CacheControl: release.CacheControl(release.ClassSnapshot)})
	return err
}

// comparable reads the lists of two releases: of their files, or of the items that differ by their snapshots, if the
// store does not have one of the lists. It keeps the list of files of the newer release in new.
func (w *writer) comparable(ctx context.Context, from, to string, new **checksums.List) (*checksums.List, *checksums.List, error) {
	var err error
	if *new == nil {
		if *new, err = w.storedList(ctx, to); err != nil && !errors.Is(err, ErrNotWhole) {
			return nil, nil, err
		}
	}
	if err == nil {
		var old *checksums.List
		if old, err = w.storedList(ctx, from); err == nil || !errors.Is(err, ErrNotWhole) {
			return old, *new, err
		}
	}
	b, raw, _, err := manifest(ctx, w.Store, to)
	if err != nil {
		return nil, nil, err
	}
	a, rawOld, _, err := manifest(ctx, w.Store, from)
	if err != nil {
		return nil, nil, err
	}
	newer, err := sideOf(ctx, w.Store, b, raw, a)
	if err != nil {
		return nil, nil, err
	}
	older, err := sideOf(ctx, w.Store, a, rawOld, b)
	if err != nil {
		return nil, nil, err
	}
	return diff.ItemLists(ctx, older, newer)
}

// storedList reads the list of the files of a release in the store.
func (w *writer) storedList(ctx context.Context, build string) (*checksums.List, error) {
	if l := w.lists[build]; l != nil {
		return l, nil
	}
	if w.before.kind() == release.KindInPlace {
		return nil, errors.New("the list of its files is gone, as a publication was interrupted")
	}
	m, raw, _, err := manifest(ctx, w.Store, build)
	if err != nil {
		return nil, err
	}
	return listOf(ctx, w.Store, release.KindComplete, m, raw)
}

func listOf(ctx context.Context, s *store.Store, kind release.StoreKind, m *release.Manifest, raw []byte) (*checksums.List, error) {
	text, _, err := remoteListText(ctx, s, kind, m)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, notWhole(s, m.Build, 1, release.ChecksumsName)
	}
	if err := fillLike(ctx, s, kind, m, nil); err != nil {
		return nil, err
	}
	l, err := checksums.InMemory(raw, m, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	return l, nil
}

// removeChanges removes the changes to releases that the store no longer has, including releases that an interrupted gc
// removed. Changes to a kept release stay, whatever their base: a program may still have that base.
func removeChanges(ctx context.Context, s *store.Store, jobs int) error {
	var keys, to []string
	for info, err := range s.List(ctx, release.ChangesDir+"/") {
		if err != nil {
			return err
		}
		if _, build, ok := release.ParseChangesName(path.Base(info.Key)); ok {
			keys, to = append(keys, info.Key), append(to, build)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	// A publication sends the release before its changes: in this order, changes never lack their release.
	builds, err := again(ctx, func() ([]string, error) { return s.Dirs(ctx, release.ReleasesDir+"/") })
	if err != nil {
		return err
	}
	return each(ctx, jobs, len(keys), func(i int) error {
		if slices.Contains(builds, to[i]) {
			return nil
		}
		return remove(ctx, s, keys[i])
	})
}
