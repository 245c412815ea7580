// This file checks that the files of an unchanged release are still there.

package writer

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"runtime"
	"strings"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/output"
)

// Look checks all files of an unchanged release, with ReleaseConfig.Check their bytes too. If files are damaged, Write
// mends the release: it writes the damaged files again and takes the others. Look returns ErrNotCarried if a file may
// be damaged whose size is known only once its environment is read.
func (w *Writer) Look(ctx context.Context) (*output.Found, error) {
	l := w.tx.Look(w.baseline.Dir, w.names)
	err := cmp.Or(w.lookAtOwn(l), w.lookAtListed(ctx, l))
	found, e := l.End()
	if err = cmp.Or(err, e); err != nil {
		return nil, err
	}
	if w.c.Check {
		if err := w.hash(ctx, found); err != nil {
			return nil, err
		}
	}
	if w.repairs = len(found.Faults) > 0; w.repairs {
		w.carries = false
	}
	return found, nil
}

// names calls visit with the name of each file of the baseline.
func (w *Writer) names(visit func(name string)) error {
	visit(release.ManifestName)
	visit(release.ChecksumsName)
	lines := w.baseline.Lines()
	for lines.Next() {
		visit(string(lines.Name()))
	}
	return lines.Err()
}

// lookAtOwn checks the files that the list of checksums does not have.
func (w *Writer) lookAtOwn(l *output.Looker) error {
	for name, size := range map[string]int64{
		release.ManifestName:  int64(len(w.baseline.Raw)),
		release.ChecksumsName: w.baseline.Manifest.Checksums.Bytes,
	} {
		if _, err := l.File(name, output.Wanted{Size: size}); err != nil {
			return err
		}
	}
	return nil
}

// lookAtListed checks the files of the list of checksums, which gives their names and times. The plan
// gives the sizes of bodies; of an environment that was not read, only their sum is known. The sizes of precompressed
// files are not known, but one that was changed has another time.
func (w *Writer) lookAtListed(ctx context.Context, l *output.Looker) error {
	next, stop := iter.Pull2(w.sizes())
	defer stop()
	sized, size, more := next()
	left := w.unreadBytes()
	entries := checksums.NewEntryReader(w.baseline.Lines())
	for entries.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for more && sized < entries.Name {
			sized, size, more = next()
		}
		wanted := output.Wanted{Size: output.UnknownSize}
		if strings.HasPrefix(entries.Name, release.FilesLink+"/") {
			wanted.Mtime = release.FileTime(entries.Sums[contentcoding.Identity])
		}
		if more && sized == entries.Name {
			wanted.Size = size
		}
		err := entries.Each(entries.Name, func(name string, _ checksums.Sum) error {
			found, err := l.File(name, wanted)
			if name == entries.Name {
				left.take(name, found)
			}
			wanted.Size = output.UnknownSize
			return err
		})
		if err != nil {
			return err
		}
	}
	return cmp.Or(entries.Err(), left.err())
}

// unreadBytes are the bytes of the bodies that were not found yet, of each environment that was not read. Sizes that
// changed by the same amount in both directions, with the times of the files put back, are not noticed: a build with
// ReleaseConfig.Check reads the bytes.
type unreadBytes map[string]int64

func (w *Writer) unreadBytes() unreadBytes {
	left := unreadBytes{}
	for i, e := range w.unchanged {
		if w.envs[i].Carried != nil {
			left[e.ID] = e.Bytes - e.Snapshot.Bytes // the snapshot's size is known
		}
	}
	return left
}

// take takes a body that was found.
func (l unreadBytes) take(name string, size int64) {
	if len(l) == 0 {
		return
	}
	for _, dir := range [...]string{address.EnvDir(""), release.MediaDir + "/"} {
		if below, ok := strings.CutPrefix(name, dir); ok {
			env, _, _ := strings.Cut(below, "/")
			if left, unread := l[env]; unread {
				l[env] = left - size
			}
			return
		}
	}
}

// err is ErrNotCarried if the bodies of an environment have other sizes than its manifest says.
func (l unreadBytes) err() error {
	for _, left := range l {
		if left != 0 {
			return ErrNotCarried
		}
	}
	return nil
}

// sizes returns the sizes of media, pages, items and snapshots, in the order of the list of checksums.
func (w *Writer) sizes() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, i := range w.byName() {
			for _, m := range w.envs[i].Media {
				if !yield(mediaName(m), m.Size) {
					return
				}
			}
		}
		for _, i := range w.byName() {
			if w.envs[i].Carried != nil {
				continue // unreadBytes has the sum
			}
			e := w.env(i, nil)
			e.cursor = nil // no file is taken from the baseline
			for f := range e.files() {
				if !yield(f.name, e.size(&f)) {
					return
				}
			}
		}
		for _, i := range w.byName() {
			s := w.unchanged[i].Snapshot
			if !yield(s.File, s.Bytes) {
				return
			}
		}
	}
}

// hashBatch is how many files are hashed before the list is read on.
const hashBatch = 4096

type listedFile struct {
	name string
	sum  checksums.Sum
	bad  bool
}

// hash compares the bytes of files without a fault so far with the list of checksums.
func (w *Writer) hash(ctx context.Context, found *output.Found) error {
	lines := w.baseline.Lines()
	for more := true; more; {
		var batch []listedFile
		for len(batch) < hashBatch {
			if more = lines.Next(); !more {
				break
			}
			if name := string(lines.Name()); found.Faults[name] == output.Sound {
				batch = append(batch, listedFile{name: name, sum: lines.Sum()})
			}
		}
		err := parallel.Each(ctx, runtime.GOMAXPROCS(0), len(batch), func(_, i int) error {
			f := &batch[i]
			f.bad = !hasSum(filepath.Join(w.baseline.Dir, filepath.FromSlash(f.name)), f.sum)
			return nil
		})
		if err != nil {
			return err
		}
		for _, f := range batch {
			if f.bad {
				found.Faults[f.name] = output.Damaged
			}
		}
	}
	return lines.Err()
}
