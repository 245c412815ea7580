// This file begins a release with the files of a removed one, most of which stay.

package writer

import (
	"cmp"
	"context"
	"strings"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/incremental"
	"contentedge/generator/output"
)

type recycled struct {
	ctx     context.Context
	tx      *output.Tx
	release *incremental.Baseline
	cursor  *incremental.Cursor
	unused  []string // files to remove
	err     error    // of the removal of unused files
}

// recycle begins a release with the spare's files; nil without a usable spare.
func recycle(ctx context.Context, tx *output.Tx) (*recycled, error) {
	b, err := incremental.Open(tx.Spare())
	if err != nil || b == nil {
		return nil, nil // a spare that cannot be read is not used
	}
	ok := false
	if names, e := spareNames(b); e == nil {
		ok, err = tx.Recycle(names)
	}
	if !ok || err != nil {
		b.Close()
		return nil, err
	}
	r := &recycled{ctx: ctx, tx: tx, release: b}
	r.cursor = b.Cursor(r.skip)
	return r, nil
}

// spareNames returns the names of a spare's files from its list of checksums. A spare has no snapshots and no parts of
// its manifest.
func spareNames(b *incremental.Baseline) (names output.Names, err error) {
	lines := b.Lines()
	for lines.Next() {
		if name := string(lines.Name()); strings.HasPrefix(name, release.FilesLink+"/") {
			names.Add(name)
		}
	}
	return names, lines.Err()
}

func (r *recycled) skip(name string) {
	if strings.HasPrefix(name, release.FilesLink+"/") {
		r.unused = append(r.unused, name)
	}
	if len(r.unused) == output.RemoveBatch {
		r.remove()
	}
}

func (r *recycled) remove() {
	if r.err == nil {
		r.err = cmp.Or(context.Cause(r.ctx), r.tx.Remove(r.unused...))
	}
	r.unused = r.unused[:0]
}

// take finds a file. Names have to ascend from call to call.
func (r *recycled) take(name string, e *checksums.Entry) bool {
	return r != nil && r.cursor.Take(name, e)
}

func (r *recycled) end() error {
	if r == nil {
		return nil
	}
	err := r.cursor.End()
	r.remove()
	return cmp.Or(err, r.err)
}

func (r *recycled) close() { r.release.Close() }
