// This file loads sites of which some environments are known, and need not be read.

package model

import (
	"errors"
	"maps"
	"slices"
)

// ErrUnknown says that a finding needs the items of an environment that was not read. Load it without Carried.
var ErrUnknown = errors.New("the build needs an environment that it did not read")

// Carried has facts about an environment that is not read: its last load had only the findings in Repeated.
type Carried struct {
	Statuses  map[string]int `json:"statuses"`
	Delivered map[string]int `json:"delivered"`
	Hidden    Hidden         `json:"hidden"`
	Repeated  []Repeated     `json:"repeated,omitempty"`
}

// Repeated are the findings of one kind.
type Repeated struct {
	Kind  int        `json:"kind"` // index in kinds
	Count int        `json:"count"`
	First Diagnostic `json:"first"`
}

// Carried returns the facts with which a later process carries the environment over, or nil if it has to be read.
func (s *Site) Carried(env int) *Carried {
	e := &s.Envs[env]
	if e.carried != nil {
		return e.carried
	}
	if !e.quiet {
		return nil
	}
	c := &Carried{Statuses: e.Statuses, Delivered: e.Delivered, Hidden: e.Hidden}
	for _, r := range e.repeats {
		c.Repeated = append(c.Repeated, Repeated{slices.Index(kinds, r.kind), r.count, r.first})
	}
	return c
}

// CarriedWith returns the number on which environments depend in addition to their own files: the share that each has
// of the bytes of templates.
func CarriedWith(environments int) int { return templatesLimit(environments) }

// carry adds what is known of the environments that were not read.
func (l *loader) carry(site *Site) {
	for i := range site.Envs {
		env := &site.Envs[i]
		if env.carried = l.opts.Carried[env.ID]; env.carried == nil {
			continue
		}
		env.Statuses, env.Delivered, env.Hidden = env.carried.Statuses, env.carried.Delivered, env.carried.Hidden
		for _, r := range env.carried.Repeated {
			if r.Kind >= 0 && r.Kind < len(kinds) {
				l.repeats.insert(repeated{kind: kinds[r.Kind], count: r.Count, first: r.First})
			}
		}
	}
}

// insert is add for a finding whose file may precede the added ones: the least place becomes the first one.
func (r *repeats) insert(more repeated) {
	for i := range *r {
		if o := &(*r)[i]; o.kind == more.kind && more.first.File < o.first.File {
			o.first = more.first
		}
	}
	r.add(more)
}

// quiet marks the environments that have only repeated findings, and depend only on their own files. misspelt are the
// statuses that were reported.
func (l *loader) quiet(site *Site, misspelt map[string]bool) {
	loud := map[string]bool{}
	for i := range l.results {
		r, env := &l.results[i], site.env(l.files[i].Env)
		if env == nil {
			continue
		}
		if r.lost || r.facts || r.broken || r.report.errors > 0 || len(r.report.kept)+len(r.report.closing)+len(r.media) > 0 {
			loud[env.ID] = true
		}
		for _, more := range r.repeats {
			loud[env.ID] = loud[env.ID] || !slices.Contains(kinds, more.kind)
			env.repeats.add(more)
		}
	}
	for i := range site.Envs {
		env := &site.Envs[i]
		odd := func(status string) bool { return misspelt[status] }
		env.quiet = !loud[env.ID] && !l.warned[env.ID] && len(env.Mixed) == 0 &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(env.Statuses)), odd)
	}
}

// hasItems reports whether an environment that was not read has items.
func (c *Carried) hasItems() bool { return c != nil && len(c.Statuses) > 0 }
