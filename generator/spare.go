// This file makes a release of the files of one that was removed: most of them stay.

package generator

import (
	"strings"

	"contentedge/edgeserve/release"
	"contentedge/generator/output"
	"contentedge/generator/reuse"
)

// spare is what the new release began with.
type spare struct {
	release *reuse.Release
	cursor  *reuse.Cursor
	err     error // of what could not be removed
}

// recycle begins a release with the spare, nil where there is none that can be used.
func recycle(tx *output.Tx) (*spare, error) {
	r, err := reuse.Open(tx.Spare())
	if err != nil || r == nil {
		return nil, err
	}
	n, err := r.Files()
	if err != nil {
		r.Close()
		return nil, nil
	}
	if ok, err := tx.Recycle(n); !ok {
		r.Close()
		return nil, err
	}
	s := &spare{release: r}
	s.cursor = r.Sums(func(name string) {
		if s.err == nil && strings.HasPrefix(name, release.FilesLink+"/") { // snapshots are not of the spare
			s.err = tx.Remove(name)
		}
	})
	return s, nil
}

// take finds a file of the spare, and removes those before it, which nobody asked for.
func (s *spare) take(name string, f *reuse.Files) bool { return s != nil && s.cursor.Take(name, f) }

// end removes the files that are left.
func (s *spare) end() error {
	if s == nil {
		return nil
	}
	if err := s.cursor.End(); err != nil {
		return err
	}
	return s.err
}

func (s *spare) close() { s.release.Close() }
