// This file brings the forms of snapshots into a store by which nodes fetch fewer bytes: the compressed snapshot, and
// patches from the last snapshots of its environment. They belong to no release and no node has to find them. So a
// failure is a warning, and no lock guards them.

package ship

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

const (
	// DefaultPatches is from how many snapshots of an environment patches are made: nodes that were away for two
	// publications find one.
	DefaultPatches = 3
	// MaxPatches bounds PublishConfig.Patches. Each patch reads a snapshot and costs up to two seconds for 64 MB.
	MaxPatches = 20

	// patchShare is the least share of the compressed snapshot that a patch has to save: a quarter stays.
	patchShare = 4
	// formJobs bounds how many environments are compressed at once. Each takes some 40 MiB of memory.
	formJobs = 4
	// listedOnce is from how many changed environments on one listing reads all forms of the store, instead of one for
	// each.
	listedOnce = 16
)

// Forms counts the forms that a publication brought into the store.
type Forms struct {
	Compressed      int   `json:"compressed"`
	CompressedBytes int64 `json:"compressedBytes"`
	Patches         int   `json:"patches"`
	PatchBytes      int64 `json:"patchBytes"`
}

// formPlan lists the forms that a publication makes for an environment.
type formPlan struct {
	env        string
	snapshot   release.Snapshot
	compressed int64 // bytes of the compressed snapshot in the store; 0 if it is to be made
	from       []formBase
}

// formBase is an older snapshot of the environment.
type formBase struct {
	release.FormKey
	key string // in the store
	max int64  // bytes of the object
}

// planForms finds which forms of the changed snapshots the store lacks.
func (w *writer) planForms(ctx context.Context, l *local) ([]formPlan, error) {
	var plans []formPlan
	for i := range l.Manifest.Environments {
		e := &l.Manifest.Environments[i]
		if old := w.replaced.environment(e.ID); e.Snapshot.Bytes >= release.MinPatched && (old == nil || old.Part() != e.Part()) {
			plans = append(plans, formPlan{env: e.ID, snapshot: e.Snapshot})
		}
	}
	if len(plans) == 0 {
		return nil, nil
	}
	there, err := w.listForms(ctx, plans)
	if err != nil {
		return nil, err
	}
	for i := range plans {
		w.planEnvironment(&plans[i], there[plans[i].env])
	}
	return slices.DeleteFunc(plans, func(p formPlan) bool { return p.compressed > 0 && len(p.from) == 0 }), nil
}

// environment returns an environment of the current release, or nil if it is unknown.
func (c *current) environment(id string) *release.Environment {
	if c == nil {
		return nil
	}
	return c.Manifest.Environment(id)
}

// form is a form in the store.
type form struct {
	release.FormKey
	store.Info
}

// listForms lists the forms of environments, by environment.
func (w *writer) listForms(ctx context.Context, plans []formPlan) (map[string][]form, error) {
	prefixes := []string{release.PatchesDir + "/"}
	if len(plans) < listedOnce {
		prefixes = nil
		for _, p := range plans {
			prefixes = append(prefixes, release.PatchesKey(p.env))
		}
	}
	there := map[string][]form{}
	var mu sync.Mutex
	return there, each(ctx, cmp.Or(w.Jobs, DefaultJobs), len(prefixes), func(i int) error {
		all, err := allForms(ctx, w.Store, prefixes[i])
		mu.Lock()
		defer mu.Unlock()
		for _, f := range all {
			there[f.Env] = append(there[f.Env], f)
		}
		return err
	})
}

func allForms(ctx context.Context, s *store.Store, prefix string) ([]form, error) {
	return again(ctx, func() (all []form, err error) {
		for info, err := range s.List(ctx, prefix) {
			if err != nil {
				return nil, err
			}
			if k, ok := release.ParseFormKey(info.Key); ok {
				all = append(all, form{k, info})
			}
		}
		return all, nil
	})
}

// planEnvironment chooses the bases of the patches: the snapshot of the current release, then the snapshots that were
// compressed last.
func (w *writer) planEnvironment(p *formPlan, there []form) {
	has := map[string]bool{}
	var old []form
	for _, f := range there {
		has[f.Info.Key] = true
		switch {
		case f.Info.Key == release.CompressedKey(p.env, p.snapshot):
			p.compressed = f.Bytes
		case f.From == "":
			old = append(old, f)
		}
	}
	slices.SortFunc(old, func(a, b form) int { return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(a.Sum, b.Sum)) })
	var bases []formBase
	if e := w.replaced.environment(p.env); e != nil && e.Snapshot.Bytes > 0 && e.Snapshot.SHA256 != p.snapshot.SHA256 {
		k, _ := release.ParseFormKey(release.CompressedKey(p.env, e.Snapshot))
		b := formBase{k, w.replaced.kind.ObjectKey(w.replaced.Build, e.Snapshot.File), e.Snapshot.Bytes}
		if has[k.String()] {
			b.key = k.String()
		}
		bases = append(bases, b)
	}
	for _, f := range old {
		if len(bases) == 0 || f.FormKey != bases[0].FormKey {
			bases = append(bases, formBase{f.FormKey, f.Info.Key, f.Bytes})
		}
	}
	for _, b := range bases[:min(len(bases), w.Patches)] {
		if !has[b.patchTo(p.snapshot)] {
			p.from = append(p.from, b)
		}
	}
}

