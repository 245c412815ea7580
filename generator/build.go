// Package generator turns a content directory into a release: it runs the stages
// source, model, plan, render, index and output in this order, and knows what can be
// asked of a build. Between reading and writing nothing touches the disk, and until
// the last step nothing changes what readers of the output see.
package generator

import (
	"cmp"
	"context"
	"fmt"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/render"
	"contentedge/generator/spill"
)

// Build makes a release of the content and puts it in place. Its error is a
// *UsageError, a *ContentError, a *BudgetError or a *RemovalError, or else the
// machine's; whichever it is, the release that was there before is still whole and
// current.
func Build(ctx context.Context, c Config) (*Report, error) {
	if c.Out == "" {
		return nil, &UsageError{"--out", "no output directory is named", "name the directory that holds releases, e.g. public"}
	}
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	if err := output.Check(c.Out); err != nil {
		return nil, err
	}
	file, err := temporary(c.Out)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &tracker{tell: c.Progress}
	t.enter(Reading)
	p, err := prepare(ctx, &c, o, func() model.Keeper { return &shelver{file: file} }, t)
	if err != nil {
		return nil, err
	}
	if err := o.Guard(p.sums); err != nil {
		return nil, err
	}
	if !c.SnapshotOnly {
		t.expect(p.sums)
	}
	return p.write(ctx, &c, file, t)
}

// temporary makes a temporary file where the release will be: there is room for it, and
// before the output directory is there the disk it will be on is known. It has no name
// and changes nothing that readers see.
func temporary(out string) (*spill.File, error) {
	return spill.Create(out, release.TempPrefix+"spill-")
}

// Plan gives the figures that Build would reach, without writing anything. Where Build
// would refuse them it gives both the figures and a *BudgetError, or with Out a
// *RemovalError.
func Plan(ctx context.Context, c Config) (*PlanReport, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	p, err := prepare(ctx, &c, o, func() model.Keeper { return measurer{} }, &tracker{tell: c.Progress})
	if err != nil {
		return nil, err
	}
	r := &PlanReport{Environments: p.sums, BudgetFiles: o.BudgetFiles, BudgetBytes: o.BudgetBytes, Warnings: p.warnings}
	for i := range p.sums {
		files, bytes := p.sums[i].ListFiles()
		r.ListFiles += files
		r.ListBytes += bytes
		if !c.SnapshotOnly {
			r.ItemFiles += p.sums[i].Items
			r.ItemBytes += p.sums[i].ItemBytes
			r.CodedFiles += p.sums[i].Coded
		}
	}
	if err := o.Guard(p.sums); err != nil {
		return r, err
	}
	err = p.guardPlan(&c)
	r.Warnings = p.warnings
	return r, err
}

// prepared is a site with its plans, one for each environment, and their figures.
type prepared struct {
	site     *model.Site
	plans    []*plan.Env
	sums     []plan.Summary
	warnings []Diagnostic
	defaults address.Defaults
}

// prepare reads and plans; it writes nothing but texts, by their keepers.
func prepare(ctx context.Context, c *Config, o plan.Options, keeper func() model.Keeper, t *tracker) (*prepared, error) {
	site, warnings, err := load(ctx, c, keeper, t)
	if err != nil {
		return nil, err
	}
	p := &prepared{site: site, warnings: warnings, defaults: o.Defaults}
	for i := range site.Envs {
		env := &site.Envs[i]
		p.plans = append(p.plans, plan.New(env, o))
		p.sums = append(p.sums, render.Measure(env, p.plans[i]))
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
	}
	return p, nil
}

// write makes the files of all environments of the fragments in file, then the list of
// sums, then the manifest, then the switch.
func (p *prepared) write(ctx context.Context, c *Config, file *spill.File, t *tracker) (r *Report, err error) {
	tx, err := output.Begin(c.Out)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = tx.Abort() // what it cannot remove, the next build removes
		}
	}()
	tx.NoSync = c.NoSync
	w, err := p.writer(c, tx, file, t)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.guard(); err != nil {
		return nil, err
	}
	if same, err := w.unchanged(); err != nil || same != nil {
		return same, cmp.Or(err, tx.Abort())
	}
	t.enter(Writing)
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	if err := writeManifest(tx, w.manifest); err != nil {
		return nil, err
	}
	t.enter(Syncing)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if r, err = w.report(); err != nil {
		return nil, err
	}
	return r, tx.Commit(w.manifest.Build)
}

// writeManifest writes the manifest, last of all files. One that readers would refuse
// for its size is refused here.
func writeManifest(tx *output.Tx, m *release.Manifest) error {
	b := m.Encode()
	if len(b) > release.MaxManifest {
		return fmt.Errorf("the manifest would have %d bytes, more than the %d that readers accept: build fewer lists", len(b), release.MaxManifest)
	}
	return tx.Write(release.ManifestName, b)
}

// manifestEnv is the manifest's account of an environment.
func manifestEnv(p *plan.Env, s *plan.Summary, made snapshotFile) release.Environment {
	files, bytes := s.ListFiles()
	env := release.Environment{
		ID: p.ID, Items: s.Items,
		Snapshot: made.Snapshot, Fields: made.fields,
		Files: s.Items + files + 1, Bytes: s.ItemBytes + bytes + made.Bytes,
	}
	for _, f := range p.Families {
		env.Lists = append(env.Lists, manifestFamily(f))
	}
	return env
}

// manifestFamily is the manifest's account of a family of lists.
func manifestFamily(f plan.Family) release.Family {
	out := release.Family{Filters: f.Filters, Sort: f.Order.Sort, Asc: f.Order.Asc, PageSize: f.Order.Size, Values: []release.FamilyValue{}}
	for _, l := range f.Lists {
		v := release.FamilyValue{TotalItems: len(l.Docs)}
		for _, name := range f.Filters {
			if v.Filters == nil {
				v.Filters = map[string]string{}
			}
			v.Filters[name] = l.Address.Filter(name)
		}
		out.Values = append(out.Values, v)
	}
	return out
}
