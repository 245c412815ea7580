// This file asks only for what changed since the last pull.

package pull

import (
	"context"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
)

// latest is how many items are compared with the mirror where no index shows what changed.
const latest = 100

// partial returns the items of the origin, and reads only the changed ones. If nothing changed, it returns the mirror's
// own collection. If only a whole walk can tell, it returns nil.
func (p *Puller) partial(ctx context.Context, m *mirror) (*collection, Proof, error) {
	now := p.set.Now()
	if p.set.Full || !m.current() || m.state.Items == 0 || now.Before(m.state.Walked) || now.Sub(m.state.Walked) >= p.set.FullEvery {
		return nil, "", nil
	}
	if m.state.Release != "" {
		same, err := p.sameRelease(ctx, m)
		return p.keep(m, same), m.state.Proof, err
	}
	if m.state.Unstamped || m.state.Proof == OnePage { // a page of everything is as fast, and misses nothing
		return nil, "", nil
	}
	before, err := p.index(ctx)
	if err != nil {
		return nil, "", err
	}
	if before == nil {
		same, err := p.sameLatest(ctx, m)
		return p.keep(m, same), m.state.Proof, err
	}
	return p.byIndex(ctx, m, before)
}

// keep returns the mirror's items if the origin still has the same ones.
func (p *Puller) keep(m *mirror, same bool) *collection {
	if !same {
		return nil
	}
	return &collection{entries: m.entries, stamps: m.stamps, statuses: m.state.Statuses, leftOut: m.state.LeftOut, release: m.state.Release}
}

// sameRelease reports whether the origin still serves the mirror's release.
func (p *Puller) sameRelease(ctx context.Context, m *mirror) (bool, error) {
	r := listRequest(p.set.Env, 1, 1, address.FieldCreatedAt, true)
	r.pin = m.state.Release
	got, err := fetch(ctx, p.origin, r, isRejected, func(resp *response) (*page, error) { return p.reader.page(p.origin, resp) })
	if isRejected(err) {
		return false, nil
	}
	return err == nil && got.release == m.state.Release && got.total == m.total(), err
}

// total is how many items the origin had.
func (m *mirror) total() int {
	n := len(m.entries)
	for _, left := range m.state.LeftOut {
		n += left
	}
	return n
}

// sameLatest reports whether the origin and the mirror agree on the items that were changed last. If not, a walk has to
// tell: an origin whose clock went back sorts a change after older ones.
func (p *Puller) sameLatest(ctx context.Context, m *mirror) (bool, error) {
	r := listRequest(p.set.Env, 1, min(latest, p.size), address.FieldUpdatedAt, false)
	unknown := func(err error) bool { return isRejected(err) || timedOut(err) || tooLarge(err) }
	got, err := fetch(ctx, p.origin, r, unknown, func(resp *response) (*page, error) { return p.reader.page(p.origin, resp) })
	if unknown(err) || err == nil && got.total != m.total() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, it := range got.items {
		e, ok := m.entries[it.id]
		if p.set.wants(it.stamp.status) != ok || ok && e.sum != sumOf(p.set.line(&it)) {
			return false, nil
		}
	}
	return len(got.items) > 0, nil
}

func (s *settings) wants(status string) bool {
	return len(s.Statuses) == 0 || slices.Contains(s.Statuses, status)
}

// byIndex requests the items whose stamps differ from the mirror's. An equal index after the last request shows that
// all items belong to one moment.
func (p *Puller) byIndex(ctx context.Context, m *mirror, before index) (*collection, Proof, error) {
	ids := p.differing(m, before)
	gone := p.gone(m, before)
	if len(ids) == 0 && len(gone) == 0 {
		return p.keep(m, true), m.state.Proof, nil
	}
	if len(ids) > maxChanged {
		return nil, "", nil
	}
	c, err := newCollection(p.set)
	if err != nil {
		return nil, "", err
	}
	ok, err := p.request(ctx, c, m, before, ids, gone)
	if !ok || err != nil {
		c.close()
		return nil, "", err
	}
	return c, Indexed, nil
}

// differing lists the wanted items of an index that the mirror lacks, or has with another stamp.
func (p *Puller) differing(m *mirror, all index) (ids []string) {
	for id, s := range all {
		if old, ok := m.stamps[id]; p.set.wants(s.status) && (!ok || old != s) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// gone has the items of the mirror that an index lacks, or that are left out now.
func (p *Puller) gone(m *mirror, all index) map[string]bool {
	ids := map[string]bool{}
	for id := range m.entries {
		if s, ok := all[id]; !ok || !p.set.wants(s.status) {
			ids[id] = true
		}
	}
	return ids
}

// request collects the mirror's items without the gone ones, and the requested items. It returns false if the origin
// changed meanwhile.
func (p *Puller) request(ctx context.Context, c *collection, m *mirror, before index, ids []string, gone map[string]bool) (bool, error) {
	for i, id := range ids {
		it, err := fetch(ctx, p.origin, request{path: address.Item.Path(p.set.Env, id)}, isRejected, func(resp *response) (item, error) { return p.reader.one(p.origin, resp) })
		if isRejected(err) || err == nil && (it.id != id || it.stamp != before[id]) {
			return false, nil
		}
		if err == nil {
			_, err = c.add(it)
		}
		if err != nil {
			return false, err
		}
		p.progress(i+1, len(ids))
	}
	after, err := p.index(ctx)
	if err != nil || !maps.Equal(after, before) {
		return false, err
	}
	for id, e := range m.entries {
		if _, fresh := c.entries[id]; !fresh && !gone[id] {
			c.entries[id] = e
		}
	}
	clear(c.statuses)
	for id, s := range before {
		count := c.leftOut
		if p.set.wants(s.status) {
			count = c.statuses
		}
		count[s.status]++
		c.stamps[strings.Clone(id)] = s
	}
	return true, nil
}
