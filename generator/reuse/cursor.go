// This file walks a list of sums beside the files of a new release, both by name.

package reuse

import "contentedge/generator/sums"

// Cursor is a place in a list of sums.
type Cursor struct {
	r      *sums.FileReader
	more   bool
	passed func(name string)
}

func newCursor(r *sums.Reader, passed func(name string)) *Cursor {
	c := &Cursor{r: sums.NewFileReader(r), passed: passed}
	c.next()
	return c
}

func (c *Cursor) next() { c.more = c.r.Next() }

// pass goes on without having been asked for a file.
func (c *Cursor) pass() {
	if c.passed != nil {
		for _, name := range c.r.Names(c.r.Name) {
			c.passed(name)
		}
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
func (c *Cursor) Take(name string, f *sums.Files) bool {
	for c.more && c.r.Name < name {
		c.pass()
	}
	if !c.more || c.r.Name != name {
		return false
	}
	*f = c.r.Files
	c.next()
	return true
}
