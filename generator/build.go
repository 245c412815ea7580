// Package generator builds a release from a content directory in the stages source, model, plan,
// writer (which renders and indexes) and output. Readers see the old release until the last step.
package generator

import (
	"cmp"
	"context"
	"errors"
	"os"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/index"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/related"
	"contentedge/generator/render"
	"contentedge/generator/searches"
	"contentedge/generator/source"
	"contentedge/generator/source/media"
	"contentedge/generator/spill"
	"contentedge/generator/visibility"
	"contentedge/generator/writer"
)

// Build builds a release and makes it current. After an error the old release stays current. Errors:
// *UsageError, *ContentError, *BudgetError, *LimitError, *RemovalError or the system's.
func Build(ctx context.Context, c BuildConfig) (*Report, error) {
	r, err := buildOnce(ctx, c, true)
	if errors.Is(err, model.ErrUnknown) || errors.Is(err, writer.ErrNotCarried) {
		return buildOnce(ctx, c, false)
	}
	return r, err
}

// buildOnce is Build. With carries it does not read environments that did not change; it may fail because of that.
func buildOnce(ctx context.Context, c BuildConfig, carries bool) (*Report, error) {
	s, err := newSession(c)
	if err != nil {
		return nil, err
	}
	s.carries = carries
	file, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p, err := s.prepare(ctx, View{}, model.Options{Sink: func() model.TextSink { return writer.NewFragmentSpiller(file) }}, file)
	if err != nil {
		return nil, err
	}
	p.drops = true
	return s.write(ctx, p, file)
}

// temporary makes an unnamed file on the disk of the output directory, which need not exist yet.
func temporary(out string) (*spill.File, error) {
	return spill.Create(out, release.TempPrefix+"spill-")
}

// Plan computes the figures of a build and writes nothing. Where Build would refuse the size, Plan
// returns the figures with a *BudgetError, a *LimitError or, with Out, a *RemovalError.
func Plan(ctx context.Context, c BuildConfig) (*PlanReport, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	s := &Session{c: c, o: o, t: &tracker{report: c.Progress}, folder: c.folder(), media: media.NewResolver(c.Content), plans: true}
	p, err := s.prepare(ctx, View{}, model.Options{Sink: func() model.TextSink { return s.planned() }}, nil)
	if s.file != nil {
		defer s.file.Close()
	}
	if err != nil {
		return nil, err
	}
	r := &PlanReport{Environments: p.summaries, BudgetFiles: o.BudgetFiles, BudgetBytes: o.BudgetBytes, NextChange: nextChange(p.site), Warnings: p.warnings}
	for i := range p.site.Envs {
		if env := &p.site.Envs[i]; leftOut(env).Items() > 0 {
			r.LeftOut = append(r.LeftOut, EnvLeftOut{env.ID, leftOut(env)})
		}
	}
	for i := range p.summaries {
		files, bytes := p.summaries[i].ListFiles()
		r.ListFiles += files
		r.ListBytes += bytes
		if !c.SnapshotOnly {
			r.SearchFiles += p.summaries[i].SearchFiles
		}
		r.Media += p.summaries[i].Media
		r.MediaBytes += p.summaries[i].MediaBytes
		if !c.SnapshotOnly {
			r.ItemFiles += p.summaries[i].Items
			r.ItemBytes += p.summaries[i].ItemBytes
			r.UsedInFiles += p.summaries[i].UsedIn
			r.UsedInBytes += p.summaries[i].UsedInBytes
			r.PrecompressedFiles += p.summaries[i].Precompressed
		}
	}
	if err := p.checkLimits(s); err != nil {
		return r, err
	}
	if c.Out != "" {
		var dir string
		if dir, err = output.Current(c.Out); err == nil {
			err = p.checkEmptied(&c, dir)
		}
		if err == nil {
			err = p.checkRemoval(&c, dir, func(int) (int, bool) { return 0, false })
		}
	}
	r.Warnings = p.warnings
	return r, err
}

type prepared struct {
	site       *model.Site
	searches   map[string][]searches.Search // by environment
	plans      []*plan.Env
	references []*related.Env // by environment
	summaries  []plan.Summary
	warnings   []Diagnostic
	defaults   address.Defaults
	carried    map[string]*envInputs   // the environments that were not read
	noted      map[string][]Diagnostic // by environment: warnings about included references
	drops      bool                    // the items are not needed once the writer has them
	view       View                    // which items the release has
	manifest   *release.Manifest       // of the release, once it is built
	previous   *writer.PreviousRelease // the sources of the release, once it is built
}

