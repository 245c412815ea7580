// This file reads files together with their precompressed files, whose lines follow.

package checksums

import (
	"bytes"

	"contentedge/edgeserve/wire/contentcoding"
)

// compressed are the codings in byte order of their suffixes.
var compressed = [...]contentcoding.Coding{contentcoding.Brotli, contentcoding.Gzip, contentcoding.Zstd}

// Entry is a file with its precompressed files.
type Entry struct {
	Codings contentcoding.Set        // of the precompressed files
	Sums    [contentcoding.Count]Sum // by coding; the file itself has contentcoding.Identity
}

// Each calls visit for every file of the entry, by name.
func (e *Entry) Each(name string, visit func(name string, sum Sum) error) error {
	if err := visit(name, e.Sums[contentcoding.Identity]); err != nil {
		return err
	}
	for _, c := range compressed {
		if e.Codings.Has(c) {
			if err := visit(name+c.Suffix(), e.Sums[c]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names lists the names of all files of the entry.
func (e *Entry) Names(name string) (names []string) {
	_ = e.Each(name, func(name string, _ Sum) error { names = append(names, name); return nil })
	return names
}

// EntryReader reads a list entry by entry. Name and Entry belong to the current entry.
type EntryReader struct {
	Name string
	Entry

	r    *Reader
	more bool // r is at a line of the next entry
}

// NewEntryReader returns a reader of the lines that r has not read yet.
func NewEntryReader(r *Reader) *EntryReader { return &EntryReader{r: r, more: r.Next()} }

// Next moves to the next entry. It returns false at the end of the list, and after an error.
func (f *EntryReader) Next() bool {
	if !f.more {
		return false
	}
	f.Name, f.Entry = string(f.r.Name()), Entry{}
	f.Sums[contentcoding.Identity] = f.r.Sum()
	f.more = f.r.Next()
	for _, c := range compressed {
		if suffix, ok := bytes.CutPrefix(f.r.Name(), []byte(f.Name)); f.more && ok && string(suffix) == c.Suffix() {
			f.Codings, f.Sums[c] = f.Codings.With(c), f.r.Sum()
			f.more = f.r.Next()
		}
	}
	return f.more || f.r.Err() == nil
}

// Err is the error that ended reading, nil at the end of the list.
func (f *EntryReader) Err() error { return f.r.Err() }
