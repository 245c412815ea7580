// This file removes the objects that no release of a store for nodes names. It marks what the manifests of releases
// name, and sweeps the rest while it holds the lease.

package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// sweepBatch is how many objects are swept after each renewal of the lease: a slow store is through in half of its time.
const sweepBatch = 250

// sweep is the removal of shared objects.
type sweep struct {
	c PublishConfig

	marks    map[string]bool   // keys that releases name
	marked   map[string]bool   // the builds of the releases in marks
	media    map[string]bool   // the lists of media that were read
	last     *release.Manifest // of the release that was read last: the next one reads only the parts that differ
	byEnv    map[string]bool   // environments that have shared media in the store
	pointer  *release.Pointer  // nil before the first publication
	disabled string            // why nothing is swept, or ""

	candidates, removed []string
}

// newSweep finds the objects to sweep, which no kept release names. Objects that no release names at all also have to
// be old, as an interrupted publication may resume.
func newSweep(ctx context.Context, c PublishConfig, kept, old []string) (*sweep, error) {
	w := &sweep{c: c, marks: map[string]bool{}, marked: map[string]bool{}, media: map[string]bool{}, byEnv: map[string]bool{}}
	objects, err := w.list(ctx)
	if err != nil || len(objects) == 0 {
		return w, err
	}
	p, _, err := currentPointer(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	w.pointer = p
	for _, build := range kept {
		if err := w.mark(ctx, build); err != nil {
			return nil, err
		}
	}
	if w.disabled != "" {
		w.warn()
		return w, nil
	}
	gone := &sweep{c: c, marks: map[string]bool{}, marked: map[string]bool{}, media: map[string]bool{}, byEnv: w.byEnv, last: w.last}
	for _, build := range old {
		if err := gone.mark(ctx, build); err != nil { // not for a damaged release, whose objects may be gone
			return nil, err
		}
	}
	for _, o := range objects {
		if !w.marks[o.Key] && (gone.marks[o.Key] || time.Since(o.Modified) >= abandonedAfter) {
			w.candidates = append(w.candidates, o.Key)
		}
	}
	return w, nil
}

func (w *sweep) warn() {
	if w.c.Warn != nil {
		w.c.Warn("no objects that releases share are removed: " + w.disabled)
	}
}

// list lists the shared objects of the store.
func (w *sweep) list(ctx context.Context) ([]store.Info, error) {
	all := make([]content, 0, len(sharedDirs))
	for _, dir := range sharedDirs {
		all = append(all, content{file: file{name: dir + "/"}})
	}
	there, err := listShared(ctx, w.c.Store, all)
	objects := make([]store.Info, 0, len(there))
	for key, info := range there {
		if isShared(key) {
			objects = append(objects, info)
		}
	}
	slices.SortFunc(objects, func(a, b store.Info) int { return cmp.Compare(a.Key, b.Key) })
	for _, o := range objects {
		if route, ok := address.ParsePath("/" + o.Key); ok {
			w.byEnv[route.Env] = true
		}
	}
	return objects, err
}

// mark marks what a release names. A release that the store no longer has, or does not have yet, names nothing. In a
// store in place no release does: the current one has its own files, and others cannot become current.
func (w *sweep) mark(ctx context.Context, build string) error {
	if w.marked[build] || w.pointer != nil && w.pointer.Kind == release.KindInPlace {
		return nil
	}
	m, _, _, err := manifest(ctx, w.c.Store, build)
	if errors.Is(err, ErrNoRelease) {
		if w.pointer != nil && w.pointer.Build == build {
			w.disabled = fmt.Sprintf("release %s is current and has no manifest: run generator releases repair %s --public DIR", build, w.c.Store)
		}
		return nil
	}
	if err == nil {
		err = w.fill(ctx, m)
	}
	if err == nil {
		w.marked[build] = true
		for i := range m.Environments {
			if err = w.markEnvironment(ctx, m, &m.Environments[i]); err != nil {
				break
			}
		}
	}
	if isDamaged(err) {
		w.disabled = fmt.Sprintf("release %s cannot be read: %v", build, err)
		return nil
	}
	w.last = m
	return err
}

// fill completes a manifest. The store has the parts under the keys of either kind.
func (w *sweep) fill(ctx context.Context, m *release.Manifest) error {
	m.Missing(w.last)
	err := fillLike(ctx, w.c.Store, release.KindNodes, m, nil)
	if isDamaged(err) {
		err = fillLike(ctx, w.c.Store, release.KindComplete, m, nil)
	}
	return err
}

func (w *sweep) markEnvironment(ctx context.Context, m *release.Manifest, e *release.Environment) error {
	w.marks[e.Snapshot.File] = true
	if m.HasParts() {
		w.marks[e.PartFile().Name] = true
	}
	list, ok := e.MediaList()
	if !ok || w.media[list.Name] {
		return nil
	}
	w.marks[list.Name], w.media[list.Name] = true, true
	if !w.byEnv[e.ID] {
		return nil
	}
	text, err := storedLines(w.c.Store)(ctx, e)
	if isDamaged(err) { // a complete release has its own media
		if has, e := kindOf(ctx, w.c.Store, m.Build); e != nil || has == release.KindComplete {
			return e
		}
	}
	for name := range namesOf(text) {
		w.marks[name] = true
	}
	return err
}

// run sweeps what no release names by now. Publications that begin later wait until the lease ends.
func (w *sweep) run(ctx context.Context, l *lease, used *uses, removed []string) error {
	if len(w.candidates) == 0 {
		return nil
	}
	err := l.whileHeld(ctx, func(ctx context.Context) error {
		builds, err := again(ctx, func() ([]string, error) { return w.c.Store.Dirs(ctx, release.ReleasesDir+"/") })
		if err != nil {
			return err
		}
		return w.markUsed(ctx, used, slices.DeleteFunc(builds, func(build string) bool { return slices.Contains(removed, build) }))
	})
	if err != nil {
		return err
	}
	if w.disabled != "" {
		w.warn()
		return nil
	}
	keys := slices.DeleteFunc(w.candidates, func(key string) bool { return w.marks[key] })
	for some := range slices.Chunk(keys, sweepBatch) {
		err := l.whileHeld(ctx, func(ctx context.Context) error {
			w.removed = append(w.removed, some...)
			return each(ctx, w.c.Jobs, len(some), func(i int) error { return remove(ctx, w.c.Store, some[i]) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// markUsed marks what builds name, and what publications send that have not moved the pointer yet.
func (w *sweep) markUsed(ctx context.Context, used *uses, builds []string) error {
	w.pointer = used.pointer
	for build := range used.builds {
		builds = append(builds, build)
	}
	for _, a := range used.announcements {
		if a.All {
			w.disabled = "a publication is under way, or was interrupted within the last day"
		}
		for _, key := range a.Keys {
			w.marks[key] = true
		}
	}
	for _, build := range builds {
		if !release.IsBuild(build) {
			continue
		}
		if err := w.mark(ctx, build); err != nil {
			return err
		}
	}
	return nil
}

// check reports whether something was removed that the current release names, or a publication relies on: this gc
// stood still for longer than its lease, and others did not wait for it.
func (w *sweep) check(ctx context.Context) error {
	if len(w.removed) == 0 {
		return nil
	}
	used, err := inUse(ctx, w.c.Store)
	if err != nil {
		return err
	}
	now := &sweep{c: w.c, marks: map[string]bool{}, marked: map[string]bool{}, media: map[string]bool{}, byEnv: w.byEnv, last: w.last}
	if err := now.markUsed(ctx, used, nil); err != nil {
		return err
	}
	var lacks []string
	for _, key := range w.removed {
		if now.marks[key] {
			lacks = append(lacks, key)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	p, _, err := currentPointer(ctx, w.c.Store)
	if err != nil || p == nil {
		return err
	}
	return notWhole(w.c.Store, p.Build, len(lacks), lacks[0])
}