// prepare reads the content and plans the release of a view. opts have the sink of the items' texts, and file holds
// them; nil: the session's file.
func (s *Session) prepare(ctx context.Context, v View, opts model.Options, file *spill.File) (*prepared, error) {
	s.t.enter(Reading)
	site, saved, warnings, err := s.load(ctx, v, opts)
	if err != nil {
		return nil, err
	}
	p := &prepared{site: site, searches: saved, warnings: warnings, defaults: s.o.Defaults, view: v, carried: s.carried}
	if file == nil {
		file = s.file
	}
	for i := range site.Envs {
		env := &site.Envs[i]
		if known := s.carried[env.ID]; known != nil {
			p.plans, p.references, p.summaries = append(p.plans, &plan.Env{ID: env.ID}), append(p.references, nil), append(p.summaries, *known.Summary)
			continue
		}
		p.plans = append(p.plans, plan.New(env, s.o))
		references, err := s.includes.related(ctx, env, p.plans[i], file)
		if err != nil {
			return nil, p.writeError(err)
		}
		p.references = append(p.references, references)
		p.summaries = append(p.summaries, render.Measure(env, p.plans[i], references))
		for _, search := range saved[env.ID] {
			p.summaries[i].NoteSearch(search.Name, search.Pages)
		}
		for _, m := range env.Media {
			p.summaries[i].NoteMedia(m.Address[1:], m.Size)
		}
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
	}
	return p, nil
}

func (s *Session) write(ctx context.Context, p *prepared, file *spill.File) (r *Report, err error) {
	if err := p.checkLimits(s); err != nil {
		return nil, err
	}
	included, err := s.includes.check(p.site, file)
	if err != nil {
		return nil, err
	}
	p.noted = included
	for i := range p.site.Envs {
		p.warnings = append(p.warnings, included[p.site.Envs[i].ID]...)
	}
	if !s.c.SnapshotOnly {
		s.t.expect(p.summaries)
	}
	tx, err := output.Begin(s.c.Out, output.Options{FileMode: s.c.FileMode, DirMode: s.c.DirMode, NoSync: s.c.NoSync})
	if err != nil {
		return nil, err
	}
	defer func() {
		tx.Abort() // after Commit it does nothing
		if err == nil {
			r.warn(tx.Warnings())
		}
	}()
	current, err := tx.Previous()
	if err != nil {
		return nil, err
	}
	if err := s.c.checkPartial(current); err != nil {
		return nil, err
	}
	if err := p.checkEmptied(&s.c, current); err != nil {
		return nil, err
	}
	w, err := p.writer(s, tx, file, current)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if err := p.checkRemoval(&s.c, current, w.Removed); err != nil {
		return nil, err
	}
	if p.drops {
		for i := range p.site.Envs {
			p.site.Envs[i].Items = nil // frees their memory: the writer has what it needs
		}
	}
	r, found, err := p.unchanged(ctx, s, tx, w, current)
	if r != nil || err != nil {
		return r, err
	}
	s.t.enter(Writing)
	m, err := w.Write(ctx)
	if err != nil {
		return nil, p.writeError(err)
	}
	p.previous = w.PreviousRelease(m)
	s.t.enter(Syncing)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if r, err = p.report(m, false, p.measured(m, tx.Dir())); err != nil {
		return nil, err
	}
	if err := s.note(tx, p, m, r); err != nil {
		return nil, err
	}
	r.Written = s.t.p.Written
	r.found(found, current)
	return r, tx.Commit(m.Build)
}

// writeError returns a *ContentError if the content is to blame for an error of the writer, otherwise the error.
func (p *prepared) writeError(err error) error {
	if wrong, ok := errors.AsType[*searches.Error](err); ok {
		return &ContentError{append(p.warnings, wrong.Diagnostics...)}
	}
	if many, ok := errors.AsType[*related.TooMany](err); ok {
		return &ContentError{append(p.warnings, tooMany(many)...)}
	}
	if problem, ok := errors.AsType[*source.Problem](err); ok { // a media file changed
		return &ContentError{append(p.warnings, Diagnostic{File: problem.Path, Message: problem.Message, Hint: problem.Hint})}
	}
	return err
}