func (b formBase) patchTo(s release.Snapshot) string {
	to, _ := release.ParseFormKey(release.CompressedKey(b.Env, s))
	return release.FormKey{Env: b.Env, Sum: to.Sum, From: b.Sum}.String()
}

// requests returns how many requests a plan takes at most, not counting listings.
func (p *formPlan) requests() int {
	n := 2 * len(p.from)
	if p.compressed == 0 {
		n++
	}
	return n
}

// plannedForms returns how many requests the forms of a publication take at most, not counting the listings.
func (w *writer) plannedForms(ctx context.Context, l *local) (n int, err error) {
	if w.Patches == 0 {
		return 0, nil
	}
	plans, err := w.planForms(ctx, l)
	for i := range plans {
		n += plans[i].requests()
	}
	return n, err
}

// writeForms brings the forms of the changed snapshots into the store, of a release that becomes current.
func (w *writer) writeForms(ctx context.Context, l *local, kind release.StoreKind) (done Forms) {
	if w.Patches == 0 || !w.changes(l, kind) {
		return done
	}
	plans, err := w.planForms(ctx, l)
	if err != nil && ctx.Err() == nil {
		w.warn("snapshots are not compressed for nodes: %v", err)
	}
	if err != nil || len(plans) == 0 {
		return done
	}
	dir, err := os.MkdirTemp("", "contentedge-publish-")
	if err != nil {
		w.warn("snapshots are not compressed for nodes: %v", err)
		return done
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var mu sync.Mutex
	_ = parallel.Each(ctx, formJobs, len(plans), func(_, i int) error {
		m := &formMaker{w: w, l: l, dir: dir, plan: plans[i]}
		err := m.make(ctx)
		mu.Lock()
		defer mu.Unlock()
		done.add(m.done)
		if err != nil && ctx.Err() == nil {
			w.warn("the snapshot of environment %s is not compressed and patched whole: %v", plans[i].env, err)
		}
		return nil // the forms of the other environments are made all the same
	})
	return done
}

func (f *Forms) add(more Forms) {
	f.Compressed += more.Compressed
	f.CompressedBytes += more.CompressedBytes
	f.Patches += more.Patches
	f.PatchBytes += more.PatchBytes
}

// removeForms removes patches and compressed snapshots whose target snapshot the store no longer has. Young ones stay:
// a publication writes them before its release is current. It returns how many it removed, or would remove.
func removeForms(ctx context.Context, c PublishConfig) (int, error) {
	all, err := allForms(ctx, c.Store, release.PatchesDir+"/")
	if err != nil || len(all) == 0 {
		return 0, err
	}
	has, err := storedSnapshots(ctx, c)
	if err != nil {
		return 0, err
	}
	gone := slices.DeleteFunc(all, func(f form) bool {
		return has[release.FormKey{Env: f.Env, Sum: f.Sum}] || time.Since(f.Modified) < abandonedAfter
	})
	if c.DryRun {
		return len(gone), nil
	}
	return len(gone), each(ctx, c.Jobs, len(gone), func(i int) error { return remove(ctx, c.Store, gone[i].Info.Key) })
}

// storedSnapshots lists the snapshots of all releases in a store.
func storedSnapshots(ctx context.Context, c PublishConfig) (map[release.FormKey]bool, error) {
	builds, err := again(ctx, func() ([]string, error) { return c.Store.Dirs(ctx, release.ReleasesDir+"/") })
	if err != nil {
		return nil, err
	}
	prefixes := []string{"", release.LiveKey("")}
	for _, build := range builds {
		if release.IsBuild(build) {
			prefixes = append(prefixes, root(build))
		}
	}
	has := map[release.FormKey]bool{}
	var mu sync.Mutex
	return has, each(ctx, c.Jobs, len(prefixes), func(i int) error {
		names, err := again(ctx, func() (names []string, err error) {
			for info, err := range c.Store.List(ctx, prefixes[i]+release.SnapshotDir+"/") {
				if err != nil {
					return nil, err
				}
				names = append(names, info.Key[len(prefixes[i]):])
			}
			return names, nil
		})
		mu.Lock()
		defer mu.Unlock()
		for _, name := range names {
			if k, ok := release.FormOf(name); ok {
				has[k] = true
			}
		}
		return err
	})
}

// errNoBase: a snapshot that a patch would begin with is missing or another one.
var errNoBase = errors.New("the snapshot does not exist")
