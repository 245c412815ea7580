// This file keeps the last builds and serves them.

package page

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"contentedge/generator"
)

const (
	maxBuilds = 50 // about an hour's work
	// maxListed bounds each list of a build in states, events and lists of builds.
	maxListed = 100
	// maxListedAlone bounds it where one build is asked for.
	maxListedAlone = 10_000
	// maxKeptChanges bounds the changes kept of all builds: some 10 MB.
	maxKeptChanges = 5 * maxListedAlone
)

const (
	phaseBuilt  = "built"
	phaseFailed = "failed"
)

// What is served after a build.
const (
	releaseNone    = "none"    // no build has succeeded
	releasePartial = "partial" // it lacks files that are wrong
	releaseWhole   = "whole"
)

// Build is a build that has ended.
type Build struct {
	Number     int       `json:"number"` // from 1
	Phase      string    `json:"phase"`
	At         time.Time `json:"at"` // when it ended
	TookMillis int64     `json:"tookMillis"`
	Build      string    `json:"build"`     // the release's id; "" if it failed
	Unchanged  bool      `json:"unchanged"` // the release has the bytes of the previous one
	View       View      `json:"view"`
	Items      int       `json:"items"`
	Files      int       `json:"files"`
	Bytes      int64     `json:"bytes"`
	Release    string    `json:"release"` // that is served after the build: none, partial or whole

	Errors           int          `json:"errors"`  // how many Diagnostics are errors, before they are cut
	LeftOut          []string     `json:"leftOut"` // the files that this build left out because they are wrong
	LeftOutTotal     int          `json:"leftOutTotal"`
	Diagnostics      []Diagnostic `json:"diagnostics"`
	DiagnosticsTotal int          `json:"diagnosticsTotal"`
	Changes          Changes      `json:"changes"` // made from changed when the build is sent

	changed changed
}

func (b *Build) cut(n int) Build {
	c := *b
	c.Diagnostics, c.LeftOut = atMost(b.Diagnostics, n), atMost(b.LeftOut, n)
	c.Changes = b.changed.describe(n)
	return c
}

// describe sets what was found.
func (b *Build) describe(found []generator.Diagnostic) {
	b.Diagnostics, b.DiagnosticsTotal = describe(found)
	for _, d := range found {
		if !d.Warning {
			b.Errors++
		}
	}
}

// leaveOut sets the files in which errors were found.
func (b *Build) leaveOut(bad []generator.Diagnostic) {
	names := map[string]bool{}
	for _, d := range bad {
		if !names[d.File] && len(b.LeftOut) < maxListedAlone {
			b.LeftOut = append(b.LeftOut, shorten(d.File, maxText))
		}
		names[d.File] = true
	}
	b.LeftOutTotal = len(names)
}

// repeats reports whether the build says what the last one said. Warnings may come and go while the
// release stays.
func (b *Build) repeats(last *Build) bool {
	return b.Unchanged && last.Phase == phaseBuilt && last.View.header() == b.View.header() &&
		last.DiagnosticsTotal == b.DiagnosticsTotal && reflect.DeepEqual(last.Diagnostics, b.Diagnostics)
}

// atMost is never null as JSON.
func atMost[E any](list []E, n int) []E {
	if list == nil {
		return []E{}
	}
	return list[:min(len(list), n)]
}

// builds are the last builds. Page.mu guards them.
type builds struct {
	building bool
	number   int      // of the build under way, or of the last one
	kept     []*Build // the newest at the end
}

// newest is the last build; nil before it ended.
func (b *builds) newest() *Build {
	if len(b.kept) == 0 {
		return nil
	}
	return b.kept[len(b.kept)-1]
}

// add keeps a build and shortens older ones. It drops a repetition of the last: preview builds
// again when it cannot rule out that a file changed.
func (b *builds) add(n *Build) {
	if last := b.newest(); last != nil && n.repeats(last) {
		return
	}
	b.kept = append(b.kept, n)
	if len(b.kept) > maxBuilds {
		b.kept = slices.Delete(b.kept, 0, 1)
	}
	left := maxKeptChanges
	for _, old := range slices.Backward(b.kept) {
		if left -= len(old.changed.items); left < 0 {
			old.changed.items = slices.Clone(atMost(old.changed.items, maxListed))
		}
	}
}

// Building tells that a build with a view begins.
func (p *Page) Building(v View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.header() != p.view.header() {
		p.events.add(eventView, v)
	}
	p.view = v
	p.builds.number++
	p.builds.building = true
	p.events.add(eventBuilding, struct {
		Number int `json:"number"`
	}{p.builds.number})
}

// Built tells that the build succeeded and is served.
func (p *Page) Built(r *generator.Report, took time.Duration) {
	b := &Build{Phase: phaseBuilt, Build: r.Build, Unchanged: r.Unchanged, Files: r.Files, Bytes: r.Bytes}
	for _, e := range r.Environments {
		b.Items += e.Items
	}
	b.describe(slices.Concat(r.Bad, r.Warnings))
	b.Release = releaseWhole
	if len(r.Bad) > 0 {
		b.Release = releasePartial
		b.leaveOut(r.Bad)
	}
	environments, changes := p.environments(r), p.cfg.Site.Changes()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.served.release != "" {
		b.changed = newChanged(changes, p.served.environments, environments)
	}
	p.served.release, p.served.view, p.served.environments, p.served.names = b.Release, p.view, environments, new(sync.Map)
	p.endBuild(b, took, eventBuilt)
}

// Failed tells that the build failed.
func (p *Page) Failed(err error, took time.Duration) {
	b := &Build{Phase: phaseFailed}
	var content *generator.ContentError
	if errors.As(err, &content) {
		b.describe(content.Diagnostics)
	} else {
		b.describe([]generator.Diagnostic{{Message: err.Error()}})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b.Release = cmp.Or(p.served.release, releaseNone)
	p.endBuild(b, took, eventFailed)
}

// endBuild keeps a build and sends its event. The caller holds mu.
func (p *Page) endBuild(b *Build, took time.Duration, event string) {
	b.Number, b.View = p.builds.number, p.view
	b.At, b.TookMillis = time.Now().UTC(), took.Milliseconds()
	p.builds.building = false
	p.builds.add(b)
	p.events.add(event, b.cut(maxListed))
}

func (p *Page) sendBuilds(r *request) *apiError {
	p.mu.Lock()
	list := []Build{}
	for _, b := range slices.Backward(p.builds.kept) {
		list = append(list, b.cut(maxListed))
	}
	p.mu.Unlock()
	sendJSON(r.RequestCtx, list)
	return nil
}

func (p *Page) sendBuild(r *request, number int) *apiError {
	p.mu.Lock()
	i := slices.IndexFunc(p.builds.kept, func(b *Build) bool { return b.Number == number })
	var b Build
	if i >= 0 {
		b = p.builds.kept[i].cut(maxListedAlone)
	}
	p.mu.Unlock()
	if i < 0 {
		return errBuild
	}
	sendJSON(r.RequestCtx, b)
	return nil
}