// unchanged returns the report of the current release if the build would make the same release and
// its files are not damaged; otherwise nil, and the release has to be written.
func (p *prepared) unchanged(ctx context.Context, s *Session, tx *output.Tx, w *writer.Writer, current string) (*Report, *output.Found, error) {
	m := w.Unchanged()
	if m == nil {
		return nil, nil, nil
	}
	found, err := w.Look(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(found.Faults) > 0 {
		return nil, found, nil
	}
	if err := tx.RestoreLinks(); err != nil {
		return nil, nil, err
	}
	p.previous = w.PreviousRelease(m)
	r, err := p.report(m, true, func(visit visitDir) error { found.Dirs(visit); return nil })
	if err != nil {
		return nil, nil, err
	}
	r.Unchanged = true
	if err := s.note(tx, p, m, r); err != nil {
		return nil, nil, err
	}
	r.found(found, current)
	return r, found, nil
}

func (p *prepared) writer(s *Session, tx *output.Tx, file *spill.File, current string) (*writer.Writer, error) {
	c := &s.c
	k, err := c.compressor()
	if err != nil {
		return nil, err
	}
	if c.Full {
		current = ""
	}
	return writer.New(tx, writer.ReleaseConfig{
		Fragments: file, Baseline: current, Carry: s.noted(current) != nil, Compressor: k, Defaults: p.defaults, SnapshotOnly: c.SnapshotOnly, Partial: c.Partial, Check: c.CheckFiles, Target: s.o.Target,
		Memory: c.Memory, Temp: func() (*spill.File, error) { return temporary(c.Out) }, Progress: s.t.wrote, Previous: s.previous,
	}, p.envs())
}

func (p *prepared) envs() []writer.Env {
	envs := make([]writer.Env, len(p.plans))
	for i := range envs {
		env := &p.site.Envs[i]
		envs[i] = writer.Env{Plan: p.plans[i], Summary: &p.summaries[i], Items: env.Items, Fields: env.Fields, LeftOut: env.LeftOut, Searches: p.searches[env.ID], Media: env.Media,
			Templates: env.Templates, TemplatesLeftOut: env.TemplatesLeftOut, References: p.references[i], Visible: wireInterval(env.Hidden.Interval), Carried: p.carried[env.ID].writerCarried()}
	}
	return envs
}

// wireInterval is an interval as a manifest has it.
func wireInterval(i visibility.Interval) release.Interval {
	var from, until *int64
	if i.From != visibility.Always {
		from = &i.From
	}
	if i.Until != visibility.Never {
		until = &i.Until
	}
	return release.NewInterval(from, until)
}

// checkLimits returns an error for a release that its readers or its host would refuse.
func (p *prepared) checkLimits(s *Session) error {
	if err := s.o.CheckLimits(p.summaries); err != nil {
		return err
	}
	return writer.CheckManifest(s.o.Defaults, s.c.SnapshotOnly, p.envs())
}

func (s *Session) load(ctx context.Context, v View, opts model.Options) (*model.Site, map[string][]searches.Search, []Diagnostic, error) {
	c := &s.c
	tree, err := s.folder.List(ctx, c.Envs)
	if err != nil {
		return nil, nil, nil, err
	}
	opts.Rules, opts.At = v.rules(c)
	opts.Strict, opts.Broken, opts.Progress = c.Strict, brokenRefs[c.BrokenRefs], s.t.read
	opts.Media = s.media
	if d := s.o.Defaults; !address.IsScalar(d.Sort) {
		opts.OrderPath, opts.OrderAsc = d.Sort, d.Asc
	}
	opts.ListPaths = s.o.Paths()
	if v.LeaveOutBad {
		opts.Incomplete = s.withoutBad(tree)
	}
	opts.Carried = s.carry(tree, v, opts.At)
	opts.LeftOut, s.includes = unsearched(tree), includes(tree.Settings)
	if s.plans && s.includes.follow() {
		if s.file, err = spill.Create(os.TempDir(), release.TempPrefix+"spill-"); err != nil {
			return nil, nil, nil, err
		}
	}
	opts.MaxPaths = int(cmp.Or(c.Memory, DefaultMemory) / index.PathBytes)
	site, found, err := model.Load(ctx, tree, opts)
	if many, ok := errors.AsType[*model.TooManyPaths](err); ok {
		return nil, nil, nil, &ContentError{[]Diagnostic{c.explainPaths(many)}}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	saved, faults, err := searches.Load(tree)
	if err != nil {
		return nil, nil, nil, err
	}
	if site == nil || len(faults) > 0 {
		return nil, nil, nil, &ContentError{append(found, faults...)}
	}
	if len(c.Visible.Statuses) > 0 && v.Visible == nil && len(tree.Files) > 0 && otherStatuses(site) {
		return nil, nil, nil, &ContentError{append(found, Diagnostic{File: c.Content, Message: "no item has any of the statuses asked for",
			Hint: "check --status: statuses are compared exactly"})}
	}
	return site, saved, found, nil
}

// otherStatuses reports whether every item is left out by its status.
func otherStatuses(site *model.Site) bool {
	for i := range site.Envs {
		env := &site.Envs[i]
		if len(env.Items)+len(env.Delivered)+env.Hidden.Scheduled+env.Hidden.Expired > 0 {
			return false
		}
	}
	return true
}

// unsearched returns the paths that searches do not see, by environment.
func unsearched(tree *source.Tree) map[string]model.LeftOut {
	all := map[string]model.LeftOut{}
	for env, settings := range tree.Settings {
		of := model.LeftOut{Rules: settings.SearchRules()}
		if len(of.Exclude) == 0 {
			continue
		}
		for _, path := range settings.Search.Exclude {
			of.Written = append(of.Written, model.WrittenPath{Path: path.Text, File: settings.File, Line: path.Line, Col: path.Col})
		}
		all[env] = of
	}
	return all
}
