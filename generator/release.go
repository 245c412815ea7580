// This file writes a whole release, environment by environment, and knows what of it
// the release before has already.

package generator

import (
	"context"
	"encoding/hex"
	"slices"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/index"
	"contentedge/generator/output"
	"contentedge/generator/reuse"
	"contentedge/generator/spill"
)

// releaseWriter writes the environments of a release.
type releaseWriter struct {
	*prepared
	config  *Config
	tx      *output.Tx
	tracker *tracker
	coder   coder
	docs    []*documents

	before *reuse.Release // nil: nothing is taken over
	old    []*reuse.Env   // by environment; nil where before has nothing to compare
	cursor *reuse.Cursor  // nil where files are coded differently
	spare  *spare         // nil: the release begins without files

	manifest *release.Manifest
}

// writer compares what was prepared with the current release.
func (p *prepared) writer(c *Config, tx *output.Tx, file *spill.File, t *tracker) (*releaseWriter, error) {
	k, err := c.coder()
	if err != nil {
		return nil, err
	}
	d := p.defaults
	w := &releaseWriter{prepared: p, config: c, tx: tx, tracker: t, coder: k, old: make([]*reuse.Env, len(p.plans)),
		manifest: &release.Manifest{Format: release.Format, Defaults: release.Defaults{Sort: d.Sort, Asc: d.Asc, PageSize: d.Size}, Compression: k.manifest()}}
	for i := range p.plans {
		env := &p.site.Envs[i]
		w.docs = append(w.docs, newDocuments(file, env.Items, p.plans[i].Docs))
		env.Items = nil // from here on the documents are enough
	}
	if c.Full {
		return w, nil
	}
	if err := w.compare(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// compare opens the current release. One that cannot be used is as good as none.
func (w *releaseWriter) compare() error {
	dir, err := w.tx.Previous()
	if err != nil || dir == "" {
		return err
	}
	if w.before, err = reuse.Open(dir); err != nil || w.before == nil {
		return err
	}
	for i, p := range w.plans {
		if w.old[i], err = w.before.Env(p.ID, w.docs[i]); err != nil {
			return err
		}
	}
	if slices.Equal(w.before.Manifest.Compression, w.manifest.Compression) {
		w.cursor = w.before.Sums(nil)
	}
	return err
}

// close lets go of the current release.
func (w *releaseWriter) close() {
	for _, e := range w.old {
		if e != nil {
			e.Close()
		}
	}
	if w.before != nil {
		w.before.Close()
	}
	if w.spare != nil {
		w.spare.close()
	}
}

// unchanged gives the report of a release that is the current one; nil if it is not.
func (w *releaseWriter) unchanged() (*Report, error) {
	if w.cursor == nil || len(w.before.Manifest.Environments) != len(w.plans) {
		return nil, nil
	}
	for i, e := range w.old {
		if e == nil || !e.Unchanged() {
			return nil, nil
		}
		if !(&index.Old{Reader: e.Reader}).Same(w.site.Envs[i].Fields) {
			return nil, nil
		}
	}
	m := *w.manifest
	for i := range w.plans {
		before := &w.before.Manifest.Environments[i]
		w.add(&m, i, snapshotFile{before.Snapshot, before.Fields})
	}
	m.Sums = w.before.Manifest.Sums
	if m.Encode(); m.Build != w.before.Manifest.Build {
		return nil, nil
	}
	r, err := w.reportOf(&m, w.before.Dir)
	if err != nil {
		return nil, err
	}
	r.Unchanged = true
	return r, nil
}

// add adds an environment to a manifest.
func (w *releaseWriter) add(m *release.Manifest, i int, s snapshotFile) {
	made := manifestEnv(w.plans[i], &w.sums[i], s)
	if w.config.SnapshotOnly {
		made.Files, made.Bytes = 1, s.Bytes
	}
	m.Environments = append(m.Environments, made)
	m.Files += made.Files
	m.Bytes += made.Bytes
}

// run writes the files of all environments and completes the manifest.
func (w *releaseWriter) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // lets go of a list that is not finished
	if w.cursor != nil {
		var err error
		if w.spare, err = recycle(ctx, w.tx); err != nil {
			return err
		}
	}
	list := newLister(ctx, w.tx)
	snapshots := make([]snapshotFile, len(w.plans))
	for _, i := range w.byName() {
		s, err := w.env(i, list).run(ctx)
		if err != nil {
			return err
		}
		if snapshots[i], err = w.describe(s); err != nil {
			return err
		}
		w.docs[i] = nil
	}
	for i, s := range snapshots {
		w.add(w.manifest, i, s)
	}
	if err := w.spare.end(); err != nil {
		return err
	}
	var err error
	w.manifest.Sums, err = list.end(ctx, w.manifest)
	return err
}

// snapshotFile is what the manifest says of a snapshot.
type snapshotFile struct {
	release.Snapshot
	fields []release.Field
}

// describe opens a snapshot that was written, for its fields.
func (w *releaseWriter) describe(s output.Streamed) (f snapshotFile, err error) {
	f.Snapshot = release.Snapshot{File: s.Name, Bytes: s.Bytes, SHA256: hex.EncodeToString(s.SHA256[:])}
	r, err := snapshot.Open(w.tx.Path(s.Name))
	if err != nil {
		return f, err
	}
	for _, field := range r.Fields() {
		out := release.Field{Path: field.Path, Type: field.Type.String()}
		for s := range snapshot.SubCount {
			if field.Sub(s) != nil {
				out.SubFields = append(out.SubFields, s.String())
			}
		}
		f.fields = append(f.fields, out)
	}
	return f, r.Close()
}

// byName gives the environments in the order of their files' names.
func (w *releaseWriter) byName() []int {
	order := make([]int, len(w.plans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareNames(w.plans[a].ID, w.plans[b].ID) })
	return order
}

// env makes the writer of an environment.
func (w *releaseWriter) env(i int, list *lister) *envWriter {
	d := w.defaults
	e := &envWriter{tx: w.tx, tracker: w.tracker, plan: w.plans[i], docs: w.docs[i], coder: w.coder, lister: list, snapshotOnly: w.config.SnapshotOnly, from: w.before, old: w.old[i], cursor: w.cursor, spare: w.spare}
	e.index = index.Config{Env: e.plan.ID, Sort: d.Sort, Asc: d.Asc, Fields: w.site.Envs[i].Fields, Memory: w.config.Memory, Temp: func() (*spill.File, error) { return temporary(w.config.Out) }}
	if old := w.old[i]; old != nil && old.InPlace() {
		e.index.Old = &index.Old{Reader: old.Reader, Changed: old.Changed()}
	}
	return e
}
