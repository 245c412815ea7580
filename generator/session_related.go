// This file finds unchanged items whose responses changed in a build.

package generator

import (
	"slices"

	"contentedge/edgeserve/wire/envelope"
	"contentedge/generator/model"
	"contentedge/generator/plan"
)

// relate adds the items that include a changed item, and the items to which a changed item refers or referred. before
// may be nil.
func (c *Changes) relate(before, after *state, p *prepared) error {
	for i := range c.Environments {
		e := &c.Environments[i]
		at := slices.IndexFunc(p.plans, func(of *plan.Env) bool { return of.ID == e.ID })
		if at < 0 || p.references[at] == nil {
			continue
		}
		r := relation{env: &p.site.Envs[at], changed: map[string]bool{}, named: map[string]bool{}}
		for _, it := range e.Items {
			r.changed[it.ID] = true
		}
		if p.references[at].UsedIn.Any() {
			for _, s := range []*state{before, after} {
				if err := r.name(s, e); err != nil {
					return err
				}
			}
		}
		for doc, item := range p.plans[at].Docs {
			it := &r.env.Items[item]
			if r.changed[it.ContentID] {
				continue
			}
			in := p.references[at].Included(doc)
			includes := in != nil && (slices.ContainsFunc(in.Docs, func(other int32) bool { return r.changed[r.env.Items[p.plans[at].Docs[other]].ContentID] }) ||
				slices.ContainsFunc(in.Absent, func(id string) bool { return r.changed[id] }))
			if includes || r.named[it.ContentID] && p.references[at].Referrers(doc) != nil {
				e.Related = append(e.Related, it.ContentID)
			}
		}
	}
	return nil
}

type relation struct {
	env            *model.Env
	changed, named map[string]bool // ids: of items that changed, and of items that these refer to
}

// name records the ids that changed items of a state refer to.
func (r *relation) name(s *state, e *EnvChanges) error {
	if s == nil {
		return nil
	}
	var text []byte
	for id := range r.changed {
		_, it := s.find(e.ID, id)
		if it == nil {
			continue
		}
		var err error
		if text, err = s.text(text[:0], it); err != nil {
			return err
		}
		envelope.References(text, func(_, id []byte) bool {
			r.named[string(id)] = true
			return true
		})
	}
	return nil
}
