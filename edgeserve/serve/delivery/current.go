// This file exchanges the release that is served. Cached responses of environments that did not change live on.

package delivery

import (
	"slices"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/release"
)

// Current holds the release that is served now. Nil: no release has been loaded yet. Only the methods change it.
type Current struct {
	Served atomic.Pointer[Served]

	swapping sync.Mutex // held while Served changes
}

// Acquire returns the served release with a reference to it, or nil.
func (c *Current) Acquire() *Served {
	for {
		v := c.Served.Load()
		if v == nil || v.Generation.Acquire() {
			return v
		}
	}
}

// Swap serves a release, or nothing if it is nil, and retires the previous one. It refuses a release with a snapshot
// that was found damaged since it was opened, and retires it instead.
//
// A cached response is of the release that is served, whichever request finds it: the groups of what changed end before
// the next release is served, and its own groups are empty until then. A request that continues with an earlier release
// looks only into the groups of that release.
func (c *Current) Swap(next *Served) bool {
	c.swapping.Lock()
	defer c.swapping.Unlock()
	before := c.Served.Load()
	if next != nil && slices.ContainsFunc(next.Generation.Dir.Snapshots, (*releasedir.Snapshot).IsDamaged) {
		next.Retire()
		return false
	}
	if before == nil {
		c.Served.Store(next)
		return true
	}
	before.Cache.End(next.takeOver(before)...)
	c.Served.Store(next)
	before.Generation.Release()
	return true
}

// Withdraw serves no release if the one that is served has a damaged snapshot, and returns that release, retired. From
// then on, no release that shares the snapshot is served.
func (c *Current) Withdraw(damaged *releasedir.Snapshot) *Served {
	c.swapping.Lock()
	defer c.swapping.Unlock()
	damaged.SetDamaged()
	v := c.Served.Load()
	if v == nil || !slices.Contains(v.Generation.Dir.Snapshots, damaged) {
		return nil
	}
	c.Served.Store(nil)
	v.Retire()
	return v
}

// takeOver continues the cache of the previous release, with the groups of unchanged environments. It returns the
// groups to end. A nil next takes nothing over.
func (v *Served) takeOver(before *Served) []*respcache.Group {
	if v == nil {
		return before.allGroups()
	}
	v.Cache = before.Cache
	ended := []*respcache.Group{before.whole}
	same := v.alike(before)
	for env, group := range before.groups {
		if same && sameEnvironment(v.Generation.Dir.Manifest.Environment(env), before.Generation.Dir.Manifest.Environment(env)) {
			v.groups[env] = group
		} else {
			ended = append(ended, group)
		}
	}
	return ended
}

// alike reports whether two releases answer alike about equal environments.
func (v *Served) alike(other *Served) bool {
	a, b := &v.Generation.Dir, &other.Generation.Dir
	return a.SnapshotOnly == b.SnapshotOnly && a.Manifest.Defaults == b.Manifest.Defaults
}

// sameEnvironment reports whether two environments, which may be nil, have the same content, lists and searches.
func sameEnvironment(a, b *release.Environment) bool {
	return a != nil && b != nil && a.Part() == b.Part()
}

func (v *Served) allGroups() []*respcache.Group {
	all := []*respcache.Group{v.whole}
	for _, group := range v.groups {
		all = append(all, group)
	}
	return all
}

// group returns the group of the response to a request. A response from a file is of its release: another release may
// have another file.
func (v *Served) group(c *answer.Content) *respcache.Group {
	if group := v.groups[c.Environment()]; group != nil && (c.File == "" || v.Generation.Dir.SnapshotOnly) {
		return group
	}
	return v.whole
}

// FindTarget finds a cached response of a release by the target of the request. It finds none once another release is
// served: until then every entry belongs to v.
func (c *Current) FindTarget(v *Served, target []byte) *respcache.Entry {
	return c.ifServed(v, v.Cache.GetTarget(target))
}

// FindSearch is FindTarget for a search, by its target and body.
func (c *Current) FindSearch(v *Served, target, body []byte) *respcache.Entry {
	return c.ifServed(v, v.Cache.GetSearch(target, body))
}

func (c *Current) ifServed(v *Served, entry *respcache.Entry) *respcache.Entry {
	if c.Served.Load() != v {
		return nil
	}
	return entry
}
