// This file drops entries together: the entries of an environment whose content changed.

package respcache

import "sync/atomic"

// Group is what entries have in common that become wrong together. A release that replaces another one ends the groups
// of what changed; the entries of the others live on.
type Group struct {
	number uint64 // no other group has it

	// Guarded by the cache's mu:
	first *Entry // the others follow by nextOfGroup
	ended bool
}

var groups atomic.Uint64

// NewGroup returns a group without entries.
func NewGroup() *Group { return &Group{number: groups.Add(1)} }

// mark changes the hash of a key, so that a request of an ended group does not count as an earlier one.
func (g *Group) mark(h uint64) uint64 {
	if g == nil {
		return h
	}
	const odd = 0x9e3779b97f4a7c15 // spreads the numbers over all bits
	return h ^ g.number*odd
}

// End drops all entries of groups, and lets them have none in the future: a slow request of the release before adds
// nothing.
func (c *Cache) End(groups ...*Group) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range groups {
		g.ended = true
		for g.first != nil {
			c.drop(g.first)
		}
	}
}

// GetOf is Get for a request that accepts only entries of a group.
func (c *Cache) GetOf(group *Group, key []byte) *Entry {
	c.mu.RLock()
	entry := c.entries[string(key)]
	c.mu.RUnlock()
	if entry == nil || entry.Group != group {
		return nil
	}
	return entry.use()
}

// join adds an entry to its group. mu is held.
func (e *Entry) join() {
	g := e.Group
	if g == nil {
		return
	}
	if e.nextOfGroup = g.first; g.first != nil {
		g.first.beforeOfGroup = e
	}
	g.first = e
}

// leave removes an entry from its group. mu is held.
func (e *Entry) leave() {
	g := e.Group
	if g == nil {
		return
	}
	if e.beforeOfGroup != nil {
		e.beforeOfGroup.nextOfGroup = e.nextOfGroup
	} else {
		g.first = e.nextOfGroup
	}
	if e.nextOfGroup != nil {
		e.nextOfGroup.beforeOfGroup = e.beforeOfGroup
	}
	e.beforeOfGroup, e.nextOfGroup = nil, nil
}

// accepts reports whether entries may be added to a group. mu is held.
func (g *Group) accepts() bool { return g == nil || !g.ended }
