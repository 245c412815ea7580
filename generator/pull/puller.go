// This file is a pull from its beginning to its end.

package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"contentedge/generator/removal"
	"contentedge/generator/spill"
	"contentedge/generator/visibility"
)

// Puller pulls again and again. It holds what it knows of the mirror between two runs. It belongs to
// one goroutine.
type Puller struct {
	set    *settings
	origin *origin
	reader *reader
	mirror *mirror // of the last run, or nil
	report *Report // of the current run

	size    int  // items a page: it shrinks with an origin's limits, for the current run
	noIndex bool // the origin has no index
}

// New prepares pulls. It opens and requests nothing. Its error is a *UsageError.
func New(c Config) (*Puller, error) {
	set, err := c.settings()
	if err != nil {
		return nil, err
	}
	return &Puller{set: set, origin: newOrigin(set), reader: newReader(set), size: set.PageSize}, nil
}

// Close frees what is held between runs.
func (p *Puller) Close() {
	p.mirror.close()
	p.origin.client.CloseIdleConnections()
}

// Run pulls once. After an error the mirror is the old one. Run returns the same errors as the function Run.
func (p *Puller) Run(ctx context.Context) (*Report, error) {
	r, err := p.run(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return r, err
}

func (p *Puller) run(ctx context.Context) (*Report, error) {
	p.report = &Report{URL: p.set.URL, Env: p.set.Env, File: filepath.Join(p.set.dir, FileName)}
	p.origin.begin()
	p.size = p.set.PageSize // a slow hour does not make all later walks long
	if !p.set.DryRun {
		unlock, err := p.lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
		if err := p.sweep(); err != nil {
			return nil, err
		}
	}
	m, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	c, proof, err := p.collect(ctx, m)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := p.replace(ctx, c, m, proof); err != nil {
		return nil, err
	}
	r := p.report
	r.Requests, r.Received, r.Waited = p.origin.requests, p.origin.received, p.origin.budget.Spent
	if age := p.origin.oldest; age > maxAge {
		p.warn("a response was %s old: a cache before the origin answers, and the mirror may be as old", age)
	}
	return r, nil
}

// collect asks for what changed, or for everything.
func (p *Puller) collect(ctx context.Context, m *mirror) (*collection, Proof, error) {
	c, proof, err := p.partial(ctx, m)
	if err != nil || c != nil {
		return c, proof, err
	}
	p.report.Whole = true
	return p.whole(ctx)
}

// replace puts the items in the place of the mirror, if they differ and may.
func (p *Puller) replace(ctx context.Context, c *collection, m *mirror, proof Proof) error {
	next := p.next(c, m, proof)
	if err := p.guard(c, m); err != nil {
		return err
	}
	p.compareStatuses(c, m)
	r := p.report
	r.Items, r.Statuses, r.LeftOut, r.Proof, r.Release = next.Items, c.statuses, c.leftOut, proof, c.release
	r.Unchanged = r.Added == 0 && r.Changed == 0 && len(r.Removed) == 0 && m.regular && (m.file == nil) == (next.Items == 0)
	if r.Unchanged {
		next.Bytes, next.SHA256 = m.size(), m.digest
		r.Bytes = next.Bytes
		if m.current() {
			next.Pulled = m.state.Pulled
		}
		if r.Whole {
			if err := p.fetchMedia(ctx, m.media); err != nil {
				return err
			}
		}
		if p.set.DryRun || m.current() && !r.Whole {
			return nil
		}
		return p.writeState(next)
	}
	s, err := p.stage(ctx, c, m)
	if err != nil {
		return err
	}
	defer s.remove()
	next.Bytes, next.SHA256 = s.bytes, s.digest
	r.Bytes = s.bytes
	if err := p.fetchMedia(ctx, s.media); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.set.DryRun {
		return nil
	}
	return cmp.Or(p.commit(s, next), p.sweepMedia(s.media))
}

func (m *mirror) size() int64 {
	if m.info == nil {
		return 0
	}
	return m.info.Size()
}

// next returns the state of a mirror with the items, and counts what differs from the old one.
func (p *Puller) next(c *collection, m *mirror, proof Proof) *state {
	now := p.set.Now().UTC()
	s := &state{Format: stateFormat, URL: p.set.URL, Env: p.set.Env, Wanted: p.set.Statuses, Media: p.set.Media, Pulled: now, Walked: now,
		Statuses: c.statuses, LeftOut: c.leftOut, Proof: proof, Release: c.release}
	if !p.report.Whole {
		s.Walked = m.state.Walked
	}
	unstamped := 0
	for id, e := range c.entries {
		if e.size == 0 {
			continue
		}
		s.Items++
		old, ok := m.entries[id]
		switch {
		case !ok:
			p.report.Added++
		case old.sum != e.sum:
			p.report.Changed++
			if c.stamps[id] == m.stamps[id] {
				unstamped++
			}
		}
	}
	for id := range m.entries {
		if c.entries[id].size == 0 {
			p.report.Removed = append(p.report.Removed, id)
		}
	}
	slices.Sort(p.report.Removed)
	s.Unstamped = p.unstamped(c, m, unstamped)
	return s
}

// unstamped reports whether an origin changes items without changing their times. Then an index does
// not show all changes. A release does.
func (p *Puller) unstamped(c *collection, m *mirror, n int) bool {
	if c.release != "" {
		return false
	}
	if m.current() && m.state.Unstamped {
		return true
	}
	if n > 0 && m.current() {
		p.warn("%s changed, but not their times: from now on each pull reads all items", count(n, "item"))
	}
	return n > 0 && m.current()
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// guard refuses to remove too much.
func (p *Puller) guard(c *collection, m *mirror) error {
	items := len(m.entries) + p.report.Added - len(p.report.Removed)
	if len(m.entries) == 0 && items == 0 && !p.set.Removal.Allow {
		f := Fault{Message: "the origin has no items", Hint: "check --env; --allow-removal accepts an environment without items"}
		if len(c.leftOut) > 0 {
			f = Fault{Message: fmt.Sprintf("none of the origin's %s has a status that is wanted: they are %s", count(len(c.entries), "item"), names(c.leftOut)), Hint: "check --status: statuses are compared exactly"}
		}
		return p.set.refuse(f)
	}
	return p.set.Removal.CheckMirror(removal.Change{ID: p.set.As, Before: len(m.entries), After: items, Removed: len(p.report.Removed)})
}

// compareStatuses warns of statuses that the last pull did not see: an origin may begin to deliver
// drafts.
func (p *Puller) compareStatuses(c *collection, m *mirror) {
	if m.state == nil || len(p.set.Statuses) > 0 {
		return
	}
	var builds visibility.Rules
	for _, status := range slices.Sorted(maps.Keys(c.statuses)) {
		if m.state.Statuses[status]+m.state.LeftOut[status] == 0 && !builds.Delivers(status) {
			p.warn("%s with the status %s, which no item had before; builds leave it out until --status names it", count(c.statuses[status], "item"), strconv.Quote(status))
		}
	}
}

func names(counts map[string]int) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if text != "" {
			text += ", "
		}
		text += strconv.Quote(name)
	}
	return text
}

// scratchFile makes a temporary file: on the disk of the mirror, unless nothing may be written there.
func scratchFile(set *settings) (*spill.File, error) {
	if set.DryRun {
		return spill.Temp(tempPrefix)
	}
	return spill.Create(set.dir, tempPrefix)
}

// scratchDir makes a temporary folder, as scratchFile makes a file.
func scratchDir(set *settings) (string, error) {
	if set.DryRun {
		dir, err := os.MkdirTemp("", tempPrefix)
		return dir, spill.ExplainTempDir(err)
	}
	return os.MkdirTemp(set.dir, tempPrefix)
}

func (p *Puller) warn(format string, args ...any) {
	p.report.Warnings = append(p.report.Warnings, fmt.Sprintf(format, args...))
}

func (p *Puller) progress(items, total int) {
	p.set.Progress(Progress{Items: items, Total: total, Bytes: p.origin.received})
}
