// This file writes a release, environment by environment, and its manifest last.

package writer

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/index"
	"contentedge/generator/output"
	"contentedge/generator/plan"
)

// Write writes all files and returns the manifest, which has the build id.
func (w *Writer) Write(ctx context.Context) (*release.Manifest, error) {
	if !w.carries && w.unread() {
		return nil, ErrNotCarried
	}
	if w.takes && !w.repairs {
		var err error
		if w.recycled, err = recycle(ctx, w.tx); err != nil {
			return nil, err
		}
	}
	m, err := w.write(ctx)
	if _, stuck := errors.AsType[*output.SpareError](err); !stuck && !errors.Is(err, ErrNotCarried) {
		return m, err
	}
	if err := w.restart(); err != nil {
		return nil, err
	}
	return w.write(ctx)
}

// restart begins again without the spare, and looks at each file of the baseline.
func (w *Writer) restart() error {
	if w.unread() {
		return ErrNotCarried
	}
	w.recycled.close()
	w.recycled, w.carries = nil, false
	w.progress.takeBack()
	return w.tx.Restart()
}

func (w *Writer) write(ctx context.Context) (*release.Manifest, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the checksum writer after an error
	sums := newChecksumWriter(ctx, w.tx, w.baseline)
	if err := w.media(ctx, sums); err != nil {
		return nil, err
	}
	snapshots := make([]snapshotFile, len(w.envs))
	for _, i := range w.byName() {
		var err error
		if w.carried(i) {
			snapshots[i], err = w.carry(ctx, i, sums)
		} else {
			snapshots[i], err = w.writeEnvironment(ctx, i, sums)
		}
		if err != nil {
			return nil, err
		}
		if w.recycled == nil && !w.carries { // otherwise restart may write all files again
			w.docs[i] = nil
		}
	}
	m := *w.manifest
	for i, s := range snapshots {
		w.addEnvironment(&m, i, s)
	}
	m.SetFormat()
	if err := w.recycled.drop(&m); err != nil {
		return nil, err
	}
	if err := w.writeParts(&m); err != nil {
		return nil, err
	}
	var err error
	if m.Checksums, err = sums.end(ctx, &m); err != nil {
		return nil, err
	}
	w.tx.Prune()
	return &m, w.writeManifest(&m)
}

// writeParts writes the parts of a manifest that has some.
func (w *Writer) writeParts(m *release.Manifest) error {
	if !m.HasParts() {
		return nil
	}
	for i := range m.Environments {
		e := &m.Environments[i]
		if taken, err := w.takePart(e.PartFile()); taken || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := checkPart(m, i, release.MaxManifest); err != nil {
			return err
		}
		if err := w.tx.Write(e.PartFile().Name, e.Text()); err != nil {
			return err
		}
	}
	return nil
}

// writeEnvironment writes the files of environment i that the baseline lacks, and takes the others.
func (w *Writer) writeEnvironment(ctx context.Context, i int, sums *checksumWriter) (f snapshotFile, err error) {
	if w.compared[i] != nil {
		if err := w.compared[i].Resume(); err != nil {
			return f, err
		}
		defer w.compared[i].Close()
	}
	e := w.env(i, sums)
	if e.cursor != nil {
		if err := e.compareReferences(w.baseline.Manifest, w.manifest.Defaults); err != nil {
			return f, err
		}
	}
	s, err := e.run(ctx)
	if err != nil {
		return f, err
	}
	if f, err = w.describe(s); err != nil {
		return f, err
	}
	if f.searches, err = e.searches(ctx, w.envs[i].Searches, w.c.Target, s.Name); err != nil {
		return f, err
	}
	return f, e.recycled.end()
}

// writeManifest refuses a manifest that is too large for its readers.
func (w *Writer) writeManifest(m *release.Manifest) error {
	b := m.Encode()
	if len(b) <= release.MaxManifest {
		return w.tx.Write(release.ManifestName, b)
	}
	if m.HasParts() {
		return fmt.Errorf("the manifest would have %d bytes, more than the %d that readers accept: build fewer environments than these %d, at most %d",
			len(b), release.MaxManifest, len(m.Environments), release.MaxEnvironments)
	}
	return tooLarge("the manifest", m)
}

