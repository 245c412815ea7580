// This file makes a release of the files of one that was removed: most of them stay.

package generator

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"contentedge/edgeserve/release"
	"contentedge/generator/output"
	"contentedge/generator/reuse"
	"contentedge/generator/sums"
)

// spare is what the new release began with.
type spare struct {
	ctx     context.Context
	tx      *output.Tx
	release *reuse.Release
	cursor  *reuse.Cursor
	passed  []string // files that nobody asked for, to be removed
	err     error    // of removing them
}

// recycle begins a release with the spare, nil where there is none that can be used.
func recycle(ctx context.Context, tx *output.Tx) (*spare, error) {
	r, err := reuse.Open(tx.Spare())
	if err != nil || r == nil {
		return nil, useless(tx, err)
	}
	n, err := r.Files()
	recycled := false
	if err == nil {
		recycled, err = tx.Recycle(n)
	}
	if err != nil || !recycled {
		r.Close()
		return nil, useless(tx, err)
	}
	s := &spare{ctx: ctx, tx: tx, release: r}
	s.cursor = r.Sums(s.pass)
	return s, nil
}

// useless says of what is wrong with the spare that it can go.
func useless(tx *output.Tx, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\n  hint: %s only saves time: remove it, or build with --full", err, tx.Spare())
}

// pass notes a file that nobody asked for.
func (s *spare) pass(name string) {
	if strings.HasPrefix(name, release.FilesLink+"/") { // snapshots are not of the spare
		s.passed = append(s.passed, name)
	}
	if len(s.passed) == output.RemoveBatch {
		s.remove()
	}
}

// remove removes what was passed, unless something went wrong before.
func (s *spare) remove() {
	if s.err == nil {
		s.err = cmp.Or(context.Cause(s.ctx), s.tx.Remove(s.passed...))
	}
	s.passed = s.passed[:0]
}

// take finds a file of the spare, behind those it found before.
func (s *spare) take(name string, f *sums.Files) bool { return s != nil && s.cursor.Take(name, f) }

// end removes the files that nobody asked for.
func (s *spare) end() error {
	if s == nil {
		return nil
	}
	err := s.cursor.End()
	s.remove()
	return cmp.Or(err, s.err)
}

func (s *spare) close() { s.release.Close() }
