// This file takes environments of which nothing changed as wholes: their files stay in the spare or are linked, and
// their lines in the list of checksums are copied.

package writer

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/incremental"
	"contentedge/generator/index"
	"contentedge/generator/output"
)

// ErrNotCarried says that an environment that was not read cannot be taken from the current release: a file is missing
// or damaged, or another build made another release. Read it, and write again.
var ErrNotCarried = errors.New("an environment cannot be taken from the current release")

// Carried has facts about an environment that was not read, as it equals the baseline. The rest is in the manifest.
type Carried struct {
	Files         int   // as the manifest counts them
	Bytes         int64 // of the files
	SnapshotBytes int64
}

// unread reports whether some environments were not read: they cannot be written, only carried.
func (w *Writer) unread() bool {
	return slices.ContainsFunc(w.envs, func(e Env) bool { return e.Carried != nil })
}

// known completes what the baseline's manifest says of the environments that were not read.
func (w *Writer) known() error {
	var snapshots map[string]release.Snapshot
	for i := range w.envs {
		known, id := w.envs[i].Carried, w.envs[i].Plan.ID
		if known == nil {
			continue
		}
		row := w.baseline.Manifest.Environment(id)
		if !w.carries || row == nil {
			return ErrNotCarried
		}
		e := *row
		if _, missing := row.Missing(); missing {
			if len(w.envs) <= release.MaxWhole {
				return ErrNotCarried // the manifest says all of each environment
			}
			if snapshots == nil {
				var err error
				if snapshots, err = w.baseline.Snapshots(); err != nil {
					return err
				}
			}
			e.Snapshot, e.Files, e.Bytes = snapshots[id], known.Files, known.Bytes
			e.Snapshot.Bytes = known.SnapshotBytes
		}
		if e.Snapshot.File == "" {
			return ErrNotCarried
		}
		w.unchanged[i] = &e
	}
	return nil
}

// same returns what the baseline's manifest says of environment i, if the release would say the same; otherwise nil.
func (w *Writer) same(i int) *release.Environment {
	e, env := w.compared[i], &w.envs[i]
	before := w.baseline.Manifest.Environment(env.Plan.ID)
	if before == nil || !e.Unchanged() || !(&index.Baseline{Reader: e.Reader}).HasFields(env.Fields) {
		return nil
	}
	saved, ok := sameSearches(env.Searches, before.Searches)
	if !ok {
		return nil
	}
	var m release.Manifest
	w.addChanged(&m, i, snapshotFile{before.Snapshot, before.Fields, saved})
	if m.Environments[0].Part() != before.Part() { // environments of equal parts have equal files
		return nil
	}
	return before
}

// carried reports whether environment i is taken as a whole.
func (w *Writer) carried(i int) bool { return w.carries && w.unchanged[i] != nil }

// carry takes the bodies and the snapshot of environment i.
func (w *Writer) carry(ctx context.Context, i int, sums *checksumWriter) (snapshotFile, error) {
	before, e := w.unchanged[i], w.env(i, sums)
	if err := w.carrySection(ctx, e, bodiesSection, before); err != nil {
		return snapshotFile{}, err
	}
	if err := w.carryFile(before.Snapshot.File, before.Snapshot.Bytes, before.Snapshot.SHA256); err != nil {
		return snapshotFile{}, err
	}
	files, bytes := w.envs[i].Summary.ListFiles()
	if !w.c.SnapshotOnly {
		w.c.Progress(Progress{Items: w.envs[i].Summary.Items + w.envs[i].Summary.UsedIn, Pages: files, Bytes: bytes + w.envs[i].Summary.ItemBytes + w.envs[i].Summary.UsedInBytes})
	}
	return snapshotFile{Snapshot: before.Snapshot, fields: before.Fields, searches: before.Searches}, nil
}

// carrySection takes the files of a section of the baseline's list. If the spare has the environment, its files stay
// without a look at each.
func (w *Writer) carrySection(ctx context.Context, e *envWriter, of func(incremental.Places) checksums.Section, before *release.Environment) error {
	section := of(w.places[before.ID])
	b := newBatch()
	b.copied = section
	close(b.written)
	put(ctx, e.checksums.batches, b)
	if w.recycled.has(before) && !w.c.Check {
		return context.Cause(ctx)
	}
	e.cursor, e.recycled = nil, w.recycled.cursor(before.ID, of)
	group, ctx := parallel.NewGroup(ctx)
	batches, lines := make(chan *batch), w.baseline.Cursor(section, nil)
	group.Start(func() error {
		defer close(batches)
		e.batches(e.listed(lines), func(b *batch) bool { return put(ctx, batches, b) })
		return lines.Err() // of a section that was not read to its end
	})
	for range min(maxWorkers, runtime.GOMAXPROCS(0)) {
		group.Start(func() error { return e.work(ctx, batches) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return e.recycled.end()
}

// listed yields the files of a section of the baseline's list.
func (e *envWriter) listed(c *incremental.Cursor) iter.Seq[file] {
	return func(yield func(file) bool) {
		for {
			f := file{listed: true, unchanged: true}
			var more bool
			if f.name, more = c.Next(&f.Entry); !more {
				return
			}
			f.recycled = e.recycled.take(f.name, &f.recycledEntry)
			if !yield(f) {
				return
			}
		}
	}
}

// carryFile takes a file whose name follows from its bytes.
func (w *Writer) carryFile(name string, size int64, sum string) error {
	l := w.tx.Linker(w.c.Baseline)
	defer l.Close()
	wanted := output.Wanted{Size: size}
	if w.recycled != nil && w.recycled.own[name] {
		ok, err := l.Keep(wanted, name)
		if err != nil {
			return err
		}
		if ok && (!w.c.Check || hexSum(w.tx.Path(name)) == sum) {
			return nil
		}
		if err := w.tx.Remove(name); err != nil {
			return err
		}
	}
	if w.c.Check && hexSum(w.baseline.Path(name)) != sum {
		return ErrNotCarried
	}
	ok, err := l.Link(wanted, name)
	if err == nil && !ok {
		err = ErrNotCarried
	}
	return err
}

// takePart takes the description of an environment from the spare or the baseline, and reports whether one has it.
func (w *Writer) takePart(p release.PartFile) (bool, error) {
	if w.recycled != nil && w.recycled.own[p.Name] {
		return true, w.carryFile(p.Name, p.Bytes, p.SHA256)
	}
	if !w.carries || !w.baseline.Manifest.HasParts() {
		return false, nil
	}
	before := w.baseline.Manifest.Environment(p.Environment)
	if before == nil || before.PartFile() != p {
		return false, nil
	}
	return true, w.carryFile(p.Name, p.Bytes, p.SHA256)
}
