// This file builds again when an item appears or expires.

package main

import (
	"context"
	"time"
)

// clockStep bounds a wait, because timers stand still while a machine sleeps and its clock does not.
const clockStep = 10 * time.Second

// followClock rebuilds when an item appears or expires, until ctx ends.
func (p *preview) followClock(ctx context.Context) {
	var tried time.Time // after a build that fails, nextChange still returns the same time
	for ctx.Err() == nil {
		next := p.nextChange()
		var due <-chan time.Time
		switch {
		case next.IsZero() || next.Equal(tried):
		case time.Now().Before(next):
			due = time.After(min(time.Until(next), clockStep))
		default:
			tried = next
			p.rebuild(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-p.built:
		case <-due:
		}
	}
}

// nextChange returns when the view of the last build shows other items. Zero means never.
func (p *preview) nextChange() time.Time {
	p.building.Lock()
	defer p.building.Unlock()
	if !p.view.Follows() {
		return time.Time{}
	}
	return p.session.NextChange()
}
