// This file walks a list of sums beside the files of a new release, both by name.

package reuse

import (
	"bytes"

	"contentedge/edgeserve/encoding"
	"contentedge/generator/sums"
)

// coded are the codings by the suffixes of their files, in byte order.
var coded = [...]encoding.Coding{encoding.Brotli, encoding.Gzip, encoding.Zstd}

// Files is a file with those that hold it coded, and their sums.
type Files struct {
	Coded encoding.Set
	Sums  [encoding.Count]sums.Sum
}

// Each calls visit for every file, by name.
func (f *Files) Each(name string, visit func(name string, sum sums.Sum) error) error {
	if err := visit(name, f.Sums[encoding.Identity]); err != nil {
		return err
	}
	for _, c := range coded {
		if f.Coded.Has(c) {
			if err := visit(name+c.Suffix(), f.Sums[c]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names gives the names of all of them.
func (f *Files) Names(name string) []string {
	names := []string{name}
	for _, c := range coded {
		if f.Coded.Has(c) {
			names = append(names, name+c.Suffix())
		}
	}
	return names
}

// Cursor is a place in a list of sums.
type Cursor struct {
	r      *sums.Reader
	more   bool
	passed func(name string)
}

func newCursor(r *sums.Reader, passed func(name string)) *Cursor {
	c := &Cursor{r: r, passed: passed}
	c.next()
	return c
}

func (c *Cursor) next() { c.more = c.r.Next() }

// pass goes on without having been asked for a file.
func (c *Cursor) pass() {
	if c.passed != nil {
		c.passed(string(c.r.Name()))
	}
	c.next()
}

// End passes the rest of the list.
func (c *Cursor) End() error {
	for c.more {
		c.pass()
	}
	return c.r.Err()
}

// Take finds a file. The names asked for have to ascend.
func (c *Cursor) Take(name string, f *Files) bool {
	for c.more && bytes.Compare(c.r.Name(), []byte(name)) < 0 {
		c.pass()
	}
	if !c.more || string(c.r.Name()) != name {
		return false
	}
	*f = Files{}
	f.Sums[encoding.Identity] = c.r.Sum()
	c.next()
	for _, k := range coded {
		if suffix, ok := bytes.CutPrefix(c.r.Name(), []byte(name)); c.more && ok && string(suffix) == k.Suffix() {
			f.Coded = f.Coded.With(k)
			f.Sums[k] = c.r.Sum()
			c.next()
		}
	}
	return true
}
