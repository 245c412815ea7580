// This file builds a site again and again, and reads only what changed.

package generator

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/source"
	"contentedge/generator/source/media"
	"contentedge/generator/spill"
	"contentedge/generator/visibility"
	"contentedge/generator/writer"
)

// View says which items a release delivers, and which it may remove. The zero View follows the BuildConfig.
type View struct {
	Visible *visibility.Rules // which items are delivered; nil means as the BuildConfig says
	At      time.Time         // when they are visible; zero means as the BuildConfig says

	// LeaveOutBad leaves out files that are wrong, unless nothing is left. Report.Bad says what is wrong with them.
	// Settings and queries of saved searches that are wrong fail the build all the same.
	LeaveOutBad bool

	AllowRemoval bool // the release may remove any items, whatever BuildConfig.Removal says
}

// rules returns what the view delivers, and when.
func (v View) rules(c *BuildConfig) (visibility.Rules, time.Time) {
	rules, at := c.Visible, v.At
	if v.Visible != nil {
		rules = *v.Visible
	}
	if at.IsZero() {
		at = c.At
	}
	if at.IsZero() {
		at = time.Now()
	}
	return rules, at
}

// Session builds releases of one content directory. Calls of Build run one after another. The other
// methods describe the last good build, and may be called during a build.
type Session struct {
	c BuildConfig
	o plan.Options
	t *tracker

	plans    bool  // it writes nothing
	limit    int64 // bytes of memory for the cache
	garbage  int64 // bytes of unused fragments that the file may always hold
	building sync.Mutex
	folder   *source.Folder // the content
	includes includes       // of the content that was read last
	file     *spill.File    // the fragments of cached items; nil before the first build
	cache    *model.ParseCache
	media    *media.Resolver
	previous *writer.PreviousRelease // the last release, from the same file
	bad      map[string]bool         // the names of files that are left out because they are wrong
	listed   map[string]bool         // the names of all files that were found last, if files may be left out
	carries  bool                    // environments that did not change are not read: of a process that builds once
	carried  map[string]*envInputs   // the environments that were not read
	known    *inputs                 // the note that was read or written last, or nil
	found    map[string]string       // what the system says of the files of environments
	memory   atomic.Int64
	last     atomic.Pointer[state] // nil before the first good build
}

// NewSession checks the BuildConfig and opens nothing.
func NewSession(c BuildConfig) (*Session, error) { return newSession(c) }

func newSession(c BuildConfig) (*Session, error) {
	if c.Out == "" {
		return nil, &UsageError{"--out", "no output directory is named", "name the directory that holds releases, e.g. public"}
	}
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	return &Session{c: c, o: o, t: &tracker{report: c.Progress}, folder: c.folder(), limit: cmp.Or(c.Memory, DefaultMemory) / keptShare, garbage: mostGarbage, media: media.NewResolver(c.Content)}, nil
}

func (s *Session) begin() (*spill.File, error) {
	if err := output.Check(s.c.Out); err != nil {
		return nil, err
	}
	return temporary(s.c.Out)
}

// Build reads the sources that changed since the last call, builds a release of the items that the View delivers, and
// makes it current. It returns the same errors as the function Build. After an error the old release stays current.
// After a *ContentError the next call reads only what changed.
func (s *Session) Build(ctx context.Context, v View) (*Report, error) {
	s.building.Lock()
	defer s.building.Unlock()
	s.t = &tracker{report: s.c.Progress}
	if err := s.open(); err != nil {
		return nil, err
	}
	p, bad, err := s.prepareGood(ctx, v)
	if err != nil {
		s.forget(err)
		return nil, err
	}
	next := &state{site: p.site, file: s.file}
	if next.changes, err = changes(s.last.Load(), next); err != nil {
		return nil, err
	}
	r, err := s.write(ctx, p, s.file)
	if err != nil {
		return nil, err
	}
	if err := next.changes.relate(s.last.Load(), next, p); err != nil {
		return nil, err
	}
	s.previous, next.manifest = p.previous, p.manifest
	if before := s.last.Load(); before != nil {
		next.changes.addSearches(before.manifest, p.manifest)
	}
	r.Bad = bad
	s.last.Store(next)
	s.memory.Store(s.cache.Memory() + next.memory())
	return r, nil
}

// keptShare is the part of BuildConfig.Memory for sources kept between builds.
const keptShare = 4

// mostGarbage is how many bytes of unused fragments the file may always hold. It may hold as many as there are bytes in
// use.
const mostGarbage = 64 << 20

// open makes the file of the fragments, or replaces one that is mostly garbage.
func (s *Session) open() error {
	if s.file != nil {
		if used, garbage := s.cache.Garbage(); garbage <= max(used, s.garbage) {
			return output.Check(s.c.Out)
		}
	}
	file, err := s.begin()
	if err != nil {
		return err
	}
	s.previous = &writer.PreviousRelease{}
	s.file = file // the old file may be in use; it is closed with its last user
	s.cache = model.NewParseCache(s.limit, func() model.TextSink { return writer.NewFragmentSpiller(file) })
	return nil
}

// forget drops the cache after a system error, which may have left it incomplete.
func (s *Session) forget(err error) {
	if _, content := err.(*ContentError); !content {
		s.file, s.cache, s.previous = nil, nil, nil
	}
}

// Memory returns the approximate size of the cache in bytes.
func (s *Session) Memory() int64 { return s.memory.Load() }