// tooLarge says of what a manifest without parts has too much.
func tooLarge(what string, m *release.Manifest) error {
	lists, bytes := *m, len(m.Encode())
	lists.Environments = slices.Clone(lists.Environments)
	for i := range lists.Environments {
		lists.Environments[i].Fields = nil
	}
	fields := bytes - len(lists.Encode())
	return fmt.Errorf("%s would have %d bytes, more than the %d that readers accept: build fewer lists (%d bytes), or use fewer keys in Data (%d bytes)",
		what, bytes, release.MaxManifest, bytes-fields, fields)
}

type snapshotFile struct {
	release.Snapshot
	fields   []release.Field
	searches []release.Search // computed from the snapshot
}

func (w *Writer) describe(s output.Streamed) (f snapshotFile, err error) {
	f.Snapshot = release.Snapshot{File: s.Name, Bytes: s.Bytes, SHA256: hex.EncodeToString(s.SHA256[:])}
	r, err := snapshot.Open(w.tx.Path(s.Name))
	if err != nil {
		return f, err
	}
	for _, field := range r.FieldTypes() {
		out := release.Field{Path: field.Path, Type: field.Type.String()}
		for _, s := range field.Subs {
			out.SubFields = append(out.SubFields, s.String())
		}
		f.fields = append(f.fields, out)
	}
	return f, r.Close()
}

func (w *Writer) byName() []int {
	order := make([]int, len(w.envs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareNames(w.envs[a].Plan.ID, w.envs[b].Plan.ID) })
	return order
}

func (w *Writer) env(i int, sums *checksumWriter) *envWriter {
	env, d := &w.envs[i], w.c.Defaults
	e := &envWriter{c: &w.c, tx: w.tx, plan: env.Plan, docs: w.docs[i], references: env.References, checksums: sums, compared: w.compared[i], recycled: w.recycled.cursor(env.Plan.ID, bodiesSection)}
	if e.compared != nil && w.takes {
		e.cursor = w.baseline.Cursor(w.places[env.Plan.ID].Bodies, nil)
	}
	e.index = index.Environment{Env: env.Plan.ID, Sort: d.Sort, Asc: d.Asc, Fields: env.Fields, LeftOut: env.LeftOut, Memory: w.c.Memory, Temp: w.c.Temp}
	if e.compared != nil {
		e.index.Baseline = &index.Baseline{Reader: e.compared.Reader, Same: e.compared.Same(), InPlace: e.compared.InPlace()}
	}
	return e
}

func (w *Writer) addEnvironment(m *release.Manifest, i int, s snapshotFile) {
	if before := w.unchanged[i]; before != nil {
		m.Environments = append(m.Environments, *before)
		m.Files += before.Files
		m.Bytes += before.Bytes
		return
	}
	w.addChanged(m, i, s)
}

// addChanged is addEnvironment for an environment of which the baseline does not say the same.
func (w *Writer) addChanged(m *release.Manifest, i int, s snapshotFile) {
	env := &w.envs[i]
	out := release.Environment{ID: env.Plan.ID, Items: env.Summary.Items, Snapshot: s.Snapshot, Fields: s.fields, LeftOut: env.LeftOut, Files: 1, Bytes: s.Bytes}
	out.Visible = env.Visible
	out.Templates, out.TemplatesLeftOut = env.Templates, env.TemplatesLeftOut
	if !w.c.SnapshotOnly {
		files, bytes := env.Summary.ListFiles()
		out.Files += out.Items + env.Summary.UsedIn + files
		out.Bytes += env.Summary.ItemBytes + env.Summary.UsedInBytes + bytes
	}
	if env.References != nil {
		out.Include, out.UsedIn = env.References.Include, env.References.UsedIn
	}
	out.Media = counted(env.Media)
	out.Files += out.Media.Files
	out.Bytes += out.Media.Bytes
	out.Searches = s.searches
	for _, saved := range s.searches {
		if !w.c.SnapshotOnly {
			out.Files += saved.Files
			out.Bytes += saved.Bytes
		}
	}
	for _, f := range env.Plan.Families {
		out.Lists = append(out.Lists, manifestFamily(f))
	}
	m.Environments = append(m.Environments, out)
	m.Files += out.Files
	m.Bytes += out.Bytes
}

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
