// This file begins a release with the files of a removed one, most of which stay.

package writer

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/incremental"
	"contentedge/generator/output"
)

type recycled struct {
	ctx     context.Context
	tx      *output.Tx
	release *incremental.Baseline
	places  map[string]incremental.Places
	own     map[string]bool // the snapshots and the parts of the manifest that it has
}

// recycle begins a release with the spare's files; nil without a usable spare.
func recycle(ctx context.Context, tx *output.Tx) (*recycled, error) {
	b, err := incremental.Open(tx.Spare())
	if err != nil || b == nil {
		return nil, nil // a spare that cannot be read is not used
	}
	r := &recycled{ctx: ctx, tx: tx, release: b, own: map[string]bool{}}
	ids := make([]string, len(b.Manifest.Environments))
	for i := range ids {
		ids[i] = b.Manifest.Environments[i].ID
	}
	ok := false
	if r.places, err = b.Places(ids); err == nil {
		dirs := directories{lines: b.Lines()}
		ok, err = tx.Recycle(dirs.all())
	}
	if ok && err == nil {
		err = r.list()
	}
	if !ok || err != nil {
		b.Close()
		return nil, err
	}
	return r, nil
}

// list records the snapshots and the parts of the manifest that the spare has.
func (r *recycled) list() error {
	for _, dir := range []string{release.SnapshotDir, release.PartsDir} {
		names, err := r.tx.Entries(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			r.own[name] = true
		}
	}
	return nil
}

// directories are the directories of the files in a list of checksums.
type directories struct{ lines *checksums.Reader }

// all yields the directory of each run of files in the list; a directory may repeat. The files after the files of
// environments are listed by their directory.
func (d directories) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		last := []byte(nil)
		for d.lines.Next() {
			name := d.lines.Name()
			if !bytes.HasPrefix(name, filesPrefix) {
				continue
			}
			if dir := name[:bytes.LastIndexByte(name, '/')]; !bytes.Equal(dir, last) {
				last = append(last[:0], dir...)
				if !yield(string(dir)) {
					return
				}
			}
		}
		if d.lines.Err() != nil {
			yield(noDirectory)
		}
	}
}

// noDirectory is a name that directories cannot have. It stands for a list that cannot be read, as the spare is then
// unsound.
const noDirectory = "\x00"

var filesPrefix = []byte(release.FilesLink + "/")

// has reports whether the spare has all files of an environment as the manifest describes it.
func (r *recycled) has(e *release.Environment) bool {
	if r == nil {
		return false
	}
	own := r.release.Manifest.Environment(e.ID)
	return own != nil && own.Part() == e.Part()
}

// cursor returns a cursor over a section of the spare's list, which removes the files that are not taken.
func (r *recycled) cursor(env string, of func(incremental.Places) checksums.Section) *recycledCursor {
	if r == nil {
		return nil
	}
	c := &recycledCursor{recycled: r}
	c.Cursor = r.release.Cursor(of(r.places[env]), c.skip)
	return c
}

// drop removes the files of environments, and the snapshots, that the release does not have.
func (r *recycled) drop(m *release.Manifest) error {
	if r == nil {
		return nil
	}
	stays := map[string]bool{}
	for i := range m.Environments {
		e := &m.Environments[i]
		stays[e.ID], stays[e.Snapshot.File], stays[e.PartFile().Name] = true, true, m.HasParts()
	}
	for env := range r.places {
		if stays[env] {
			continue
		}
		for _, of := range sections {
			if err := r.cursor(env, of).end(); err != nil {
				return err
			}
		}
	}
	var gone []string
	for name := range r.own {
		if !stays[name] {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	return r.tx.Remove(gone...)
}

func (r *recycled) close() {
	if r != nil {
		r.release.Close()
	}
}

// sections are the sections that environments have in a list of checksums.
var sections = []func(incremental.Places) checksums.Section{mediaSection, bodiesSection}

func mediaSection(p incremental.Places) checksums.Section  { return p.Media }
func bodiesSection(p incremental.Places) checksums.Section { return p.Bodies }

// recycledCursor is a position in a section of the spare's list.
type recycledCursor struct {
	*recycled
	*incremental.Cursor
	unused []string // files to remove
	err    error    // of the removal of unused files
}

func (c *recycledCursor) skip(name string) {
	if c.unused = append(c.unused, name); len(c.unused) == output.RemoveBatch {
		c.remove()
	}
}

func (c *recycledCursor) remove() {
	if c.err == nil && len(c.unused) > 0 {
		c.err = cmp.Or(context.Cause(c.ctx), c.tx.Remove(c.unused...))
	}
	c.unused = c.unused[:0]
}

// take finds a file. Names have to ascend from call to call.
func (c *recycledCursor) take(name string, e *checksums.Entry) bool {
	return c != nil && c.Take(name, e)
}

func (c *recycledCursor) end() error {
	if c == nil {
		return nil
	}
	err := c.End()
	c.remove()
	return cmp.Or(err, c.err)
}
